"""What does not agree in a claim: a broken rule, a table that was not read, a total that is off."""

from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.boxes import Box


@dataclass(frozen=True, slots=True)
class Statement:
    """One of the places that contradict each other.

    `citation_index` is the place of the field's citation; where a document itself speaks it is None, and
    `page` and `boxes` (of its words on the page) say where.
    """

    source_id: str
    field_key: str = ""
    citation_index: int | None = None
    page: int | None = None
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Violation:
    """One disagreement: a stable `code`, the rule, a sentence without document text, and the places."""

    code: str
    says: str
    severity: str = "warning"
    rule_id: str = ""
    field_keys: tuple[str, ...] = ()
    statements: Sequence[Statement] = ()
