"""Readers of payment registers: the first and the last day of what was paid for, over all rows of one kind.

A register seldom says `paid from ... through ...`; its rows do. What a letter or a note states wins over
them.
"""

import re
from collections.abc import Iterator, Sequence

from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.pages.layout import Row
from citation_pipeline.core.rules.readers.candidates import Candidate, candidate_of, holds_in
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.spans import ValueSpan

PAID = 0.5
"""Below `choice.STRONG`: rows count only where nobody states the day."""

# one payment may be for half a year of arrears, not for more; a single row is no register
_LEAST_ROWS = 2
_DAY = r"\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})"
_JOINED = re.compile(rf"(?<!\d)({_DAY})\s*(?:-|\u2013|to|thru)\s*({_DAY})(?!\d)", re.IGNORECASE)
_TAKEN_BACK = re.compile(
    r"(?:^|\s)\(?-\$?\d|\(\$?\d[\d,]*\.\d\d\)|\b(?:void\w*|revers\w+|stop ?pay|refund|recovery|overpa\w+)\b",
    re.IGNORECASE,
)


def read_paid(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Return the first or last day of the periods that a register's rows of the field's kind are for."""
    pattern = rules.paid
    if pattern is None or not holds_in(pattern, reading):
        return
    periods = [
        (*period, row)
        for row in reading.rows
        if pattern.says(row.text) and not _TAKEN_BACK.search(row.text) and (period := _period(row))
    ]
    if len(periods) < _LEAST_ROWS:
        return
    begin, _, first = min(periods, key=lambda period: period[0])
    _, end, last = max(periods, key=lambda period: period[1])
    value, row = (begin, first) if pattern.member == "first" else (end, last)
    yield candidate_of(reading, rules, value, row.passage, reading.date, PAID * pattern.weight, "paid")


def _period(row: Row) -> tuple[str, str] | None:
    """Return the days from and through which a row pays, as ISO strings."""
    joined = _JOINED.search(row.text)
    if joined is not None:
        days = [span.value for part in joined.groups() for span in find_dates(part)]
    else:
        cells = [find_dates(segment.text) for segment in row.segments]
        days = next((_days(cell) for cell in cells if len(cell) == 2), [])
        if not days:
            # the day of issue is the first cell, the period is in two cells side by side
            singles = [place for place, cell in enumerate(cells) if len(cell) == 1 and place > 0]
            pairs = [(a, b) for a, b in zip(singles, singles[1:], strict=False) if b == a + 1]
            days = _days([*cells[pairs[0][0]], *cells[pairs[0][1]]]) if pairs else []
    if len(days) == 2 and str(days[0]) <= str(days[1]):
        return str(days[0]), str(days[1])
    return None


def _days(spans: Sequence[ValueSpan]) -> list[str]:
    return [str(span.value) for span in spans]
