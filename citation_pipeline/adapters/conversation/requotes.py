"""Asking a model once more for the words behind a value, where what it quoted is on no page.

Only dates and numbers are asked for, one request a document; the value itself is not told. A new quotation
counts where the model gives the same value again: it is kept beside the first one (`Snippet.requoted`), and
whoever looks at it is told. The answers are stored with the extraction's replies: a re-match makes no
external call.
"""

from collections.abc import Sequence
from dataclasses import replace

from citation_pipeline.adapters.conversation.asks import Ask
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField, Extraction, Snippet
from citation_pipeline.core.prompts.guides import Guide
from citation_pipeline.core.prompts.sources import SourceText
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.fallbacks import TYPED
from citation_pipeline.core.resolution.requotes import REPAIRED
from citation_pipeline.core.schemas import Schema


def plan_requotes(
    extraction: Extraction,
    documents: Sequence[ParsedDocument],
    schema: Schema,
    *,
    sources: Sequence[SourceText],
    model: str,
    guide: Guide,
) -> list[Ask]:
    """Return a question for each document whose quotations of typed values are not on its pages.

    What can be quoted anew by rules is left to them.
    """
    typed = [field for field in extraction.fields if field.value_type in TYPED and field.value is not None]
    open_keys: dict[str, list[str]] = {}
    for citation in resolve_claim(documents, typed, schema=schema):
        is_lost = citation.status is CitationStatus.UNRESOLVED or "snippet_not_found" in citation.warnings
        if is_lost and REPAIRED not in citation.warnings and citation.snippet_text.strip():
            open_keys.setdefault(citation.cited_source_id, []).append(citation.field_key)
    asks = []
    for source_id, keys in open_keys.items():
        shown = tuple(source for source in sources if source.source_id == source_id)
        if shown:
            asked = tuple(dict.fromkeys(keys))
            asks.append(Ask(shown, model, asked, round=1, guide=guide, is_requote=True))
    return asks


def with_requotes(extraction: Extraction, again: Sequence[Extraction]) -> Extraction:
    """Return the extraction with the quotations that later answers give for the same values."""
    if not again:
        return extraction
    found: dict[tuple[str, str], tuple[ExtractedField, Snippet]] = {}
    for answer in again:
        for field in answer.fields:
            for snippet in field.snippets:
                found.setdefault((field.field_key, snippet.source_id), (field, snippet))

    def requoted(field: ExtractedField, snippet: Snippet) -> Snippet:
        other = found.get((field.field_key, snippet.source_id))
        if other is None or other[0].value != field.value or other[1].text == snippet.text:
            return snippet
        return replace(snippet, requoted=other[1].text)

    return replace(
        extraction,
        fields=tuple(
            replace(field, snippets=tuple(requoted(field, snippet) for snippet in field.snippets))
            for field in extraction.fields
        ),
    )
