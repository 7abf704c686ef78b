"""Which item of an array a snippet is behind, as a path: "[2]", "[2].amount", or "" for the whole."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from citation_pipeline.core.extraction import Value
from citation_pipeline.core.values.grammar import find_value, type_of_value
from citation_pipeline.core.values.spans import fold

_ITEM_PATH = re.compile(r"\[(\d{1,6})\](.*)", re.DOTALL)
_LONGEST_PATH = 500
_STEP = re.compile(r"\[(\d{1,6})\]|(?:^|\.)([^.\[\]]{1,100})")


def is_item_path_of(path: str, value: Value) -> bool:
    """Tell whether `path` leads to an item of `value`, or to a member that the item has."""
    if not _ITEM_PATH.fullmatch(path) or len(path) > _LONGEST_PATH or _STEP.sub("", path):
        return False
    found: Any = value
    for step in _STEP.finditer(path):
        if step[1] is not None:
            if not isinstance(found, list) or int(step[1]) >= len(found):
                return False
            found = found[int(step[1])]
        elif not isinstance(found, Mapping) or step[2] not in found:
            return False
        else:
            found = found[step[2]]
    return True


def moved_path(path: str, kept: Sequence[int] | None) -> str:
    """Return an item's path in a list that kept only these positions of another; "" where it is gone."""
    match = _ITEM_PATH.fullmatch(path)
    if match is None or kept is None:
        return path
    if int(match[1]) not in kept:
        return ""
    return f"[{kept.index(int(match[1]))}]{match[2]}"


def infer_item_path(snippet: str, value: Sequence[Any]) -> str:
    """Return the path of the one item that the snippet speaks of; "" where it is several, or unclear.

    An item's first member identifies it; the others (a date, an amount) count only where no item is
    identified and a single item has them.
    """
    quoted = _Quoted(snippet, fold(snippet))
    identified: list[int] = []
    members: dict[int, list[str]] = {}
    for number, item in enumerate(value):
        if not isinstance(item, Mapping):
            if quoted.has(item):
                identified.append(number)
            continue
        for position, (name, member) in enumerate(item.items()):
            if quoted.has(member):
                if position == 0:
                    identified.append(number)
                members.setdefault(number, []).append(name)
    if len(identified) == 1:
        return f"[{identified[0]}]"
    if identified or len(members) != 1:
        return ""
    number, names = next(iter(members.items()))
    return f"[{number}].{names[0]}" if len(names) == 1 else f"[{number}]"


@dataclass(frozen=True, slots=True)
class _Quoted:
    """A snippet, folded once: a long list's items are all held against it."""

    text: str
    folded: str

    def has(self, member: Any) -> bool:
        """Tell whether the snippet states a member."""
        kind = type_of_value(member)
        # a name may be turned round behind a comma; else its letters are there in a row, or it is not
        if kind == "string" and "," not in self.text and _fold(member) not in self.folded:
            return False
        return bool(find_value(self.text, member, kind))


@lru_cache(maxsize=8192)
def _fold(text: str) -> str:
    return fold(text)
