"""What is printed beside or between the lines of a text and is no part of it: line numbers of transcripts and
pleadings, numbers of list items, marks of footnotes, running titles and page numbers at a page's edge.

A quotation leaves them out without saying so; whoever quotes over a line's end never means them.
"""

import re
from collections.abc import Sequence

import numpy as np

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.neighbourhoods import PAGE_ASPECT
from citation_pipeline.core.matching.numerals import UNITS, has_digit

_LEAST_LINES = 6  # numbers one above the other that count lines: shorter columns are lists
_MOST_NUMBER = 3  # digits of a line's number
_MOST_PAGE_NUMBER = 4
_SAME_EDGE = 0.004  # of the page's width: numbers of one column end, or begin, at one place
_LEAST_TITLE = 8  # letters of a running title
_SAME_HEIGHT = 0.012  # of the page's height: a line is less
_PAGES_BESIDE = 2  # right and left pages may have titles of their own
_LONGEST_MARK = 7  # characters of a line's or item's number, or of a note's mark: `(12)`, `6,7`
_MOST_WORDS = 300  # left out at once that are looked at
_MOST_LINE = 40  # words of a line
_EDGE = 0.1  # of the page's height, where its pages are numbered through: NORTH-000451
_STAMP = re.compile(rb"[a-z]{1,12}\d{3,9}")
_DIGITS = b"0123456789"
_ITEM = re.compile(r"[(\[]?(\d{1,2}|[A-Za-z])[.)\]]{1,2}")
_LEVELS = re.compile(r"((?:\d{1,2}\.){1,3})(\d{1,2})[.):]?")  # 1.2:, 4.1.3
_LEAST_ITEMS = 2  # of a list on one page
_SAME_INDENT = 0.01  # of the page's width: items of one list begin at one place
_NOTE = re.compile(r"[(\[]?\d{1,3}(?:,\d{1,3})*[)\]]?[.,;]?")
_MOST_NOTE_HEIGHT, _LEAST_RAISED = 0.75, 0.2  # of the height of the word that a footnote's mark is behind
_MOST_NOTE_GAP = 0.35  # of that height
_RAISED_DIGITS = re.compile(r"[⁰¹²³⁴-⁹]+[.,;:]?$")
_LEAST_NOTED = 3  # letters of a word behind which a raised digit is no exponent


def beside_the_text(index: DocumentIndex, before: int, words: Sequence[int], behind: int) -> frozenset[int]:
    """Return those of the words between two quoted ones that are no part of the text.

    A line's number is one only where a line begins with it: the word before is quoted of an earlier line.
    """
    if len(words) > _MOST_WORDS:
        return frozenset()  # no title is so long, and nothing else of it is beside the text
    page, row = index.words.page, index.rows.row
    texts = index.words.texts
    short = [word for word in words if len(texts[word]) <= _LONGEST_MARK]
    found = {
        word
        for word in short
        if is_note_mark(index, word) or (row[word] != row[before] and _leads_line(index, word))
    }
    if page[before] != page[behind]:
        found |= _running(index, words, before, behind)
    return frozenset(found)


def _leads_line(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word numbers its line or the list's item that begins with it."""
    key, page = index.keys[word], int(index.words.page[word])
    is_number = key.isdigit() and len(key) <= _MOST_NUMBER
    return (is_number and word in line_numbers(index, page)) or word in item_numbers(index, page)


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


def item_numbers(index: DocumentIndex, page: int) -> frozenset[int]:
    """Return the words of a page that number a list's items (`2.`, `(b)`), each the first word of a row."""
    known = index.item_numbers.get(page)
    if known is None:
        known = index.item_numbers[page] = frozenset(_numbering_items(index, page))
    return known


def _numbering_items(index: DocumentIndex, page: int) -> set[int]:
    low, high = _words_of_page(index, page)
    lists: list[list[tuple[int, tuple[str, int]]]] = []
    for word in range(low, high):
        number = _item_number(index.words.texts[word])
        if number is None or not _begins_line(index, word):
            continue
        left = float(index.words.boxes[word, 0])
        above, value = number
        own = next(
            (
                each
                for each in lists
                if each[-1][1] == (above, value - 1)
                and abs(float(index.words.boxes[each[-1][0], 0]) - left) <= _SAME_INDENT
            ),
            None,
        )
        if own is None:
            lists.append([(word, number)])
        else:
            own.append((word, number))
    return {word for each in lists if len(each) >= _LEAST_ITEMS for word, _ in each}


def _begins_line(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word is the first of its row, or of its line in a page of several columns."""
    line = index.words.line
    if not word or line.item(word - 1) != line.item(word):
        return True
    return index.words_of_row(int(index.rows.row[word]))[:1] == [word]


def _item_number(text: str) -> tuple[str, int] | None:
    """Return the levels above and the number of a list's item: none and 2 of `2.`, `1.` and 2 of `1.2:`."""
    item = _ITEM.fullmatch(text)
    if item is not None:
        return "", int(item[1]) if item[1].isdigit() else ord(item[1].lower())
    levels = _LEVELS.fullmatch(text)
    return (levels[1], int(levels[2])) if levels is not None else None


def is_note_mark(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word is the number of a footnote: small, raised, and right behind a word.

    Behind a number or a unit a raised figure is an exponent.
    """
    texts, page = index.words.texts, index.words.page
    if not word or _NOTE.fullmatch(texts[word]) is None or page.item(word) != page.item(word - 1):
        return False
    noted = texts[word - 1]
    if noted[-1:].isalnum() and (has_digit(index.keys[word - 1]) or index.keys[word - 1] in UNITS):
        return False
    return _is_small_and_high(index, word)


def is_raised(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word is a figure that is small, raised, and right behind another one: an exponent."""
    if not word or not index.keys[word].isdigit() or not index.keys[word - 1][-1:].isdigit():
        return False
    return _is_small_and_high(index, word)


def _is_small_and_high(index: DocumentIndex, word: int) -> bool:
    boxes, page = index.words.boxes, index.words.page
    if page.item(word) != page.item(word - 1):
        return False
    left, top, width, height = boxes[word - 1].tolist()
    own_left, own_top, _, own_height = boxes[word].tolist()
    gap = (own_left - left - width) * PAGE_ASPECT
    return bool(
        index.keys[word - 1]
        and own_height <= _MOST_NOTE_HEIGHT * height
        and top + height - own_top - own_height >= _LEAST_RAISED * height
        and abs(gap) <= _MOST_NOTE_GAP * height
    )


def marks_mail(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word is the `>` before a line of mail that is answered, as before the line beside it."""
    texts, row_of = index.words.texts, index.rows.row
    if texts[word].strip(">") or not texts[word]:
        return False
    row, last = int(row_of[word]), len(texts) - 1
    if word and row_of.item(word - 1) == row:
        return False
    beside = range(max(0, word - _MOST_LINE), min(last, word + _MOST_LINE) + 1)
    return any(
        texts[at].startswith(">")
        and abs(row_of.item(at) - row) == 1
        and (not at or row_of.item(at - 1) != row_of.item(at))
        for at in beside
    )


def without_note_mark(text: str) -> str:
    """Return a printed word without the raised figures that are the mark of a footnote: `hours.²`."""
    noted = _RAISED_DIGITS.sub("", text)
    if noted == text or (noted[-1:].isalnum() and not noted[-_LEAST_NOTED:].isalpha()):
        return text
    return noted if len(noted) > _LEAST_NOTED or not noted[-1:].isalnum() else text


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
    top = float(index.words.boxes[words[0], 1])
    if not _EDGE < top < 1 - _EDGE and _STAMP.fullmatch(key):
        return True
    if len(letters) < _LEAST_TITLE or any(word in line_numbers(index, own) for word in words):
        return False
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
    # numbers of the table's own type: for any other the whole table would be converted
    pages = index.words.page
    low, high = np.searchsorted(pages, np.asarray((page, page + 1), pages.dtype))
    return int(low), int(high)
