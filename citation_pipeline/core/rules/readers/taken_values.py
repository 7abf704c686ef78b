"""What is taken out of a text: a value with its range. One that only says that there is none is no value."""

import re
from dataclasses import dataclass
from typing import Any

EDGES = " \t,;:-\u2013\u2014|*\"'\u201c\u201d"
"""Marks that are around a value and belong to none."""

_NOTHING = re.compile(
    r"^(?:n/?a|unknown|same|see (?:above|below|attached).*|"
    r"(?:0 +|n +)?none(?: (?:on file|noted|known|reported|filed|listed|found|identified|to date))?|"
    r"not (?:applicable|available|known|listed|provided)|tbd|to be determined|pending|blank|-+|_+)\.?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Taken:
    """A value and the range of the text it was read from; `is_sure` when its form leaves no doubt."""

    start: int
    end: int
    value: Any
    is_sure: bool = True


def is_nothing(text: str) -> bool:
    """Tell whether a value says that there is none: `N/A`, `same`, `unknown`."""
    return bool(_NOTHING.match(text.strip(EDGES)))
