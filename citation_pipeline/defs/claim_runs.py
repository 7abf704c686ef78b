"""How an asset works through the claims of its run: one at a time, each on its own.

A claim that fails never takes another with it: what succeeded is recorded, then the run fails and names
the rest. Nothing here knows what an asset does.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

from citation_pipeline.core.failures import describe_failure, is_transient
from citation_pipeline.core.stages import StageState

NAMED_FAILURES = 20  # more than these make a run's error unreadable; the log has them all


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """What one claim's turn made: the stage's state and what the UI shows of it."""

    state: StageState
    metadata: Mapping[str, Any]


def run_claims(
    context: dg.AssetExecutionContext, work: Callable[[str], ClaimOutcome]
) -> dg.MaterializeResult[None]:
    """Do the work for every claim of the run; raises Failure naming the claims that failed, if any did."""
    keys = context.partition_keys
    outcomes: dict[str, ClaimOutcome] = {}
    failures: dict[str, Exception] = {}
    for key in keys:
        try:
            outcomes[key] = work(key)
        except Exception as error:  # noqa: BLE001 - one bad claim never fails its batch
            failures[key] = error
            context.log.error(f"claim {key}: {describe_failure(error)}")
    if failures:
        _record(context, outcomes)
        raise _failure(keys, failures) from next(iter(failures.values()))
    if len(keys) == 1:
        outcome = outcomes[keys[0]]
        return dg.MaterializeResult(
            metadata=dict(outcome.metadata), data_version=dg.DataVersion(outcome.state.data_version)
        )
    for key, outcome in outcomes.items():
        context.add_asset_metadata(_with_version(outcome), partition_key=key)
    return dg.MaterializeResult()


def _record(context: dg.AssetExecutionContext, outcomes: Mapping[str, ClaimOutcome]) -> None:
    """Log a materialization for each claim that succeeded in a run that is about to fail."""
    for key, outcome in outcomes.items():
        context.log_event(
            dg.AssetMaterialization(
                asset_key=context.asset_key,
                partition=key,
                metadata=_with_version(outcome),
                tags={"dagster/data_version": outcome.state.data_version},
            )
        )


def _with_version(outcome: ClaimOutcome) -> dict[str, Any]:
    return {**outcome.metadata, "data_version": outcome.state.data_version}


def _failure(keys: Sequence[str], failures: Mapping[str, Exception]) -> dg.Failure:
    named = "; ".join(
        f"{key}: {describe_failure(error)}" for key, error in list(failures.items())[:NAMED_FAILURES]
    )
    more = len(failures) - NAMED_FAILURES
    return dg.Failure(
        description=f"{len(failures)} of {len(keys)} claims failed: {named}"
        + (f"; and {more} more, each in the log" if more > 0 else ""),
        metadata={
            "failed_claims": dg.MetadataValue.json(list(failures)),
            "transient": all(is_transient(error) for error in failures.values()),
        },
        # a run of one claim may be tried again when waiting helps; in a larger one the rest would run twice
        allow_retries=len(keys) == 1 and all(is_transient(error) for error in failures.values()),
    )
