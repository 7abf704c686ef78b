"""Whether the text goes on where a chain jumps to, or a label was put before what is printed elsewhere.

`INSURER: Ridgeway Mutual` is such a quotation where between both stand another name and another label. A
sentence goes on behind a figure or over a page's end, and a cell right below has nothing in between.
"""

import re

from citation_pipeline.core.matching.neighbourhoods import Neighbourhood
from citation_pipeline.core.matching.numerals import has_digit

_FEW_WORDS = 5  # over so few a chain may go: cells and captions that are left out
_MOST_OVER_PAGES = 40  # words of footers, headers and captions at the end of a page
_MOST_CELLS = 12  # of a row that are looked at
_DATE = re.compile(r"\(?\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}[),.;]?")
_AMOUNT = re.compile(r"[($€£]*\d{1,3}(?:[,.]\d{3})*[.,]\d{2}[)€]?")
_ENDS = (".", "?", "!", ":", ";")


def goes_far(near: Neighbourhood, before: int, word: int) -> bool:
    """Tell whether a jump from the end of a block to the start of another leaves out words that a quotation
    would show; positions are relative to the neighbourhood."""
    skipped = sum(1 for at in range(min(before, word) + 1, max(before, word)) if near.keys[at])
    if skipped <= _FEW_WORDS or _goes_on(near, before, word):
        return False
    if near.page[before] != near.page[word]:
        return skipped > _MOST_OVER_PAGES
    return near.row[before] != near.row[word] and not _is_right_below(near, before, word)


def skips_rival(near: Neighbourhood, before: int, word: int) -> bool:
    """Tell whether a jump inside a row leaves out the value beside a label for one beside another label.

    `Notified: 8/14/24` of the row `Notified: 8/13/24  Returned: 8/14/24`. Where no label is between, they are
    columns of a table.
    """
    kind = _kind(near, word)
    if not kind or near.row[before] != near.row[word] or _kind(near, before):
        return False
    order = near.visual_order
    first, last = near.rank.item(before) + 1, near.rank.item(word)
    between = [place for place in order[first:last] if near.keys[place]]
    if not 1 < len(between) <= _MOST_CELLS or _kind(near, between[0]) != kind:
        return False
    return any(not has_digit(near.keys[place]) for place in between[1:])


def _goes_on(near: Neighbourhood, before: int, word: int) -> bool:
    """Tell whether a sentence goes on: nothing ends before the gap, and no capital or figure is behind it."""
    texts = near.index.words.texts
    is_open = not texts[near.low + before].endswith(_ENDS)
    return is_open and texts[near.low + word].lstrip("(\"'“‘[")[:1].islower()


def _is_right_below(near: Neighbourhood, before: int, word: int) -> bool:
    """Tell whether a word is below another in its column, with nothing of that column between them."""
    boxes = near.boxes
    left, right = boxes[word, 0], boxes[word, 0] + boxes[word, 2]
    first = before
    while first > 0 and near.row[first - 1] == near.row[before] and not near.is_cell_start[first]:
        first -= 1
    low, high = boxes[first, 0], boxes[before, 0] + boxes[before, 2]
    if not (low < right and left < high) or boxes[word, 1] <= boxes[before, 1]:
        return False
    top, bottom = boxes[before, 1] + boxes[before, 3], boxes[word, 1]
    middle = boxes[:, 1] + boxes[:, 3] / 2
    between = (near.page == near.page[word]) & (top < middle) & (middle < bottom)
    return not bool((between & (boxes[:, 0] < right) & (boxes[:, 0] + boxes[:, 2] > left)).any())


def _kind(near: Neighbourhood, place: int) -> str:
    """Return what a printed word is: a date, an amount, or nothing of both."""
    text = near.index.words.texts[near.low + place]
    if _DATE.fullmatch(text):
        return "date"
    return "amount" if _AMOUNT.fullmatch(text) else ""
