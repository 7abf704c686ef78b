"""A JSON Schema made into fields: which node is a leaf, its key, type, label and limits.

What a node says once its references, unions and `allOf` are resolved is `reading`'s work; what a field is,
`core.schemas`'. Whatever cannot be filled is refused with its path, never left out.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from citation_pipeline.core.json_schemas.constraints import constraints_of
from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.core.json_schemas.nodes import Node, Part
from citation_pipeline.core.json_schemas.reading import NAME, Reader
from citation_pipeline.core.schemas import Field, ItemField, Schema, category_of, label_of

# an extraction of more is several extractions, and an answer of so many no reply holds
_MOST_FIELDS = 2000


def flatten(schema: Mapping[str, Any], *, name: str) -> Schema:
    """Flatten a JSON Schema; raises SchemaError with the path of whatever cannot be filled."""
    if not isinstance(schema, Mapping):
        raise SchemaError("", "is not a JSON object; give an object schema with properties")
    reader = Reader(schema)
    root = reader.read(Part(schema, ""))
    if root.kind == "array":
        raise SchemaError("", 'is a list; write {"type": "object", "properties": {"rows": <the list>}}')
    if root.kind not in (None, "object") or not root.properties:
        raise SchemaError("", 'must be of type "object" with at least one property')
    fields = _told_apart(list(_Leaves(reader).below(root)))
    # rules judge what was extracted; a change of theirs makes no new request
    asked = {key: value for key, value in schema.items() if key != "x_rules"}
    text = json.dumps(asked, sort_keys=True, ensure_ascii=False)
    return Schema(
        name=name,
        title=str(root.keywords.get("title") or label_of(name)),
        description=str(root.keywords.get("description") or ""),
        fields=tuple(fields),
        fingerprint=hashlib.sha256(text.encode()).hexdigest()[:16],
    )


class _Leaves:
    """Walks the objects of a schema down to the nodes that become fields."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._count = 0

    def below(
        self, node: Node, *, keys: tuple[str, ...] = (), titles: tuple[str, ...] = ()
    ) -> Iterator[Field]:
        for name, parts in node.properties.items():
            pointer = parts[0].pointer
            _check_name(name, pointer)
            inner = self._reader.read(*parts)
            if _type_of(inner) == "object":
                if not inner.properties:
                    raise SchemaError(pointer, "is an object without properties; name the fields to fill")
                title = str(inner.keywords.get("title") or "")
                yield from self.below(inner, keys=(*keys, name), titles=(*titles, title))
                continue
            self._count += 1
            if self._count > _MOST_FIELDS:
                raise SchemaError(pointer, f"is more than the {_MOST_FIELDS} fields that one schema may have")
            yield self._leaf(name, inner, keys=keys, titles=titles)

    def _leaf(self, name: str, node: Node, *, keys: tuple[str, ...], titles: tuple[str, ...]) -> Field:
        value_type = _value_type(node)
        title = str(node.keywords.get("title") or "")
        items, item_type, item_enum = self._items(node) if value_type == "array" else ((), None, ())
        return Field(
            key=".".join((*keys, name)),
            value_type=value_type,
            label=_label(name, str(node.keywords.get("own_title") or "")),
            category=category_of(keys[0]) if keys else "General",
            category_title=titles[0] if titles else "",
            title=title or label_of(name),
            description=str(node.keywords.get("description") or ""),
            enum=_enum(node),
            hints=_hints(node),
            items=items,
            item_type=item_type,
            item_enum=item_enum,
            constraints=constraints_of(node.keywords, value_type),
        )

    def _items(self, node: Node) -> tuple[tuple[ItemField, ...], str | None, tuple[str, ...]]:
        """Return the members of an array's items, or the type and the allowed values of plain ones."""
        if not node.items:
            raise SchemaError(f"{node.pointer}/items", "an array needs an items schema")
        inner = self._reader.read(*node.items)
        kind = _type_of(inner)
        if kind == "array":
            raise SchemaError(
                inner.pointer,
                "is a list in a list, whose rows have no names; write objects with a named list",
            )
        if kind != "object":
            return (), _value_type(inner), _enum(inner)
        return self._members(inner), None, ()

    def _members(self, node: Node) -> tuple[ItemField, ...]:
        if not node.properties:
            raise SchemaError(node.pointer, "is an object without properties; name the fields to fill")
        return tuple(
            self._member(name, parts, required=name in node.required)
            for name, parts in node.properties.items()
        )

    def _member(self, name: str, parts: tuple[Part, ...], *, required: bool) -> ItemField:
        pointer = parts[0].pointer
        _check_name(name, pointer)
        node = self._reader.read(*parts)
        kind = _type_of(node)
        items: tuple[ItemField, ...] = ()
        item_type: str | None = None
        item_enum: tuple[str, ...] = ()
        if kind == "object":
            value_type, items = "object", self._members(node)
        else:
            value_type = _value_type(node)
            if value_type == "array":
                items, item_type, item_enum = self._items(node)
        return ItemField(
            name=name,
            value_type=value_type,
            description=str(node.keywords.get("description") or ""),
            enum=_enum(node),
            required=required,
            title=str(node.keywords.get("own_title") or ""),
            items=items,
            item_type=item_type,
            item_enum=item_enum,
            constraints=constraints_of(node.keywords, value_type),
        )


def _check_name(name: str, pointer: str) -> None:
    if "." in name:
        raise SchemaError(pointer, "a property name may not contain a dot: it parts the field key; rename it")
    if not NAME.fullmatch(name):
        raise SchemaError(
            pointer, "a property name has 1 to 100 characters, none of them a bracket or a control character"
        )


def _type_of(node: Node) -> str:
    kind = node.kind
    if kind == "null" or (kind is None and node.keywords.get("enum") == [None]):
        raise SchemaError(node.pointer, "allows nothing but null; leave the property out")
    if kind is not None:
        return kind
    if "enum" in node.keywords:
        return _type_of_members(node)
    if node.properties:
        return "object"
    if node.items:
        return "array"
    raise SchemaError(f"{node.pointer}/type", "must be string, number, integer, boolean, array or object")


def _type_of_members(node: Node) -> str:
    kinds = {_kind_of(member) for member in node.keywords["enum"] if member is not None}
    if kinds == {"integer", "number"}:
        return "number"
    if len(kinds) != 1:
        raise SchemaError(node.at("enum"), "mixes texts and numbers; write all its members as strings")
    return kinds.pop()


def _kind_of(member: Any) -> str:
    if isinstance(member, bool):
        return "boolean"
    if isinstance(member, int | float):
        return "integer" if isinstance(member, int) else "number"
    return "string"


def _value_type(node: Node) -> str:
    kind = _type_of(node)
    if kind == "string" and _enum(node):
        return "enum"
    if kind == "string":
        return {"date": "date", "date-time": "datetime"}.get(str(node.keywords.get("format")), "string")
    return kind


def _enum(node: Node) -> tuple[str, ...]:
    """Return the allowed values as they are written: texts as they are, numbers as JSON writes them."""
    members = [member for member in node.keywords.get("enum", ()) if member is not None]
    if not members:
        return ()
    kind = node.kind or _type_of_members(node)
    if any(
        _kind_of(member) != kind and (kind, _kind_of(member)) != ("number", "integer") for member in members
    ):
        raise SchemaError(node.at("enum"), f"has members that are no {kind}; write all of them as one type")
    return tuple(m if isinstance(m, str) else json.dumps(m) for m in members)


def _hints(node: Node) -> tuple[str, ...]:
    extraction = node.keywords.get("x_extraction")
    hints = extraction.get("query", ()) if isinstance(extraction, Mapping) else ()
    if isinstance(hints, str) or not all(isinstance(hint, str) for hint in hints):
        raise SchemaError(f"{node.pointer}/x_extraction/query", "must be a list of strings")
    return tuple(hints)


def _label(name: str, title: str) -> str:
    """Return the title where it says something else than the name, or else the name as a label."""
    said, named = ("".join(re.findall(r"\w", text.casefold())).replace("_", "") for text in (title, name))
    return label_of(name) if not title.strip() or said == named else " ".join(title.split())


def _told_apart(fields: list[Field]) -> list[Field]:
    """Put the section before labels that another field of the same category bears too."""
    seen = Counter((field.category, field.label) for field in fields)
    return [
        replace(field, label=f"{label_of(field.key.split('.')[-2])} {field.label}")
        if seen[field.category, field.label] > 1 and field.key.count(".") > 1
        else field
        for field in fields
    ]
