"""A value as an answer says it, with its place in the text it was read from."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A value as JSON, its text as printed, and its half-open range of the statement's text."""

    value: Any
    text: str
    start: int
    end: int
