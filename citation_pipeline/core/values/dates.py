"""Dates in every form that claim files print, and periods of two dates.

Numbers are month first, as in California. A date that no calendar has (02/29/2025) is no date. Spanish dates
are read too (`spanish_dates`): workers write their letters in it.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from citation_pipeline.core.values.spanish_dates import find_spanish_dates
from citation_pipeline.core.values.spans import ValueSpan

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}

_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_LONG_YEAR = r"(?:19|20)\d\d(?!\d)"
# a short year follows a mark, or "October 5 10:30" would be the year 2010
_SHORT_YEAR = r"(?:(?<=,)|(?<=, )|(?<=-)|')\d\d(?![\d:])"

_FORMS = (
    # 2022-04-04, 2022/4/4
    r"(?<![\d./-])(?P<y1>(?:19|20)\d\d)(?P<s1>[-/.])(?P<m1>\d{1,2})(?P=s1)(?P<d1>\d{1,2})(?!\d|[-/]\d)",
    # 04/04/2022, 4/4/22, 4-4-22, 4.4.22, 04 / 04 / 2022
    r"(?<![\d./-])(?P<m2>\d{1,2})[ \t]?(?P<s2>[-/.])[ \t]?(?P<d2>\d{1,2})[ \t]?(?P=s2)[ \t]?"
    r"(?P<y2>(?:19|20)\d\d|\d\d)(?!\d|[-/.]\d)",
    # April 4, 2022; Apr. 4th 2022; Apr 4, '22
    rf"(?<![^\W\d])(?P<m3>{_NAMES})\b\.?\s*(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s*"
    rf"(?P<y3>{_LONG_YEAR}|{_SHORT_YEAR})",
    # 04-Apr-2022, 4 April 2022, 04Apr2022, 4th day of April, 2022
    r"(?<![\d./-])(?P<d4>\d{1,2})(?:st|nd|rd|th)?(?:\s+day\s+of\s+|[\s-]*(?:of\s+)?)"
    rf"(?P<m4>{_NAMES})\.?[\s,-]*(?P<y4>{_LONG_YEAR}|{_SHORT_YEAR})",
)
_DATE = re.compile("|".join(_FORMS), re.IGNORECASE)

# Two-digit years below this are of this century: claims are at most a working life old.
_CENTURY_TURNS = 40

_BETWEEN = re.compile(
    r"\s*(?:-|\u2013|\u2014|to|through|thru|until|and)\s*(?:and including\s+)?", re.IGNORECASE
)


def find_dates(text: str) -> list[ValueSpan]:
    """Return every date of the text as an ISO string with its range, left to right."""
    found = list(_dates(text))
    spanish = [
        ValueSpan(start, end, iso)
        for start, end, year, month, day in find_spanish_dates(text)
        if (iso := iso_date(year=year, month=month, day=day)) is not None
        and all(end <= other.start or other.end <= start for other in found)
    ]
    return sorted((*found, *spanish), key=lambda span: span.start) if spanish else found


def _dates(text: str) -> Iterator[ValueSpan]:
    for match in _DATE.finditer(text):
        for form in "1234":
            if match[f"m{form}"] is None:
                continue
            month = match[f"m{form}"].lower().rstrip(".")
            iso = iso_date(
                year=int(match[f"y{form}"].lstrip("'")),
                month=MONTHS[month] if month in MONTHS else int(month),
                day=int(match[f"d{form}"]),
            )
            if iso is not None:
                yield ValueSpan(match.start(), match.end(), iso)


def iso_date(*, year: int, month: int, day: int) -> str | None:
    """Return the day as an ISO string, a two-digit year completed; None when there is no such day."""
    if year < 100:
        year += 2000 if year < _CENTURY_TURNS else 1900
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def days_later(day: str, days: int) -> str:
    """Return the day so many days after an ISO day."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def find_periods(text: str) -> list[tuple[ValueSpan, ValueSpan]]:
    """Return each pair of dates written as a period: `02/01/2021 - 08/18/2023`, `from A through B`."""
    dates = find_dates(text)
    return [
        (first, last)
        for first, last in zip(dates, dates[1:], strict=False)
        if first.value <= last.value and _BETWEEN.fullmatch(text, first.end, last.start)
    ]
