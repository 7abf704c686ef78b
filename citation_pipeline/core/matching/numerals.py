"""Numbers inside quoted words: decimal points, signs and currencies, to which the key is blind.

These compare two written forms of one place. What a number means as a value is `values`' work.
"""

import re
from itertools import pairwise

from rapidfuzz.distance import Levenshtein

_PLAIN_CHARACTERS = str.maketrans(
    {
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "﹣": "-", "－": "-",
        "’": "'", "‘": "'", "‛": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "\u00ad": None, "\u200b": None, "\u200c": None, "\u200d": None, "\ufeff": None, "⁄": "/",
    }
)  # fmt: skip
_NUMBER = re.compile(r"\d(?:[\d.,'\u066b\u066c]*\d)?")
_GROUPED = re.compile(r"\d{1,3}([,.'])\d{3}(?:\1\d{3})*(?:[.,]\d+)?")
_CURRENCIES = "$€£¥₹₽₩₪₫₴₺฿¢"
_SIGNED = re.compile(rf"(?:^|(?<=[\s(\[{{:;=|/,<>]))-\s?(?=[{re.escape(_CURRENCIES)}]?\s?\.?\d)")

# a scanner or an eye takes one for the other
_LOOK_ALIKES = frozenset(
    frozenset(pair)
    for pair in (
        b"0o", b"0q", b"0d", b"0c", b"1l", b"1i", b"1j", b"1t", b"2z", b"3e", b"4a", b"5s", b"6b", b"6g", b"7t", b"8b", b"9g", b"9q",
    )
)  # fmt: skip
_DIGITS = frozenset(b"0123456789")
UNITS = frozenset(
    b"am pm mg mcg ml cl dl kg km cm mm nm lb lbs oz ft in yd mi hr hrs min sec ms usd eur gbp cad th st nd rd k m b"
    b" kb mb gb tb hz khz mhz ghz w kw mw kwh v kv a ma c f".split()
)


def plain(text: str) -> str:
    """Return the text with one kind of dash and quote, without spaces and invisible characters."""
    return "".join(text.translate(_PLAIN_CHARACTERS).split())


def canonical_numbers(text: str) -> list[str]:
    """Return the numbers of a text, each with its decimal point and without thousands marks."""
    found: list[str] = []
    for match in _NUMBER.finditer(text.translate(_PLAIN_CHARACTERS)):
        number = match.group()
        grouped = _GROUPED.fullmatch(number)
        if grouped:
            mark = grouped.group(1)
            number = number.replace(mark, "")
        found.append(number.replace(",", ".").replace("'", "."))
    return found


def is_number_changed(quoted: str, printed: str) -> bool:
    """Tell whether two texts with the same digits differ in a decimal point."""
    ours, theirs = canonical_numbers(quoted), canonical_numbers(printed)
    if ours == theirs or "".join(ours) == "".join(theirs):
        return False
    # digits with points must keep them; digits alone may have lost other punctuation: (870)-931-0505
    return _points("".join(_joined(ours))) != _points("".join(_joined(theirs)))


def _joined(numbers: list[str]) -> list[str]:
    return [number if number.count(".") == 1 else number.replace(".", "") for number in numbers]


def _points(digits: str) -> tuple[str, tuple[int, ...]]:
    places = tuple(i - digits[:i].count(".") for i, character in enumerate(digits) if character == ".")
    return digits.replace(".", ""), places


def count_signs(text: str) -> int:
    """Return how many numbers of a text carry a minus sign of their own."""
    return len(_SIGNED.findall(text.translate(_PLAIN_CHARACTERS)))


def currencies(text: str) -> list[str]:
    """Return the currency signs of a text in order."""
    return [character for character in text if character in _CURRENCIES]


def is_digit_changed(quoted: bytes, printed: bytes) -> bool:
    """Tell whether two keys that were aligned differ in a digit, look-alike letters allowed."""
    for tag, q0, q1, p0, p1 in Levenshtein.opcodes(quoted, printed).as_list():
        if tag == "equal":
            continue
        ours, theirs = quoted[q0:q1], printed[p0:p1]
        if not _DIGITS.intersection(ours) and not _DIGITS.intersection(theirs):
            continue
        if tag != "replace":
            return True
        for a, b in zip(ours, theirs, strict=True):
            if a != b and (a in _DIGITS or b in _DIGITS) and frozenset((a, b)) not in _LOOK_ALIKES:
                return True
    return False


def has_digit(key: bytes) -> bool:
    """Tell whether a key holds a digit."""
    return not _DIGITS.isdisjoint(key)


def letters_of(key: bytes) -> bytes:
    """Return a key without its digits."""
    return key.translate(None, b"0123456789")


def is_in_order(numbers: list[int]) -> bool:
    """Tell whether numbers never fall."""
    return all(a <= b for a, b in pairwise(numbers))
