"""Commands that print what the store holds: `show`."""

import json
from typing import Any

import click

from citation_pipeline.cli.options import store_option
from citation_pipeline.core.failures import PipelineError


@click.command()
@click.argument("claim_id")
@click.option(
    "--citations", "what", flag_value="citations", help="JSON lines of the shown citations and their places."
)
@click.option("--extraction", "what", flag_value="extraction", help="The extraction, provider-neutral.")
@store_option
def show(claim_id: str, what: str | None, store: str) -> None:
    """Print a claim's viewer dataset, its citations or its extraction."""
    from citation_pipeline.adapters.tables.answer_rows import read_extraction
    from citation_pipeline.adapters.tables.citation_rows import is_newer_than_shown, read_promoted_citations
    from citation_pipeline.adapters.tables.document_rows import read_source_documents
    from citation_pipeline.core.answers.writing import write_answer
    from citation_pipeline.core.claims import ClaimIdError
    from citation_pipeline.defs.resources import open_store

    place = open_store(store)
    try:
        if what == "citations":
            files = {s.source_id: s.file for s in read_source_documents(place, claim_id)}
            for citation in read_promoted_citations(place, claim_id):
                _print(_citation_line(citation, files))
        elif what == "extraction":
            _print(write_answer(read_extraction(place, claim_id)))
        else:
            click.echo(json.dumps(place.read_viewer_dataset(claim_id), ensure_ascii=False, indent=1))
        name = "fields" if what == "extraction" else "citations"
        if is_newer_than_shown(place, claim_id, name):
            told = (
                "is newer than what is shown" if what == "extraction" else "has a newer set that is not shown"
            )
            click.echo(f"{claim_id} {told}: see `promotions show {claim_id}`", err=True)
    except (ClaimIdError, PipelineError) as error:
        click.echo(str(error), err=True)
        raise SystemExit(1) from error


def _print(record: dict[str, Any]) -> None:
    click.echo(json.dumps(record, ensure_ascii=False))


def _citation_line(citation: Any, files: dict[str, str]) -> dict[str, Any]:
    return {
        "field_key": citation.field_key,
        "citation_index": citation.citation_index,
        "item_path": citation.item_path,
        "status": citation.status.value,
        "method": citation.method,
        "score": round(citation.score, 4),
        "confidence": round(citation.confidence, 4),
        "file": files.get(citation.source_id),
        "source_id": citation.source_id,
        "cited_source_id": citation.cited_source_id,
        "page": citation.page,
        "boxes": [
            {"page": region.page, **box.as_dict()} for region in citation.snippet for box in region.boxes
        ],
        "value_boxes": [
            {"page": region.page, **box.as_dict()} for region in citation.value for box in region.boxes
        ],
        "text_start": citation.text_start,
        "text_end": citation.text_end,
        "reason": citation.reason,
        "warnings": list(citation.warnings),
    }
