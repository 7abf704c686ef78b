"""The value inside a statement that has the kind a question asks for.

Reads text with the project's one grammar of values; which statement is read is not decided here.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline.core.retrieval.party_names import find_firms, find_parties, find_persons
from citation_pipeline.core.retrieval.terms import fold_text, related_terms, term_places, terms_of
from citation_pipeline.core.retrieval.typed_value import TypedValue
from citation_pipeline.core.retrieval.word_kin import is_plain_word
from citation_pipeline.core.values.answers import find_booleans
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.numbers import find_number_spans, plain_number

_PHONE = re.compile(r"\(?\b\d{3}\)?[\s.-]?\d{3}[\s.-]\d{4}\b")
# a token with a digit in it: ADJ20418836, 88-1407, S33.5XXA, CPI-WC-5530217-03
_CODE = re.compile(r"(?<![\w$.,/-])(?=[\w.-]*\d)[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*(?![\w/]|,\d|\.\d)")
_CODE_PREFIX = re.compile(r"(?<![\w.-])([A-Z]{2,4}(?:-[A-Z]{1,4}){0,2}) $")
_PLACE = re.compile(
    r"\b\d{1,5} (?:[NSEW]\. )?(?:[A-Z][\w.]* ){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Way|"
    r"Drive|Lane|Ln|"
    r"Highway|Circle|Court|Plaza)\b\.?(?:,? [A-Z#][^;:]{0,60}\d{5})?"
    r"|\b(?:Courtroom|Department|Dept\.|Room|Suite|Station|Plant|Dock|Floor|Building|Unit|Bay|Ward|Gate|Yard|"
    r"Aisle) "
    r"[\w-]+(?:, [A-Z][\w ]{2,30})?"
    r"|\b(?:P\.? ?O\.? )?Box \d+\b(?:,? [A-Z][^;:]{0,60}\d{5})?"
    r"|\b[A-Z][a-z]+(?: [A-Z][a-z]+)?, (?:CA|California)\b(?: \d{5})?"
)
_CLOCK = re.compile(
    r"\b\d{1,2}(?::\d\d)?\s?[ap]\.?\s?m\b\.?|(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])|"
    r"\b(?:[01]\d|2[0-3])[0-5]\d (?:hours|hrs)\b|\b(?:noon|midnight)\b",
    re.IGNORECASE,
)
# whose law it is: "the laws of the State of Iowa"
_LAW = re.compile(
    r"\b[Ll]aws? of (?:the )?(?:(?:State|Commonwealth|Province|Republic|Kingdom)s? of )?(?:the )?"
    r"([A-Z][\w'’-]+(?: (?:and |of )?[A-Z][\w'’-]+){0,3})"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
# what a count is counted in: 128 degrees, 60.5 weeks, 7/10, 88 lb
_UNIT = re.compile(
    r"(?:\s*/\s*\d+|(?:\s*\(\d+\)|\))?[\s-]*(?:(?:business|calendar|working|full|consecutive) )?"
    r"(?:%|percent|degrees?|weeks?|days?|months?|years?|hours?|minutes?|visits?|sessions?|pounds?|lbs?\.?|"
    r"kg|mm|cm|inches|inch|feet|foot|mg|ml|pages?|miles?|tons?|units?|spots?|points?|times?|mph|p\.a\.)(?!\w))"
    r"(?:\s*\(\d+\)\s*\w+)?"
)
_TIME = re.compile(r"\b(?:minute|hour|day|week|month|year)s?\b")
_SPELLED_TWICE = re.compile(r"[a-z]+[\s-]*\($")  # before the digits of "twelve (12) months"
# the number of a form or a law, which is no sum: "DWC-AD 10133.33", "§ 9792.20"
_FORM_NUMBER = re.compile(
    r"(?:\b(?:form|section|sections|rule|reg(?:ulation)?s?|code|ccr|title|DWC(?:-AD)?|WCAB|LC|SOC)\b\.?|§)\s*$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
# a period: the second date ends it
_THROUGH = re.compile(r"^\s*(?:thru|through|to|until|till|-|–|—|and)\s*$", re.IGNORECASE)
_CHANGE_NEAR = 30  # characters
_CHANGES = re.compile(
    r"(?i)\b(?:adj(?:usted|ustment)?|changed?|corrected|correction|raised?|increased?|reduced?|lowered|revised|from)\b"
)
# between a value and the one that takes its place
_BECOMES = re.compile(
    r"(?i)^[\s,;(]*(?:(?:is|was|were|has been|have been|to be)\s+)?(?:now\s+)?(?:(?:becomes?|became|->|=>|"
    r"(?:changed|corrected|amended|raised|lowered|increased|reduced|revised|adjusted|moved|reset|continued)\s+to|"
    r"should (?:be|read)|replaced by|superseded by)\s*[:$]*\s*)(?:an?\s|the\s)?\$?$"
)
_TOTAL_NEAR = 40  # characters
_STOP = re.compile(r"[;:]\s|[.?!]\s+(?=[A-Z])")
_TOTAL = re.compile(
    r"(?i)\b(?:grand|sub-?)?totals?\b|"
    r"\btogether\b|\bsum\b|\bcombined\b|\baltogether\b|\bcomes? to\b|\badds? up\b"
)
_ENUMERATOR = re.compile(r"[A-Za-z]?[.)]")
_COUNT_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty
"""
_SPELLED = {word: number for number, word in enumerate(_COUNT_WORDS.split())}
_NEGATION = re.compile(
    r"\b(?:no|not|non|never|none|neither|nobody|without|denied|denies|cannot|isn't|wasn't|didn't|hasn't|n/a|"
    r"non-certified|unwitnessed)\b"
)


def find_typed(text: str, kind: str) -> list[TypedValue]:
    """Return the values of a kind in a text, left to right; "text" has none."""
    if kind == "date":
        return [_typed(text, span.start, span.end, span.value) for span in find_dates(text)]
    if kind in ("money", "percent", "number"):
        return _numbers(text, kind)
    if kind == "phone":
        return [_typed(text, m.start(), m.end(), m[0]) for m in _PHONE.finditer(text)]
    if kind == "code":
        return [_code(text, m) for m in _CODE.finditer(text) if not _is_plain(m[0])]
    if kind == "email":
        return [_typed(text, m.start(), m.end(), m[0]) for m in _EMAIL.finditer(text)]
    if kind == "law":
        return [_typed(text, m.start(1), m.end(1), m[1]) for m in _LAW.finditer(text)]
    if kind == "time":
        return [_typed(text, m.start(), m.end(), m[0].strip()) for m in _CLOCK.finditer(text)]
    if kind == "person":
        return find_persons(text)
    if kind == "firm":
        return find_firms(text)
    if kind == "place":
        return [_typed(text, m.start(), m.end(), m[0].strip(" ,")) for m in _PLACE.finditer(text)]
    if kind == "party":
        return find_parties(text)
    if kind == "boolean":
        return [_typed(text, span.start, span.end, span.value) for span in find_booleans(text)]
    return []


def _code(text: str, match: re.Match[str]) -> TypedValue:
    """Return a code with the capitals that its digits follow: `QRT 5520817-01`, `QRT-A 5520817` are one."""
    prefix = _CODE_PREFIX.search(text[: match.start()]) if match[0][:1].isdigit() else None
    start = prefix.start(1) if prefix and not is_plain_word(prefix[1]) else match.start()
    return _typed(text, start, match.end(), text[start : match.end()])


def _is_plain(token: str) -> bool:
    """Tell whether a token is an enumerator, a year, an ordinal or a small number rather than a code."""
    return bool(re.fullmatch(r"\d{1,3}[A-Za-z]?|\d{1,2}[.-]\d{1,2}|(?:19|20)\d\d|\d+(?:st|nd|rd|th)", token))


def _numbers(text: str, kind: str) -> list[TypedValue]:
    spans = find_number_spans(text)
    if kind == "money":
        spans = [s for s in spans if not _FORM_NUMBER.search(text[max(0, s.start - 24) : s.start])]
        printed = [s for s in spans if s.is_money] or [
            s for s in spans if not s.is_percent and re.search(r"\.\d\d$", text[s.start : s.end])
        ]
        return [_typed(text, s.start, s.end, plain_number(s.value)) for s in printed]
    if kind == "percent":
        percents = [s for s in spans if s.is_percent]
        percents += [
            s for s in spans if not s.is_percent and re.match(r"\s*percent", text[s.end : s.end + 9])
        ]
        return [_typed(text, s.start, s.end, plain_number(s.value)) for s in percents]
    found = [_measured(text, s.start, s.end, plain_number(s.value)) for s in spans if not s.is_money]
    dates = [(span.start, span.end) for span in find_dates(text)]
    found = [v for v in found if not _SPELLED_TWICE.search(text[: v.start])]
    found = [v for v in found if not any(a <= v.start < b for a, b in dates) and not _YEAR.fullmatch(v.text)]
    found = [
        value for value in found if not _ENUMERATOR.match(text[value.end : value.end + 2], 0) or value.start
    ]
    found += [
        _measured(text, m.start(), m.end(), _SPELLED[m[1].lower()] * (100 if m[2] else 1))
        for m in re.finditer(r"\b([A-Za-z]+)( hundred)?\b", text)
        if m[1].lower() in _SPELLED
    ]
    return sorted(found, key=lambda value: value.start)


def _measured(text: str, start: int, end: int, value: Any) -> TypedValue:
    unit = _UNIT.match(text, end)
    return _typed(text, start, unit.end() if unit else end, value)


def _typed(text: str, start: int, end: int, value: Any) -> TypedValue:
    return TypedValue(value, text[start:end].strip(), start, end)


def choose_typed(
    text: str,
    values: Sequence[TypedValue],
    asked: Mapping[str, float],
    kind: str,
    *,
    ends_asked: bool | None = None,
    unit: str = "",
    is_lasting: bool = False,
    wants_total: bool = False,
    wants_earlier: bool = False,
) -> TypedValue | None:
    """Return the value nearest to the most telling word of the question; `asked` weighs its terms.

    `ends_asked` tells whether the end of a period is asked for, or its beginning; `unit` is what is counted;
    `wants_total` prefers what is called a sum, `wants_earlier` keeps what was changed since.

    What a text says of something mostly follows its name, so a value before it counts as farther, but for
    figures with their unit behind them (`14% WPI`). A phrase (`@hourly_rate`) tells more than any single
    word.
    """
    if not values:
        return None
    if not wants_earlier:
        values = _after_changes(text, values, kind)
    if wants_total and len(values) > 1:
        values = [value for value in values if is_total(text, value)] or values
    if is_lasting and kind == "number":
        values = [value for value in values if lasts(value)] or values
    if kind == "date" and len(values) > 1 and (ends := _ends_of_periods(text, values)):
        bounded = [value for value in values if (value in ends) == ends_asked]
        values = bounded if ends_asked is not None and bounded else values
    places: dict[str, list[int]] = {}
    for place, term in term_places(text):
        if term in asked:
            places.setdefault(term, []).append(place)
    if not places:
        return values[0]
    own: Sequence[TypedValue] = [
        v for v in values if not set(terms_of(v.text)) & (set(asked) - {unit})
    ] or list(values)
    if kind == "place":  # "which room": the room, and not the street
        own = [v for v in values if set(terms_of(v.text)) & set(asked)] or own
    if unit:
        own = [v for v in own if counts_unit(text, v, unit)] or own

    if len(own) > 1:
        own = _best_described(text, own, asked, places, kind)
    telling = max(places, key=lambda term: (term.startswith("@"), asked[term]))
    before = 1.3 if kind in ("percent", "number") else 2.5

    def distance(value: TypedValue) -> float:
        return min(
            value.start - place if value.start >= place else before * max(1, place - value.end)
            for place in places[telling]
        )

    return min(own, key=distance)


def _after_changes(text: str, values: Sequence[TypedValue], kind: str) -> Sequence[TypedValue]:
    """Leave out each value that the text itself replaces: of "610.40 becomes 655.10" the first.

    "Rate adj 610.40 to 655.10" is such a change too; two dates with "to" between them are a period.
    """
    replaced = []
    for one, other in zip(values, values[1:], strict=False):
        between = text[one.end : other.start]
        is_range = kind == "date" or not re.fullmatch(r"(?i)\s*to\s*\$?", between)
        said_before = _CHANGES.search(text[max(0, one.start - _CHANGE_NEAR) : one.start])
        if _BECOMES.match(between) or (said_before and not is_range):
            replaced.append(one)
    return [value for value in values if value not in replaced] or values


def _best_described(
    text: str,
    values: Sequence[TypedValue],
    asked: Mapping[str, float],
    places: Mapping[str, Sequence[int]],
    kind: str,
) -> Sequence[TypedValue]:
    """Return the values with the most of what is asked for in their own clause.

    Of "O/S indemnity 4,100.00, O/S medical 9,650.00" each sum has the words since the last one; a count
    has its noun behind it: "three anchors, two screws".
    """
    before, behind = (0.5, 1.0) if kind in ("percent", "number") else (1.0, 0.25)

    def share(begin: int, end: int) -> float:
        return math.fsum(
            weight
            for term, weight in asked.items()
            if any(begin <= place < end for place in places.get(term, ()))
        )

    told = []
    for number, value in enumerate(values):
        begin = values[number - 1].end if number else 0
        end = values[number + 1].start if number + 1 < len(values) else len(text)
        begin = max((m.end() for m in _STOP.finditer(text, begin, value.start)), default=begin)
        stop = _STOP.search(text, value.end, end)
        told.append(
            before * share(begin, value.start) + behind * share(value.end, stop.start() if stop else end)
        )
    most = max(told)
    return [value for value, found in zip(values, told, strict=True) if found >= most - 1e-9]


def _ends_of_periods(text: str, values: Sequence[TypedValue]) -> list[TypedValue]:
    return [
        after
        for before, after in zip(values, values[1:], strict=False)
        if _THROUGH.match(text[before.end : after.start])
    ]


def is_total(text: str, value: TypedValue) -> bool:
    """Tell whether the words right before a value say that it is a sum: "together they come to"."""
    before = text[max(0, value.start - _TOTAL_NEAR) : value.start]
    return bool(_TOTAL.search(re.split(r"[\d;]", before)[-1]))


def counts_unit(text: str, value: TypedValue, unit: str) -> bool:
    """Tell whether a number counts what was asked for: "six (6) visits" counts visits."""
    after = re.sub(r"^\s*\(\d+\)", "", text[value.start : value.end + 32])
    return not {unit, *related_terms(unit)}.isdisjoint(terms_of(after)[:4])


def lasts(value: TypedValue) -> bool:
    """Tell whether a number counts a time: "12 months"."""
    return bool(_TIME.search(value.text))


def polarity(text: str) -> bool:
    """Return whether a statement affirms: one negation makes it deny."""
    return not _NEGATION.search(fold_text(text))


_MEASURED_IN = (
    (
        r"\bhow heavy\b|\bweigh(?:s|ed|t)?\b|\bhow much (?:\w+ ){0,3}lift\b",
        r"lbs?|pounds?|kg|kilos?|kilograms?|tons?|oz|grams?",
    ),
    (
        r"\bhow (?:tall|high|deep|wide|big|large|thick)\b|\bsize of\b",
        r"mm|cm|millimet\w+|centimet\w+|inch\w*|in|feet|foot|ft|x|m",
    ),
    (
        r"\bgrip\b|\bdynamometer\b|\bhow strong\b|\bin (?:kg|kilos?|kilograms?|lbs?|pounds?)\b",
        r"lbs?|pounds?|kg|kilos?|kilograms?",
    ),
    (r"\bin (?:mm|cm|millimet\w+|centimet\w+|inches)\b", r"mm|cm|millimet\w+|centimet\w+|inch\w*|in"),
    (r"\bhow far\b", r"miles?|km|feet|foot|ft|degrees?|yards?|inch\w*|m"),
    (r"\bhow fast\b|\bspeed\b", r"mph|miles|km/h|knots"),
    (r"\bhow old\b", r"years?|y/?o|months?"),
)


def is_measured_as_asked(question: str, text: str, value: TypedValue, label: str = "") -> bool | None:
    """Tell whether a number, or its label, has the unit that is asked for; None where none is.

    "How heavy" asks for pounds or kilograms: "two" of something is no weight.
    """
    folded = fold_text(question)
    for asked, units in _MEASURED_IN:
        if re.search(asked, folded):
            after = fold_text(text[value.start : value.end + 16])
            if re.search(rf"(?<![a-z])(?:{units})(?![a-z])", fold_text(label)):
                return True
            return bool(re.match(rf"[\d.,/x ½¼¾-]*(?:[a-z]+[ -])?(?:\(\d+\) ?)?(?:{units})\b", after))
    return None
