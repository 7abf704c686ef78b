"""`artifacts`: a claim in the files and names of the published designs."""

from pathlib import Path

import click

from citation_pipeline.cli.lookups import read_spans
from citation_pipeline.cli.options import Teller, store_option


@click.command()
@click.argument("claim_id")
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option(
    "--spans",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="JSON lines of a model's spans over the reading views; each becomes an llm_resolve artifact.",
)
@click.option(
    "--root", default="", metavar="URL", help="Where the viewer is served, before paths in data.json."
)
@store_option
def artifacts(claim_id: str, out: Path, spans: Path | None, root: str, store: str) -> None:
    """Write a claim in the published shapes: sources_index.json, .md, extraction_raw.json, data.json with
    display values, extraction_results.json with offsets, ade_chunks, fine_geometry, sentence_index,
    highlights, resolve artifacts."""
    from citation_pipeline.adapters.published_files import write_published
    from citation_pipeline.core.claims import ClaimIdError
    from citation_pipeline.core.failures import PipelineError
    from citation_pipeline.defs.resources import open_store

    teller = Teller(as_json=False)
    answers = read_spans(spans) if spans is not None else []
    try:
        written = write_published(open_store(store), claim_id, out, root=root.rstrip("/"), answers=answers)
    except (PipelineError, ClaimIdError, ValueError) as error:
        teller.fail(str(error))
    else:
        teller.tell({}, f"{len(written)} files -> {out}")
    teller.finish()
