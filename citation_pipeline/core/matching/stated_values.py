"""Which dates and numbers written words state, whatever their form: figures, English words, fractions.

What counts as a value is narrow on purpose. Where such values are compared is `rewriting`.
"""

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.numerals import has_digit
from citation_pipeline.core.values.dates import find_dates

_COMPACT_DATE = re.compile(r"(?<![\d.,/-])((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?![\d.,/-])")
_NUMBER = re.compile(
    r"(?<![\w.,/:-])([-−(]?)\s?([$€£]?)\s?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"\s?(million|billion|thousand|mio|bn|mm|[kmb](?!\w))?(?![\w/]|[.,:-]\d)",
    re.IGNORECASE,
)
_SCALES = {"k": 3, "thousand": 3, "m": 6, "mm": 6, "mio": 6, "million": 6, "b": 9, "bn": 9, "billion": 9}
_UNITS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_SMALL = {word: number for number, word in enumerate(_UNITS.split())}
_DECADES = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: 10 * number for number, word in enumerate(_DECADES.split(), start=2)}
_RANKS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
fifteenth sixteenth seventeenth eighteenth nineteenth
"""
_ORDINALS = {
    **{word: number for number, word in enumerate(_RANKS.split(), start=1)},
    **{word[:-1] + "ieth": value for word, value in _TENS.items()},
}
_ORDINAL = re.compile(r"(?<![\w.,/:-])(\d{1,3})(?:st|nd|rd|th)\b", re.IGNORECASE)
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4,
    "fifth": 5, "fifths": 5, "eighth": 8, "eighths": 8,
}  # fmt: skip
_SHARE = re.compile(
    rf"\b(one|two|three|four|five|six|seven|a)[\s-]({'|'.join(sorted(_PARTS, reverse=True))})\b",
    re.IGNORECASE,
)
_QUOTIENT = re.compile(r"(?<![\w.,/:-])(?:(\d{1,3})[\s-])?(\d)\s?[/⁄]\s?(\d)(?![\w/]|[.,]\d)")
_SPOKEN = frozenset([*_SMALL, *_TENS, *_ORDINALS, *_PARTS])
_LETTERS = re.compile(r"[^\W\d_]+")
_FIGURE_AND_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_PERCENT = re.compile(r"\s?%|\bper\s?cent\b", re.IGNORECASE)
_POWERS = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_IDLE_WORDS = """
the of day on a an about approximately approx around some dollars dollar usd us and hours hour
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
"""
_MAGNITUDES = frozenset(b"hundred thousand million billion mio bn mm percent".split())
_MONTHS = frozenset(b"jan feb mar apr may jun jul aug sep oct nov dec".split())
_IDLE = frozenset(_IDLE_WORDS.encode().split())


@lru_cache(maxsize=2048)
def values_of(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[bytes, ...]] | None:
    """Return the values that words state, and the other words among them; None without a value."""
    text = _PERCENT.sub(" percent ", unicodedata.normalize("NFKC", _spaced(" ".join(words))))
    found: list[tuple[int, int, str]] = [(d.start, d.end, str(d.value)) for d in find_dates(text)]
    written = [(m.start(), m.end(), "-".join(m.groups())) for m in _COMPACT_DATE.finditer(text)]
    written += [(m.start(), m.end(), f"{m[1]}.") for m in _ORDINAL.finditer(text)]
    written += [(m.start(), m.end(), _share(m[1], m[2], m[3])) for m in _QUOTIENT.finditer(text)]
    written += [
        (m.start(), m.end(), _share(None, str(_SMALL.get(m[1].lower(), 1)), str(_PARTS[m[2].lower()])))
        for m in _SHARE.finditer(text)
    ]
    written += [(m.start(), m.end(), _number(m)) for m in _NUMBER.finditer(text)]
    for start, end, value in written:
        if value and not any(low < end and start < high for low, high, _ in found):
            found.append((start, end, value))
    found.sort()
    rest: list[bytes] = []
    values: list[str] = []
    at = 0
    for start, end, value in [*found, (len(text), len(text), "")]:
        spoken, others = _spoken(text[at:start])
        values += spoken
        if value and not (spoken and spoken[-1] == value):  # "twenty-one (21)" is one value
            values.append(value)
        rest += others
        at = end
    return (tuple(values), tuple(rest)) if values else None


def _spaced(text: str) -> str:
    """Return the text with a space between a figure and a fraction of one character behind it: 66⅔."""
    return _FIGURE_AND_FRACTION.sub(" ", text)


def _share(whole: str | None, above: str, below: str) -> str:
    """Return a fraction as a decimal number of four places; none divides by nothing."""
    if below == "0":
        return f"{above}/0"
    value = Decimal(whole or 0) + Decimal(above) / Decimal(below)
    return f"{round(value, 4).normalize():f}"


def _number(match: re.Match[str]) -> str:
    """Return a number without its form, with its scale; nothing for what is none."""
    sign, _, digits, scale = match.groups()
    try:
        value = Decimal(digits.replace(",", "")).scaleb(_SCALES.get((scale or "").lower(), 0))
    except InvalidOperation:
        return ""
    return f"{'-' if sign in ('-', '−') else ''}{value.normalize():f}"


def _spoken(text: str) -> tuple[list[str], list[bytes]]:
    """Return the numbers that a text states in words, and its other words."""
    values: list[str] = []
    rest: list[bytes] = []
    total = current = 0
    is_open = False
    for word in [*re.findall(r"[^\W_]+", text.lower()), ""]:
        if word in _SMALL or word in _TENS:
            current += _SMALL.get(word, 0) + _TENS.get(word, 0)
            is_open = True
        elif word == "hundred" and is_open:
            current *= 100
        elif word in _POWERS and is_open:
            total, current = total + current * _POWERS[word], 0
        elif word in _ORDINALS:
            values.append(f"{total + current + _ORDINALS[word]}.")
            total = current = 0
            is_open = False
        elif word == "and" and is_open:
            continue
        else:
            if is_open:
                values.append(str(total + current))
                total = current = 0
                is_open = False
            key = fold(word)
            if key and key not in _IDLE:
                rest.append(key)
    return values, rest


@lru_cache(maxsize=4096)
def states_a_value(text: str) -> bool:
    """Tell whether a text may state a number or a date at all."""
    if has_digit(fold(text)):
        return True
    return any(word in _SPOKEN for word in _LETTERS.findall(text.lower()))


@lru_cache(maxsize=4096)
def is_part_of_a_value(text: str) -> bool:
    """Tell whether a text may be a number, a month or a magnitude; `about` and `hours` alone are none."""
    key = fold(text)
    return key[:3] in _MONTHS or key in _MAGNITUDES or states_a_value(text)
