"""The value inside a statement that has the kind a question asks for.

Reads text with the project's one grammar of values; which statement is read is not decided here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.vocabulary import known_words
from citation_pipeline.core.retrieval.terms import fold_text, term_places, terms_of
from citation_pipeline.core.values.answers import find_booleans
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.names import is_firm_like, is_person_like
from citation_pipeline.core.values.numbers import find_number_spans, plain_number

_PHONE = re.compile(r"\(?\b\d{3}\)?[\s.-]?\d{3}[\s.-]\d{4}\b")
# a token with a digit in it: ADJ20418836, 88-1407, S33.5XXA, CPI-WC-5530217-03
_CODE = re.compile(r"(?<![\w$.,/-])(?=[\w.-]*\d)[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*(?![\w/]|,\d|\.\d)")
_PLACE = re.compile(
    r"\b\d{1,5} (?:[NSEW]\. )?(?:[A-Z][\w.]* ){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Way|"
    r"Drive|Lane|Ln|"
    r"Highway|Circle|Court|Plaza)\b\.?(?:,? [A-Z#][^;:]{0,60}\d{5})?"
    r"|\b(?:Room|Suite|Station|Plant|Dock|Floor|Building|Unit|Bay|Ward|Gate|Yard|Aisle) "
    r"[\w-]+(?:, [A-Z][\w ]{2,30})?"
    r"|\b[A-Z][a-z]+(?: [A-Z][a-z]+)?, (?:CA|California)\b(?: \d{5})?"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NAME = re.compile(
    r"(?:Hon\.|Dr\.|Mr\.|Ms\.|Mrs\.)\s+(?:[A-Z][\w'’.-]*\s?){1,4}"
    r"|(?<![\w.])[A-Z][a-zà-ÿ'’]+(?:[-\s–]+(?:[A-Z]\.|de|la|van|von)?\s?[A-ZÀ-Þ][\wà-ÿ'’-]+){1,3}(?:,?\s(?:M\.?D\.?|D\.?O\.?|D\.?C\.?|"
    r"R\.?N\.?|P\.?T\.?A?|DPT|Ph\.?D\.?|Esq\.?))*"
    r"|(?<![\w.])[A-Z]\.\s(?:[A-Z]\.\s)?[A-Z][\w'’-]+"
)
_CAPITALS = re.compile(
    r"(?<![\w.])[A-ZÀ-Þ][A-ZÀ-Þ'’-]{2,}, [A-ZÀ-Þ][\wÀ-ÿ'’-]+(?: [A-ZÀ-Þ][\wÀ-ÿ'’.-]*)?(?![\w])"
)
# capitalized words with the small ones that firms put between: Law Offices of Alder & Finch, LLP
_FIRM = re.compile(
    r"(?<![\w.])[A-Z][\w'’.-]*(?:(?:,? (?:&|of|and|the|for|-|–) |,? )(?:[A-Z][\w'’.&-]*|&))*"
    r"(?:,? (?:Inc|LLC|LLP|Ltd|Co|Corp|PC|APC|LP)\b\.?)?"
)
_DEGREE = re.compile(r"^(?:Dr|Mr|Ms|Mrs|Hon)\b|\b(?:M\.?D|D\.?O|D\.?C|Esq)\b")
_OFFICES = frozenset(
    [
        "president",
        "vice",
        "chairman",
        "director",
        "officer",
        "manager",
        "supervisor",
        "adjuster",
        "examiner",
        "attorney",
        "doctor",
        "physician",
        "judge",
        "page",
        "date",
        "name",
        "phone",
        "fax",
        "claim",
        "number",
        "employer",
        "employee",
        "insured",
        "signature",
        "section",
        "total",
    ]
)
_RANKS = frozenset(
    ["board", "committee", "chair", "secretary", "treasurer", "superintendent", "senator", "by", "attn"]
)
# what a count is counted in: 128 degrees, 60.5 weeks, 7/10, 88 lb
_UNIT = re.compile(
    r"(?:\s*/\s*\d+|(?:\s*\(\d+\)|\))?[\s-]*(?:(?:business|calendar|working|full|consecutive) )?"
    r"(?:%|percent|degrees?|weeks?|days?|months?|years?|hours?|minutes?|visits?|sessions?|pounds?|lbs?\.?|"
    r"kg|mm|cm|inches|inch|feet|foot|mg|ml|pages?|miles?|tons?|units?|spots?|points?|times?|mph|p\.a\.)(?!\w))"
    r"(?:\s*\(\d+\)\s*\w+)?"
)
_TIME = re.compile(r"\b(?:minute|hour|day|week|month|year)s?\b")
_SPELLED_TWICE = re.compile(r"[a-z]+[\s-]*\($")  # before the digits of "twelve (12) months"
_LISTED_NAME = re.compile(r"[A-ZÀ-Þ][\w'’-]+, [A-ZÀ-Þ][\w'’.-]+(?: [A-Z]\.?)?")
_ENDINGS = (b"s", b"es", b"ed", b"ing", b"ly")
_YEAR = re.compile(r"(?:19|20)\d\d")
# a period: the second date ends it
_THROUGH = re.compile(r"^\s*(?:thru|through|to|until|till|-|–|—|and)\s*$", re.IGNORECASE)
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


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A value as JSON, its text as printed, and its half-open range of the statement's text."""

    value: Any
    text: str
    start: int
    end: int


def find_typed(text: str, kind: str) -> list[TypedValue]:
    """Return the values of a kind in a text, left to right; "text" has none."""
    if kind == "date":
        return [_typed(text, span.start, span.end, span.value) for span in find_dates(text)]
    if kind in ("money", "percent", "number"):
        return _numbers(text, kind)
    if kind == "phone":
        return [_typed(text, m.start(), m.end(), m[0]) for m in _PHONE.finditer(text)]
    if kind == "code":
        return [_typed(text, m.start(), m.end(), m[0]) for m in _CODE.finditer(text) if not _is_plain(m[0])]
    if kind == "email":
        return [_typed(text, m.start(), m.end(), m[0]) for m in _EMAIL.finditer(text)]
    if kind == "person":
        return _persons(text)
    if kind == "firm":
        return _firms(text)
    if kind == "place":
        return [_typed(text, m.start(), m.end(), m[0].strip(" ,")) for m in _PLACE.finditer(text)]
    if kind == "party":
        return find_parties(text)
    if kind == "boolean":
        return [_typed(text, span.start, span.end, span.value) for span in find_booleans(text)]
    return []


def _persons(text: str) -> list[TypedValue]:
    if _LISTED_NAME.fullmatch(text.strip()):
        return [_typed(text, 0, len(text), text.strip())]
    found = [_trimmed(text, m.start(), m.end()) for m in _NAME.finditer(text)]
    found = [name for name in found if _is_name(name.text)]
    if not found:
        found = [_typed(text, m.start(), m.end(), m[0]) for m in _CAPITALS.finditer(text)]
    return found


def _trimmed(text: str, start: int, end: int) -> TypedValue:
    """Return a capitalized run without the labels around it: `Board President Ana Ruiz Date` of birth."""
    words = list(re.finditer(r"\S+", text[start:end]))
    while len(words) > 2 and words[0][0].strip(",.").lower() in _OFFICES | _RANKS:
        start, words = (
            start + words[1].start(),
            list(re.finditer(r"\S+", text[start + words[1].start() : end])),
        )
    while len(words) > 2 and (last := words[-1][0].strip(",.")).isalpha() and len(last) > 2:
        if not _is_common(last) and last.lower() not in _OFFICES:
            break
        words.pop()
    end = start + words[-1].end()
    return TypedValue(text[start:end].strip(" ,"), text[start:end].strip(" ,"), start, end)


def _firms(text: str) -> list[TypedValue]:
    """Return the firms that a text names: those with a firm's word, or any run of capitalized words."""
    runs = [_typed(text, m.start(), m.end(), m[0].strip(" ,")) for m in _FIRM.finditer(text)]
    runs = [run for run in runs if len(run.text) > 3 and run.text.split()[0].lower() not in _OFFICES]
    firms = [run for run in runs if is_firm_like(run.text)]
    return firms or [run for run in runs if " " in run.text and not _DEGREE.search(run.text)]


def find_parties(text: str) -> list[TypedValue]:
    """Return the persons that a text names, otherwise its firms: whoever asks "who" may mean either."""
    return _persons(text) or [run for run in _firms(text) if is_firm_like(run.text)]


def _is_name(text: str) -> bool:
    """Tell whether a capitalized run is a person's name: no firm, and not all of it common words."""
    words = re.findall(r"[^\W\d_]+", text)
    if (
        is_firm_like(text)
        or not is_person_like(text)
        or any(word.isupper() and len(word) > 3 for word in words[:1])
    ):
        return False
    if any(word.lower() in _OFFICES for word in words):
        return False
    strange = sum(len(word) > 2 and not _is_common(word) for word in words)
    common = sum(len(word) > 2 and _is_common(word) for word in words)
    # "Utilization Review Decision" has one word that no list knows; a name has at most one that lists know
    return strange > 0 and (common <= 1 or bool(_DEGREE.search(text)))


def _is_common(word: str) -> bool:
    """Tell whether a word is a listed one, with or without a plain ending."""
    key = fold(word)
    return any(
        known in known_words()
        for known in (key, *(key[: -len(end)] for end in _ENDINGS if key.endswith(end) and len(key) > 6))
    )


def _is_plain(token: str) -> bool:
    """Tell whether a token is an enumerator, a year or a small number rather than a code."""
    return bool(re.fullmatch(r"\d{1,3}[A-Za-z]?|\d{1,2}[.-]\d{1,2}|(?:19|20)\d\d", token))


def _numbers(text: str, kind: str) -> list[TypedValue]:
    spans = find_number_spans(text)
    if kind == "money":
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
) -> TypedValue | None:
    """Return the value nearest to the most telling word of the question; `asked` weighs its terms.

    `ends_asked` tells whether the end of a period is asked for, or its beginning; `unit` is what is counted.

    What a text says of something mostly follows its name, so a value before it counts as farther, but for
    figures with their unit behind them (`14% WPI`). A phrase (`@hourly_rate`) tells more than any single
    word.
    """
    if not values:
        return None
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
    telling = max(places, key=lambda term: (term.startswith("@"), asked[term]))
    own = [v for v in values if not set(terms_of(v.text)) & (set(asked) - {unit})] or list(values)
    if unit:
        own = [v for v in own if counts_unit(text, v, unit)] or own

    before = 1.3 if kind in ("percent", "number") else 2.5

    def distance(value: TypedValue) -> float:
        return min(
            value.start - place if value.start >= place else before * max(1, place - value.end)
            for place in places[telling]
        )

    return min(own, key=distance)


def _ends_of_periods(text: str, values: Sequence[TypedValue]) -> list[TypedValue]:
    return [
        after
        for before, after in zip(values, values[1:], strict=False)
        if _THROUGH.match(text[before.end : after.start])
    ]


def counts_unit(text: str, value: TypedValue, unit: str) -> bool:
    """Tell whether a number counts what was asked for: "six (6) visits" counts visits."""
    after = re.sub(r"^\s*\(\d+\)", "", text[value.start : value.end + 32])
    return unit in terms_of(after)[:4]


def lasts(value: TypedValue) -> bool:
    """Tell whether a number counts a time: "12 months"."""
    return bool(_TIME.search(value.text))


def polarity(text: str) -> bool:
    """Return whether a statement affirms: one negation makes it deny."""
    return not _NEGATION.search(fold_text(text))
