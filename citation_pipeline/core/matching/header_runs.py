"""A quotation cut into runs of a table's header words and of values of one of its rows.

Whether the runs say what the table says is `headed_rows`' work.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from citation_pipeline.core.matching.confusions import misreading_cost, slips_between
from citation_pipeline.core.matching.header_columns import Columns, nearest_column
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.numerals import has_digit, look

_look = lru_cache(maxsize=4096)(look)
_LEAST_MISREAD = 6  # letters of a header that may be misread

Likeness = Callable[[bytes, bytes], bool]
"""Tells whether a quoted and a printed key are one word."""


@dataclass(frozen=True, slots=True)
class Run:
    """Quoted tokens (their positions) and the words that they are; `column` is a header's, None of values."""

    tokens: range
    words: tuple[int, ...]
    column: int | None


def likeness_near(index: DocumentIndex, word: int) -> tuple[Likeness, Likeness]:
    """Return what tells whether two keys are one value, and one header; on a badly recognized page values to
    the eye and headers up to one likely slip."""
    if not index.is_noisy_near(word):
        return _is_equal, _is_equal
    return _looks_equal, _is_misread


def _is_equal(ours: bytes, theirs: bytes) -> bool:
    return ours == theirs


def _looks_equal(ours: bytes, theirs: bytes) -> bool:
    if ours == theirs or _look(ours) == _look(theirs):
        return True
    # a figure inside a word was read into it; of two words either may be meant
    is_read_into = has_digit(theirs) and ours.isalpha() and len(ours) >= _LEAST_MISREAD
    return is_read_into and slips_between(ours, theirs) <= 1


def _is_misread(ours: bytes, theirs: bytes) -> bool:
    if ours == theirs or _look(ours) == _look(theirs):
        return True
    return len(ours) >= _LEAST_MISREAD and ours.isalpha() and misreading_cost(ours, theirs) <= 1


def runs_of(
    index: DocumentIndex,
    tokens: Sequence[bytes],
    columns: Columns,
    cells: Sequence[int],
    is_same: Likeness,
    is_alike: Likeness,
) -> list[Run]:
    """Return the tokens as runs of header words and of values; empty where a token is neither."""
    found: list[Run] = []
    named: set[int] = set()
    free = set(cells)
    at = 0
    while at < len(tokens):
        keys = tokens[at:]
        own, name, column = _name(index, keys, columns, named, is_alike)
        # behind a header its own value is meant, of several that are printed alike
        wanted = found[-1].column if found else None
        values = _values(index, keys, cells, free, is_same, columns, wanted)
        is_value_due = bool(found) and found[-1].column is not None
        is_name = len(own) > len(values) or (len(own) == len(values) and not is_value_due)
        words, count = (name, len(own)) if is_name else (values, len(values))
        if not words:
            return []
        found.append(Run(range(at, at + count), words, column if is_name else None))
        (named if is_name else free).symmetric_difference_update(words)
        at += count
    return found


def _name(
    index: DocumentIndex,
    keys: Sequence[bytes],
    columns: Columns,
    named: Collection[int],
    is_same: Likeness,
) -> tuple[range, tuple[int, ...], int]:
    """Return how many keys a header's words, not named yet, begin with, these words, and their column.

    A header is named from the beginning of its cell, or where another of the same cell was named before.
    """
    best: tuple[range, tuple[int, ...], int] = (range(0), (), 0)
    for number, column in enumerate(columns):
        free = [word for word in column if word not in named]
        count, at = 0, 0
        while count < len(keys) and at < len(free):
            # a badly recognized header may be torn: `Pro cedure`
            width = next((w for w in (1, 2) if is_same(keys[count], _joined(index, free[at : at + w]))), 0)
            if not width:
                break
            count, at = count + 1, at + width
        if count > len(best[0]):
            best = range(count), tuple(free[:at]), number
    return best


def _joined(index: DocumentIndex, words: Sequence[int]) -> bytes:
    return b"".join(index.keys[word] for word in words)


def _values(
    index: DocumentIndex,
    keys: Sequence[bytes],
    cells: Sequence[int],
    free: Collection[int],
    is_same: Likeness,
    columns: Columns,
    wanted: int | None,
) -> tuple[int, ...]:
    """Return the longest run of a row's words that the keys begin with, those of a wanted column first."""
    best: tuple[int, ...] = ()
    for first in range(len(cells)):
        words = _from(index, keys, cells[first:], is_same)
        words = words[: next((n for n, word in enumerate(words) if word not in free), len(words))]
        is_wanted = bool(words) and wanted is not None and nearest_column(index, columns, words[:1]) == wanted
        if len(words) > len(best) or (len(words) == len(best) and is_wanted):
            best = words
    return best


def _from(
    index: DocumentIndex,
    keys: Sequence[bytes],
    words: Sequence[int],
    is_same: Likeness,
) -> tuple[int, ...]:
    """Return the words that the keys begin with, one for one."""
    count = 0
    while count < min(len(keys), len(words)) and is_same(keys[count], index.keys[words[count]]):
        count += 1
    return tuple(words[:count])
