"""Whether a quoted statement is less than its sentence: what is left out beside it may say anything.

Words that are known to turn a statement (`cut_clauses`, `denied_lists`) cast doubt on it. Of all other
wording nobody knows: a statement is nearly certain only where the whole of its sentence, item or cell is
quoted. Names, dates, amounts and the rows of a table state nothing, and are as certain in part.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.matches import Match
from citation_pipeline.core.matching.neighbourhoods import are_cells_apart
from citation_pipeline.core.matching.pairing import PairKind
from citation_pipeline.core.matching.qualified_statements import is_qualified
from citation_pipeline.core.matching.turn_places import ASKED, FAR, first_behind, last_before, turn_places

_LEAST_PLAIN = 3  # words of a statement that are neither names nor figures: fewer are a value
_LEAST_BEGUN = 4  # of a clause that a small letter alone shows to be begun before
_LEAST_INSIDE = 6  # characters of a part of a line of a script without spaces
_LEAST_LETTERS = 3  # of a word left out that is no number of an item: `2.`, `(b)`
_MARKS = "(\"'“‘«„[「『"
_QUOTING = ("“", '"', "„", "«", "「", "『")
_COLONS = (":", "：")
_LETTERED = "\u0600"
"""The first letter of the scripts in which two letters are a word."""
_UNCASED = "\u3000"
"""The first sign of the scripts in which one is."""


def is_clipped(index: DocumentIndex, match: Match) -> bool:
    """Tell whether a place is a statement without the rest of its sentence or what may qualify it."""
    words = match.words
    if match.method == "inside":
        # the page's word is the whole line
        is_part = match.key_length < sum([len(index.keys[word]) for word in words])
        return is_part and match.key_length >= _LEAST_INSIDE
    plain = sum([_is_plain(index.words.texts[word]) for word in words])
    if plain < _LEAST_PLAIN or plain * 2 < len(words):
        return False
    first, last = words[0], words[-1]
    if _is_said_on(index, _before(index, first)) or _is_said_on(index, _behind(index, last)):
        return True
    return _is_led(index, first, plain) or _leaves_out(index, match) or is_qualified(index, words)


def _is_plain(text: str) -> bool:
    """Tell whether a word begins with a small letter, or is of a script without capitals."""
    letter = text.lstrip(_MARKS)[:1]
    return letter > _UNCASED or (letter.isalpha() and not letter.isupper() and len(text) > 1)


def _says(text: str) -> bool:
    """Tell whether a word is more than the number of an item."""
    if text.isascii() and text.isalpha():
        return len(text) >= _LEAST_LETTERS
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) >= _LEAST_LETTERS or any(letter > _LETTERED for letter in letters)


def _is_said_on(index: DocumentIndex, words: Iterable[int]) -> bool:
    return any(_says(index.words.texts[word]) for word in words)


def _before(index: DocumentIndex, first: int) -> Iterable[int]:
    """Yield the words of a sentence before one of it, of its block and cell, the nearest first."""
    least = max(last_before(turn_places(index).ends, first, FAR), first - FAR - 1, -1)
    for word in range(first - 1, least, -1):
        if _is_apart(index, word):
            return
        yield word


def _behind(index: DocumentIndex, last: int) -> Iterable[int]:
    """Yield the words of a sentence behind one of it, of its block and cell."""
    end = first_behind(turn_places(index).ends, last - 1, ASKED)
    most = min(len(index.keys) - 1, last + ASKED if end < 0 else end)
    for word in range(last + 1, most + 1):
        if _is_apart(index, word - 1):
            return
        yield word


def _is_apart(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word and the next one are of different blocks, or of different cells of a row."""
    blocks = index.words.block
    return blocks.item(word) != blocks.item(word + 1) or _are_of_two_cells(index, word)


def _are_of_two_cells(index: DocumentIndex, word: int) -> bool:
    lines = index.words.line
    return lines.item(word) == lines.item(word + 1) and are_cells_apart(index, word)


def _is_led(index: DocumentIndex, first: int, plain: int) -> bool:
    """Tell whether a statement is behind a label or a quotation mark, or was begun before its block."""
    texts = index.words.texts
    before = texts[first - 1] if first else ""
    if texts[first].startswith(_QUOTING) or before.endswith(_COLONS):
        return True
    is_begun = texts[first].lstrip(_MARKS)[:1].islower() and before[-1:].isalnum()
    return is_begun and plain >= _LEAST_BEGUN and not _are_of_two_cells(index, first - 1)


def _leaves_out(index: DocumentIndex, match: Match) -> bool:
    """Tell whether an ellipsis leaves words of one sentence out."""
    texts = index.words.texts
    return any(
        any(_says(texts[word]) for word in pair.words)
        for before, pair in pairwise(match.pairs)
        if pair.kind is PairKind.SKIPPED
        and before.words
        and not _ends(index, (before.words[-1], *pair.words))
    )


def _ends(index: DocumentIndex, words: Sequence[int]) -> bool:
    """Tell whether a sentence ends among some words."""
    return first_behind(turn_places(index).ends, words[0] - 1, words[-1] - words[0] + 1) >= 0
