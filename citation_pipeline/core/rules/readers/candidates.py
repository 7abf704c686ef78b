"""What was read for a field at one place: the value, the words to cite, the day and how far to trust it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules, Pattern, TableRule
from citation_pipeline.core.rules.pages.passages import Passage
from citation_pipeline.core.values.dates import find_dates

DOUBTED = 0.3
"""The weight of what is denied or imagined: below the least of a candidate, so that nothing is read."""

_CONTRASTED = 0.7  # two values and a word of correction: which of them holds, the form does not say

_DAYS = frozenset({"date", "last_date"})


@dataclass(frozen=True)
class Item:
    """One item of a list with the words that state it, and its members' words where they are apart."""

    value: Mapping[str, Any]
    unit: Passage
    members: Mapping[str, Passage] = field(default_factory=dict)


@dataclass(frozen=True)
class Candidate:
    """A value read at one place.

    `unit` is what a citation shows (label and value, sentence, row); `as_of` the day the statement speaks
    for (ISO or empty); `weight` in 0-1; `corrects` marks a statement that sets an older one right. A list's
    candidate has `items` instead of a value; no items mean that the document says there are none. `rivals` is
    how many other values of the kind stand in the same sentence; `is_noted` marks what a kept log says.
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
    rivals: int = 0
    is_noted: bool = False


_SURELY_OF_KIND = 0.75
_UNKNOWN_KIND = 0.93
# A quoted message is answered, corrected or contradicted by the one that quotes it.
_QUOTED = 0.7
_CORRECTION = re.compile(
    r"\bcorrect(?:ed|ion|s|ing)?\b|\bin error\b|\berroneous|\bmis(?:stated|typed|reported)|\bamended\b|"
    r"\bshould (?:be|read|have been)\b|\bnot\s+\S+\s+as (?:previously|originally)|\bleft out\b|\brevised\b|"
    r"\brecalculated\b|\brecomputed\b",
    re.IGNORECASE,
)


def holds_in(pattern: Pattern | TableRule, reading: DocumentReading) -> bool:
    """Tell whether a pattern or table is meant for documents of this kind."""
    return not pattern.documents or reading.type in pattern.documents


def affinity_of(rules: FieldRules, reading: DocumentReading) -> float:
    """Return the weight of what documents of this kind say about a field; 0 is not to be read.

    A document whose kind is unknown, or told by a few words only, may be of the kinds that count.
    """
    others = rules.documents.get("*", 1.0)
    if reading.recognition.score >= _SURELY_OF_KIND:
        return rules.documents.get(reading.type, others)
    return max(rules.documents.get(reading.type, others), rules.documents.get("", max(others, _UNKNOWN_KIND)))


def candidate_of(
    reading: DocumentReading,
    rules: FieldRules,
    value: Any,
    unit: Passage,
    as_of: str,
    weight: float,
    method: str,
    *,
    items: Sequence[Item] = (),
    is_list: bool = False,
    rivals: int = 0,
) -> Candidate:
    """Return what a reader read in one document as a candidate of the field."""
    section = reading.section_of(unit.words[0]) if unit.words and as_of == reading.date else None
    if section is not None:
        as_of = section.day or reading.date
        weight *= _QUOTED if section.is_quoted else 1.0
    is_correction = bool(_CORRECTION.search(unit.text)) and method in ("sentence", "inline")
    is_contrasted = bool(rivals) or (rules.kind in _DAYS and len(find_dates(unit.text)) > 1)
    if rivals and is_correction:
        weight *= _CONTRASTED
    return Candidate(
        key=rules.field.key,
        value=value,
        source=reading.number,
        unit=unit,
        as_of=as_of,
        weight=weight,
        method=method,
        document_type=reading.type,
        corrects=is_correction and not is_contrasted,
        items=tuple(_in_full(item, rules) for item in items),
        is_list=is_list,
        rivals=rivals,
        is_noted=reading.first_entry is not None,
    )


def _in_full(item: Item, rules: FieldRules) -> Item:
    """Return an item with its short forms spelled out: `R shoulder` is the right one."""
    value = dict(item.value)
    for name, told in value.items() if rules.in_full else ():
        for short, word in rules.in_full:
            if isinstance(told, str) and short.search(told):
                value[name] = short.sub(word, told)
    return replace(item, value=value) if value != item.value else item
