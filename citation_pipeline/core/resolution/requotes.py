"""Quoting a value anew from the page, where the quotation that came with it is not there.

A model that reads "Weekly rate 809.80" and quotes "TTD rate is $809.80 per week" has the value right and the
words wrong. The page is then quoted instead: the words of one printed line around the value, where they share
enough with what was quoted and no other place of the value shares as much. It stays flagged and says that it
was repaired: whoever looks decides whether it is what was meant.
"""

from collections.abc import Sequence

import numpy as np

from citation_pipeline.core.documents.parsed import ParsedDocument, Words
from citation_pipeline.core.extraction import Value
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.values.grammar import find_value

REPAIRED = "repaired"
"""The warning of a citation whose words were quoted anew from the page."""

REPAIRED_BY_MODEL = "repaired_by_model"
"""Beside it, where the extractor was asked again and gave other words for the same value."""

_LEAST_KEY = 4  # shorter words are on every line
_LEAST_SHARE = 0.5  # of the quotation's own words beside the value


def requote(
    document: ParsedDocument,
    snippet: str,
    places: Sequence[tuple[int, ...]],
    *,
    value: Value,
    value_type: str,
) -> tuple[int, ...] | None:
    """Return the words of one line that say the value as the quotation meant it, None where that is open.

    `places` are all places of the value in the document. A quotation of nothing but the value needs the
    value to be at one place alone.
    """
    words = document.words
    stated = find_value(snippet, value, value_type)
    for span in stated:  # the value's own words ("March 14th") are no words beside it
        snippet = snippet[: span.start] + " " * (span.end - span.start) + snippet[span.end :]
    wanted = {
        key
        for piece in snippet.split()
        if len(key := fold(piece)) >= _LEAST_KEY and not any(letter.isdigit() for letter in piece)
    }
    if not wanted:
        return _line_part(words, places[0], frozenset()) if stated and len(places) == 1 else None
    shared = [frozenset(wanted & _keys_of_line(words, place)) for place in places]
    order = sorted(range(len(places)), key=lambda number: -len(shared[number]))
    if not order or len(shared[order[0]]) < max(1.0, _LEAST_SHARE * len(wanted)):
        return None
    if len(order) > 1 and len(shared[order[1]]) == len(shared[order[0]]):
        return None
    return _line_part(words, places[order[0]], shared[order[0]])


def _keys_of_line(words: Words, place: Sequence[int]) -> set[bytes]:
    return {fold(words.texts[word]) for word in _line_of(words, place)}


def _line_of(words: Words, place: Sequence[int]) -> list[int]:
    """Return the words of the printed line that the value begins on."""
    return [int(word) for word in np.flatnonzero(words.line == words.line[place[0]])]


def _line_part(words: Words, place: Sequence[int], shared: frozenset[bytes]) -> tuple[int, ...]:
    """Return the value and what lies between it and the shared words of its line, in one piece."""
    ends = [*place, *(word for word in _line_of(words, place) if fold(words.texts[word]) in shared)]
    return tuple(range(min(ends), max(ends) + 1))
