"""What `anyOf` and `oneOf` leave of a node: one of its branches, or a refusal.

A field has one type. Null beside it says that it may be absent; a few pairs of types have one that holds
both. Two kinds of objects have none.
"""

from collections.abc import Sequence
from typing import Any

from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.core.json_schemas.nodes import Node

# what says nothing about which values are allowed
_WORDS = frozenset(
    {"title", "description", "default", "examples", "$comment", "own_title", "type_pointer", "enum_pointer"}
)


def choose_branch(nodes: Sequence[Node], pointer: str) -> tuple[Node, bool]:
    """Return the node that stands for a union, and whether it may be null; raises SchemaError."""
    stated = [node for node in nodes if not _is_null(node)]
    is_optional = len(stated) < len(nodes) or any("null" in node.kinds for node in stated)
    if not stated:
        raise SchemaError(pointer, "allows nothing but null; leave the property out")
    if len(stated) == 1:
        return stated[0], is_optional
    for choose in (_of_members, _of_numbers, _of_likes):
        chosen = choose(stated)
        if chosen is not None:
            return chosen, is_optional
    kinds = [_named(node) for node in stated]
    if all(node.properties for node in stated):
        remedy = "write one object with the members of all of them, none required"
    elif {"date", "datetime"} == {_format(node) for node in stated}:
        remedy = 'write {"type": "string", "format": "date-time"}'
    else:
        remedy = "name one type (and null if it may be absent); string holds any of them as it is written"
    raise SchemaError(
        pointer, f"allows {' or '.join(dict.fromkeys(kinds))}, and a field has one type: {remedy}"
    )


def _is_null(node: Node) -> bool:
    return node.kinds == ["null"] or node.keywords.get("enum") == [None]


def _named(node: Node) -> str:
    kind = "/".join(kind for kind in node.kinds if kind != "null")
    name = node.keywords.get("title") if node.properties else node.keywords.get("format")
    return f"{kind or 'a value'} {name}" if name else kind or "a value"


def _format(node: Node) -> str:
    return {"date": "date", "date-time": "datetime"}.get(str(node.keywords.get("format")), "")


def _of_members(nodes: Sequence[Node]) -> Node | None:
    """Several enumerations are one with the members of all."""
    if not all("enum" in node.keywords for node in nodes):
        return None
    members: list[Any] = []
    for node in nodes:
        members += [member for member in node.keywords["enum"] if member not in members]
    kinds = {kind for node in nodes for kind in node.kinds}
    if len(kinds - {"null"}) > 1:
        return None
    chosen = nodes[0]
    chosen.keywords = {k: v for k, v in chosen.keywords.items() if k not in _WORDS} | {"enum": members}
    return chosen


def _of_numbers(nodes: Sequence[Node]) -> Node | None:
    """A number first and then text is what Pydantic makes of Decimal; an integer or a number is a number."""
    numbers = [node for node in nodes if set(node.kinds) <= {"number", "integer", "null"} and node.kinds]
    texts = [node for node in nodes if node not in numbers]
    if not numbers or any("enum" in node.keywords for node in nodes):
        return None
    decimals = [node for node in numbers if "number" in node.kinds]
    if texts and not (decimals and nodes[0] in numbers and all(_is_plain_text(node) for node in texts)):
        return None
    return decimals[0] if decimals else numbers[0]


def _is_plain_text(node: Node) -> bool:
    keys = set(node.keywords) - _WORDS - {"type"}
    return "string" in node.kinds and keys <= {"pattern"}


def _of_likes(nodes: Sequence[Node]) -> Node | None:
    """Branches that say the same but for their words; or texts, of which the free one holds the others."""
    plain = [{k: v for k, v in node.keywords.items() if k not in _WORDS} for node in nodes]
    if all(one == plain[0] for one in plain) and not any(node.properties or node.items for node in nodes):
        return nodes[0]
    if all([kind for kind in node.kinds if kind != "null"] == ["string"] for node in nodes):
        free = [node for node, keys in zip(nodes, plain, strict=True) if set(keys) == {"type"}]
        return free[0] if free else None
    return None
