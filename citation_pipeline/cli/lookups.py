"""Commands that look something up in the store, with citations: `ask`, `search`, `highlight`."""

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citation_pipeline.cli.agents import open_agents
from citation_pipeline.cli.options import json_option, store_option
from citation_pipeline.core.claims import ClaimIdError
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.viewer.sureness import confidence_text

if TYPE_CHECKING:
    from citation_pipeline.adapters.read_model.grounded_answers import Method
    from citation_pipeline.adapters.read_model.model import ReadModel


@click.command()
@click.argument("claim_id")
@click.argument("question")
@click.option("--document", "source_id", metavar="SOURCE_ID", help="Ask this document only.")
@click.option("--extractive", is_flag=True, help="Never ask a model, even with a key.")
@click.option(
    "--method",
    type=click.Choice(["auto", "extractive", "model"]),
    default="auto",
    show_default=True,
    help="model: only a model's answer, an error without a key.",
)
@store_option
@json_option
def ask(
    claim_id: str,
    question: str,
    source_id: str | None,
    extractive: bool,
    method: "Method",
    store: str,
    as_json: bool,
) -> None:
    """Answer a question from a claim's documents, with citations."""
    from citation_pipeline.adapters.read_model.grounded_answers import answer_question

    with _failing_kindly(claim_id):
        model, answerer = open_agents(store)
        answer = answer_question(
            model,
            question,
            claim_id=claim_id,
            source_id=source_id,
            answerer=answerer,
            method="extractive" if extractive else method,
        )
    if as_json:
        _print(dataclasses.asdict(answer))
        return
    click.echo(answer.answer)
    for source in answer.sources or answer.near_misses:
        mark = "" if answer.found else "near miss: "
        if not answer.found and source.reason:
            mark = f"near miss ({source.reason}): "
        click.echo(f"  {mark}{source.citation.citation.long}")
    click.echo(
        f"  {answer.state}, confidence {confidence_text(answer.confidence.value)}; searched {answer.searched}"
    )


@click.command()
@click.argument("query")
@click.option(
    "--claim", "claim_ids", multiple=True, metavar="CLAIM_ID", help="Only in this claim; repeatable."
)
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 50))
@store_option
@json_option
def search(query: str, claim_ids: tuple[str, ...], limit: int, store: str, as_json: bool) -> None:
    """Search documents and fields: words, identifiers, conditions such as "liens over $10,000"."""
    from citation_pipeline.adapters.read_model.searches import search as find

    with _failing_kindly():
        answer = find(
            open_agents(store)[0],
            query,
            claim_ids=list(claim_ids) or None,
            limit=limit,
            include_citations=as_json,
        )
    if as_json:
        _print(dataclasses.asdict(answer))
        return
    click.echo(answer.summary)
    for hit in answer.results:
        click.echo(f"{hit.claim_id}  [{hit.filename}, p.{hit.page}]  {hit.snippet}")


@click.command()
@click.argument("claim_id")
@click.option(
    "--field", help="The citations of one field: its key or label. Without any option: of all fields."
)
@click.option(
    "--document", "source_id", metavar="SOURCE_ID", help="The document that --text or the view is about."
)
@click.option("--text", help="Where this text is in --document.")
@click.option("--question", help="The places of an answer.")
@click.option(
    "--spans",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="JSON lines of a model's spans: source_id, start_token, end_token, start_text, end_text, substr.",
)
@click.option("--reading-view", is_flag=True, help="Print the numbered text that spans refer to instead.")
@click.option("--page", "pages", multiple=True, type=click.IntRange(1), help="Pages of the view; repeatable.")
@store_option
@json_option
def highlight(
    claim_id: str,
    field: str | None,
    source_id: str | None,
    text: str | None,
    question: str | None,
    spans: Path | None,
    reading_view: bool,
    pages: tuple[int, ...],
    store: str,
    as_json: bool,
) -> None:
    """Print highlights as JSON lines: document, citation, polygons of context and answer, how it was
    found."""
    from citation_pipeline.adapters.read_model import highlighting

    if sum(option is not None for option in (field, text, question, spans)) + reading_view > 1:
        raise click.UsageError("give one of --field, --text, --question, --spans and --reading-view")
    if text is not None and source_id is None:
        raise click.UsageError("--text needs --document SOURCE_ID")
    with _failing_kindly(claim_id):
        model, _ = open_agents(store)
        shown = list(pages) or None
        if reading_view:
            for view in highlighting.reading_views(model, claim_id, source_id=source_id, pages=shown):
                if as_json:
                    _print(view.as_dict())
                else:
                    click.echo(f"### {view.source_id}\n{view.text}")
            return
        if text is not None and source_id is not None:
            found = highlighting.highlight_text(model, claim_id, source_id, text)
        elif spans is not None:
            found = highlighting.highlight_spans(model, claim_id, read_spans(spans), pages=shown)
        elif question is not None:
            found = _of_question(model, claim_id, source_id, question)
        else:
            found = highlighting.highlight_fields(model, claim_id, field)
    for record in found:
        _print(record)


def _of_question(
    model: "ReadModel", claim_id: str, source_id: str | None, question: str
) -> list[dict[str, Any]]:
    from citation_pipeline.adapters.read_model.highlighting import highlight_text
    from citation_pipeline.adapters.read_model.questions import ask as answer

    found = answer(model, question, claim_id=claim_id, source_id=source_id)
    if not found.found:
        click.echo(found.answer, err=True)
    return [
        record
        for source in found.sources[:1]
        for record in highlight_text(model, claim_id, source.document_id.partition(":")[2], source.quote)
    ]


def read_spans(path: Path) -> list[dict[str, Any]]:
    """Return the spans in a file of JSON lines; raises UsageError for anything else."""
    try:
        spans = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except ValueError as error:
        raise click.UsageError(f"{path} does not hold JSON lines") from error
    if not all(isinstance(span, dict) for span in spans):
        raise click.UsageError(f"{path} holds lines that are no JSON objects")
    return spans


class _failing_kindly:  # noqa: N801 - reads as a statement
    """Turns what a command cannot do into its message, which names the claim, and exit code 1."""

    def __init__(self, claim_id: str = "") -> None:
        self._claim_id = claim_id

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, ClaimIdError | PipelineError | ValueError):
            said = str(error)
            click.echo(said if self._claim_id in said else f"{self._claim_id}: {said}", err=True)
            raise SystemExit(1) from error


def _print(record: dict[str, Any]) -> None:
    click.echo(json.dumps(record, ensure_ascii=False))
