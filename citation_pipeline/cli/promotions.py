"""The commands on sets that the promotion gate holds back: `promotions list|show|accept|refuse`."""

from collections.abc import Callable
from typing import Any

import click

from citation_pipeline.cli.options import Teller, json_option, login_name, store_option
from citation_pipeline.core.claims import ClaimIdError
from citation_pipeline.core.failures import PipelineError


@click.group()
def promotions() -> None:
    """Look at claims whose new set is held back because it would be worse, and decide on them."""


@promotions.command("list")
@store_option
@json_option
def list_held(store: str, as_json: bool) -> None:
    """Name every claim of which a set waits for a decision, with the reasons."""
    from citation_pipeline.adapters.tables.archived_claims import open_claim_ids
    from citation_pipeline.adapters.tables.change_rows import read_promotion
    from citation_pipeline.defs.resources import read_settings
    from citation_pipeline.defs.runs.held_sets import is_held

    teller = Teller(as_json=as_json)
    settings = read_settings(store)
    opened = settings.open_store()
    for claim_id in open_claim_ids(opened):
        try:
            promotion = read_promotion(opened, claim_id) if is_held(opened, settings, claim_id) else None
        except PipelineError as error:
            teller.fail(str(error))
            continue
        if promotion is not None:
            record = {"claim_id": claim_id, "version": promotion.version, "reasons": list(promotion.reasons)}
            teller.tell(record, f"{claim_id}: {'; '.join(promotion.reasons)}")
    teller.finish()


@promotions.command()
@click.argument("claim_id")
@store_option
@json_option
def show(claim_id: str, store: str, as_json: bool) -> None:
    """Show what a held set would change, field by field, and what was decided on earlier ones.

    Only fields, kinds of change and pages: what the documents say stays in the viewer.
    """
    from citation_pipeline.adapters.tables.change_rows import read_changes, read_promotion
    from citation_pipeline.adapters.verifications.promotions import read_decisions
    from citation_pipeline.defs.resources import read_settings

    teller = Teller(as_json=as_json)
    settings = read_settings(store)
    opened = settings.open_store()
    try:
        opened.claim(claim_id)  # nothing is held of a claim that there is not, but nothing is in order either
        promotion = read_promotion(opened, claim_id)
        changes = read_changes(opened, claim_id)
    except (ClaimIdError, PipelineError) as error:
        teller.fail(str(error))
        teller.finish()
        return
    for reason in promotion.reasons if promotion is not None else ():
        teller.tell({"claim_id": claim_id, "reason": reason}, f"held: {reason}")
    for change in changes:
        record = {
            "claim_id": claim_id,
            "citation_id": change.citation_id,
            "field_key": change.field_key,
            "change": change.change.value,
            "is_verified": change.is_verified,
        }
        teller.tell(record, f"{change.change.value:<11} {change.citation_id}")
    for decided in read_decisions(settings.verifications_url, claim_id):
        record = {
            "claim_id": claim_id,
            "decision": decided.decision.value,
            "decided_by": decided.decided_by,
            "decided_at": decided.decided_at,
            "why": decided.why,
            "version": decided.version,
        }
        text = f"{decided.decided_at} {decided.decided_by}: {decided.decision.value}  {decided.why}"
        teller.tell(record, text)
    teller.finish()


def _decision(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command what every decision takes: the claims, who decides, and why."""
    for option in (
        json_option,
        store_option,
        click.option("--by", default="", help="Who decides [the login name]."),
        click.option("--why", required=True, help="Kept with the decision."),
        click.argument("claim_ids", nargs=-1, required=True, metavar="CLAIM_ID…"),
    ):
        command = option(command)
    return command


@promotions.command()
@_decision
def accept(**given: Any) -> None:
    """Show the held set from now on."""
    _decide("accept", **given)


@promotions.command()
@_decision
def refuse(**given: Any) -> None:
    """Keep what is shown; the held set counts as dealt with."""
    _decide("refuse", **given)


def _decide(
    decision: str, claim_ids: tuple[str, ...], *, why: str, by: str, store: str, as_json: bool
) -> None:
    from citation_pipeline.adapters.verifications.promotions import Decision
    from citation_pipeline.defs.runs.processing import Processing

    teller = Teller(as_json=as_json)
    processing = Processing(store=store)
    for claim_id in claim_ids:
        try:
            decided = processing.decide(claim_id, Decision(decision), by=by or login_name(), why=why)
        except (ClaimIdError, PipelineError) as error:
            teller.fail(str(error))
            continue
        record = {
            "claim_id": claim_id,
            "decision": decision,
            "decided_by": decided.decided_by,
            "decided_at": decided.decided_at,
        }
        teller.tell(record, f"{claim_id}: {decision}ed" if decision == "accept" else f"{claim_id}: refused")
    processing.close()
    teller.finish()
