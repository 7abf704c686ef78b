"""Marked text: what is printed, and which stretch of it states which field.

A mark is written `{key|printed}`. `key` is a field key or its last part when that is unique; `a+b` marks one
stretch for two fields, `key#1` the second item of an array, `key#1.icd10` a member of it, and `key=old|…` a
value that a later document superseded. Nothing here knows about pages.
"""

import re
from dataclasses import dataclass

from citation_pipeline_tests.sample_claim.facts import FACTS

_MARK = re.compile(r"\{([^|{}]+)\|([^{}]*)\}")


@dataclass(frozen=True)
class Mark:
    """The stretch `start:end` of a passage's text that states a field (or an item, or an item's member)."""

    key: str
    start: int
    end: int
    superseded_value: str | None = None
    item: int | None = None
    member: str | None = None


@dataclass(frozen=True)
class Passage:
    """Printed text and the marks inside it."""

    text: str
    marks: tuple[Mark, ...] = ()


class UnknownKeyError(ValueError):
    """A mark names a field that the claim's facts do not hold."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"no fact, or more than one, is called {key!r}: write the full field key of facts.py"
        )
        self.key = key


def mark(key: str, printed: str) -> str:
    """The markup of one printed value, for values that are computed."""
    return f"{{{key}|{printed}}}"


def parse(markup: str) -> Passage:
    """Markup → printed text with marks at offsets of that text."""
    text, marks, position = "", [], 0
    for match in _MARK.finditer(markup):
        text += markup[position : match.start()]
        start = len(text)
        text += match[2]
        marks += [_read(name, start, len(text)) for name in match[1].split("+")]
        position = match.end()
    return Passage(text + markup[position:], tuple(marks))


def join(markups: tuple[str, ...]) -> tuple[Passage, list[tuple[int, int]]]:
    """Several sentences as one passage, with the offsets of each sentence."""
    text, marks, spans = "", [], []
    for markup in markups:
        sentence = parse(markup)
        if text:
            text += " "
        offset = len(text)
        text += sentence.text
        spans.append((offset, len(text)))
        marks += [
            Mark(m.key, m.start + offset, m.end + offset, m.superseded_value, m.item, m.member)
            for m in sentence.marks
        ]
    return Passage(text, tuple(marks)), spans


def _read(name: str, start: int, end: int) -> Mark:
    name, _, old = name.partition("=")
    name, _, where = name.partition("#")
    item, _, member = where.partition(".")
    return Mark(_full_key(name), start, end, old or None, int(item) if item else None, member or None)


def _full_key(name: str) -> str:
    if name in FACTS:
        return name
    found = [key for key in FACTS if key.rpartition(".")[2] == name]
    if len(found) != 1:
        raise UnknownKeyError(name)
    return found[0]
