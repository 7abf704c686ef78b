"""Whether what is quoted is of a text of the page that does not hold: `Clause 2 (deleted):`.

A label or a heading that names a text and says that it was struck out, replaced, refused or made up for an
example says so of every sentence below it: up to the next label, or to the end of the paragraph or list.
"""

import re
from bisect import bisect_right
from functools import cache
from itertools import takewhile

from citation_pipeline.core.matching.denied_lists import is_bullet, is_capitals, names_something
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.turn_places import last_before, turn_places
from citation_pipeline.core.matching.turns import nouns_of_texts, words_of
from citation_pipeline.core.matching.vocabulary import NEGATIONS

_LONGEST = 14  # words of a label or a heading
_MOST = 150  # words that one heading is about
_BRACKETED = re.compile(r"\([^()]*\)?")
_QUOTES, _QUOTES_END = ('"', "“", "„", "«", "‘"), ('"', "”", "“", "»", "’")


@cache
def _void() -> frozenset[bytes]:
    return words_of("void") | words_of("example") | (words_of("heading") & words_of("undone"))


def is_void(index: DocumentIndex, first: int, last: int) -> bool:
    """Tell whether the words [first, last] begin in a text of the page that does not hold."""
    if index.void_sections is None:
        index.void_sections = _find(index)
    sections = index.void_sections
    at = bisect_right(sections, (first, len(index.keys))) - 1
    return at >= 0 and first <= sections[at][1] and names_something(index, first, last)


def _find(index: DocumentIndex) -> list[tuple[int, int]]:
    """Return the first and the last word of each text that does not hold, in order; found once."""
    found: dict[int, int] = {}
    for word in index.keyed(_void()):
        section = _below_label(index, word) or _below_title(index, word)
        if section is not None:
            found[section[0]] = section[1]
    return sorted(found.items())


def _below_label(index: DocumentIndex, word: int) -> tuple[int, int] | None:
    """Return what is behind the label that a word is of: `Version 2 (replaced): ...`."""
    texts, block, ends = index.words.texts, index.words.block, turn_places(index).ends
    begin = max(last_before(ends, word, _LONGEST) + 1, _block_start(index, word))
    end = next(
        (each for each in range(word, min(begin + _LONGEST, len(texts))) if texts[each][-1:] == ":"), -1
    )
    if end < 0 or block.item(end) != block.item(word) or not _is_void_text(index, begin, word, end):
        return None
    if last_before(ends, end, end - word + 1) >= word:
        return None
    last = _block_end(index, end)
    if last == end:
        return _next_block(index, end)
    if texts[end + 1].startswith(_QUOTES):
        # `Example of a statement: "It hurts." She said ...`
        behind = range(end + 1, last + 1)
        last = next((each for each in behind if texts[each].rstrip(".,;").endswith(_QUOTES_END)), last)
    label = next((each for each in range(end + 1, last + 1) if texts[each][-1:] == ":"), -1)
    if label >= 0:
        last = max(end, last_before(ends, label, label - end - 1))
    return (end + 1, min(last, end + _MOST)) if last > end else None


def _below_title(index: DocumentIndex, word: int) -> tuple[int, int] | None:
    """Return the paragraph or the list below the heading in capitals that a word is of."""
    begin, end = _block_start(index, word), _block_end(index, word)
    if end - begin >= _LONGEST or not _is_title(index, begin, end):
        return None
    return _next_block(index, end) if _is_void_text(index, begin, word, end) else None


def _is_title(index: DocumentIndex, begin: int, end: int) -> bool:
    """Tell whether all words of a block are in capitals but what is in brackets."""
    plain = _BRACKETED.sub("", " ".join(index.words.texts[begin : end + 1])).split()
    return is_capitals(plain) and plain[-1][-1:].isalnum()


def _is_void_text(index: DocumentIndex, begin: int, word: int, end: int) -> bool:
    """Tell whether a label names a text, and a word of it says that it does not hold."""
    label = index.keys[begin : end + 1]
    if index.words.texts[begin][:1].islower() or nouns_of_texts().isdisjoint(label):
        return False
    if not NEGATIONS.isdisjoint(label[: word - begin]):
        return False
    # `Date the clause was deleted` asks; of `NOTE OF MAY, DELETED` the note is another part
    texts = index.words.texts
    near = [word, *takewhile(lambda each: texts[each][-1:].isalnum(), range(word - 1, begin - 1, -1))]
    near += [each + 1 for each in takewhile(lambda each: texts[each][-1:].isalnum(), range(word, end))]
    return words_of("asks").isdisjoint([index.keys[each] for each in near])


def _next_block(index: DocumentIndex, end: int) -> tuple[int, int] | None:
    """Return the block behind a word, with those below it that are of the same list."""
    texts, first = index.words.texts, end + 1
    if first >= len(texts) or index.words.page.item(first) != index.words.page.item(end):
        return None
    last = _block_end(index, first)
    while is_bullet(texts[first]) and last + 1 < len(texts) and is_bullet(texts[last + 1]):
        last = _block_end(index, last + 1)
    return first, min(last, end + _MOST)


def _block_start(index: DocumentIndex, word: int) -> int:
    block = index.words.block
    return int(block.searchsorted(block[word], side="left"))


def _block_end(index: DocumentIndex, word: int) -> int:
    block = index.words.block
    return int(block.searchsorted(block[word], side="right")) - 1
