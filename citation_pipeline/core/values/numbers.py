"""Money, percentages and plain numbers. Dates, phones, codes and case numbers are not numbers."""

import re
from dataclasses import dataclass

from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.spans import ValueSpan

_NUMBER = re.compile(
    r"(?<![\w.,/:#-])"
    r"(?P<open>\()?(?P<sign>[-\u2212])?[ ]?(?P<money>(?:US)?\$|USD|EUR|\u20ac|GBP|\u00a3)?[ ]?(?P<sign2>-)?"
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?P<scale>[ ]?(?:million|thousand|[kK](?![\w])|M(?![\w])))?"
    r"(?P<percent>[ ]?(?:%|percent\b|per cent\b|pct\b))?"
    r"(?(open)\)?)"
    r"(?!\w|[/:.,-]\d|\)?[ ]?\d{3}-\d{4})"  # the last: an area code
)
_SCALES = {"million": 1e6, "m": 1e6, "thousand": 1e3, "k": 1e3}


@dataclass(frozen=True, slots=True)
class NumberSpan:
    """A number with its range and how it was written: as money, as a percentage, or bare."""

    start: int
    end: int
    value: float
    is_money: bool
    is_percent: bool


def find_number_spans(text: str) -> list[NumberSpan]:
    """Return every number of the text that is no part of a date."""
    dates = find_dates(text)
    found: list[NumberSpan] = []
    for match in _NUMBER.finditer(text):
        start, end = match.start(), match.end()
        if any(d.start < end and start < d.end for d in dates):
            continue
        scale = (match["scale"] or "").strip().lower()
        money = match["money"] is not None
        if scale in ("k", "m") and not money:
            continue  # 45k without a currency is a dose or a part number as often as a sum
        negative = bool(match["sign"] or match["sign2"]) or (
            match["open"] is not None and match[0].endswith(")") and (money or "." in match["number"])
        )
        value = float(match["number"].replace(",", "")) * _SCALES.get(scale, 1)
        bracket = match["open"] is not None and not match[0].endswith(")")
        found.append(
            NumberSpan(
                start=start + (1 if bracket or (match["open"] and not negative) else 0),
                end=end - (1 if match["open"] and match[0].endswith(")") and not negative else 0),
                value=-value if negative else value,
                is_money=money or bool(re.search(r"\d,\d{3}|\.\d\d$", match["number"])),
                is_percent=match["percent"] is not None,
            )
        )
    return found


def find_numbers(text: str) -> list[ValueSpan]:
    """Return every number as a float, or an int where it was written without a fraction that counts."""
    return [ValueSpan(n.start, n.end, plain_number(n.value)) for n in find_number_spans(text)]


def plain_number(value: float) -> float | int:
    """Return whole numbers as int: 23490.0 reads 23490."""
    return int(value) if value == int(value) else value


def is_same_number(a: float, b: float) -> bool:
    """Tell whether two sums are equal to the cent."""
    return abs(a - b) < 0.005
