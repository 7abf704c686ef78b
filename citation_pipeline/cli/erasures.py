"""The command that erases claims: `erase`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from citation_pipeline.cli.options import Teller, json_option, login_name, store_option
from citation_pipeline.core.claims import ClaimIdError
from citation_pipeline.core.failures import PipelineError

if TYPE_CHECKING:
    from citation_pipeline.defs.runs.erasing import Erasure
    from citation_pipeline.serving.api.agent_settings import Erase, ErasedClaim


def make_erase(store: str) -> "Erase":
    """Return what erases a claim for an administrator of the viewer, as `erase` does."""

    @dataclass(frozen=True)
    class Erased:
        is_complete: bool
        files: int
        remains: tuple[str, ...]

    def erase_one(claim_id: str, *, by: str, why: str) -> "ErasedClaim":
        from citation_pipeline.adapters.deployment.deployment import read_deployment
        from citation_pipeline.defs.runs.erasing import erase

        done = erase(read_deployment(store), claim_id, by=by, why=why)
        return Erased(done.is_complete, done.files, (*done.proof.remains, *done.proof.unreadable))

    return erase_one


@click.command()
@click.argument("claim_ids", nargs=-1, metavar="[CLAIM_ID…]")
@click.option(
    "--archived-before",
    type=click.IntRange(0),
    metavar="DAYS",
    help="Every claim that was archived at least so many days ago.",
)
@click.option(
    "--untouched-for",
    type=click.IntRange(0),
    metavar="DAYS",
    help="Every claim of the --state that no run and no person has changed for so many days.",
)
@click.option(
    "--state",
    type=click.Choice(["archived", "reviewed", "unfinished", "any"]),
    default="archived",
    show_default=True,
    help="For --untouched-for; reviewed: a person has decided on every value.",
)
@click.option("--dry-run", is_flag=True, help="Only name the claims that would be erased.")
@click.option(
    "--with-documents", is_flag=True, help="Also the claim's own folder, where it lies outside the store."
)
@click.option("--by", default="", help="Who erases; kept with the erasure [the login name].")
@click.option("--why", default="", help="Kept with the erasure; name nobody in it.")
@store_option
@json_option
def erase(
    claim_ids: tuple[str, ...],
    archived_before: int | None,
    untouched_for: int | None,
    state: str,
    dry_run: bool,
    with_documents: bool,
    by: str,
    why: str,
    store: str,
    as_json: bool,
) -> None:
    """Erase every trace of claims, and search the store for what they said; it cannot be undone.

    Tables, caches, replies, journals, images, the search index, the warehouse, reviews and Dagster's events
    of the claim go. Ends with 1 where the search still finds something, and names the files.
    """
    from citation_pipeline.adapters.deployment.deployment import read_deployment
    from citation_pipeline.defs.runs.erasing import check_known, claims_archived_before, erase
    from citation_pipeline.defs.runs.retention import ClaimState, claims_untouched_for

    teller = Teller(as_json=as_json)
    deployment = read_deployment(store)
    wanted = list(claim_ids)
    if archived_before is not None:
        wanted += claims_archived_before(deployment.open_store(), days=archived_before)
    if untouched_for is not None:
        wanted += claims_untouched_for(deployment, days=untouched_for, state=ClaimState(state))
    if not wanted and archived_before is None and untouched_for is None:
        raise click.UsageError("name a claim, or --archived-before DAYS, or --untouched-for DAYS")
    for claim_id in dict.fromkeys(wanted):
        try:
            if dry_run:
                check_known(deployment, claim_id)
                teller.tell({"claim_id": claim_id, "status": "would_erase"}, f"{claim_id}: would be erased")
                continue
            done = erase(deployment, claim_id, by=by or login_name(), why=why, with_documents=with_documents)
        except (ClaimIdError, PipelineError) as error:
            teller.fail(str(error))
            continue
        _tell(teller, done)
    teller.finish()


def _tell(teller: Teller, done: "Erasure") -> None:
    """Tell what was erased of a claim, what is left to do, and fail where something was found again."""
    record = {
        "claim_id": done.claim_id,
        "status": "erased" if done.is_complete else "incomplete",
        "files": done.files,
        "events": done.events,
        "runs": done.runs,
        "searched_files": done.proof.files,
        "searched_strings": done.proof.strings,
        "remains": list(done.proof.remains),
        "documents_left": done.documents_left,
        "receipt": {"salt": done.receipt.salt, "claim_sha256": done.receipt.claim_sha256},
    }
    teller.tell(
        record,
        f"{done.claim_id}: {record['status']}: {done.files} files, {done.events} events, {done.runs} runs; "
        f"{done.proof.strings} strings searched in {done.proof.files} files, "
        f"{len(done.proof.remains)} still hold one; receipt {done.receipt.salt}",
    )
    if done.documents_left:
        teller.warn(f"the documents themselves are still in {done.documents_left}: remove them there")
    for name in (*done.proof.remains, *done.proof.unreadable):
        teller.fail(f"{name} still holds something of the claim, or could not be searched")
