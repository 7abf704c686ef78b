"""How an asset works through the claims of its run: each on its own, on one core or on all of them.

A claim that fails never takes another with it: what succeeded is recorded, then the run fails and names
the rest. Nothing here knows what an asset does.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn

import dagster as dg

from citation_pipeline.adapters.tables.tries import MadeMeanwhileError, resuming
from citation_pipeline.core.failures import describe_failure, is_transient
from citation_pipeline.core.planning.retries import RetryRules
from citation_pipeline.core.planning.stages import StageState
from citation_pipeline.defs.automation.jobs import NIGHT_TAG
from citation_pipeline.defs.automation.retries import retry_request
from citation_pipeline.defs.dagster_internals.claim_events import add_claim_metadata, report_materializations
from citation_pipeline.defs.runs.claim_workers import ClaimWorkers, LostWorkerError
from citation_pipeline.defs.runs.verdicts import Verdict
from citation_pipeline.defs.runs.watching import Ending, Turn, watch_step
from citation_pipeline.defs.settings import Settings

RETRY_NUMBER_TAG = "dagster/retry_number"  # of runs that the daemon starts for killed ones
OBSERVED_FAILURES = 100  # an observation takes milliseconds; when more fail it is one fault of them all
NAMED_CLAIMS = 20  # more than these make an error or a verdict unreadable; the log has them all
LOG_EVERY_S = 5.0  # often enough to see life, rare enough to keep a night's event log small


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """What one claim's turn made: the stage's state, what the UI shows of it, and what is counted.

    `verdicts` are those of checks, by name, that the turn judged of what it stored.
    """

    state: StageState
    metadata: Mapping[str, Any]
    events: Sequence[str] = ()  # names of counters
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    turn: Turn | None = None


@dataclass(frozen=True, slots=True)
class ClaimFailure:
    """Why one claim's turn failed, in words that may be shown."""

    description: str
    is_transient: bool
    retry_after_s: float | None = None
    turn: Turn | None = None  # none of one whose process died


Work = Callable[[str], ClaimOutcome]


def run_claims(
    context: dg.AssetExecutionContext,
    work: Work,
    *,
    settings: Settings,
    workers: ClaimWorkers | None = None,
    retries: RetryRules | None = None,
) -> dg.MaterializeResult[None]:
    """Do the work for every claim of the run; raises Failure naming the claims that failed, if any did.

    How long each took is counted, and traced where a collector is configured (`watching`).

    With `workers` and many claims, `work` runs in their processes and must be picklable. `retries` lets a
    run of one claim wait and try again when its failure may pass.
    """
    keys = context.partition_keys
    outcomes: dict[str, ClaimOutcome] = {}
    failures: dict[str, ClaimFailure] = {}
    began = time.time()
    told_at = time.monotonic()
    workers = workers or ClaimWorkers()
    results = workers.map(partial(_attempt, work, reported_before(context)), keys)
    for key, result in zip(keys, results, strict=True):
        if isinstance(result, LostWorkerError):
            result = _failure_of(result)
        if isinstance(result, ClaimFailure):
            failures[key] = result
            context.log.error(f"claim {key}: {result.description}")
            if len(failures) <= OBSERVED_FAILURES:
                _observe(context, key, result)
        else:
            outcomes[key] = result
            workers.verdicts.keep(context.asset_key, key, result.verdicts)
        if time.monotonic() - told_at >= LOG_EVERY_S:
            told_at = time.monotonic()
            context.log.info(f"{len(outcomes) + len(failures)} of {len(keys)} claims done")
    turns = {key: outcome.turn for key, outcome in outcomes.items()}
    turns |= {key: failure.turn for key, failure in failures.items()}
    watch_step(
        context,
        settings,
        began=began,
        turns={key: turn for key, turn in turns.items() if turn is not None},
        events=Counter(event for outcome in outcomes.values() for event in outcome.events),
    )
    if failures:
        _record(context, outcomes)
        _fail(context, keys, failures, retries)
    if len(keys) == 1:
        outcome = outcomes[keys[0]]
        return dg.MaterializeResult(
            metadata=dict(outcome.metadata), data_version=dg.DataVersion(outcome.state.data_version)
        )
    add_claim_metadata(context, {key: _with_version(outcome) for key, outcome in outcomes.items()})
    return dg.MaterializeResult()


def _fail(
    context: dg.AssetExecutionContext,
    keys: Sequence[str],
    failures: Mapping[str, ClaimFailure],
    retries: RetryRules | None,
) -> NoReturn:
    """Raise Failure naming the claims that failed, or ask for another try where waiting may help."""
    failure = _failure(keys, failures)
    if failure.allow_retries and retries is not None:
        request = retry_request(
            retries,
            tries_done=context.retry_number + 1,
            retry_after_s=failures[keys[0]].retry_after_s,
        )
        if request is not None:
            raise request from failure
    raise failure


def _observe(context: dg.AssetExecutionContext, key: str, failure: ClaimFailure) -> None:
    """Say on the claim's partition why it is red: its page in the UI else names the run alone."""
    context.log_event(
        dg.AssetObservation(
            context.asset_key,
            partition=key,
            description=failure.description,
            metadata={"failed": failure.description, "waiting_may_help": failure.is_transient},
        )
    )


def reported_before(context: dg.AssetExecutionContext) -> frozenset[str]:
    """Return the claims of which this step leaves what is made of the same inputs already.

    Of a run that takes the place of a killed one, what that had reported as made before it ended. Of a
    night's run, what another run made since the night asked for it.
    """
    run, instance = context.run, context.instance
    found: set[str | None] = set()
    if RETRY_NUMBER_TAG in run.tags and run.parent_run_id is not None:
        reported = instance.get_records_for_run(
            run.parent_run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION
        ).records
        found.update(record.partition_key for record in reported if record.asset_key == context.asset_key)
    record = instance.get_run_record_by_id(run.run_id) if NIGHT_TAG in run.tags else None
    if record is not None:
        since = dg.AssetRecordsFilter(
            asset_key=context.asset_key,
            asset_partitions=list(context.partition_keys),
            after_timestamp=record.create_timestamp.timestamp(),
        )
        found.update(one.partition_key for one in instance.fetch_materializations(since, 100).records)
    return frozenset(key for key in found if key is not None)


def _attempt(work: Work, made: Collection[str], key: str) -> ClaimOutcome | ClaimFailure:
    began, clock = time.time(), time.monotonic()
    result: ClaimOutcome | ClaimFailure
    ended: Ending
    try:
        with resuming(key in made):
            result, ended = work(key), "made"
    except MadeMeanwhileError as meanwhile:
        result, ended = ClaimOutcome(meanwhile.state, {"made_by": "another run"}), "left"
    except Exception as error:  # one bad claim never fails its batch
        result, ended = _failure_of(error), "failed"
    return replace(result, turn=Turn(began, time.monotonic() - clock, ended))


def _failure_of(error: Exception) -> ClaimFailure:
    return ClaimFailure(describe_failure(error), is_transient(error), getattr(error, "retry_after_s", None))


def _record(context: dg.AssetExecutionContext, outcomes: Mapping[str, ClaimOutcome]) -> None:
    """Report a materialization for each claim that succeeded in a run that is about to fail."""
    made = [
        dg.AssetMaterialization(
            asset_key=context.asset_key,
            partition=key,
            metadata=_with_version(outcome),
            tags={"dagster/data_version": outcome.state.data_version},
        )
        for key, outcome in outcomes.items()
    ]
    report_materializations(context, made)


def _with_version(outcome: ClaimOutcome) -> dict[str, Any]:
    return {**outcome.metadata, "data_version": outcome.state.data_version}


def _failure(keys: Sequence[str], failures: Mapping[str, ClaimFailure]) -> dg.Failure:
    named = "; ".join(f"{key}: {f.description}" for key, f in list(failures.items())[:NAMED_CLAIMS])
    more = len(failures) - NAMED_CLAIMS
    transient = all(failure.is_transient for failure in failures.values())
    return dg.Failure(
        description=f"{len(failures)} of {len(keys)} claims failed: {named}"
        + (f"; and {more} more, each in the log" if more > 0 else ""),
        metadata={"failed_claims": dg.MetadataValue.json(list(failures)), "transient": transient},
        # a run of one claim may be tried again when waiting helps; in a larger one the rest would run twice
        allow_retries=len(keys) == 1 and transient,
    )
