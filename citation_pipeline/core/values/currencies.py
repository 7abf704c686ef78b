"""The currencies that words name, by sign, code or name."""

import re
from collections.abc import Iterator

_CURRENCY = re.compile(
    r"(?-i:\b(?:EUR|USD|GBP|PLN|CHF|INR|CAD|AUD|SEK|NOK|DKK|CZK)\b)|\u20ac|\u00a3|\u20b9|\$|z\u0142|\bRs\b\.?|"
    r"\bUS dollars\b|\beuro\b",
    re.IGNORECASE,
)
_CODES = {
    "\u20ac": "EUR",
    "$": "USD",
    "\u00a3": "GBP",
    "z\u0142": "PLN",
    "\u20b9": "INR",
    "rs": "INR",
    "us dollars": "USD",
    "euro": "EUR",
}


def find_currencies(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a currency is named, and its code."""
    for match in _CURRENCY.finditer(text):
        name = match[0].casefold().rstrip(".")
        yield match.start(), match.end(), _CODES.get(name, match[0].upper())


def only_currency(text: str) -> str:
    """Return the code of the one currency that a text names; "" where it names none or several.

    A sign that a code goes before is that code's: `CAD $40`.
    """
    found = {code for _, _, code in find_currencies(text)}
    if len(found) > 1:
        found.discard("USD" if "$" in text and "USD" not in text else "")
    return found.pop() if len(found) == 1 else ""
