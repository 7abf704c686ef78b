"""Whether a whole sentence has beside it what may qualify it: a heading with an addition or on its own line,
a footnote's mark, or a next sentence that points back.

Words that are known to take a statement back (`void_sections`, `retractions`) cast doubt on it. Of all others
only where they stand is known: that alone leaves a statement likely, and not nearly certain.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence

from citation_pipeline.core.matching.denied_lists import heading_above, heading_start, is_capitals
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.retractions import begins_pointing
from citation_pipeline.core.matching.turn_places import ASKED, first_behind, last_before, turn_places

_LONGEST_TITLE = 14
_LONGEST_RUN_IN = 2  # words of a heading on the line of its text: `4.2 Exclusion.`
_LONGEST_BACK = 14  # words of a sentence that takes the one before it back
_NOTE_MARKS = tuple("*†‡¹²³⁴⁵⁶⁷⁸⁹⁰")
_ADDITION = re.compile(r"\(|[,–—] | - ")
_BRACKETED = re.compile(r"\([^()]*\)?")


def is_qualified(index: DocumentIndex, words: Sequence[int]) -> bool:
    """Tell whether something beside the sentence or sentences of some words may qualify them."""
    first, last = words[0], words[-1]
    return (
        _is_noted(index, words)
        or _is_run_in(index, first)
        or _is_below_title(index, first)
        or _is_listed_below_addition(index, first)
        or _is_pointed_at(index, last)
    )


def _is_noted(index: DocumentIndex, words: Sequence[int]) -> bool:
    """Tell whether a footnote's mark is on a word, or right behind the last."""
    texts, behind = index.words.texts, words[-1] + 1
    if any(texts[word].endswith(_NOTE_MARKS) and len(texts[word]) > 1 for word in words):
        return True
    return behind < len(texts) and texts[behind] in _NOTE_MARKS


def _is_run_in(index: DocumentIndex, first: int) -> bool:
    """Tell whether a sentence is right behind a heading on its own line."""
    texts, block, ends = index.words.texts, index.words.block, turn_places(index).ends
    end = first - 1
    if end < 0 or not texts[end].endswith(".") or last_before(ends, first, 1) != end:
        return False
    begin = max(last_before(ends, end, ASKED), end - ASKED, -1) + 1
    length = 0
    for word in range(end, begin - 1, -1):
        if block.item(word) != block.item(first):
            break
        if not texts[word][:1].isdigit():
            length += 1
            begin = word
    return 0 < length <= _LONGEST_RUN_IN and texts[begin][:1].isupper()


def _is_below_title(index: DocumentIndex, first: int) -> bool:
    """Tell whether a sentence is of the block below a heading in capitals that has an addition."""
    block = index.words.block
    start = int(block.searchsorted(block[first]))
    if not start or index.words.page.item(start - 1) != index.words.page.item(start):
        return False
    begin = int(block.searchsorted(block[start - 1]))
    if start - begin > _LONGEST_TITLE:
        return False
    title = " ".join(index.words.texts[begin:start])
    return _ADDITION.search(title) is not None and is_capitals(_BRACKETED.sub("", title).split())


def _is_listed_below_addition(index: DocumentIndex, first: int) -> bool:
    """Tell whether a sentence is of a list whose heading has an addition: `Faults of 1990 (all mended):`."""
    end = heading_above(index, first)
    return (
        end >= 0
        and _ADDITION.search(" ".join(index.words.texts[heading_start(index, end) : end + 1])) is not None
    )


def _is_pointed_at(index: DocumentIndex, last: int) -> bool:
    """Tell whether a short sentence behind that of a word begins with what points back: `that letter`."""
    words, ends = index.words, turn_places(index).ends
    end = first_behind(ends, last - 1, ASKED)
    if end < 0 or end + 1 >= len(words.texts) or words.block.item(end) != words.block.item(end + 1):
        return False
    at = bisect_left(ends, end + 1)
    is_short = at < len(ends) and ends[at] - end <= _LONGEST_BACK
    return is_short and begins_pointing(index, end + 1)
