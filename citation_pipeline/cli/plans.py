"""The command that says what a run would do: `plan`."""

from dataclasses import asdict

import click

from citation_pipeline.cli.options import Teller, json_option, store_option
from citation_pipeline.core.nights import ClaimPlan, PredictedCost


@click.command()
@click.argument("claim_ids", nargs=-1, metavar="[CLAIM_ID…]")
@click.option("--rematch", is_flag=True, help="What a re-match of these claims would do, and cost.")
@click.option("--changed", is_flag=True, help="Leave out the stages that would be skipped.")
@store_option
@json_option
def plan(claim_ids: tuple[str, ...], rematch: bool, changed: bool, store: str, as_json: bool) -> None:
    """Say what a run would do, per claim and stage, why, and at what cost, without doing any of it.

    Costs are upper bounds: a reply or parse that is stored already costs nothing again.
    """
    from citation_pipeline.adapters.tables.archived_claims import open_claim_ids
    from citation_pipeline.defs.planning import plan_rematch
    from citation_pipeline.defs.processing import Processing

    teller = Teller(as_json=as_json)
    processing = Processing(store=store)
    wanted = claim_ids or open_claim_ids(processing.store)
    total, claims = PredictedCost(), 0
    for found in plan_rematch(wanted) if rematch else processing.plan_claims(wanted):
        if found.problem:
            teller.fail(f"{found.claim_id}: {found.problem}")
            continue
        _tell(found, teller, changed=changed)
        claims += bool(found.stages)
        total += found.cost
    record = {"claim_id": None, "stage": "total", "action": "run", "claims": claims, **asdict(total)}
    teller.tell(record, f"{claims} claims would run: {_sentence(total)}")
    processing.close()
    teller.finish()


def _tell(found: ClaimPlan, teller: Teller, *, changed: bool) -> None:
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
        why = f" ({', '.join(decision.reasons)})" if decision.reasons else ""
        price = f"  {_sentence(cost)}" if cost.calls else ""
        detail = f"\n    {decision.detail}" if decision.detail else ""
        teller.tell(record, f"{found.claim_id}  {decision.stage:<20} {decision.action}{why}{price}{detail}")


def _sentence(cost: PredictedCost) -> str:
    tokens = cost.input_tokens + cost.output_tokens
    return f"{cost.calls} calls, {tokens:,} tokens, ${cost.dollars:,.2f}, {cost.minutes:,.1f} minutes"
