"""The command that compares what the store holds with a truth: `evaluate`."""

import json
from pathlib import Path

import click

from citation_pipeline.cli.options import Teller, store_option
from citation_pipeline.core.failures import PipelineError


@click.command()
@click.argument("claim_ids", nargs=-1, required=True, metavar="CLAIM_ID…")
@click.option(
    "--truth",
    type=click.Path(path_type=Path, exists=True),
    help="A truth file, or a folder with <claim_id>/truth.json [truth.json in the claim's own folder].",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per claim instead of Markdown.")
@store_option
def evaluate(claim_ids: tuple[str, ...], truth: Path | None, as_json: bool, store: str) -> None:
    """Compare claims with their truth: values, places, confidence; per field and per type."""
    from citation_pipeline.adapters.tables.answer_rows import read_extraction
    from citation_pipeline.adapters.tables.citation_rows import read_citations
    from citation_pipeline.adapters.tables.claim_store import ClaimStore
    from citation_pipeline.adapters.tables.document_rows import read_documents
    from citation_pipeline.core.evaluation import evaluation, reports
    from citation_pipeline.defs.resources import store_root

    teller = Teller(as_json=as_json)
    place = ClaimStore(store or store_root())
    for claim_id in claim_ids:
        try:
            path = _truth_of(claim_id, truth, Path(place.claim(claim_id).folder))
            found = evaluation.evaluate(
                json.loads(path.read_text()),
                read_extraction(place, claim_id).fields,
                read_citations(place, claim_id),
                read_documents(place, claim_id),
            )
        except PipelineError as error:
            teller.fail(str(error))
            continue
        except (OSError, ValueError, KeyError, TypeError) as error:
            teller.fail(
                f"{claim_id}: its truth cannot be read ({type(error).__name__}): see docs/evaluation.md"
            )
            continue
        teller.tell(reports.as_json(found), reports.as_markdown(found))
    teller.finish()


def _truth_of(claim_id: str, truth: Path | None, folder: Path) -> Path:
    if truth is None:
        return folder / "truth.json"
    return truth / claim_id / "truth.json" if truth.is_dir() else truth
