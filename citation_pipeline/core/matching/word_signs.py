"""What the layout says of words that their letters do not: signs beside a place that are quoted with it,
figures that are raised or stand in a cell of their own."""

from collections.abc import Sequence

from citation_pipeline.core.matching.box_signs import drawn_alike
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.margins import is_note_mark, is_raised
from citation_pipeline.core.matching.marks import APART
from citation_pipeline.core.matching.neighbourhoods import CELL_GAP, PAGE_ASPECT
from citation_pipeline.core.matching.numerals import plain

_MOST_SIGNS = 40  # words without letter or digit at an end of a place: dotted leaders are long


def with_end_signs(index: DocumentIndex, bare: str, words: Sequence[int]) -> tuple[int, ...]:
    """Return the words of a place with the signs before and behind them that are quoted too: `€`, `•`.

    `bare` is the quotation without spaces; words that are signs alone have no key to be found by.
    """
    if not words or (bare[:1].isalnum() and bare[-1:].isalnum()):
        return tuple(words)
    keys, last = index.keys, len(index.keys) - 1
    is_led = words[0] > 0 and not keys[words[0] - 1] and not bare[:1].isalnum()
    is_trailed = words[-1] < last and not keys[words[-1] + 1] and not bare[-1:].isalnum()
    bare = drawn_alike(bare) if is_led or is_trailed else bare
    before = _quoted_signs(index, bare, words[0], -1) if is_led else []
    behind = _quoted_signs(index, bare[::-1], words[-1], 1) if is_trailed else []
    return (*before[::-1], *words, *behind)


def _quoted_signs(index: DocumentIndex, bare: str, word: int, step: int) -> list[int]:
    """Return the words without a key beside a word, nearest first, whose signs begin a text in that order."""
    count = next((at for at, character in enumerate(bare) if character.isalnum()), len(bare))
    signs = plain(bare[:count])
    texts, page = index.words.texts, index.words.page
    found: list[int] = []
    at = word + step
    while 0 <= at < len(texts) and not index.keys[at] and len(found) < _MOST_SIGNS:
        sign = plain(drawn_alike(texts[at]))[::-step]
        begin = signs.rfind(sign)
        if begin < 0 or not sign or page.item(at) != page.item(word):
            break
        found.append(at)
        signs = signs[:begin]
        at += step
    return found


def part_figures(index: DocumentIndex, words: Sequence[int]) -> list[str]:
    """Return the texts of words, `^` before figures that are raised behind others (10⁹) and a sign of its own
    before those that are apart from them."""
    texts, keys = index.words.texts, index.keys
    found = [texts[word] for word in words]
    for at in range(1, len(words)):
        before, word = words[at - 1], words[at]
        if not (keys[before][-1:].isdigit() and keys[word][:1].isdigit()):
            continue
        # dates and codes that lost the blank between them are told apart all the same
        if not (keys[before].isdigit() and keys[word].isdigit()) or "/" in found[at] + texts[before]:
            continue
        if is_raised(index, word):
            found[at] = "^" + found[at]
        elif is_note_mark(index, before) or _is_cell_apart(index, before, word):
            found[at] = APART + found[at]
    return found


def _is_cell_apart(index: DocumentIndex, before: int, word: int) -> bool:
    """Tell whether a gap as between two cells is between two words of one row, or they are of two rows."""
    if index.rows.row.item(before) != index.rows.row.item(word):
        return False
    left, _, width, height = index.words.boxes[before].tolist()
    gap = (float(index.words.boxes[word, 0]) - left - width) * PAGE_ASPECT
    return bool(gap > CELL_GAP * height)
