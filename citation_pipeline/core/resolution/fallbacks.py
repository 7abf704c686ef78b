"""Citing a quotation that is on no page: by other words for its value, or by the value's own place.

Whatever is cited here is flagged: the words that the extractor gave were not found.
"""

from dataclasses import replace
from typing import Any

from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.extraction import Snippet
from citation_pipeline.core.resolution.drafts import Source, placed, with_words
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline.core.resolution.requotes import REPAIRED, REPAIRED_BY_MODEL, requote
from citation_pipeline.core.resolution.value_places import find_value_alone, states_value

TYPED = frozenset({"date", "datetime", "number", "integer"})
"""Types of values that a page says in one way or another, so that their place can be told."""

_MOST_PLACES = 50  # of a value that is quoted anew; one that is everywhere says nothing
_VALUE_ALONE_SCORE = 0.3  # below every flagged snippet: the quotation itself was not found


def cite_by_value(
    citation: Citation,
    snippet: Snippet,
    source: Source,
    *,
    furniture: frozenset[int],
    value: Any,
    value_type: str,
) -> Citation:
    """Fall back to the value's own place in the cited document, marked as such.

    A typed value is quoted anew from the page where it is clear which of its places was meant, or where the
    extractor gave other words when it was asked again. `furniture` are blocks of headers and footers.
    """
    if snippet.requoted:
        again_quoted = _requoted(citation, source, snippet.requoted, furniture, value, value_type)
        if again_quoted is not None:
            return again_quoted
    document, again = source.document, None
    if value_type in TYPED and not isinstance(value, list) and citation.snippet_text.strip():
        # the words beside it tell which place is meant, so that a short value can be found as well
        places = find_value_alone(document, source.index, value, value_type, least=1, most=_MOST_PLACES)
        again = requote(document, citation.snippet_text, places, value=value, value_type=value_type)
    found = find_value_alone(document, source.index, value, value_type)
    if again is None and not found:
        return citation
    drafted = replace(
        citation,
        status=CitationStatus.FLAGGED,
        method="value",
        score=_VALUE_ALONE_SCORE,
        confidence=_VALUE_ALONE_SCORE / max(1, len(found)),
        reason="value_alone",
        warnings=tuple(dict.fromkeys((*citation.warnings, "snippet_not_found"))),
    )
    if again is None:
        return with_words(drafted, source, found[0], value=value, value_type=value_type)
    repaired = replace(drafted, reason=REPAIRED, warnings=(*drafted.warnings, REPAIRED))
    return with_words(repaired, source, again, value=value, value_type=value_type)


def _requoted(
    citation: Citation, source: Source, text: str, furniture: frozenset[int], value: Any, value_type: str
) -> Citation | None:
    """Return the citation at the words that the extractor gave later, flagged.

    None unless these stand on a page as quoted and state the value themselves.
    """
    if not states_value(text, value, value_type):
        return None
    found = search_places(source.index, text, Hints(), furniture=furniture)
    if found.best is None or found.status is not CitationStatus.RESOLVED:
        return None
    shown = placed(citation, source, found, value=value, value_type=value_type)
    # the words are there; whether they are what the first answer meant is for a person to say
    return replace(
        shown,
        status=CitationStatus.FLAGGED,
        confidence=min(shown.confidence, _VALUE_ALONE_SCORE),
        reason=REPAIRED,
        warnings=tuple(dict.fromkeys((*shown.warnings, "snippet_not_found", REPAIRED, REPAIRED_BY_MODEL))),
    )
