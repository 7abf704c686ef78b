"""Dates with a time of day: `March 1, 2024 at 10:30 AM`, `2024-03-01T10:30:00Z`, or a date alone.

A moment is an ISO string; a date whose time nobody states stays a date, since midnight would be a guess.
"""

import re

from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.spans import ValueSpan

_TIME = re.compile(
    r"(?:T|[\s,;@(-]*(?:at\s+)?)(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d{1,9})?)?"
    r"\s?(?P<half>[ap]\.?\s?m\b\.?)?\s?(?P<zone>Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d\b)?\)?",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(.*))?")


def find_moments(text: str) -> list[ValueSpan]:
    """Return every date of the text, each with the time of day that follows it, as an ISO string."""
    return [_with_time(text, span) for span in find_dates(text)]


def is_same_moment(a: str, b: str) -> bool:
    """Tell whether two moments agree; a time zone that one leaves out is no difference, a time is."""
    one, other = _WHOLE.fullmatch(a), _WHOLE.fullmatch(b)
    if one is None or other is None or one[1] != other[1] or one[2] != other[2]:
        return False
    return one[3] == other[3] or not (one[3] and other[3])


def _with_time(text: str, day: ValueSpan) -> ValueSpan:
    match = _TIME.match(text, day.end)
    if match is None:
        return day
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    half = (match["half"] or "").lower()[:1]
    if hour > 23 or minute > 59 or second > 59 or (half and not 1 <= hour <= 12):
        return day
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    zone = (match["zone"] or "").upper().replace("UTC", "Z").replace("GMT", "Z")
    if zone not in ("", "Z") and ":" not in zone:
        zone = f"{zone[:3]}:{zone[3:]}"
    return ValueSpan(day.start, match.end(), f"{day.value}T{hour:02}:{minute:02}:{second:02}{zone}")
