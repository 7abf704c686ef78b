"""One scalar of an answer, read strictly by its type: the whole text is the value, or there is none.

Here: yes and no, dates, numbers, members of an enumeration and texts as an extractor writes them into an
answer. A text that holds a value among other words is refused: whether "about 500" or "500 to 600" is 500
is not for a reader to guess. Not here: values in running text of documents (`core/values`), lists (`values`).
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from citation_pipeline.core.answers.placeholders import is_placeholder
from citation_pipeline.core.extraction import Value
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.grammar import find_values
from citation_pipeline.core.values.moments import find_moments
from citation_pipeline.core.values.numbers import plain_number

REFUSED_VALUES = frozenset(
    {
        "not_a_date",
        "not_a_datetime",
        "not_a_number",
        "not_an_integer",
        "not_a_boolean",
        "not_a_string",
        "not_an_array",
        "not_in_enum",
        "ambiguous_value",
        "denied_without_evidence",
        "implausible_percent",
        "missing_value",
        "oversized_value",
    }
)
"""Codes of a value that came but could not be taken: it is worth one more question, and is no silence."""

# a date, a number or a yes is a few words; a page of text is none of them
_LONGEST_SCALAR = 120
# a paragraph fits; more is a document put in place of a value
_LONGEST_TEXT = 5000

_YES, _NO = ("yes", "y", "true", "checked"), ("no", "n", "false", "unchecked")
_ANSWER = re.compile(
    r"(yes|no|true|false|y|n|checked|unchecked)\b\s*(?:[.,;:(\u2013\u2014-]\s*(.*))?", re.I | re.S
)
_DOUBT = re.compile(
    r"\b(?:but|however|except|unless|although|though|partial(?:ly)?|part|unclear|unknown|uncertain|pending|maybe|"
    r"perhaps|possibly|probably|presumably|likely|if|or|yes|no|disputed|contested|until|initially|later)\b|\?",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:no|not|none|never|without|denied|denies|neither|nor)\b|n't\b", re.IGNORECASE)
_BOXES = re.compile(r"\[\s{0,2}[xX\u2713\u2714]?\s?\]|[\u2610\u2611\u2612\u2713\u2714\u25a0\u25a1]")

# what may stand beside a date without changing which day it is
_BESIDE_DATE = re.compile(
    r"(?:on|dated?|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|at|T|t|Z|[ap]\.?m\.?|"
    r"\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?(?:[+-]\d\d:?\d\d)?|[\s,.()@])*",
    re.IGNORECASE,
)

_NUMBER = re.compile(
    r"(?P<open>\()?\s*(?P<sign>[-+\u2212])?\s*(?:US\$|\$|USD|EUR|\u20ac|GBP|\u00a3)?\s*(?P<sign2>[-\u2212])?\s*"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"\s*(?P<scale>million|thousand)?\s*(?P<percent>%)?\s*(?P<close>\))?(?P<unit>[^\d]*)",
    re.IGNORECASE,
)
_SCALES = {"million": 1e6, "thousand": 1e3}
# three digits after a point are thousands in half of the world: 1.250 is 1250 or 1.25
_ONE_POINT = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_MONEY_WORDS = frozenset(
    {"usd", "us", "dollar", "dollars", "eur", "euro", "euros", "gbp", "per", "a", "each"}
)
_SHARE_WORDS = ("percent", "%", "pct", "rate", "share", "ratio")
_STEM = 4  # letters that a unit shares with the field's own words: "weeks" and "weekly"

_KIND = {
    "date": "a_date",
    "number": "a_number",
    "integer": "an_integer",
    "boolean": "a_boolean",
    "datetime": "a_datetime",
}


@dataclass(slots=True)
class TypedValue:
    """A value of the field's type; `codes` say what was refused (value None) or repaired on the way.

    `kept` are the positions, in the answer's own list, of the items that a list still has.
    """

    value: Value
    codes: list[str] = field(default_factory=list)
    kept: tuple[int, ...] | None = None


def read_scalar(raw: object, value_type: str, *, enum: Sequence[str] = (), about: str = "") -> TypedValue:
    """Read one scalar; `about` is what the schema says of the field, by which units are judged."""
    if isinstance(raw, str):
        raw = raw.strip()
        if not raw or raw.casefold() == "null":
            return TypedValue(None, ["empty_value"])
        if raw not in enum and is_placeholder(raw):
            # a yes or no is open then: "none" may be meant for "no", which is another thing than silence
            refused = ["not_a_boolean"] if value_type == "boolean" else []
            return TypedValue(None, ["placeholder_value", *refused])
    match value_type:
        case "string":
            return _read_text(raw)
        case "enum":
            return _read_enum(raw, enum)
        case "boolean":
            return _allowed(_read_boolean(raw), enum)
        case "date":
            return _read_date(raw)
        case "datetime":
            return _read_moment(raw)
        case _:
            return _allowed(_read_number(raw, value_type, about.casefold()), enum)


def _allowed(typed: TypedValue, enum: Sequence[str]) -> TypedValue:
    """Refuse a number or a yes that is none of the values that the schema lists as JSON."""
    if not enum or typed.value is None:
        return typed
    if any(json.loads(member) == typed.value for member in enum):
        return typed
    return TypedValue(None, ["not_in_enum"])


def _refused(value_type: str, *more: str) -> TypedValue:
    return TypedValue(None, [f"not_{_KIND[value_type]}", *more])


def _read_text(raw: object) -> TypedValue:
    if isinstance(raw, list) and raw and all(isinstance(part, str) for part in raw):
        parts = [part.strip() for part in raw if not is_placeholder(part)]
        joined = "; ".join(dict.fromkeys(parts))
        if not joined:
            return TypedValue(None, ["placeholder_value"])
        read = _read_text(joined)
        return TypedValue(read.value, ["retyped"] if read.codes == [] else read.codes)
    if isinstance(raw, int | float) and not isinstance(raw, bool) and math.isfinite(raw):
        return TypedValue(str(raw), ["retyped"])
    if not isinstance(raw, str) or (raw[0] in "[{" and raw[-1] in "]}" and '"' in raw):
        return TypedValue(None, ["not_a_string"])  # JSON within the JSON is an answer to another question
    return TypedValue(None, ["oversized_value"]) if len(raw) > _LONGEST_TEXT else TypedValue(raw)


def _read_enum(raw: object, enum: Sequence[str]) -> TypedValue:
    if isinstance(raw, str) and raw in enum:
        return TypedValue(raw)
    if isinstance(raw, int) and not isinstance(raw, bool) and str(raw) in enum:
        return TypedValue(str(raw), ["retyped"])
    if isinstance(raw, str) and (plain := _plain(raw)):
        # a structured reply does not guarantee the capitals of an enum's strings
        meant = [allowed for allowed in enum if _plain(allowed) == plain]
        if len(meant) == 1:
            return TypedValue(meant[0], ["retyped"])
    return TypedValue(None, ["not_in_enum"])


def _plain(word: str) -> str:
    return "".join(letter for letter in word.casefold() if letter.isalnum())


def _read_boolean(raw: object) -> TypedValue:
    """Read a yes or no: bare, before an explanation that does not take it back, or as ticked boxes."""
    if isinstance(raw, bool):
        return TypedValue(raw)
    if not isinstance(raw, str) or len(raw) > _LONGEST_SCALAR:
        return _refused("boolean")
    if _BOXES.search(raw):
        answers = {span.value for span in find_values(raw, "boolean")}
        return TypedValue(answers.pop(), ["retyped"]) if len(answers) == 1 else _refused("boolean")
    match = _ANSWER.fullmatch(raw)
    if match is None:
        return _refused("boolean")
    answer, rest = match[1].lower() in _YES, match[2] or ""
    if _DOUBT.search(rest) or (answer and _NEGATION.search(rest)):
        return _refused("boolean", "ambiguous_value")
    return TypedValue(answer, ["retyped"])


def _read_date(raw: object) -> TypedValue:
    if not isinstance(raw, str) or len(raw) > _LONGEST_SCALAR:
        return _refused("date")
    spans = find_dates(raw)
    if not spans:
        return _refused("date")
    if len(spans) > 1:
        # "between 1 May and 3 June" is two dates: choosing one would be a guess
        return _refused("date", "ambiguous_value")
    span = spans[0]
    if not _BESIDE_DATE.fullmatch(raw[: span.start]) or not _BESIDE_DATE.fullmatch(raw[span.end :]):
        return _refused("date", "ambiguous_value")  # "before 2024-03-01" is another day
    return TypedValue(span.value, [] if span.value == raw else ["retyped"])


def _read_moment(raw: object) -> TypedValue:
    if not isinstance(raw, str) or len(raw) > _LONGEST_SCALAR:
        return _refused("datetime")
    spans = find_moments(raw)
    if len(spans) != 1:
        return _refused("datetime", *(["ambiguous_value"] if spans else []))
    span = spans[0]
    if not _BESIDE_DATE.fullmatch(raw[: span.start]) or not _BESIDE_DATE.fullmatch(raw[span.end :]):
        return _refused("datetime", "ambiguous_value")
    return TypedValue(span.value, [] if span.value == raw else ["retyped"])


def _read_number(raw: object, value_type: str, about: str) -> TypedValue:
    codes: list[str] = []
    if isinstance(raw, str):
        number = _number_of(raw, about)
        if number is None:
            several = len(raw) <= _LONGEST_SCALAR and bool(re.search(r"\d", raw))
            return _refused(value_type, *(["ambiguous_value"] if several else []))
        raw, codes = number, ["retyped"]
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return _refused(value_type)
    # beyond 64 bits no table can hold it
    if not math.isfinite(raw) or abs(raw) >= 2**63:
        return _refused(value_type)
    if value_type == "integer" and isinstance(raw, float):
        if not raw.is_integer():
            return _refused("integer")
        raw = int(raw)
    if "percent" in about.partition("\n")[0] and not 0 <= raw <= 100:
        return TypedValue(None, ["implausible_percent"])
    return TypedValue(raw, codes)


def _number_of(text: str, about: str) -> float | int | None:
    """Return the number that a text is, with nothing beside it but its currency and the field's own unit."""
    match = _NUMBER.fullmatch(text) if len(text) <= _LONGEST_SCALAR else None
    if match is None or (match["open"] is None) is not (match["close"] is None):
        return None
    if _ONE_POINT.fullmatch(match["digits"]) or (match["sign"] and match["sign2"]):
        return None
    if match["percent"] and not any(word in about for word in _SHARE_WORDS):
        return None
    units = re.findall(r"[^\W\d_]+|%", match["unit"].casefold())
    if re.sub(r"[\s./]|[^\W\d_]+|%", "", match["unit"]) or not all(_is_unit(unit, about) for unit in units):
        return None
    value = float(match["digits"].replace(",", "")) * _SCALES.get((match["scale"] or "").lower(), 1)
    # accounting's brackets: (500) is a credit
    is_negative = match["open"] is not None or (match["sign"] or match["sign2"] or "+") != "+"
    if not math.isfinite(value):
        return None
    return plain_number(-value if is_negative else value)


def _is_unit(word: str, about: str) -> bool:
    if word in ("percent", "%"):
        return any(share in about for share in _SHARE_WORDS)
    return word in _MONEY_WORDS or (len(word) >= 3 and word[:_STEM].rstrip("s") in about)
