"""What was read for a field at one place: the value, the words to cite, the day and how far to trust it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from citation_pipeline.core.rules.passages import Passage


@dataclass(frozen=True)
class Item:
    """One item of a list with the words that state it, and the words of its members where they stand apart."""

    value: Mapping[str, Any]
    unit: Passage
    members: Mapping[str, Passage] = field(default_factory=dict)


@dataclass(frozen=True)
class Candidate:
    """A value read at one place.

    `unit` is what a citation shows (label and value, sentence, row); `as_of` the day the statement speaks
    for (ISO or empty); `weight` in 0-1; `corrects` marks a statement that sets an older one right. A list's
    candidate has `items` instead of a value; no items mean that the document says there are none.
    """

    key: str
    value: Any
    source: int
    unit: Passage
    as_of: str
    weight: float
    method: str
    document_type: str = ""
    corrects: bool = False
    items: tuple[Item, ...] = ()
    is_list: bool = False
