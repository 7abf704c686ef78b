"""What the words after a comparison say, by the type of the field that they are compared with.

A reading takes all the words or none: what is left over makes it no reading.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.retrieval.conditions.condition import SearchableField, fold_value
from citation_pipeline.core.retrieval.conditions.lexing import TEMPORAL, WEAK, Token
from citation_pipeline.core.retrieval.conditions.naming import name_words, words_of_field
from citation_pipeline.core.retrieval.conditions.unquoted import name_of, written

_DOLLARS = name_words("dollars usd dollar")
_PERCENT = name_words("percent percentage share")
_OTHER_CURRENCIES = "€£¥₹₽₩₪฿"
_BOOLEANS = {"yes": True, "true": True, "y": True, "no": False, "false": False, "n": False}
_ORDERS = (">", ">=", "<", "<=", "between")
_WORD_OPERATORS = ("contains", "does not contain", "starts with", "does not start with")


@dataclass(frozen=True, slots=True)
class Reading:
    """An operator and what it compares with."""

    operator: str
    value: Any = None
    upper: Any = None


def read_value(
    comparison: Token, right: Sequence[Token], field: SearchableField, text: str
) -> Reading | None:
    """Return what a comparison with these words says of a field; None when it is none for its type."""
    symbol = comparison.symbol
    if symbol in ("missing", "present"):
        return Reading(symbol) if not right else None
    if not right:
        return None
    if symbol in _WORD_OPERATORS:
        return _words_read(symbol, right, text) if field.kind in ("string", "array") else None
    if field.kind == "number":
        return _read_number(symbol, right, field) if comparison.lower not in TEMPORAL else None
    if field.kind == "date":
        return _read_date(symbol, right)
    if symbol not in ("=", "!="):
        return None
    if field.kind == "boolean":
        said = _BOOLEANS.get(right[0].lower) if len(right) == 1 else None
        return Reading(symbol, said) if said is not None else None
    if field.kind == "enum":
        return _read_member(symbol, right, field, text)
    if field.kind == "array":
        return None
    return _words_read(symbol, right, text)


def _bounds(right: Sequence[Token]) -> tuple[Token, Token] | None:
    """Return the two values of `5 and 10`, `5 to 10`, `2024 through 2025`."""
    if len(right) != 3 or right[0].kind != "value" or right[2].kind != "value":
        return None
    joins = right[1].kind == "and" and right[1].lower == "and"
    return (right[0], right[2]) if joins or right[1].lower in ("to", "until", "through", "-") else None


def _read_number(symbol: str, right: Sequence[Token], field: SearchableField) -> Reading | None:
    own = words_of_field(field)
    is_share = bool(own & _PERCENT)
    known = own | (_PERCENT if is_share else _DOLLARS)
    tokens = list(right)
    if any(not _is_of_its_kind(token.text, is_share=is_share) for token in tokens if token.kind == "value"):
        return None
    while len(tokens) > 1 and tokens[-1].kind == "word" and _is_unit(tokens[-1].text, known):
        tokens.pop()  # "10,000 dollars", "12 percent"
    if (pair := _bounds(tokens)) is not None and symbol in ("between", "="):
        low, high = pair[0].number, pair[1].number
        return Reading("between", low, high) if low is not None and high is not None and low <= high else None
    symbol, tokens = _with_post(symbol, tokens)
    if len(tokens) != 1 or tokens[0].number is None or symbol == "between":
        return None
    return Reading(symbol, tokens[0].number) if symbol in (*_ORDERS, "=", "!=") else None


def _is_unit(word: str, known: frozenset[str]) -> bool:
    """Tell whether a word behind a number adds nothing: its field's own, an article, the sentence's end."""
    return name_words(word) <= known and (word[:2].lstrip("/")[:1].isalnum() or set(word) <= set(".?!"))


def _is_of_its_kind(written: str, *, is_share: bool) -> bool:
    """Tell whether a number's own sign is one that the field can have: no percent of money, no other money.

    An amount in brackets is negative to an accountant and only bracketed to others.
    """
    if any(sign in written for sign in (*_OTHER_CURRENCIES, "(")):
        return False
    return "$" not in written if is_share else "%" not in written and "percent" not in written.lower()


def _with_post(symbol: str, tokens: list[Token]) -> tuple[str, list[Token]]:
    """Return `= 5 or more` as `>= 5`."""
    if symbol == "=" and tokens and tokens[-1].kind == "post":
        return tokens[-1].symbol, tokens[:-1]
    return symbol, tokens


def _read_date(symbol: str, right: Sequence[Token]) -> Reading | None:
    tokens = list(right)
    while tokens and tokens[0].lower in WEAK:
        tokens = tokens[1:]
    if (pair := _bounds(tokens)) is not None and symbol in ("between", "="):
        low, high = pair[0].period, pair[1].period
        if low is None or high is None or low.first > high.last:
            return None
        return Reading("between", low.first, high.last)
    symbol, tokens = _with_post(symbol, tokens)
    if len(tokens) != 1 or tokens[0].period is None or symbol == "between":
        return None
    period = tokens[0].period
    if symbol in ("=", "!=") and period.first != period.last:
        return Reading("between" if symbol == "=" else "not between", period.first, period.last)
    # after 2024 means after its last day, until 2024 up to it
    return Reading(symbol, period.last if symbol in (">", "<=") else period.first)


def _words_read(symbol: str, right: Sequence[Token], text: str) -> Reading | None:
    said = name_of(right, text)
    return Reading(symbol, said) if said else None


def _read_member(symbol: str, right: Sequence[Token], field: SearchableField, text: str) -> Reading | None:
    said = right[0].text if len(right) == 1 and right[0].kind == "quoted" else written(right, text)
    wanted = fold_value(said).replace("-", " ")
    for member in field.enum:
        if fold_value(member).replace("-", " ") == wanted:
            return Reading(symbol, member)
    return None
