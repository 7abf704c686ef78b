"""The text of an answer as JSON: decoding, what can be saved of broken JSON, and cleaning of strings.

Here: everything between a reply's text and plain JSON values. Not here: what the values mean (`answers`).
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# deeper than any honest answer; a hostile one would exhaust the stack of whoever walks it
_DEEPEST = 20

_FENCE = re.compile(r"^\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)
_SURROGATES = re.compile("[\ud800-\udfff]")
_RECORD = re.compile(r'\{\s*"field_key"\s*:')
_LIST_OF_RECORDS = re.compile(r'"extractions"\s*:\s*\[')


@dataclass(frozen=True, slots=True)
class DecodedAnswer:
    """The records of an answer; `is_whole` is False where the JSON was broken and only parts were saved."""

    records: tuple[Any, ...]
    is_whole: bool


def decode_answer(answer: Any) -> DecodedAnswer:
    """Return the records of an answer given as text, as a mapping, or as a list of records.

    Text may be in a Markdown fence. Of broken text every complete record is saved: a reply that was
    cut at its token limit has dozens of them.
    """
    if isinstance(answer, str):
        return _decode_text(answer)
    records = _records_of(answer)
    if records is None:
        return DecodedAnswer((), is_whole=False)
    return _cleaned(records, is_whole=True)


def decode_json(text: str) -> Any:
    """Return one JSON value; raises ValueError for anything a strict reader would refuse."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def clean(value: Any, *, depth: int = 0) -> Any:
    """Return a JSON value whose strings can be stored: no lone surrogates, no NUL characters.

    Raises ValueError where it is nested deeper than any answer needs.
    """
    if depth > _DEEPEST:
        raise ValueError("the answer is nested too deeply")
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value).replace("\x00", "")
    if isinstance(value, Mapping):
        return {
            clean(str(key), depth=depth + 1): clean(member, depth=depth + 1) for key, member in value.items()
        }
    if isinstance(value, list | tuple):
        return [clean(member, depth=depth + 1) for member in value]
    return value


def _decode_text(text: str) -> DecodedAnswer:
    fenced = _FENCE.match(text)
    bare = fenced[1] if fenced else text
    try:
        # NaN is no JSON; as a word it is refused where it stands, and the other records are whole
        records = _records_of(json.loads(bare, parse_constant=str))
    except (ValueError, RecursionError):
        records = None
    if records is not None:
        return _cleaned(records, is_whole=True)
    return _cleaned(list(_complete_records(bare)), is_whole=False)


def _records_of(answer: Any) -> list[Any] | None:
    records = answer.get("extractions") if isinstance(answer, Mapping) else answer
    return list(records) if isinstance(records, list | tuple) else None


def _cleaned(records: list[Any], *, is_whole: bool) -> DecodedAnswer:
    kept = []
    for record in records:
        try:
            kept.append(clean(record))
        except ValueError:
            is_whole = False
    return DecodedAnswer(tuple(kept), is_whole=is_whole)


def _complete_records(text: str) -> Iterator[Any]:
    """Yield the records that are complete in a broken answer; a broken one is passed over."""
    start = _LIST_OF_RECORDS.search(text)
    if start is None:
        return
    decoder = json.JSONDecoder(parse_constant=str)
    position = start.end()
    while (position := _next_record(text, position)) >= 0:
        try:
            record, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            beginning = _RECORD.search(text, position + 1)
            if beginning is None:
                return
            position = beginning.start()
        else:
            yield record


def _next_record(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n,":
        position += 1
    return position if position < len(text) and text[position] == "{" else -1


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
