"""The command that retires closed claims: `archive`."""

import click

from citation_pipeline.cli.options import Teller, json_option, store_option
from citation_pipeline.core.claims import ClaimIdError
from citation_pipeline.core.failures import PipelineError


@click.command()
@click.argument("claim_ids", nargs=-1, required=True, metavar="CLAIM_ID…")
@click.option("--undo", is_flag=True, help="Take retired claims back into the pipeline.")
@store_option
@json_option
def archive(claim_ids: tuple[str, ...], undo: bool, store: str, as_json: bool) -> None:
    """Retire closed claims: no night, plan or re-match looks at them; their data stays queryable."""
    from citation_pipeline.defs.runs.processing import Processing

    teller = Teller(as_json=as_json)
    processing = Processing(store=store)
    for claim_id in claim_ids:
        try:
            if undo and not processing.reopen(claim_id):
                teller.fail(f"{claim_id} is not archived")
                continue
            if not undo:
                processing.archive(claim_id)
        except (ClaimIdError, PipelineError) as error:
            teller.fail(str(error))
            continue
        status = "reopened" if undo else "archived"
        teller.tell({"claim_id": claim_id, "status": status}, f"{claim_id}: {status}")
    processing.close()
    teller.finish()
