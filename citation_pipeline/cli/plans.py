"""The command that says what a run would do: `plan`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

import click

from citation_pipeline.cli.options import Teller, json_option, store_option
from citation_pipeline.core.planning.nights import ClaimPlan, PredictedCost
from citation_pipeline.core.planning.stages import STAGES, StageDecision

_STAGE_WIDTH = max(map(len, STAGES))


@click.command()
@click.argument("claim_ids", nargs=-1, metavar="[CLAIM_ID…]")
@click.option("--rematch", is_flag=True, help="What a re-match of these claims would do, and cost.")
@click.option("--changed", is_flag=True, help="Leave out the stages that would be skipped.")
@store_option
@json_option
def plan(claim_ids: tuple[str, ...], rematch: bool, changed: bool, store: str, as_json: bool) -> None:
    """Say what a run would do, per claim and stage, why, and at what cost, without doing any of it.

    Without claim ids, all claims of the store that are not archived. Costs are estimates, of files that were
    never parsed by their size; a reply or parse that is stored already costs nothing again.
    """
    from citation_pipeline.adapters.tables.archived_claims import open_claim_ids
    from citation_pipeline.defs.automation.planning import plan_rematch
    from citation_pipeline.defs.runs.processing import Processing

    teller = Teller(as_json=as_json)
    processing = Processing(store=store)
    wanted = list(dict.fromkeys(claim_ids)) or open_claim_ids(processing.store)
    width = max(map(len, wanted), default=0)
    total, counts = PredictedCost(), Counter[str]()
    plans = plan_rematch(wanted, store=processing.store) if rematch else processing.plan_claims(wanted)
    for found in plans:
        if found.problem:
            counts["problem"] += 1
            named = found.problem.startswith(f"{found.claim_id} ")
            teller.fail(found.problem if named else f"{found.claim_id}: {found.problem}")
            continue
        counts["run" if found.stages else "held" if found.held else "current"] += 1
        _tell(found, teller, width=width, changed=changed, as_json=as_json)
        total += found.cost
    record = {"claim_id": None, "stage": "total", "action": "run", "claims": counts["run"]}
    others = {f"claims_{name}": counts[name] for name in ("held", "current", "problem")}
    teller.tell(record | others | asdict(total), _total(counts, total))
    processing.close()
    teller.finish()


def _tell(found: ClaimPlan, teller: Teller, *, width: int, changed: bool, as_json: bool) -> None:
    is_current = all(decision.action == "skip" for decision in found.decisions)
    if is_current and not as_json:
        if not changed:
            click.echo(f"{found.claim_id:<{width}}  current")
        return
    for decision in found.decisions:
        if changed and decision.action == "skip":
            continue
        cost = found.costs.get(decision.stage, PredictedCost())
        record = {
            "claim_id": found.claim_id,
            "stage": decision.stage,
            "action": decision.action,
            "reasons": list(decision.reasons),
            "detail": decision.detail,
            **asdict(cost),
        }
        said = f"{found.claim_id:<{width}}  {decision.stage:<{_STAGE_WIDTH}}  {decision.action:<4}  "
        teller.tell(record, (said + _why(decision, cost)).rstrip())


def _why(decision: StageDecision, cost: PredictedCost) -> str:
    why = ", ".join(decision.reasons) + (f": {decision.detail}" if decision.detail else "")
    return f"{why} ({_sentence(cost)})" if cost.calls or cost.pages else why


def _total(counts: Counter[str], total: PredictedCost) -> str:
    if not counts:
        return "no claims in the store: `citation-pipeline run CLAIM_DIR…` brings some in"
    parts: Sequence[str] = [
        f"{counts[name]} {said}"
        for name, said in (
            ("run", "would run"),
            ("held", "held"),
            ("current", "current"),
            ("problem", "cannot be looked at"),
        )
        if counts[name] or name == "run"
    ]
    return f"{_count(counts.total(), 'claim')}: {', '.join(parts)}; {_sentence(total)}"


def _sentence(cost: PredictedCost) -> str:
    tokens = cost.input_tokens + cost.output_tokens
    parts = [_count(cost.pages, "page")] if cost.pages else []
    parts += [_count(cost.calls, "call"), f"{tokens:,} tokens", f"${cost.dollars:,.2f}"]
    return f"{', '.join(parts)}, about {_duration(cost.minutes)}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _duration(minutes: float) -> str:
    if minutes < 1:
        return f"{minutes * 60:.0f} s"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
