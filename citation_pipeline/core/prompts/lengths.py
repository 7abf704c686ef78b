"""How many tokens a text is likely to have, whichever model reads it: an order of lengths, not a count.

Letters share tokens, figures and signs hardly do: a ledger has twice the tokens of a letter of its length.
What a model's own tokenizer makes of it is measured against this (`adapters/conversation/measured_usage`).
"""

import re

_WORDS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d")
_SIGNS = re.compile(r"[^\w\s]|_|\n")
_PER_WORD, _PER_LETTER = 0.5, 0.15  # short words are one token, long ones two or three
_PER_DIGIT, _PER_SIGN = 0.4, 0.9


def likely_tokens(text: str) -> int:
    """Return the likely tokens of a text."""
    words = _WORDS.findall(text)
    letters = sum(map(len, words))
    figures = _PER_DIGIT * len(_DIGITS.findall(text)) + _PER_SIGN * len(_SIGNS.findall(text))
    return round(_PER_WORD * len(words) + _PER_LETTER * letters + figures)
