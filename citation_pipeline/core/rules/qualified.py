"""Values that their own statement bounds, denies or makes depend on something: `not before 12/01/2027`.

A day that is only the earliest one, the first end of a range, a name behind a denial: no value of the field.
"""

import re

from citation_pipeline.core.rules.readers.candidates import Candidate
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.numbers import find_number_spans

_REACH = 40  # characters before a value that may bound or deny it
_NEAR = 16  # characters behind it
_BOUND_BEFORE = re.compile(
    r"\b(?:(?:not|never|no) (?:earlier|later|sooner|before|until|prior)(?: than| to)?|not to exceed|"
    r"(?:any ?time|sometime) (?:before|after))\s*[$\u20ac\u00a3]?$",
    re.IGNORECASE,
)
# What is only added to another's list is not the whole of it: `I would add: no squatting`.
_ADDED = re.compile(r"\b(?:would|will|may|also|only|should) add(?: that)?\W*$", re.IGNORECASE)
_RANGE_BEHIND = re.compile(r"^\s?%?\s?(?:to|through|\u2013|-)\s?[$\u20ac\u00a3]?\d[\d,.]*\s?%", re.IGNORECASE)
_DENIED_BEFORE = re.compile(
    r"\b(?:not|never|no longer)(?: (?:currently|presently|yet|been|being))?"
    r" (?:represented|examined|evaluated|treated|seen|employed|insured|retained)(?: \w+)? by\s+"
    r"(?:(?:Dr|Mr|Ms|Mrs)\.? )?$",
    re.IGNORECASE,
)


def is_qualified(candidate: Candidate) -> bool:
    """Tell whether the statement that gives a value bounds or denies it."""
    text, value = candidate.unit.text, candidate.value
    if isinstance(value, bool) or value is None or candidate.is_list:
        return False
    if isinstance(value, int | float):
        spans = [(span.start, span.end) for span in find_number_spans(text) if span.value == value]
        return any(
            _BOUND_BEFORE.search(_before(text, start)) or _RANGE_BEHIND.match(text[end : end + _NEAR])
            for start, end in spans[:1]
        )
    days = [(span.start, span.end) for span in find_dates(text) if span.value == value]
    if days:
        return any(_BOUND_BEFORE.search(_before(text, start)) for start, _ in days[:1])
    at = text.find(str(value))
    before = _before(text, at) if at > 0 else ""
    return _DENIED_BEFORE.search(before) is not None or _ADDED.search(before) is not None


def _before(text: str, start: int) -> str:
    return text[max(0, start - _REACH) : start]
