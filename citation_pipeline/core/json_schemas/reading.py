"""One node of a JSON Schema with its references, unions and `allOf` resolved, or refused by its pointer.

    Reader(document).read(Part(node, "/properties/a")) → Node

A node may be written in several places: where it is used, where `$ref` leads, in each branch of `allOf`. All
that they say holds at once, and annotations (title, description) of the outermost win. Not here: which nodes
become fields (`core/schemas`), what a union means (`unions`).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from citation_pipeline.core.json_schemas.constraints import CONSTRAINTS, merge_constraint
from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.core.json_schemas.nodes import Node, Part
from citation_pipeline.core.json_schemas.pointers import escape, pointed_at
from citation_pipeline.core.json_schemas.unions import choose_branch

# a schema of a claim has some hundred nodes; doubling references make millions of one page
_MOST_NODES = 20_000
_DEEPEST = 40

# keywords that decide what is valid and that fields cannot express: ignoring one would ignore a condition
_REFUSED = {
    "not": "says what a value is not; say what it is, with type, enum or pattern",
    "if": "makes a node depend on a value; write the members of both cases, none of them required",
    "then": "makes a node depend on a value; write the members of both cases, none of them required",
    "else": "makes a node depend on a value; write the members of both cases, none of them required",
    "dependentSchemas": "makes members depend on each other; write all of them in properties",
    "dependentRequired": "makes members depend on each other; leave it out, or say it in x_rules",
    "dependencies": "makes members depend on each other; write all of them in properties",
    "patternProperties": "names members by a pattern; write an array of objects with a name and a value",
    "propertyNames": "names members by a pattern; write an array of objects with a name and a value",
    "prefixItems": "gives each place of a list a meaning; write an object with a named member for each",
    "contains": "asks for an item of a kind; leave it out, or say it in x_rules",
    "$dynamicRef": "is resolved while validating; write the schema where it is used, or a $ref",
    "$recursiveRef": "is resolved while validating; write the schema where it is used, or a $ref",
}
_HARMLESS: Mapping[str, Any] = {"dependentRequired": {}, "dependentSchemas": {}, "patternProperties": {}}


class Reader:
    """Reads the nodes of one schema document."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._count = 0

    def read(self, *parts: Part) -> Node:
        """Return what all the parts say together; raises SchemaError with the pointer of the fault."""
        node = Node(parts[0].pointer)
        for part in reversed(parts):  # the outermost comes first and is laid over the others
            node = _merged(node, self._expand(part))
        return node

    def _expand(self, part: Part) -> Node:
        self._count += 1
        if self._count > _MOST_NODES or part.pointer.count("/") > 4 * _DEEPEST or len(part.trail) > _DEEPEST:
            raise SchemaError(part.pointer, "is too large or too deep; flatten it")
        raw, pointer = part.raw, part.pointer
        if raw is True or raw == {}:
            raise SchemaError(f"{pointer}/type", f"allows anything; name one of {_KIND_LIST}")
        if not isinstance(raw, Mapping):
            raise SchemaError(pointer, "is not a schema object")
        for keyword, remedy in _REFUSED.items():
            if keyword in raw and raw[keyword] != _HARMLESS.get(keyword, Ellipsis):
                raise SchemaError(f"{pointer}/{escape(keyword)}", remedy)
        node = _own(part)
        if "$ref" in raw:
            node = _merged(self._expand(self._follow(part)), node)
        for number, branch in enumerate(_branches(raw, "allOf", pointer)):
            inner = self._expand(Part(branch, f"{pointer}/allOf/{number}", part.trail))
            node = _merged(inner, node)
        for keyword in ("anyOf", "oneOf"):
            if keyword in raw:
                nodes = [
                    self._expand(Part(branch, f"{pointer}/{keyword}/{number}", part.trail))
                    for number, branch in enumerate(_branches(raw, keyword, pointer))
                ]
                chosen, is_optional = choose_branch(nodes, f"{pointer}/{keyword}")
                node = _merged(chosen, node)
                if is_optional:
                    node.keywords["type"] = sorted({*node.kinds, "null"}, key=lambda kind: kind == "null")
        return node

    def _follow(self, part: Part) -> Part:
        target, here = part.raw["$ref"], f"{part.pointer}/$ref"
        if not isinstance(target, str) or not target.startswith("#") or (target[1:] and target[1] != "/"):
            raise SchemaError(here, "leads out of this file or to an anchor; copy what it names into $defs")
        if target in part.trail or target == "#":
            raise SchemaError(
                here,
                "is recursive: it leads back to the node it is in, and fields are finite; write the levels "
                "that are wanted as properties of their own, or an array of objects without the reference",
            )
        try:
            found = pointed_at(self._document, unquote(target[1:]))
        except LookupError as error:
            raise SchemaError(here, f"leads nowhere: there is no {target[:200]}") from error
        return Part(found, unquote(target[1:]), (*part.trail, target))


_KINDS = ("string", "number", "integer", "boolean", "array", "object")
_KIND_LIST = "string, number, integer, boolean, array or object"
_ANNOTATIONS = frozenset(
    {"title", "description", "format", "x_extraction", "default", "examples", "$comment"}
)


def _own(part: Part) -> Node:
    """Return what is written at this very place."""
    raw, pointer = part.raw, part.pointer
    node = Node(pointer)
    for keyword, value in raw.items():
        if keyword in _ANNOTATIONS:
            node.keywords[keyword] = value
        elif keyword in CONSTRAINTS:
            merge_constraint(node.keywords, keyword, value, f"{pointer}/{keyword}")
    node.keywords |= _type_keywords(raw, pointer)
    if "title" in raw:
        node.keywords["own_title"] = raw["title"]
    properties = raw.get("properties", {})
    if not isinstance(properties, Mapping):
        raise SchemaError(f"{pointer}/properties", "must be an object of schemas")
    for name, inner in properties.items():
        node.properties[name] = (Part(inner, f"{pointer}/properties/{escape(name)}", part.trail),)
    if "items" in raw:
        if isinstance(raw["items"], list):
            raise SchemaError(f"{pointer}/items", _REFUSED["prefixItems"])
        node.items = (Part(raw["items"], f"{pointer}/items", part.trail),)
    required = raw.get("required", ())
    if isinstance(required, str) or not isinstance(required, Sequence):
        raise SchemaError(f"{pointer}/required", "must be a list of property names")
    node.required = frozenset(str(name) for name in required)
    if isinstance(raw.get("additionalProperties"), Mapping) and not properties and "$ref" not in raw:
        raise SchemaError(
            f"{pointer}/additionalProperties",
            "is a dictionary, whose names no schema tells; write an array of objects with a name and a value",
        )
    return node


def _type_keywords(raw: Mapping[str, Any], pointer: str) -> dict[str, Any]:
    """Return type, enum and const (an enum of one) as they are written here."""
    found: dict[str, Any] = {}
    declared = raw.get("type")
    if declared is not None:
        kinds = declared if isinstance(declared, list) else [declared]
        for kind in kinds:
            if kind not in (*_KINDS, "null"):
                raise SchemaError(f"{pointer}/type", f"must be {_KIND_LIST}")
        found["type"], found["type_pointer"] = declared, f"{pointer}/type"
    if "const" in raw:
        found["enum"], found["enum_pointer"] = [raw["const"]], f"{pointer}/const"
    if "enum" in raw:
        members = raw["enum"]
        if not isinstance(members, list) or not members:
            raise SchemaError(f"{pointer}/enum", "must be a list of at least one value")
        found["enum"], found["enum_pointer"] = list(members), f"{pointer}/enum"
    for member in found.get("enum", ()):
        if isinstance(member, list | dict):
            raise SchemaError(
                found["enum_pointer"], "must hold strings, numbers or null; name them by strings"
            )
    return found


def _branches(raw: Mapping[str, Any], keyword: str, pointer: str) -> Sequence[Any]:
    branches: Sequence[Any] = raw.get(keyword, ())
    if keyword in raw and (not isinstance(branches, list) or not branches):
        raise SchemaError(f"{pointer}/{keyword}", "must be a list of at least one schema")
    return branches


def _merged(inner: Node, outer: Node) -> Node:
    """Return both nodes' conditions in one, with the outer's annotations before the inner's."""
    node = Node(outer.pointer)
    node.keywords = dict(inner.keywords)
    node.keywords.pop("own_title", None)
    for keyword, value in outer.keywords.items():
        if keyword == "type" and "type" in inner.keywords:
            node.keywords["type"] = _common_type(inner, outer)
        elif keyword == "enum" and "enum" in inner.keywords:
            node.keywords["enum"] = _common_members(inner, outer)
        elif keyword in CONSTRAINTS:
            merge_constraint(node.keywords, keyword, value, f"{outer.pointer}/{keyword}")
        else:
            node.keywords[keyword] = value
    node.properties = dict(inner.properties)
    for name, parts in outer.properties.items():
        node.properties[name] = (*parts, *node.properties.get(name, ()))
    node.items = (*outer.items, *inner.items)
    node.required = inner.required | outer.required
    return node


def _common_type(inner: Node, outer: Node) -> list[str]:
    one, other = list(inner.kinds), list(outer.kinds)
    common = [kind for kind in other if kind in one]
    if {"number", "integer"} <= {*one, *other} and not {"number", "integer"} & set(common):
        common.insert(0, "integer")
    if not common:
        raise SchemaError(
            outer.at("type"), f"contradicts {inner.pointer}: {'/'.join(other)} against {'/'.join(one)}"
        )
    return common


def _common_members(inner: Node, outer: Node) -> list[Any]:
    common = [member for member in outer.keywords["enum"] if member in inner.keywords["enum"]]
    if not common:
        raise SchemaError(outer.at("enum"), f"shares no value with {inner.pointer}")
    return common


NAME = re.compile(r"[^.\[\]\x00-\x1f\x7f]{1,100}")
"""What a property may be called: dots and brackets part the field key and an item's path."""
