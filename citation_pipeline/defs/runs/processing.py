"""Claims run from the command line: the same jobs, assets and instance as in the UI, claim by claim."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import dagster as dg

from citation_pipeline.adapters.claim_settings import ReaderNames
from citation_pipeline.adapters.tables.archived_claims import archive_claim, reopen_claim
from citation_pipeline.adapters.verifications.promotions import Decision, PromotionDecision
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.planning.nights import ClaimPlan
from citation_pipeline.core.planning.stages import REMATCH_STAGES, StageDecision
from citation_pipeline.defs.assets.partitions import claims
from citation_pipeline.defs.automation.planning import plan_claim, plan_claims
from citation_pipeline.defs.dagster_internals.dead_runs import (
    PROCESS_TAG,
    fail_dead_runs,
    hold_lock,
    this_process,
)
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.instances import open_instance
from citation_pipeline.defs.readers import extractors, parsers
from citation_pipeline.defs.resources import dagster_home, read_settings
from citation_pipeline.defs.runs.progress import Watcher
from citation_pipeline.defs.runs.promotions import decide

_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}  # the event log has it all


@dataclass(frozen=True, slots=True)
class ClaimRun:
    """How one claim's run ended; `failure` names the stage and the reason."""

    claim_id: str
    stages: tuple[str, ...]
    run_id: str | None
    failure: str | None = None


class Processing:
    """Runs claims over one store, with lineage in the store's Dagster instance."""

    def __init__(
        self, *, store: str = "", watcher: Watcher | None = None, readers: Mapping[str, Any] | None = None
    ) -> None:
        """Open a store; `readers` replaces parsers or extractors, under their resource names."""
        self._settings = read_settings(store)
        self.store = self._settings.open_store()
        self._readers: dict[str, Any] = {
            "parsers": parsers(self._settings),
            "extractors": extractors(self._settings),
        }
        self._readers |= readers or {}
        self._watcher = watcher

    @property
    def reader_names(self) -> ReaderNames:
        """The parsers and extractors that claims may name."""
        return ReaderNames(self._readers["parsers"].names, self._readers["extractors"].names)

    def plan(self, claim: Claim) -> list[StageDecision]:
        """Return what a run of the claim would do."""
        return plan_claim(claim, store=self.store, settings=self._settings, **self._readers)

    def plan_claims(self, asked: Iterable[str | Claim]) -> Iterator[ClaimPlan]:
        """Yield each claim's plan with what it would cost: known claims by id, or any as it would be read."""
        return plan_claims(asked, store=self.store, settings=self._settings, **self._readers)

    def run(self, claim: Claim, stages: Sequence[str], *, documents: Sequence[str] = ()) -> ClaimRun:
        """Run some stages of a registered claim as one Dagster run; `documents` alone are parsed again."""
        self._instance.add_dynamic_partitions(str(claims.name), [claim.claim_id])
        job = "rematch_claims" if set(stages) <= set(REMATCH_STAGES) else "process_claims"
        config = {"ops": {"parsed_documents": {"config": {"documents": list(documents)}}}}
        return self._execute(job, stages, partition_key=claim.claim_id, config=config if documents else {})

    def refresh_warehouse(self) -> ClaimRun:
        """Bring the warehouse up to the store."""
        return self._execute("refresh_warehouse", ("claims_warehouse",), partition_key=None)

    def archive(self, claim_id: str) -> None:
        """Retire a claim: its partition key goes, its data stays; raises StoreError."""
        archive_claim(self.store, claim_id, at=datetime.now(UTC).isoformat(timespec="seconds"))
        self._instance.delete_dynamic_partition(str(claims.name), claim_id)

    def reopen(self, claim_id: str) -> bool:
        """Take a retired claim back; tell whether it was retired."""
        was_archived = reopen_claim(self.store, claim_id)
        if was_archived:
            self._instance.add_dynamic_partitions(str(claims.name), [claim_id])
        return was_archived

    def decide(self, claim_id: str, decision: Decision, *, by: str, why: str) -> PromotionDecision:
        """Accept or refuse a claim's held set; raises NothingHeldError where none is held."""
        return decide(self.store, self._settings, self._instance, claim_id, decision, by=by, why=why)

    def close(self) -> None:
        """Let go of the readers and the instance."""
        for readers in self._readers.values():
            readers.close()
        if "_instance" in self.__dict__:
            self._instance.dispose()

    @cached_property
    def _instance(self) -> dg.DagsterInstance:
        """The store's Dagster instance, set up and looked through by who first needs it: no plan does."""
        home = dagster_home(self._settings.store)
        instance = open_instance(home, limits=self._settings.night.runs, captures_output=False)
        hold_lock(instance)
        fail_dead_runs(instance)
        return instance

    @cached_property
    def _definitions(self) -> dg.Definitions:
        return build_definitions(store=self._settings.store, watcher=self._watcher, readers=self._readers)

    @cached_property
    def _rematch_definitions(self) -> dg.Definitions:
        free = {name: found.without_paid() for name, found in self._readers.items()}
        return build_definitions(store=self._settings.store, watcher=self._watcher, readers=free)

    def _execute(
        self,
        job: str,
        stages: Sequence[str],
        *,
        partition_key: str | None,
        config: Mapping[str, Any] | None = None,
    ) -> ClaimRun:
        definitions = self._rematch_definitions if job == "rematch_claims" else self._definitions
        result = definitions.resolve_job_def(job).execute_in_process(
            instance=self._instance,
            partition_key=partition_key,
            asset_selection=[dg.AssetKey(stage) for stage in stages],
            raise_on_error=False,
            run_config={**_QUIET, **(config or {})},
            tags={PROCESS_TAG: this_process()},
        )
        failure = None if result.success else _failure_of(result)
        return ClaimRun(partition_key or "", tuple(stages), result.run_id, failure)


def _failure_of(result: dg.ExecuteInProcessResult) -> str:
    """Return the first failed step and its reason; a reason that may quote a document is withheld."""
    for event in result.all_events:
        if event.is_step_failure:
            details = event.step_failure_data
            if details.user_failure_data and details.user_failure_data.description:
                return f"{event.step_key}: {details.user_failure_data.description}"
            kind = details.error.cls_name if details.error else "unknown error"
            return f"{event.step_key}: {kind} (its message is withheld: see the run {result.run_id})"
    return f"the run {result.run_id} failed before its first step"
