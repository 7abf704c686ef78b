"""A lexicon for a schema that has none: what its titles, descriptions and hints call for, by concepts.

A concept is a kind of field that documents of all trades have: a period's end, a governing law, the parties.
Its rules are data (`schemas/lexicons/concepts.json`); the schema's own words serve as labels.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from citation_pipeline.core.schemas import Field, Schema

_LONGEST_LABEL = 6
# A hint that ends so goes on with its value: `governed by the laws of`, `dated as of`.
_GOES_ON = re.compile(r"\b(?:of|by|as of|between|for|with|the|at|in|into|on)$", re.IGNORECASE)
_STEP = 0.03
_NUMBERED = re.compile(r"\s*(?:#|\bnumber|\bno\.?|\bnum\.?|\bid)$")
_NUMBER_MARKS = ("number", "id", "/ rev", "/ revision")
_HOLES = {
    "date": "{date}",
    "last_date": r"(?:{_date} ?(?:-|\u2013|to|through|thru|until) ?)?{date}",
    "money": "{money}",
    "code": "{code}",
}


def lexicon_for(schema: Schema, concepts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a lexicon file's content for a schema; a field that no concept fits is read by its labels."""
    fields = {field.key: entry for field in schema.fields if (entry := _entry(field, concepts))}
    return {"schema": schema.name, "fields": fields}


def _entry(field: Field, concepts: Mapping[str, Any]) -> dict[str, Any]:
    concept = _concept_of(field, concepts)
    rules = dict(concept.get("rules", {})) if concept else {}
    kind = rules.get("kind")
    spoken = list(_labels(field))
    # what the schema's author wrote first is meant first
    rules["labels"] = [
        *({"labels": [label], "weight": max(1.0 - _STEP * n, 0.7)} for n, label in enumerate(spoken)),
        *(label for label in rules.get("labels", ()) if label not in spoken),
    ]
    hole = _HOLES.get(str(kind))
    told = [
        {"pattern": f"{_opening(kind)}{_spaced(hint)}:? {hole}", "weight": 0.8}
        for hint in field.hints
        if hole and len(hint.split()) > 1
    ]
    if told:
        rules["patterns"] = [*rules.get("patterns", ()), *told]
    return rules


def _opening(kind: Any) -> str:
    """Return what must be before a hint: `Alt Order #` is another number than `Order #`."""
    return r"(?:^|[.;:,|] )" if kind in ("code", "money") else ""


def _spaced(hint: str) -> str:
    return re.escape(hint.strip()).replace(r"\ ", " ")


def _labels(field: Field) -> Iterator[str]:
    """Return the schema's own words for a field that can be a label, the likeliest first."""
    seen: set[str] = set()
    for text in (*field.hints, field.title, field.label):
        plain = text.strip().casefold()
        if (
            plain
            and plain not in seen
            and len(plain.split()) <= _LONGEST_LABEL
            and not _GOES_ON.search(plain)
        ):
            seen.add(plain)
            yield text
            numbered = _NUMBERED.sub("", plain).strip()
            for other in (f"{numbered} {mark}" for mark in _NUMBER_MARKS) if numbered != plain else ():
                if numbered and other not in seen:
                    seen.add(other)
                    yield other


def _concept_of(field: Field, concepts: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the first concept of the type that the field's name calls for, else its description."""
    named = " ".join((field.key.rpartition(".")[2].replace("_", " "), field.title))
    told = " ".join((field.description, *field.hints))
    for text in (named, told):
        for concept in concepts.get("concepts", {}).values():
            if field.value_type not in concept["types"]:
                continue
            avoided = concept.get("avoid")
            if avoided and re.search(avoided, named, re.IGNORECASE):
                continue
            if re.search(concept["names"], text, re.IGNORECASE):
                found: Mapping[str, Any] = concept
                return found
    return None
