"""JSON pointers (RFC 6901) into a schema document."""

from collections.abc import Mapping
from typing import Any


def escape(name: str) -> str:
    """Return a member's name as a pointer's token."""
    return name.replace("~", "~0").replace("/", "~1")


def pointed_at(document: Any, pointer: str) -> Any:
    """Return what a pointer leads to; raises LookupError."""
    found = document
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping):
            found = found[name]
        elif isinstance(found, list) and name.isdigit():
            found = found[int(name)]
        else:
            raise LookupError(name)
    return found
