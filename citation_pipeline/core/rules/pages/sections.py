"""Letters and messages inside one file: each speaks for its own day, and quoted mail for an older one.

A file may hold several letters, a thread of messages, a forwarded notice. Which of them counts is decided
in `choice`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.documents.own_days import (
    is_of_other_day,
    names_other_day,
    reads_as_title,
    title_day,
)
from citation_pipeline.core.rules.pages.layout import Row
from citation_pipeline.core.values.dates import find_dates

_QUOTED = re.compile(r"^\s*(?:>|\|\s)")
_SENDER = re.compile(r"^[>|\s]*(?:From|De|Von|Da|Od)\s?:\s*\S", re.IGNORECASE)
_SENT = re.compile(r"^[>|\s]*(?:Sent|Date|Fecha|Enviado|Datum|Gesendet|Envoy\u00e9)\s?:", re.IGNORECASE)
_WROTE = re.compile(r"^[>|\s]*On\s.{6,120}\swrote:?\s*$", re.IGNORECASE)
_ADDRESS_AND_DAY = re.compile(r"<[\w.+-]+@[\w.-]+>")
_DIVIDER = re.compile(r"^[>\s]*-{4,}\s*(?:original|forwarded) message", re.IGNORECASE)
_ISSUED = re.compile(
    r"^(?:date (?:of (?:(?:this )?(?:notice|order|letter|decision|admission|issue)|mailing|service)"
    r"|issued|mailed|circulated)|(?:notice |order |decision )?(?:mailed|circulated|issued|served)(?: on)?"
    r"|notice date|mailing date)\s?:?\s+",
    re.IGNORECASE,
)
_HEADER_ROWS = 7
_TITLE_PLACE = 5  # the rows of a page among which its title is
_OPENING = 0.3  # share of the height where a letter prints its day


@dataclass(frozen=True, slots=True)
class Section:
    """A letter or message: its first word, its day (ISO, empty when unknown), whether it is only quoted."""

    first_word: int
    day: str
    is_quoted: bool = False


def read_sections(rows: Sequence[Row]) -> tuple[Section, ...]:
    """Return the sections of a file that holds more than one day's words, in the order of the words."""
    found = _messages(rows) or _letters(rows)
    if len(found) < 2:
        found = _visits(rows)
    return tuple(sorted(found, key=lambda section: section.first_word)) if len(found) > 1 else ()


def _letters(rows: Sequence[Row]) -> list[Section]:
    """Return the letters of a file: pages that open with a day of their own.

    A title that ends in a day opens a letter only below the head that the first page has: on other pages it
    is a line of the text (`Last request August 19, 2025`).
    """
    days: dict[int, str] = {}
    first: dict[int, int] = {}
    heads: dict[int, str] = {}
    above, place = "", 0
    for row in rows:
        place = place + 1 if row.page in first else 1
        heads.setdefault(row.page, row.text)
        first[row.page] = min(first.get(row.page, min(row.words)), *row.words)
        if row.page not in days and row.box.top < _OPENING and not names_other_day(above):
            is_headed = (
                place <= _TITLE_PLACE and heads[row.page] == heads[rows[0].page] and reads_as_title(row)
            )
            day = _day_alone(row) or (title_day(row) if is_headed else "")
            days |= {row.page: day} if day else {}
        if row.page not in days and row.box.top < _OPENING and (day := _day_of_issue(row)):
            days[row.page] = day
        above = row.text
    return [Section(first[page], day) for page, day in days.items()]


def _visits(rows: Sequence[Row]) -> list[Section]:
    """Return the pages of a chart whose common head is followed, on each of them, by the day of its visit.

    What all pages bear is the day they were printed.
    """
    pages: dict[int, list[Row]] = {}
    for row in rows:
        pages.setdefault(row.page, []).append(row)
    if len({own[0].text for own in pages.values()}) > 1:
        return []
    days = [[day for row in own[1:_HEAD_OF_VISIT] if (day := _day_in_head(row))] for own in pages.values()]
    printed = set.intersection(*map(set, days)) if days else set()
    told = [[day for day in own if day not in printed] for own in days]
    if not all(told) or len({own[0] for own in told}) < 2:
        return []
    firsts = [min(word for row in own for word in row.words) for own in pages.values()]
    return [Section(first, own[0]) for first, own in zip(firsts, told, strict=True)]


_HEAD_OF_VISIT = 6  # rows
_LONGEST_HEAD = 16  # words


def _day_in_head(row: Row) -> str:
    """Return the one day of a head's line, unless it opens the line, as in a listing, or is another's."""
    dates = find_dates(row.text)
    if len(dates) != 1 or len(row.text.split()) > _LONGEST_HEAD:
        return ""
    before = row.text[: dates[0].start]
    return str(dates[0].value) if before.strip() and not is_of_other_day(before) else ""


def _day_of_issue(row: Row) -> str:
    """Return the day that a notice gives as its own: `Date of notice: 12/28/2023`, `Mailed 3/4/25`."""
    for number in range(len(row.segments)):
        text = " ".join(segment.text for segment in row.segments[number:])
        found = _ISSUED.match(text)
        dates = find_dates(text[found.end() :]) if found else []
        if dates and dates[0].start <= 1:
            return str(dates[0].value)
    return ""


def _day_alone(row: Row) -> str:
    """Return the day of a line that has little more than a day."""
    dates = find_dates(row.text) if len(row.segments) == 1 else []
    # a letter in two languages gives its day in both: `May 2, 2023 / 2 de mayo de 2023`
    is_one_day = len({date.value for date in dates}) == 1
    is_alone = is_one_day and len(row.text) - sum(date.end - date.start for date in dates) <= 12
    if not is_alone or names_other_day(row.text[: dates[0].start]):
        return ""
    # `on August 26, 2025.` is the end of the sentence above
    return "" if row.text[0].islower() or row.text.endswith(".") else str(dates[0].value)


def _messages(rows: Sequence[Row]) -> list[Section]:
    """Return the messages of a thread: a sender's line with a day, or a line that says who wrote when."""
    found: list[Section] = []
    quoted_from = None
    for number, row in enumerate(rows):
        text = row.text
        is_quoted = bool(_QUOTED.match(text)) or quoted_from is not None
        if _DIVIDER.match(text):
            quoted_from = quoted_from if "forward" in text.casefold() else number
        elif _WROTE.match(text):
            # what was written is quoted below the line that says so
            found.append(Section(min(row.words), _day(text), True))
        elif _SENDER.match(text):
            day = next(
                (_day(r.text) for r in rows[number : number + _HEADER_ROWS] if _SENT.match(r.text)), ""
            )
            found.append(Section(min(row.words), day, is_quoted and bool(found)))
        elif _ADDRESS_AND_DAY.search(text) and _day(text):
            found.append(Section(min(row.words), _day(text), is_quoted and bool(found)))
        elif _QUOTED.match(text) and found and not found[-1].is_quoted:
            found.append(Section(min(row.words), "", True))
        elif found and found[-1].is_quoted and not found[-1].day and not _QUOTED.match(text):
            # an answer between quoted lines is the writer's own again
            found.append(next(s for s in reversed(found) if not s.is_quoted or s.day))
            found[-1] = Section(min(row.words), found[-1].day, found[-1].is_quoted)
    return found


def _day(text: str) -> str:
    dates = find_dates(text)
    return str(dates[0].value) if dates else ""
