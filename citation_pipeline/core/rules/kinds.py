"""Kinds of values: what to take out of the words behind a label or inside a pattern's hole.

A kind is narrower than a value type: a person, a firm and a diagnosis are all strings. Which kind a field
has is the lexicon's affair.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.rules.lexicon import FieldRules
from citation_pipeline.core.values.answers import find_booleans, find_enum_members, normal_enum
from citation_pipeline.core.values.dates import find_dates, find_periods
from citation_pipeline.core.values.names import (
    ADDRESS,
    ADJ,
    FIRM,
    ICD10,
    PERSON,
    PHYSICIAN,
    SURNAME_FIRST,
    TITLED,
    given_name_first,
    is_firm_like,
    is_person_like,
    without_degree,
)
from citation_pipeline.core.values.numbers import find_number_spans, plain_number


@dataclass(frozen=True, slots=True)
class Taken:
    """A value and the range of the text it was read from; `is_sure` when its form leaves no doubt."""

    start: int
    end: int
    value: Any
    is_sure: bool = True


_PHYSICIAN = re.compile(rf"{PHYSICIAN}|{PERSON}|{TITLED}")
_FIRM = re.compile(FIRM)
_ADDRESS = re.compile(ADDRESS)
_ICD = re.compile(ICD10)
_ADJ = re.compile(ADJ, re.IGNORECASE)
_CODE = re.compile(r"[A-Z0-9][A-Za-z0-9./-]*\d[A-Za-z0-9./-]*(?<![./-])")
_FIRM_ENDS = re.compile(
    r"\s*(?:,\s+(?=\d|P\.?\s?O\.?\s+Box)|;|\s\|\s|\s[-\u2013]\s(?=\d)|\s\(\d{3}\)|\s(?=Telephone|Tel\b|Phone|Fax))"
)
_EDGES = " \t,;:-\u2013\u2014|*\"'\u201c\u201d"
_NOTHING = re.compile(
    r"^(?:n/?a|none|unknown|same|see (?:above|below|attached).*|"
    r"not (?:applicable|available|known|listed|provided)|tbd|to be determined|pending|blank|-+|_+)\.?$",
    re.IGNORECASE,
)
_HONORIFIC = re.compile(r"^(?:Mr|Mrs|Ms|Miss|Hon)\.?\s+", re.IGNORECASE)
_ESQUIRE = re.compile(r",?\s*\b(?:Esq\.?|Esquire)$", re.IGNORECASE)


def take(text: str, rules: FieldRules) -> list[Taken]:
    """Return the values of the field's kind in the text, best first; an empty list when it has none."""
    if not text.strip():
        return []
    if rules.shape is not None:
        text_range = rules.shape.search(text)
        if text_range is None:
            return []
        group = "v" if "v" in rules.shape.groupindex and text_range["v"] is not None else 0
        start, end = text_range.span(group)
        inner = text[start:end]
        found = [
            Taken(t.start + start, t.end + start, t.value, t.is_sure)
            for t in _KINDS.get(rules.kind, _take_text)(inner, rules)
        ]
    else:
        found = list(_KINDS.get(rules.kind, _take_text)(text, rules))
    return [t for t in found if _is_allowed(t, rules)]


def is_nothing(text: str) -> bool:
    """Tell whether a value says that there is none: `N/A`, `same`, `unknown`."""
    return bool(_NOTHING.match(text.strip(_EDGES)))


def _is_allowed(taken: Taken, rules: FieldRules) -> bool:
    if rules.reject is not None and isinstance(taken.value, str) and rules.reject.search(taken.value):
        return False
    if rules.limits is not None and isinstance(taken.value, int | float):
        return rules.limits[0] <= float(taken.value) <= rules.limits[1]
    return taken.value is not None and taken.value != ""


def _take_date(text: str, rules: FieldRules) -> Iterator[Taken]:
    for span in find_dates(text):
        yield Taken(span.start, span.end, span.value)


def _take_last_date(text: str, rules: FieldRules) -> Iterator[Taken]:
    periods = find_periods(text)
    if periods:
        yield Taken(periods[0][1].start, periods[0][1].end, periods[0][1].value)
        return
    yield from _take_date(text, rules)


def _take_money(text: str, rules: FieldRules) -> Iterator[Taken]:
    spans = find_number_spans(text)
    for span in sorted(spans, key=lambda n: (not n.is_money, n.start)):
        if not span.is_percent:
            yield Taken(span.start, span.end, plain_number(span.value), span.is_money)


def _take_percent(text: str, rules: FieldRules) -> Iterator[Taken]:
    spans = find_number_spans(text)
    for span in sorted(spans, key=lambda n: (not n.is_percent, n.start)):
        if not span.is_money and 0 <= span.value <= 100:
            yield Taken(span.start, span.end, plain_number(span.value), span.is_percent)


def _take_number(text: str, rules: FieldRules) -> Iterator[Taken]:
    for span in find_number_spans(text):
        yield Taken(span.start, span.end, plain_number(span.value))


def _take_boolean(text: str, rules: FieldRules) -> Iterator[Taken]:
    spoken = [
        Taken(match.start(), match.end(), pattern.member == "true")
        for pattern in rules.words
        if (match := pattern.expression.search(text))
    ]
    if spoken:
        yield spoken[0]
        return
    for span in find_booleans(text):
        # an answer opens the value; a "no" in the middle of a sentence answers nothing
        if span.start <= 2 or text[span.start] in "[(\u2611\u2612":
            yield Taken(span.start, span.end, span.value)


def _take_enum(text: str, rules: FieldRules) -> Iterator[Taken]:
    for pattern in rules.words:
        match = pattern.expression.search(text)
        if match:
            yield Taken(match.start(), match.end(), pattern.member)
    whole = normal_enum(text)
    for member in rules.field.enum:
        if normal_enum(member) == whole:
            yield Taken(0, len(text), member)
    for span in find_enum_members(text, rules.field.enum):
        yield Taken(span.start, span.end, span.value)


_SURNAME_FIRST = re.compile(SURNAME_FIRST)
_GIVEN_FIRST = re.compile(rf"{PERSON}|{TITLED}")
_NAME_ENDS = re.compile(r"\s[/|(\u2013-]|;|\d|\s-\s|\b(?:DOB|DOI|SSN|MRN)\b")


def _take_person(text: str, rules: FieldRules) -> Iterator[Taken]:
    lead = len(text) - len(text.lstrip(_EDGES))
    cut = _NAME_ENDS.search(text, lead)
    head = text[lead : cut.start() if cut else len(text)].rstrip(_EDGES + ".")
    head = _ESQUIRE.sub("", head)
    if _SURNAME_FIRST.fullmatch(head) and is_person_like(head):
        yield Taken(lead, lead + len(head), given_name_first(head))
        return
    for match in _GIVEN_FIRST.finditer(text):
        name = _ESQUIRE.sub("", match[0].strip(_EDGES))
        plain = _HONORIFIC.sub("", name)
        if is_person_like(plain) or re.match(r"(?:Dr|Mr|Ms|Mrs)\.?\s", name):
            at = match.start() + match[0].find(name)
            yield Taken(at, at + len(name), plain)
    initials = re.match(r"(?-i:[A-Z]\.\s?[A-Z][\w'\u2019-]+)", text.strip())
    if initials:
        yield Taken(lead, lead + initials.end(), initials[0], False)


def _take_physician(text: str, rules: FieldRules) -> Iterator[Taken]:
    found = [m for m in _PHYSICIAN.finditer(text) if is_person_like(_bare(m[0])) or m[0].startswith("Dr")]
    found.sort(key=lambda m: (not _has_degree(m[0]), m.start()))
    for match in found:
        name = match[0].rstrip(" ,;")
        yield Taken(match.start(), match.start() + len(name), name, _has_degree(name))


def _has_degree(name: str) -> bool:
    return name.startswith("Dr") or without_degree(name) != name


def _bare(name: str) -> str:
    return re.sub(r"^Dr\.?\s+", "", name)


def _take_firm(text: str, rules: FieldRules) -> Iterator[Taken]:
    lead = len(text) - len(text.lstrip(_EDGES))
    body = text[lead:]
    cut = _FIRM_ENDS.search(body)
    name = body[: cut.start()] if cut else body
    name = name.rstrip(_EDGES)
    if name.endswith(".") and not re.search(r"\b(?:Inc|Co|Corp|Ltd|P\.C|L\.P|A\.P\.C|L\.L\.C)\.$", name):
        name = name[:-1]
    if name and not is_nothing(name) and any(c.isalpha() for c in name):
        yield Taken(lead, lead + len(name), name, is_firm_like(name))


def _take_address(text: str, rules: FieldRules) -> Iterator[Taken]:
    for match in _ADDRESS.finditer(text):
        yield Taken(match.start(), match.end(), match[0])


def _take_icd(text: str, rules: FieldRules) -> Iterator[Taken]:
    for match in _ICD.finditer(text):
        yield Taken(match.start(), match.end(), match[0])


def _take_adj(text: str, rules: FieldRules) -> Iterator[Taken]:
    for match in _ADJ.finditer(text):
        yield Taken(match.start(), match.end(), re.sub(r"[\s-]", "", match[0].upper()))


def _take_code(text: str, rules: FieldRules) -> Iterator[Taken]:
    for match in _CODE.finditer(text):
        yield Taken(match.start(), match.end(), match[0])


def _take_text(text: str, rules: FieldRules) -> Iterator[Taken]:
    lead = len(text) - len(text.lstrip(_EDGES + "."))
    body = text[lead:].rstrip(_EDGES)
    if body.endswith(".") and not re.search(r"\b(?:[A-Z]\.[A-Z]|Inc|Co|etc)\.$", body):
        body = body[:-1]
    if body and not is_nothing(body) and any(c.isalpha() for c in body):
        yield Taken(lead, lead + len(body), body)


_KINDS: dict[str, Callable[[str, FieldRules], Iterator[Taken]]] = {
    "date": _take_date,
    "last_date": _take_last_date,
    "money": _take_money,
    "percent": _take_percent,
    "number": _take_number,
    "boolean": _take_boolean,
    "enum": _take_enum,
    "person": _take_person,
    "physician": _take_physician,
    "firm": _take_firm,
    "address": _take_address,
    "icd": _take_icd,
    "adj": _take_adj,
    "code": _take_code,
    "text": _take_text,
}
KINDS = (*_KINDS, "list")
