"""Target schemas: the fields that an extraction fills, each with its type, label and category.

A leaf is a property that is not itself an object with properties; the items of an array of objects are
item fields of that leaf, not leaves. Making fields of a JSON Schema is the work of
`json_schemas.flattening`, reading schema files the adapter's.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from citation_pipeline.core.json_schemas.constraints import Constraint

# category words that are read as letters, not as words
_ACRONYMS = frozenset({"mmi", "siu", "po", "bol", "id", "msa", "aoe", "coe", "wcab", "irb"})
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class ItemField:
    """One member of an array's items, or of an object inside them.

    A member of type "object" has its own members in `items`; one of type "array" has them there too, or
    names the type of its plain values in `item_type`.
    """

    name: str
    value_type: str
    description: str = ""
    enum: tuple[str, ...] = ()
    required: bool = False
    title: str = ""
    items: tuple["ItemField", ...] = ()
    item_type: str | None = None
    item_enum: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    """One leaf of a schema: `key` is its dotted path, `hints` the phrases documents use for it.

    `items` are the members of an array of objects; an array of plain values has none and `item_type`
    names the values' type, with `item_enum` its allowed values. `document` and `schema` are set where the
    field is one document's own, read by another schema than the claim's.
    """

    key: str
    value_type: str
    label: str
    category: str
    category_title: str = ""
    title: str = ""
    description: str = ""
    enum: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    items: tuple[ItemField, ...] = ()
    item_type: str | None = None
    item_enum: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    document: str = ""
    schema: str = ""


@dataclass(frozen=True, slots=True)
class SchemaPart:
    """The documents that one schema of a claim is asked of.

    `document` is the one whose own fields they are; it is empty for the part whose fields are the claim's.
    """

    schema: "Schema"
    source_ids: tuple[str, ...]
    document: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule between fields, judged when all the fields it names have a value.

    `field_keys` are those fields, `optional` those of them that may be absent. `document_key` is set instead
    of `check` where every document has to agree with that field. `doubts` are the fields whose values are in
    doubt when the rule is broken; None leaves it to how far each is believed.
    """

    rule_id: str
    says: str
    check: str = ""
    when: str = ""
    field_keys: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    severity: str = "warning"
    document_key: str = ""
    doubts: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Schema:
    """A flattened target schema; `fingerprint` changes with anything that changes an extraction.

    `rules` judge what was extracted; they are not part of the fingerprint, and are read by `consistency`.
    """

    name: str
    title: str
    description: str
    fields: tuple[Field, ...]
    fingerprint: str
    rules: tuple[Rule, ...] = ()
    parts: tuple[SchemaPart, ...] = ()

    @cached_property
    def by_key(self) -> Mapping[str, Field]:
        """The fields by their keys."""
        return {field.key: field for field in self.fields}

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories, in the schema's order."""
        return tuple(dict.fromkeys(field.category for field in self.fields))


def label_of(name: str) -> str:
    """Return a property name as a label: `mmi_date` and `mmiDate` read "Mmi Date"."""
    return " ".join(part.capitalize() for part in _parts_of(name))


def category_of(name: str) -> str:
    """Return a section name as a category: `mmi_status` reads "MMI Status"."""
    return " ".join(
        part.upper() if part.lower() in _ACRONYMS else part.capitalize() for part in _parts_of(name)
    )


def member_types(items: tuple[ItemField, ...]) -> Iterator[tuple[str, ItemField]]:
    """Yield every member below an array's items with its path: `("address.street", …)`, `("lines", …)`."""
    for item in items:
        yield item.name, item
        for path, inner in member_types(item.items):
            yield f"{item.name}.{path}" if path else item.name, inner


def _parts_of(name: str) -> list[str]:
    return [part for part in re.split(r"[_\-\s]+", _HUMP.sub("_", name)) if part]
