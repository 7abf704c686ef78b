"""Citations of words that are struck out on the page: found there, and not to be believed without a look."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.struck_words import struck_words

STRUCK_OUT = "struck_out"
_MOST = 0.3  # what a page withdraws is hardly ever the value
_HALF = 0.5  # of the quoted words, where the value has no place of its own


def doubt_struck_words(
    citations: Sequence[Citation], documents: Mapping[str, ParsedDocument]
) -> list[Citation]:
    """Return the citations, those whose value (or most of whose words) is struck out flagged."""
    struck = {
        source_id: found for source_id, document in documents.items() if (found := struck_words(document))
    }
    if not struck:
        return list(citations)
    return [
        _doubted(citation)
        if citation.source_id in struck
        and is_about(citation, documents[citation.source_id], struck[citation.source_id])
        else citation
        for citation in citations
    ]


def _doubted(citation: Citation) -> Citation:
    return replace(
        citation,
        status=CitationStatus.FLAGGED if citation.status is CitationStatus.RESOLVED else citation.status,
        confidence=min(citation.confidence, _MOST),
        warnings=(*citation.warnings, STRUCK_OUT),
    )


def is_about(citation: Citation, document: ParsedDocument, words: frozenset[int]) -> bool:
    """Tell whether some `words` are of a citation's value, or most of what it quotes where it has none."""
    quoted = [word for first, last in citation.word_ranges for word in range(first, last)]
    value = [word for word in quoted if _is_in_value(citation, document, word)]
    if value:
        return any(word in words for word in value)
    return sum(word in words for word in quoted) > _HALF * len(quoted)


def _is_in_value(citation: Citation, document: ParsedDocument, word: int) -> bool:
    page, box = int(document.words.page[word]), document.words.box(word)
    x, y = box.left + box.width / 2, box.top + box.height / 2
    return any(
        area.left <= x <= area.right and area.top <= y <= area.bottom
        for region in citation.value
        if region.page == page
        for area in region.boxes
    )
