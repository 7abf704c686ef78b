"""The `claim_plans` asset: the plan of all open claims as a table in the UI, with its cost.

The nightly schedule reports here too what it decided, claim by claim. The same is printed by the command
`plan`.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import dagster as dg

from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.readers import DocumentParser, Readers
from citation_pipeline.adapters.tables.archived_claims import open_claim_ids
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.planning.nights import (
    ClaimPlan,
    NightChoice,
    PredictedCost,
    Verdict,
    choose_claims,
)
from citation_pipeline.defs.assets.partitions import OWNERS
from citation_pipeline.defs.automation.busy_claims import find_busy_claims
from citation_pipeline.defs.automation.planning import plan_claims
from citation_pipeline.defs.namespaces import namespace_of
from citation_pipeline.defs.settings import Settings

SHOWN_ROWS = 1_000  # the UI holds a table of this size; the command prints them all


@dg.asset(group_name="nightly", kinds={"python"}, owners=OWNERS, code_version=code_fingerprint("planning"))
def claim_plans(
    context: dg.AssetExecutionContext,
    store: dg.ResourceParam[ClaimStore],
    settings: dg.ResourceParam[Settings],
    parsers: dg.ResourceParam[Readers[DocumentParser]],
    extractors: dg.ResourceParam[Readers[Extractor]],
) -> dg.MaterializeResult[None]:
    """What a night would do now: per claim and stage run or skip, why, and the predicted cost."""
    plans = list(
        plan_claims(
            open_claim_ids(store), store=store, parsers=parsers, extractors=extractors, settings=settings
        )
    )
    busy = find_busy_claims(context.instance, namespace_of(context.asset_key))
    choices = choose_claims(plans, limits=settings.night.limits, busy=busy)
    return dg.MaterializeResult(metadata=plan_metadata(plans, choices))


def plan_metadata(plans: Sequence[ClaimPlan], choices: Sequence[NightChoice]) -> dict[str, Any]:
    """Return verdicts, predicted totals and the table of stages; ids, reasons and numbers only."""
    verdicts = Counter(choice.verdict for choice in choices)
    total = sum((choice.cost for choice in choices if choice.verdict is Verdict.START), PredictedCost())
    causes = Counter(
        reason for choice in choices if choice.verdict is Verdict.START for reason in choice.reasons
    )
    rows = [row for plan, choice in zip(plans, choices, strict=True) for row in _rows(plan, choice)]
    return {
        **{f"claims/{verdict.value}": verdicts[verdict] for verdict in Verdict},
        **{f"start_because/{cause}": count for cause, count in sorted(causes.items())},
        "predicted_calls": total.calls,
        "predicted_tokens": total.input_tokens + total.output_tokens,
        "predicted_dollars": round(total.dollars, 4),
        "predicted_minutes": round(total.minutes, 2),
        "rows_left_out": max(0, len(rows) - SHOWN_ROWS),
        "plan": dg.MetadataValue.table([dg.TableRecord(row) for row in rows[:SHOWN_ROWS]], _COLUMNS),
    }


_COLUMNS = dg.TableSchema(
    columns=[
        dg.TableColumn("claim_id", "string"),
        dg.TableColumn("verdict", "string"),
        dg.TableColumn("stage", "string"),
        dg.TableColumn("action", "string"),
        dg.TableColumn("reasons", "string"),
        dg.TableColumn("calls", "int"),
        dg.TableColumn("tokens", "int"),
        dg.TableColumn("dollars", "float"),
        dg.TableColumn("minutes", "float"),
    ]
)


def _rows(plan: ClaimPlan, choice: NightChoice) -> list[dict[str, str | int | float | bool | None]]:
    """Return one row per stage that is not skipped, or one for a claim whose stages say nothing."""
    shown = [decision for decision in plan.decisions if decision.action != "skip"]
    if not shown:
        if choice.verdict is Verdict.CURRENT:
            return []
        return [_row(plan.claim_id, choice, "", "", "; ".join(choice.reasons), PredictedCost())]
    return [
        _row(
            plan.claim_id,
            choice,
            decision.stage,
            decision.action,
            decision.detail or ", ".join(decision.reasons),
            plan.costs.get(decision.stage, PredictedCost()),
        )
        for decision in shown
    ]


def _row(
    claim_id: str, choice: NightChoice, stage: str, action: str, reasons: str, cost: PredictedCost
) -> dict[str, str | int | float | bool | None]:
    return {
        "claim_id": claim_id,
        "verdict": choice.verdict.value,
        "stage": stage,
        "action": action,
        "reasons": reasons,
        "calls": cost.calls,
        "tokens": cost.input_tokens + cost.output_tokens,
        "dollars": cost.dollars,
        "minutes": cost.minutes,
    }
