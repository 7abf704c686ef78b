"""What is printed beside or between the lines of a text and is no part of it: line numbers of transcripts and
pleadings, running titles and page numbers at a page's edge.

A quotation leaves them out without saying so; whoever quotes over a line's end never means them.
"""

from collections.abc import Sequence

import numpy as np

from citation_pipeline.core.matching.index import DocumentIndex

_LEAST_LINES = 6  # numbers one above the other that count lines: shorter columns are lists
_MOST_NUMBER = 3  # digits of a line's number
_MOST_PAGE_NUMBER = 4
_SAME_EDGE = 0.004  # of the page's width: numbers of one column end, or begin, at one place
_LEAST_TITLE = 8  # letters of a running title
_SAME_HEIGHT = 0.012  # of the page's height: a line is less
_PAGES_BESIDE = 2  # right and left pages may have titles of their own
_DIGITS = b"0123456789"


def beside_the_text(index: DocumentIndex, before: int, words: Sequence[int], behind: int) -> frozenset[int]:
    """Return those of the words between two quoted ones that are no part of the text.

    A line's number is one only where a line begins with it: the word before is quoted of an earlier line.
    """
    page, row = index.words.page, index.rows.row
    found: set[int] = set()
    for word in words:
        key = index.keys[word]
        is_number = key.isdigit() and len(key) <= _MOST_NUMBER
        if is_number and row[word] != row[before] and word in line_numbers(index, int(page[word])):
            found.add(word)
    if page[before] != page[behind]:
        found |= _running(index, words, before, behind)
    return frozenset(found)


def line_numbers(index: DocumentIndex, page: int) -> frozenset[int]:
    """Return the words of a page that number its lines: one above the other, each one more than the last."""
    known = index.line_numbers.get(page)
    if known is None:
        known = index.line_numbers[page] = frozenset(_numbered(index, page))
    return known


def _numbered(index: DocumentIndex, page: int) -> set[int]:
    low, high = _words_of_page(index, page)
    words = index.words
    numbers = [
        word
        for word in range(low, high)
        if index.keys[word].isdigit()
        and len(index.keys[word]) <= _MOST_NUMBER
        and words.texts[word].isdecimal()
    ]
    columns: list[list[int]] = []
    for word in sorted(numbers, key=lambda each: float(words.boxes[each, 1])):
        value = int(index.keys[word])
        above = next(
            (c for c in columns if int(index.keys[c[-1]]) + 1 == value and _is_below(index, c[-1], word)),
            None,
        )
        if above is None:
            columns.append([word])
        else:
            above.append(word)
    return {word for column in columns if len(column) >= _LEAST_LINES for word in column}


def _is_below(index: DocumentIndex, above: int, word: int) -> bool:
    """Tell whether a number begins or ends where another does, in a lower row."""
    boxes = index.words.boxes
    left = abs(float(boxes[above, 0] - boxes[word, 0]))
    right = abs(float(boxes[above, 0] + boxes[above, 2] - boxes[word, 0] - boxes[word, 2]))
    return min(left, right) <= _SAME_EDGE and int(index.rows.row[above]) < int(index.rows.row[word])


def _running(index: DocumentIndex, words: Sequence[int], before: int, behind: int) -> set[int]:
    """Return the words between two pages' texts that are whole lines of the pages' edges."""
    rows: dict[int, list[int]] = {}
    for word in words:
        rows.setdefault(int(index.rows.row[word]), []).append(word)
    quoted = {int(index.rows.row[before]), int(index.rows.row[behind])}
    return {
        word
        for row, own in rows.items()
        if row not in quoted and len(own) == len(index.words_of_row(row)) and _is_running(index, row, own)
        for word in own
    }


def _is_running(index: DocumentIndex, row: int, words: Sequence[int]) -> bool:
    """Tell whether a row is a page's number alone, or is printed at the same height of a page nearby."""
    key = b"".join(index.keys[word] for word in words)
    if key.isdigit():
        return len(key) <= _MOST_PAGE_NUMBER and len(words) == 1
    letters = key.translate(None, _DIGITS)
    own = int(index.words.page[words[0]])
    if len(letters) < _LEAST_TITLE or any(word in line_numbers(index, own) for word in words):
        return False
    top = float(index.words.boxes[words[0], 1])
    return any(
        _row_letters(index, page, top) >= {letters}
        for page in range(own - _PAGES_BESIDE, own + _PAGES_BESIDE + 1)
        if page != own
    )


def _row_letters(index: DocumentIndex, page: int, top: float) -> set[bytes]:
    """Return what the rows of a page around a height have for letters."""
    low, high = _words_of_page(index, page)
    tops = index.words.boxes[low:high, 1]
    near = np.flatnonzero(np.abs(tops - top) <= _SAME_HEIGHT) + low
    rows = {int(index.rows.row[word]) for word in near.tolist()}
    return {
        b"".join(index.keys[word] for word in index.words_of_row(row)).translate(None, _DIGITS)
        for row in rows
    }


def _words_of_page(index: DocumentIndex, page: int) -> tuple[int, int]:
    low, high = np.searchsorted(index.words.page, (page, page + 1))
    return int(low), int(high)
