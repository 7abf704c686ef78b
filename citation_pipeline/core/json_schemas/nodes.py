"""What a JSON Schema says of one node, its references, unions and `allOf` resolved (`reading`)."""

from dataclasses import dataclass, field
from typing import Any

from citation_pipeline.core.json_schemas.errors import SchemaError


@dataclass(frozen=True, slots=True)
class Part:
    """One place where a node is written; `trail` are the references that led there."""

    raw: Any
    pointer: str
    trail: tuple[str, ...] = ()


@dataclass(slots=True)
class Node:
    """All that a schema says of one node.

    `keywords` are annotations, type and constraints; `properties` and `items` where its inner nodes are
    written. `own_title` is the title given where the node is used, not where a reference leads.
    """

    pointer: str
    keywords: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, tuple[Part, ...]] = field(default_factory=dict)
    items: tuple[Part, ...] = ()
    required: frozenset[str] = frozenset()

    @property
    def kind(self) -> str | None:
        """The node's one type beside null; None where none is named."""
        kinds = [kind for kind in self.kinds if kind != "null"]
        if len(kinds) > 1:
            raise SchemaError(self.at("type"), "names several types; name one (and null if it may be absent)")
        return kinds[0] if kinds else ("null" if self.kinds else None)

    def at(self, keyword: str) -> str:
        """Return where `type` or `enum` is written."""
        return str(self.keywords.get(f"{keyword}_pointer") or f"{self.pointer}/{keyword}")

    @property
    def kinds(self) -> list[str]:
        """The types that the node names."""
        declared = self.keywords.get("type")
        return [declared] if isinstance(declared, str) else list(declared or ())
