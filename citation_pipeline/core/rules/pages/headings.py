"""Which words of a page stand under a heading of some kind: a chart's `PAST MEDICAL HISTORY`, a void sheet.

A heading is a short line of its own, or the words before a line's first colon or full stop. What it heads
goes up to the next heading.
"""

import re
from collections.abc import Mapping, Sequence

from citation_pipeline.core.rules.pages.layout import Row
from citation_pipeline.core.values.dates import find_dates

_LEAD = re.compile(
    r"^(?:\(?(?:[IVX]{1,4}|\d{1,2}|[A-H])[.)]\s+|[\u2022*-]\s+)?"
    r"(?P<head>(?-i:[A-Z])[^.:;$]{1,58}?)(?P<mark>:|\.\s|\s*$)"
)
_MOST_WORDS = 8
_FULL = 0.8  # a line that ends so far right goes on in the next one
_PARTS = 2  # a single day in a line is the whole paper's
# A head that ends in a full stop is in capitals, else it is a short sentence.
_CAPITALS = re.compile(r"[A-Z][A-Z /&'\u2019()-]{2,}")


_EXAMPLE = re.compile(r"^(?:for )?examples?\s?:?$", re.IGNORECASE)
_EXPLAINS = re.compile(r"^how to (?:complete|fill (?:in|out)) (?:this|the|your)\b", re.IGNORECASE)
_TITLE_ROWS = 2

# `PROPOSED (AS OF 03/05/2026)`: a sheet's part, alone in its line, with the day that its figures are of.
_AS_OF = re.compile(
    r"^[A-Z][\w /-]{0,40}\(?\b(?:as of|valued|valuation date|per)\b:? (?P<day>[^)]{6,20})\)?:?$",
    re.IGNORECASE,
)


def heading_of(row: Row, above: Row | None) -> str:
    """Return what a line opens with or is as a heading, empty where it goes on with the text above."""
    text = row.text
    found = _LEAD.match(text)
    if found is None or len(found["head"].split()) > _MOST_WORDS:
        return ""
    head = found["head"]
    if found["mark"] == ":":
        return head
    if found["mark"].startswith("."):
        return head if _CAPITALS.fullmatch(head) else ""
    if len(row.segments) > 1:
        return ""  # a row of boxes
    goes_on = (
        above is not None
        and len(above.segments) == 1
        and above.box.right > _FULL
        and row.box.top - above.box.bottom < row.box.height
    )
    return head if head.isupper() or not goes_on else ""


def words_under(rows: Sequence[Row], expression: re.Pattern[str]) -> frozenset[int]:
    """Return the words of the headings that the expression is found in, and of all that they head."""
    found: set[int] = set()
    is_under = False
    above: Row | None = None
    for row in rows:
        if above is not None and row.page != above.page:
            above = None
        head = heading_of(row, above)
        if head:
            is_under = expression.search(head) is not None
        if is_under:
            found.update(row.words)
        above = row
    return frozenset(found)


def words_of_examples(rows: Sequence[Row]) -> frozenset[int]:
    """Return the words of pages that explain how to fill in a form, and of what is headed as an example.

    An example goes on, labels and all, up to a title in capitals or to the end of its page.
    """
    found: set[int] = set()
    page, is_example, number = 0, False, 0
    for row in rows:
        if row.page != page:
            page, is_example, number = row.page, False, 0
        number += 1
        if _EXAMPLE.match(row.text) or (number <= _TITLE_ROWS and _EXPLAINS.match(row.text)):
            is_example = True
        elif is_example and _CAPITALS.fullmatch(row.text):
            is_example = False
        if is_example:
            found.update(row.words)
    return frozenset(found)


def days_of_headings(rows: Sequence[Row]) -> Mapping[int, str]:
    """Return the words below lines that name the day of the figures below them, with that day."""
    found: dict[int, str] = {}
    heads = [(n, match["day"]) for n, row in enumerate(rows) if (match := _AS_OF.match(row.text))]
    if len(heads) < _PARTS:
        return found
    for (number, told), (end, _) in zip(heads, [*heads[1:], (len(rows), "")], strict=True):
        dates = find_dates(told)
        if dates:
            found |= {word: str(dates[0].value) for row in rows[number + 1 : end] for word in row.words}
    return found
