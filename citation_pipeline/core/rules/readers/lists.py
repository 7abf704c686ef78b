"""Lists: one passage into items, each item into its members by the lexicon's patterns."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from citation_pipeline.core.rules.document_sentences import is_readable
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.pages.passages import Passage
from citation_pipeline.core.rules.readers.candidates import Item
from citation_pipeline.core.rules.readers.taken_values import is_nothing
from citation_pipeline.core.schemas import ItemField
from citation_pipeline.core.values.grammar import parse_value

_NUMBERED = re.compile(r"(?:^|(?<=\s))(?:\(?\d{1,2}[.)]|\([a-z]\)|[a-h][.)])\s+(?=\S)")
# Before a word and behind a code: what number the item has, and which of them is the main one.
_BARE_NUMBER = re.compile(r"\d{1,2}\s+(?=[A-Z][a-z])")
_RANK = re.compile(r"\s*\(?\b(?:primary|principal|main|secondary)\b[)\].,;]*\s*$", re.IGNORECASE)
_BULLETED = re.compile(r"(?:^|(?<=\s))[-\u2022*\u2013\u25cf\u25aa]\s+(?=\S)")
_SPLIT = re.compile(r"\s*;\s*(?:and\s+)?")
# A list told in more than this is a page read as one: no pattern should try its members on it.
_LONGEST = 2000
_LIMITED = re.compile(r"\s+(?:only|alone|exclusively)$", re.IGNORECASE)  # of how many, not of what
# `the knee on July 2`, `the knee, effective 7/2/24`: when it was put on the list, not what it is
_WITH_DAY = re.compile(
    r",?\s+(?:on|as of|effective|eff\.?|since|dated)\s+"
    r"(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"\s+\d{1,2}(?:,?\s+\d{4})?|\d{1,2}[/-]\d{1,2}(?:[/-]\d{2,4})?)$",
    re.IGNORECASE,
)
# `50 mg as needed, stopped 8/1/2025` is no current one.
_ENDED = re.compile(r"\b(?:stopped|discontinued|d/c['\u2019]?d)(?=$|[\s,.;)])", re.IGNORECASE)
_NEXT_LABEL = re.compile(r"(?<=\S)\s+[A-Z]{4,}(?: [A-Z]{2,})*:\s")  # `Ana Quorn, M.D. ASSISTANT: Teo Reo`
_EDGES = " \t,;:-\u2013\u2014|*\u2022\"'\u201c\u201d"


def read_items(passage: Passage, rules: FieldRules, *, is_one: bool = False) -> list[Item]:
    """Return the items that a passage lists; `is_one` tells that it is a single item."""
    if not is_readable(passage.text, longest=_LONGEST):
        return []
    parts = [passage] if is_one else list(_parts(passage, rules))
    return [item for part in parts if (item := read_item(part, rules)) is not None]


def _parts(passage: Passage, rules: FieldRules) -> Iterator[Passage]:
    if rules.anchor is not None and not _is_numbered(passage.text):
        anchored = list(_anchored(passage, rules.anchor))
        if len(anchored) > 1:
            for part in anchored:
                yield from _marked(part, rules)
            return
    yield from _marked(passage, rules)


def _is_numbered(text: str) -> bool:
    """Tell whether a text numbers its items from the first one on: a code in one of them ends none."""
    marks = [match.start() for match in _NUMBERED.finditer(text)]
    return len(marks) > 1 and marks[0] == 0


def _anchored(passage: Passage, anchor: re.Pattern[str]) -> Iterator[Passage]:
    """Part a run of items that no mark parts at what each of them has once: a code before or behind it."""
    text = passage.text
    found = [match for match in anchor.finditer(text) if match.end() > match.start()]
    if len(found) < 2:
        return
    if found[0].start() <= 1:
        cuts = [match.start() for match in found]
    elif text[found[-1].end() :].strip(" ).,;]") == "":
        cuts = [0, *(_behind(text, match.end()) for match in found[:-1])]
    else:
        return
    for begin, end in zip(cuts, [*cuts[1:], len(text)], strict=True):
        number, rank = _BARE_NUMBER.match(text[begin:end]), _RANK.search(text[begin:end])
        yield passage.part(
            begin + (number.end() if number else 0), begin + rank.start() if rank is not None else end
        )


def _behind(text: str, place: int) -> int:
    closing = re.match(
        r"[)\].,;]*\s*(?:\(?(?:primary|principal|main|secondary)\b[)\].,;]*\s*)?(?:and\s+)?", text[place:]
    )
    return place + (closing.end() if closing else 0)


def _marked(passage: Passage, rules: FieldRules) -> Iterator[Passage]:
    text = passage.text
    bullets = list(_BULLETED.finditer(text))
    marks = bullets if bullets and bullets[0].start() == 0 else list(_NUMBERED.finditer(text))
    if len(marks) >= 2 or (len(marks) == 1 and marks[0].start() == 0):
        ends = [*(mark.start() for mark in marks[1:]), len(text)]
        for mark, end in zip(marks, ends, strict=True):
            yield passage.part(mark.end(), end)
        return
    splitter = rules.split or _SPLIT
    at = 0
    for match in splitter.finditer(text):
        if match.end() > match.start() and _is_outside_brackets(text, match.start()):
            if match.start() > at:
                yield passage.part(at, match.start())
            at = match.end()
    if at < len(text):
        yield passage.part(at, len(text))


def _is_outside_brackets(text: str, place: int) -> bool:
    before = text[:place]
    return before.count("(") <= before.count(")")


def read_item(passage: Passage, rules: FieldRules) -> Item | None:
    """Return one item, or None when no pattern of the lexicon fits it."""
    text = passage.text.rstrip(" ;,")
    members = rules.field.items
    if not members:
        value = text.strip(_EDGES).rstrip(".")
        return Item({"": value}, passage) if value and not is_nothing(value) else None
    for pattern in rules.items:
        match = pattern.search(text)
        if match is None:
            continue
        item = item_of_match(match, rules, passage)
        if item is not None:
            return item
    if rules.items:
        return None
    value = text.strip(_EDGES).rstrip(".")
    if not value or is_nothing(value) or (rules.reject is not None and rules.reject.search(value)):
        return None
    return Item({members[0].name: value}, passage)


def item_of_match(match: re.Match[str], rules: FieldRules, passage: Passage) -> Item | None:
    """Return the members that a pattern's groups captured; None when the first member is missing."""
    value: dict[str, Any] = {}
    places: dict[str, Passage] = {}
    for member in rules.field.items:
        group = match.groupdict().get(member.name)
        if group is None:
            continue
        read = read_member(group, member)
        if isinstance(read, str) and not rules.is_prose:
            read = _WITH_DAY.sub("", read)
        if read is None or read == "":
            continue
        value[member.name] = read
        places[member.name] = passage.part(*match.span(member.name))
    first = rules.field.items[0].name
    if first not in value or is_nothing(str(value[first])):
        return None
    if rules.reject is not None and rules.reject.search(str(value[first])):
        return None
    if any(isinstance(told, str) and _ENDED.search(told) for told in value.values()):
        return None
    return Item(value, passage, places)


def read_member(text: str, member: ItemField) -> Any:
    """Return a member's value from its text."""
    if member.value_type != "string":
        return parse_value(text, member.value_type, enum=member.enum)
    plain = _NEXT_LABEL.split(" ".join(text.split()), maxsplit=1)[0].strip(_EDGES)
    if plain.endswith(".") and not re.search(r"(?:\b[A-Z]\.|Inc\.|Co\.)$", plain):
        plain = plain[:-1]
    return _LIMITED.sub("", plain)


def first_member(item: Item, rules: FieldRules) -> str:
    """Return what identifies an item: its first member's value."""
    if not rules.field.items:
        return str(item.value.get("", ""))
    return str(item.value.get(rules.field.items[0].name, ""))


def plain_items(items: Sequence[Item], rules: FieldRules) -> list[Any]:
    """Return items as JSON: objects, or plain values where the schema wants those."""
    if rules.field.items:
        return [dict(item.value) for item in items]
    return [item.value[""] for item in items]
