"""Target schemas: a JSON Schema flattened to the fields that an extraction fills.

A leaf is a property that is not itself an object with properties; the items of an array of objects are
item fields of that leaf, not leaves. Reading schema files belongs to the adapter.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from citation_pipeline.core.failures import PipelineError

# category words that are read as letters, not as words
_ACRONYMS = frozenset({"mmi", "siu", "po", "bol", "id", "msa", "aoe", "coe", "wcab", "irb"})


class SchemaError(PipelineError, ValueError):
    """A target schema that cannot be used; `path` is the JSON pointer of the fault."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"schema at {path or '/'}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ItemField:
    """One member of an array's items."""

    name: str
    value_type: str
    description: str = ""
    enum: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """One leaf of a schema: `key` is its dotted path, `hints` the phrases documents use for it.

    `items` are the members of an array of objects; an array of plain values has none and `item_type`
    names the values' type.
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


@dataclass(frozen=True)
class Schema:
    """A flattened target schema; `fingerprint` changes with anything that changes an extraction."""

    name: str
    title: str
    description: str
    fields: tuple[Field, ...]
    fingerprint: str

    @cached_property
    def by_key(self) -> Mapping[str, Field]:
        """The fields by their keys."""
        return {field.key: field for field in self.fields}

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories, in the schema's order."""
        return tuple(dict.fromkeys(field.category for field in self.fields))


def label_of(name: str) -> str:
    """Return a property name as a label: `mmi_date` reads "Mmi Date"."""
    return " ".join(part.capitalize() for part in name.replace("-", "_").split("_") if part)


def category_of(name: str) -> str:
    """Return a section name as a category: `mmi_status` reads "MMI Status"."""
    return " ".join(
        part.upper() if part.lower() in _ACRONYMS else part.capitalize()
        for part in name.replace("-", "_").split("_")
        if part
    )


def flatten(schema: Mapping[str, Any], *, name: str) -> Schema:
    """Flatten a JSON Schema; raises SchemaError with the path of whatever cannot be filled."""
    if not isinstance(schema, Mapping):
        raise SchemaError("", "is not a JSON object; give an object schema with properties")
    properties = schema.get("properties")
    if schema.get("type") not in (None, "object") or not isinstance(properties, Mapping) or not properties:
        raise SchemaError("", 'must be of type "object" with at least one property')
    fields = tuple(_leaves(properties, keys=(), titles=(), pointer="/properties"))
    text = json.dumps(schema, sort_keys=True, ensure_ascii=False)
    return Schema(
        name=name,
        title=str(schema.get("title") or label_of(name)),
        description=str(schema.get("description") or ""),
        fields=fields,
        fingerprint=hashlib.sha256(text.encode()).hexdigest()[:16],
    )


def _leaves(
    properties: Mapping[str, Any], *, keys: tuple[str, ...], titles: tuple[str, ...], pointer: str
) -> Iterator[Field]:
    for name, node in properties.items():
        here = f"{pointer}/{name}"
        if not isinstance(node, Mapping):
            raise SchemaError(here, "is not a schema object")
        if "." in name:
            raise SchemaError(here, "a property name may not contain a dot: it parts the field key")
        nested = node.get("properties")
        if isinstance(nested, Mapping) and _type_of(node, here) == "object":
            if not nested:
                raise SchemaError(here, "is an object without properties; name the fields to fill")
            yield from _leaves(
                nested,
                keys=(*keys, name),
                titles=(*titles, str(node.get("title") or "")),
                pointer=f"{here}/properties",
            )
        else:
            yield _leaf(name, node, keys=keys, titles=titles, pointer=here)


def _leaf(
    name: str, node: Mapping[str, Any], *, keys: tuple[str, ...], titles: tuple[str, ...], pointer: str
) -> Field:
    value_type = _value_type(node, pointer)
    items: tuple[ItemField, ...] = ()
    item_type: str | None = None
    if value_type == "array":
        items, item_type = _items(node.get("items"), f"{pointer}/items")
    extraction = node.get("x_extraction")
    hints = extraction.get("query", ()) if isinstance(extraction, Mapping) else ()
    if isinstance(hints, str) or not all(isinstance(hint, str) for hint in hints):
        raise SchemaError(f"{pointer}/x_extraction/query", "must be a list of strings")
    return Field(
        key=".".join((*keys, name)),
        value_type=value_type,
        label=label_of(name),
        category=category_of(keys[0]) if keys else "General",
        category_title=titles[0] if titles else "",
        title=str(node.get("title") or label_of(name)),
        description=str(node.get("description") or ""),
        enum=_enum(node, pointer),
        hints=tuple(hints),
        items=items,
        item_type=item_type,
    )


def _items(node: Any, pointer: str) -> tuple[tuple[ItemField, ...], str | None]:
    if not isinstance(node, Mapping):
        raise SchemaError(pointer, "an array needs an items schema")
    members = node.get("properties")
    if not isinstance(members, Mapping):
        return (), _value_type(node, pointer)
    required = node.get("required") or ()
    found = tuple(
        ItemField(
            name=name,
            value_type=_value_type(member, f"{pointer}/properties/{name}"),
            description=str(member.get("description") or ""),
            enum=_enum(member, f"{pointer}/properties/{name}"),
            required=name in required,
        )
        for name, member in members.items()
    )
    if any(member.value_type == "array" for member in found):
        raise SchemaError(pointer, "arrays inside an array's items are not supported; flatten them")
    return found, None


def _type_of(node: Mapping[str, Any], pointer: str) -> str:
    declared = node.get("type")
    if isinstance(declared, list):
        kinds = [kind for kind in declared if kind != "null"]
        if len(kinds) != 1:
            raise SchemaError(
                f"{pointer}/type", "names several types; name one (and null if it may be absent)"
            )
        declared = kinds[0]
    if declared is None and "enum" in node:
        return "string"
    if declared is None and "properties" in node:
        return "object"
    if declared not in ("string", "number", "integer", "boolean", "array", "object"):
        raise SchemaError(f"{pointer}/type", "must be string, number, integer, boolean, array or object")
    return str(declared)


def _value_type(node: Any, pointer: str) -> str:
    if not isinstance(node, Mapping):
        raise SchemaError(pointer, "is not a schema object")
    kind = _type_of(node, pointer)
    if kind == "object":
        raise SchemaError(pointer, "is an object without properties; name the fields to fill")
    if kind == "string" and _enum(node, pointer):
        return "enum"
    if kind == "string" and node.get("format") == "date":
        return "date"
    return kind


def _enum(node: Mapping[str, Any], pointer: str) -> tuple[str, ...]:
    values = node.get("enum")
    if values is None:
        return ()
    if not isinstance(values, list) or not values:
        raise SchemaError(f"{pointer}/enum", "must be a list of at least one value")
    return tuple(str(value) for value in values if value is not None)
