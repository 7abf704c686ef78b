"""A second look at fields that a model was not sure of: which fields, and which documents are shown again."""

from dataclasses import replace

from citation_pipeline.adapters.conversation.asks import Ask
from citation_pipeline.adapters.conversation.reading import PartReading
from citation_pipeline.core.extraction import Confidence


def second_look(ask: Ask, part: PartReading, *, most: int) -> list[Ask]:
    """Return the ask for the fields that an answer was not sure of, [] where it was or may not be asked."""
    if ask.round or ask.quotes_first or not part.reply.is_complete:
        return []
    doubtful = [
        field
        for field in part.extraction.fields
        if field.confidence is Confidence.LOW and field.value is not None and field.value_type != "array"
        if field.snippets
    ][:most]
    cited = {snippet.source_id for field in doubtful for snippet in field.snippets}
    sources = tuple(source for source in ask.sources if source.source_id in cited)
    if not sources:
        return []
    return [
        replace(
            ask,
            sources=sources,
            field_keys=tuple(field.field_key for field in doubtful),
            round=1,
            row_counts={},
            shares_documents=False,
            has_long_tables=False,
            quotes_first=True,
        )
    ]
