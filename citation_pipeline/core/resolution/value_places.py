"""Where a typed value is, inside a snippet's words or in a whole document. Written forms are `values`'
work."""

import re
from collections.abc import Sequence
from typing import Any

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField, Value
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.hints import value_positions
from citation_pipeline.core.schemas import Schema, member_types
from citation_pipeline.core.values.grammar import find_value, find_values, parse_value, type_of_value

_INDEX = re.compile(r"\[\d+\]")
_ITEM = re.compile(r"\[(\d+)\]|([^.\[\]]+)")

# a value shorter than this is on every page by chance
_LEAST_VALUE_KEY = 5
# of a document's text that is read for typed values when a snippet failed
_MOST_TEXT = 400_000
MOST_HINT_TEXT = 4_000_000
"""Characters that are read for typed values which choose among equal places: some 1,500 pages."""


def member_at(value: Value, item_path: str) -> Any:
    """Return the part of a value that an item path such as `[0].amount` names, None where there is none."""
    found: Any = value
    for number, name in _ITEM.findall(item_path):
        if number:
            if not isinstance(found, list) or int(number) >= len(found):
                return None
            found = found[int(number)]
        else:
            if not isinstance(found, dict):
                return None
            found = found.get(name)
    return found


def value_behind(field: ExtractedField, item_path: str, schema: Schema | None) -> tuple[Any, str]:
    """Return the part of a field's value that a snippet with this item path is behind, and its type."""
    if not item_path:
        return field.value, field.value_type
    value = member_at(field.value, item_path)
    leaf = schema.by_key.get(field.field_key) if schema is not None else None
    name = _INDEX.sub("", item_path).lstrip(".")
    for path, item in member_types(leaf.items) if leaf is not None else ():
        if path == name and not isinstance(value, list | dict):
            return value, item.item_type or item.value_type
    if leaf is not None and leaf.item_type is not None and item_path.endswith("]"):
        return value, leaf.item_type
    return value, "array" if isinstance(value, dict | list) else type_of_value(value)


def scalars_of(value: Any) -> list[Any]:
    """Return a value's plain members, in order."""
    if isinstance(value, dict):
        return [scalar for member in value.values() for scalar in scalars_of(member)]
    if isinstance(value, list):
        return [scalar for member in value for scalar in scalars_of(member)]
    return [] if value is None else [value]


def find_value_words(
    index: DocumentIndex, word_ids: Sequence[int], value: Any, value_type: str
) -> tuple[int, ...]:
    """Return the words, among those of a place, that state the value (any member of an array or object)."""
    if value is None or not word_ids:
        return ()
    words = sorted(set(word_ids))
    text, ends = _text_of(index, words)
    found: set[int] = set()
    for scalar, kind in _typed_scalars(value, value_type):
        for span in find_value(text, scalar, kind):
            found.update(
                w
                for w, (start, end) in zip(words, ends, strict=True)
                if start < span.end and span.start < end
            )
            break
    return tuple(sorted(found))


def find_value_alone(
    document: ParsedDocument,
    index: DocumentIndex,
    value: Any,
    value_type: str,
    *,
    least: int = _LEAST_VALUE_KEY,
    most: int = 10,
) -> list[tuple[int, ...]]:
    """Return the places of a specific value anywhere in a document, in reading order, at most `most`.

    Booleans, enum members and values with keys shorter than `least` are on every page by chance: they
    have none.
    """
    scalars = [
        (scalar, kind)
        for scalar, kind in _typed_scalars(value, value_type)
        if kind in ("string", "date", "number", "integer") and len(fold(str(scalar))) >= least
    ]
    # of several members nobody knows which one is meant
    if len(scalars) != 1:
        return []
    scalar, kind = scalars[0]
    if kind == "string":
        key = fold(str(scalar))
        return [
            tuple(range(*index.reading.positions_of(place, place + len(key))))
            for place in index.reading.find_aligned(key, limit=most)
        ]
    spans = find_value(document.text[:_MOST_TEXT], scalar, kind)
    return [tuple(document.words_between(span.start, span.end)) for span in spans[:most]]


class ValuePlaces:
    """Every place of typed values in one document; each grammar reads its text once, however many values are
    asked for."""

    def __init__(self, document: ParsedDocument, index: DocumentIndex) -> None:
        self.document, self.index = document, index
        self.by_kind: dict[str, dict[Any, list[tuple[int, int]]]] = {}

    def ranges(self, value: Any, value_type: str) -> list[tuple[int, int]]:
        """Return the first and last words of all places of a value; none of what is on every page by chance
        (booleans, enum members) or has several members."""
        scalars = [
            (scalar, kind)
            for scalar, kind in _typed_scalars(value, value_type)
            if kind in ("string", "date", "number", "integer") and fold(str(scalar))
        ]
        if len(scalars) != 1:
            return []
        scalar, kind = scalars[0]
        if kind == "string":
            return value_positions(self.index, [str(scalar)])
        if kind not in self.by_kind:
            self.by_kind[kind] = self._read(kind)
        return self.by_kind[kind].get(_comparable(scalar, kind), [])

    def _read(self, kind: str) -> dict[Any, list[tuple[int, int]]]:
        found: dict[Any, list[tuple[int, int]]] = {}
        for span in find_values(self.document.text[:MOST_HINT_TEXT], kind):
            words = self.document.words_between(span.start, span.end)
            if words:
                key = _comparable(span.value, kind)
                found.setdefault(key, []).append((words[0], words[-1]))
        return found


def states_value(text: str, value: Any, value_type: str) -> bool:
    """Tell whether a text states a value itself, in any written form."""
    return bool(value is not None and find_value(text, value, value_type))


def _comparable(value: Any, kind: str) -> Any:
    """Return a value as it is compared: sums to the cent, dates by their day."""
    if kind == "date":
        return parse_value(str(value), kind)
    number = value if isinstance(value, int | float) else parse_value(str(value), kind)
    return None if number is None or isinstance(number, bool) else round(100 * float(number))


def _typed_scalars(value: Any, value_type: str) -> list[tuple[Any, str]]:
    if isinstance(value, list | dict):
        return [(scalar, type_of_value(scalar)) for scalar in scalars_of(value)]
    return [(value, value_type)]


def _text_of(index: DocumentIndex, words: Sequence[int]) -> tuple[str, list[tuple[int, int]]]:
    parts: list[str] = []
    ends: list[tuple[int, int]] = []
    lines = index.words.line.data  # indexed word by word: its memory is quicker to ask than the array
    length = 0
    for number, word in enumerate(words):
        if number:
            same = lines[word] == lines[words[number - 1]]
            parts.append(" " if same else "\n")
            length += 1
        text = index.words.texts[word]
        parts.append(text)
        ends.append((length, length + len(text)))
        length += len(text)
    return "".join(parts), ends
