"""How many tokens a text is likely to have, whichever model reads it: an order of lengths, not a count.

Letters share tokens, figures and signs hardly do: a ledger has twice the tokens of a letter of its length.
What a model's own tokenizer makes of each is measured (`adapters/conversation/token_rates`).
"""

import re

Shape = tuple[int, ...]
"""What a text consists of, as counts: words, their letters, letters of words in capitals, numbers, their
digits, signs, signs that repeat the one before them, line ends; and tokens of pictures beside it."""

_WORDS = re.compile(r"[^\W\d_]+")
_CAPITALS = re.compile(r"[A-Z]{2,}")
_NUMBERS = re.compile(r"\d+")
_SIGNS = re.compile(r"([^\w\s]|_)\1*")

RATES = (0.5, 0.15, 0.0, 0.0, 0.4, 0.9, 0.9, 0.9, 1.0)
"""Likely tokens for each of a shape's counts: short words are one token, long ones two or three."""

NO_SHAPE: Shape = (0,) * len(RATES)


def text_shape(text: str, *, image_tokens: int = 0) -> Shape:
    """Return what a text consists of."""
    words, numbers = _WORDS.findall(text), _NUMBERS.findall(text)
    runs = [found.end() - found.start() for found in _SIGNS.finditer(text)]
    return (
        len(words),
        sum(map(len, words)),
        sum(map(len, _CAPITALS.findall(text))),
        len(numbers),
        sum(map(len, numbers)),
        len(runs),
        sum(runs) - len(runs),
        text.count("\n"),
        image_tokens,
    )


def sum_of(*shapes: Shape) -> Shape:
    """Return what texts consist of together."""
    return tuple(map(sum, zip(NO_SHAPE, *shapes, strict=True)))


def likely_tokens_of(shape: Shape) -> int:
    """Return the likely tokens of what a text consists of."""
    return round(sum(rate * count for rate, count in zip(RATES, shape, strict=True)))


def likely_tokens(text: str) -> int:
    """Return the likely tokens of a text."""
    return likely_tokens_of(text_shape(text))
