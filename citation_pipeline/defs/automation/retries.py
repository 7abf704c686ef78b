"""Trying again: the waits inside a run, and the job `retry_failed` over the table of failed tries.

The job asks for one backfill of exactly the stages that failed and those that wait for them, for exactly
the claims that failed; the daemon runs it. Claims that failed for good are tried again here and nowhere
else, since only a person knows that something was mended.
"""

import random
from collections.abc import Mapping, Sequence

import dagster as dg

from citation_pipeline.adapters.tables.archived_claims import archived_claim_ids
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.tries import failed_tries
from citation_pipeline.core.planning.retries import RetryRules
from citation_pipeline.core.planning.stages import STAGES, UPSTREAM, FailedTry
from citation_pipeline.defs.automation.busy_claims import find_busy_claims
from citation_pipeline.defs.dagster_internals.backfills import request_backfill
from citation_pipeline.defs.dagster_internals.placing import renamed
from citation_pipeline.defs.namespaces import HERE, Namespace


class RetryConfig(dg.Config):
    """Which failed claims are tried again: all, or the ones named; `transient_only` leaves the others."""

    claim_ids: list[str] = []
    transient_only: bool = False


def build_retry_job(place: Namespace = HERE) -> dg.JobDefinition:
    """Return the job that tries the failed claims again."""

    def request_retries(
        context: dg.OpExecutionContext, config: RetryConfig, store: dg.ResourceParam[ClaimStore]
    ) -> None:
        """Ask for a backfill of what failed; its claims and stages are in this run's log."""
        _request_retries(context, config, store, place)

    op = dg.op(name=place.name("request_retries"))(renamed(request_retries, place))

    @dg.job(
        name=place.name("retry_failed"),
        executor_def=dg.in_process_executor,
        description="Tries exactly the failed claims again, from the stage that failed, in one backfill.",
    )
    def retry_failed() -> None:
        op()

    return retry_failed


def _request_retries(
    context: dg.OpExecutionContext, config: RetryConfig, store: ClaimStore, place: Namespace
) -> None:
    busy = find_busy_claims(context.instance, place)
    archived = archived_claim_ids(store)
    wanted = {
        claim_id: tries
        for claim_id, tries in failed_tries(store).items()
        if claim_id not in busy
        and claim_id not in archived
        and (not config.claim_ids or claim_id in config.claim_ids)
        and (not config.transient_only or all(failed.is_transient for failed in tries))
    }
    targets = stages_to_retry(wanted)
    if not targets:
        context.log.info("no failed claim is waiting for another try")
        return
    backfill_id = request_backfill(context.instance, targets, title="retry of failed claims", place=place)
    context.log.info(f"backfill {backfill_id}: {', '.join(sorted(wanted))}")
    context.add_output_metadata(
        {
            "backfill": backfill_id,
            "claims": len(wanted),
            **{f"stage/{stage}": len(claim_ids) for stage, claim_ids in targets.items()},
        }
    )


def stages_to_retry(failed: Mapping[str, Sequence[FailedTry]]) -> dict[str, list[str]]:
    """Return the claims by stage: each one's failed stages and everything that is made from them.

    A claim that failed to be parsed is mended by changing its documents, so they are listed again first.
    """
    targets: dict[str, list[str]] = {}
    for claim_id, tries in failed.items():
        again: set[str] = set()
        if any(one.stage == "parsed_documents" for one in tries):
            again.add("source_documents")
            targets.setdefault("source_documents", []).append(claim_id)
        for stage in STAGES:
            if again.intersection(UPSTREAM[stage]) or any(one.stage == stage for one in tries):
                again.add(stage)
                targets.setdefault(stage, []).append(claim_id)
    return targets


def retry_request(
    rules: RetryRules, *, tries_done: int, retry_after_s: float | None
) -> dg.RetryRequested | None:
    """Return what to raise so that Dagster waits and tries the step again; None when it should fail."""
    wait = rules.wait_before_retry(tries_done=tries_done, retry_after_s=retry_after_s, chance=random.random())
    if wait is None:
        return None
    return dg.RetryRequested(max_retries=rules.tries, seconds_to_wait=wait)
