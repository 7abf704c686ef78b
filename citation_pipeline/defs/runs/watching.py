"""What is counted and traced of each step: how long it took per claim, how it ended, what the gate said.

Watching stops nobody's work: what cannot be counted or sent is a warning in the run's log.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import dagster as dg
from sqlalchemy.exc import SQLAlchemyError

from citation_pipeline.adapters.observability.stage_counters import FILE_NAME, note_shared_step, note_step
from citation_pipeline.adapters.observability.traces import Collector, Span, TraceError, send_step
from citation_pipeline.core.failures import describe_failure
from citation_pipeline.defs.settings import Settings

Ending: TypeAlias = Literal["made", "left", "failed"]
GATE_HELD, GATE_PASSED = "gate_held", "gate_passed"


@dataclass(frozen=True, slots=True)
class Turn:
    """One claim's turn in a step: when it began (seconds since 1970), how long it took, how it ended.

    `left` is one that another run had made already.
    """

    began: float
    seconds: float
    outcome: Ending


def watch_step(
    context: dg.AssetExecutionContext,
    settings: Settings,
    *,
    began: float,
    turns: Mapping[str, Turn],
    events: Mapping[str, int],
) -> None:
    """Count a step's claims, and send its spans where a collector is configured."""
    stage = context.asset_key.path[-1]
    try:
        seconds = [(turn.outcome, turn.seconds) for turn in turns.values()]
        coordination = settings.coordination
        if coordination.file is None:  # of several hosts: each one's metrics are those of all
            note_shared_step(coordination, stage, seconds=seconds, events=events)
        else:
            note_step(settings.work_dir / FILE_NAME, stage, seconds=seconds, events=events)
    except (sqlite3.Error, SQLAlchemyError, OSError) as error:
        context.log.warning(f"the step was not counted ({type(error).__name__}): look at {FILE_NAME}")
    if settings.collector is not None:
        failed = sum(turn.outcome == "failed" for turn in turns.values())
        step = Span(
            stage,
            began,
            max((turn.began + turn.seconds for turn in turns.values()), default=began),
            {
                "dagster.run_id": context.run.run_id,
                "dagster.job": context.run.job_name,
                "citation_pipeline.claims": len(turns),
                "citation_pipeline.claims_failed": failed,
            },
            failed=failed > 0,
        )
        _trace(context, settings.collector, step, [_span(stage, key, turn) for key, turn in turns.items()])


def _span(stage: str, claim_id: str, turn: Turn) -> Span:
    return Span(
        f"{stage} of a claim",
        turn.began,
        turn.began + turn.seconds,
        {"citation_pipeline.claim_id": claim_id, "citation_pipeline.outcome": turn.outcome},
        failed=turn.outcome == "failed",
    )


def _trace(
    context: dg.AssetExecutionContext, collector: Collector, step: Span, claims: Sequence[Span]
) -> None:
    try:
        if not send_step(collector, context.run.run_id, step, claims):
            context.log.warning("the collector of traces did not take the step's spans")
    except TraceError as error:
        context.log.warning(describe_failure(error))
