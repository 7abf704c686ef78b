"""What a production covers: which fields, kinds and texts were ordered, and what is looked for on the pages.

Where these are on the pages, and the copies themselves, are `production`'s.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from citation_pipeline.core.review.redaction import name_parts, printed_forms, values_of
from citation_pipeline.core.values.spans import fold
from citation_pipeline.serving.errors import NotAcceptableError

KINDS = ("string", "number", "integer", "date", "datetime", "boolean", "enum", "array")
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class ProductionOrder:
    """What to number and redact: `prefix` before each number; fields by key pattern or kind; other texts."""

    prefix: str = ""
    first_number: int = 1
    fields: Sequence[str] = ()
    kinds: Sequence[str] = ()
    texts: Sequence[str] = ()

    def stamp(self, number: int) -> str:
        """Return a page's number as it is printed."""
        return f"{self.prefix}{self.first_number + number:0{_DIGITS}}"


def check_order(order: ProductionOrder, dataset: Mapping[str, Any]) -> None:
    """Raise NotAcceptableError for a rule that names nothing: what it was to cover would go out as it is."""
    keys = [one["fieldKey"] for one in all_fields(dataset)]
    for pattern in order.fields:
        if not any(fnmatchcase(key, pattern) for key in keys):
            raise NotAcceptableError(
                "unknown_field",
                "A rule names no field of the claim's schema.",
                "Write a field's key, or a pattern such as claimant.*.",
            )
    if unknown := [kind for kind in order.kinds if kind not in KINDS]:
        raise NotAcceptableError(
            "unknown_kind", f"{len(unknown)} of the kinds of value is none.", f"Known are {', '.join(KINDS)}."
        )


def all_fields(dataset: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return every field of the schema: one without a value may have candidates that are printed."""
    return [one for name in ("fields", "absentFields", "unreadFields") for one in dataset.get(name, ())]


def texts_of(chosen: Sequence[Mapping[str, Any]], order: ProductionOrder) -> dict[str, set[str]]:
    """Return what is looked for on the pages, by rule: what is read, what was signed, what was corrected.

    A field may be among the chosen twice: as people left it, and as the pipeline had it.
    """
    forms: dict[str, set[str]] = {}
    for one in chosen:
        found = forms.setdefault(one["fieldKey"], set())
        found |= {form for value in values_of(one) for form in printed_forms(value)}
    texts = {f"text {number}": {fold(text)} - {""} for number, text in enumerate(order.texts, start=1)}
    return forms | texts


def names_of(chosen: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Return the parts of people's names by rule: letters write the whole name once, the surname after it."""
    names: dict[str, set[str]] = {}
    for one in chosen:
        found = names.setdefault(one["fieldKey"], set())
        found |= {part for value in values_of(one) for part in name_parts(one, value)}
    return names
