"""Kinds of values: what to take out of the words behind a label or inside a pattern's hole.

A kind is narrower than a value type: a person, a firm and a diagnosis are all strings. Which kind a field
has belongs to the lexicon.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date

from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.readers.taken_names import take_firm, take_person, take_physician
from citation_pipeline.core.rules.readers.taken_values import EDGES, Taken, is_nothing
from citation_pipeline.core.values.answers import find_booleans, find_enum_members, normal_enum
from citation_pipeline.core.values.currencies import find_currencies
from citation_pipeline.core.values.dates import find_dates, find_periods, iso_date
from citation_pipeline.core.values.foreign import find_comma_sums, find_day_first_dates
from citation_pipeline.core.values.names import ADDRESS, ADJ, ICD10
from citation_pipeline.core.values.numbers import find_number_spans, plain_number

_UNITS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_ONES = {name: number for number, name in enumerate(f"{_UNITS} seventeen eighteen nineteen".split(), start=1)}
_ROUND = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {name: 10 * number for number, name in enumerate(_ROUND.split(), start=2)}
_SPELLED_PERCENT = re.compile(
    rf"\b({'|'.join((*_TENS, *_ONES))})(?:[- ]({'|'.join(list(_ONES)[:9])}))? ?(?:percent|per cent)\b",
    re.IGNORECASE,
)
# `22 1/2%` as awards print it
_PARTS = {"1/2": 0.5, "\u00bd": 0.5, "1/4": 0.25, "\u00bc": 0.25, "3/4": 0.75, "\u00be": 0.75}
_FRACTION = re.compile(r"\b(\d{1,2})[- ]?(1/2|1/4|3/4|[\u00bc-\u00be])\s?(?:%|percent|per cent)")
_ADDRESS = re.compile(ADDRESS)
_ICD = re.compile(ICD10)
_ADJ = re.compile(ADJ, re.IGNORECASE)
# two dates with no more than this between and around them are a period's ends
_BETWEEN_TWO = 6
# a number may be printed in groups: `WCX 4471-0932-05`
_SPACED_CODE = re.compile(r"[A-Z]{1,6}(?:-[A-Z]{1,4})?(?: \d[\w.-]*\d){1,2}")
_CODE = re.compile(r"[A-Z0-9][A-Za-z0-9./-]*\d[A-Za-z0-9./-]*(?<![./-])")


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
    return [
        t
        for t in found
        if _is_allowed(t, rules) and (rules.behind is None or not rules.behind.match(text[t.end :]))
    ]


_YEARLESS = re.compile(r"(?<![\d/.$#-])(1[0-2]|0?[1-9])/(3[01]|[12]\d|0?[1-9])(?![\d/%]|-\d|\.\d)")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_SPELLED_YEARLESS = re.compile(
    rf"\b({'|'.join(_MONTHS)})[a-z]*\.?\s+(3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?![\d,/]|\s+\d{{4}})",
    re.IGNORECASE,
)
_AHEAD_OF_NOTE = 31  # days: what a note tells of as done is not further ahead of it


def take_near(text: str, rules: FieldRules, as_of: str, *, is_terse: bool = True) -> list[Taken]:
    """Return the values of a text; a day without its year (`stopped thru 8/17`) is the one nearest to the
    note's own day: the next one where a field asks for what is to come, else the last one.

    In what is not terse, a letter, only a month's name makes a day: `8/17` may be a share or a code.
    """
    taken = take(text, rules)
    if taken or not as_of or rules.kind not in ("date", "last_date"):
        return taken
    numbers = _YEARLESS.search(text) if is_terse else None
    found = numbers or _SPELLED_YEARLESS.search(text)
    if found is None:
        return taken
    month = int(found[1]) if numbers else _MONTHS.index(found[1].lower()) + 1
    own = date.fromisoformat(as_of)
    days = [
        day
        for year in (own.year - 1, own.year, own.year + 1)
        if (day := iso_date(year=year, month=month, day=int(found[2]))) is not None
    ]
    if rules.ahead or rules.choice == "newest":
        fitting = [day for day in days if day >= as_of] if rules.ahead else days
    else:
        fitting = [day for day in days if (date.fromisoformat(day) - own).days <= _AHEAD_OF_NOTE]
    near = min(fitting, key=lambda day: abs((date.fromisoformat(day) - own).days), default=None)
    return [Taken(found.start(), found.end(), near, bool(numbers))] if near else []


def _is_allowed(taken: Taken, rules: FieldRules) -> bool:
    if rules.reject is not None and isinstance(taken.value, str) and rules.reject.search(taken.value):
        return False
    if rules.limits is not None and isinstance(taken.value, int | float):
        return rules.limits[0] <= float(taken.value) <= rules.limits[1]
    return taken.value is not None and taken.value != ""


def _take_date(text: str, rules: FieldRules) -> Iterator[Taken]:
    if rules.day_first and (foreign := list(find_day_first_dates(text))):
        for span in sorted(foreign, key=lambda span: span.start):
            yield Taken(span.start, span.end, span.value)
        return
    for span in find_dates(text):
        yield Taken(span.start, span.end, span.value)


def _take_last_date(text: str, rules: FieldRules) -> Iterator[Taken]:
    periods = find_periods(text)
    if periods:
        yield Taken(periods[0][1].start, periods[0][1].end, periods[0][1].value)
        return
    spans = find_dates(text)
    if len(spans) == 2 and len(text) - sum(span.end - span.start for span in spans) <= _BETWEEN_TWO:
        yield Taken(spans[1].start, spans[1].end, spans[1].value)
        return
    yield from _take_date(text, rules)


def _take_money(text: str, rules: FieldRules) -> Iterator[Taken]:
    commas = list(find_comma_sums(text))
    if commas:
        for found, _ in sorted(commas, key=lambda pair: (not pair[1], pair[0].start)):
            yield Taken(found.start, found.end, plain_number(found.value))
        return
    spans = find_number_spans(text)
    for span in sorted(spans, key=lambda n: (not n.is_money, n.start)):
        if not span.is_percent:
            yield Taken(span.start, span.end, plain_number(span.value), span.is_money)


def _take_percent(text: str, rules: FieldRules) -> Iterator[Taken]:
    for match in _SPELLED_PERCENT.finditer(text):
        tens, ones = _TENS.get(match[1].casefold()), _ONES.get((match[2] or match[1]).casefold(), 0)
        yield Taken(match.start(), match.end(), (tens or 0) + (ones if tens is None or match[2] else 0))
    for match in _FRACTION.finditer(text):
        yield Taken(match.start(), match.end(), int(match[1]) + _PARTS[match[2]])
    spans = find_number_spans(_FRACTION.sub(lambda match: "\x00" * len(match[0]), text))
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


# `MODIFIED: 6 visits certified, 6 not certified` says first what the rest explains.
_EXPLAINED = re.compile(r"\w*\s?(?::|\s[-\u2013])\s")


def _take_enum(text: str, rules: FieldRules) -> Iterator[Taken]:
    opens = opening_member(text, rules)
    yield from (*([opens] if opens is not None else []), *_members_in(text, rules))


def opening_member(text: str, rules: FieldRules) -> Taken | None:
    """Return the member of an enumeration that a text opens with and then explains, None without one."""
    for one in _members_in(text, rules):
        if not text[: one.start].strip() and _EXPLAINED.match(text[one.end :]):
            return one
    return None


def _members_in(text: str, rules: FieldRules) -> Iterator[Taken]:
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
    whole = _SPACED_CODE.fullmatch(text.strip())
    if whole:
        lead = len(text) - len(text.lstrip())
        yield Taken(lead, lead + len(whole[0]), whole[0])
    for match in _CODE.finditer(text):
        yield Taken(match.start(), match.end(), match[0])


def _take_text(text: str, rules: FieldRules) -> Iterator[Taken]:
    lead = len(text) - len(text.lstrip(EDGES + "."))
    body = text[lead:].rstrip(EDGES)
    if body.endswith(".") and not re.search(r"\b(?:[A-Z]\.[A-Z]|Inc|Co|etc)\.$", body):
        body = body[:-1]
    if body and not is_nothing(body) and any(c.isalpha() for c in body):
        yield Taken(lead, lead + len(body), body)


def _take_currency(text: str, rules: FieldRules) -> Iterator[Taken]:
    for start, end, code in find_currencies(text):
        yield Taken(start, end, code)


_KINDS: dict[str, Callable[[str, FieldRules], Iterator[Taken]]] = {
    "date": _take_date,
    "last_date": _take_last_date,
    "money": _take_money,
    "percent": _take_percent,
    "number": _take_number,
    "boolean": _take_boolean,
    "enum": _take_enum,
    "person": take_person,
    "physician": take_physician,
    "firm": take_firm,
    "address": _take_address,
    "icd": _take_icd,
    "adj": _take_adj,
    "code": _take_code,
    "currency": _take_currency,
    "text": _take_text,
}


_COUNTED_KINDS = frozenset({"money", "percent"})


def count_rivals(text: str, own: tuple[int, int], rules: FieldRules) -> int:
    """Count the other values of the kind beside the one that was taken: `$22.15 against $27.90 before`."""
    if rules.kind not in _COUNTED_KINDS:
        return 0
    begin, end = own
    taken = {found.value for found in take(text[begin:end], rules)}
    return len(
        {found.value for found in take(f"{text[:begin]} | {text[end:]}", rules) if found.is_sure} - taken
    )
