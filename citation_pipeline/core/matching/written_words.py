"""What a written word is by its looks: a name, an identifier, a foreign word, a word at all.

Whether two of them are one word misread is `wording`'s decision.
"""

import re
from functools import lru_cache

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.vocabulary import (
    count_run,
    is_listed,
    is_name,
    known_words,
    light_words,
)

AROUND = "()[]{}.,;:!?\"'“”‘’*_"
"""Marks around a word that are no part of it."""
OPENING = "([{\"'“‘"
"""Marks before a word."""
SENTENCE_ENDS = (".", "?", "!", "。", "؟")
CLAUSE_ENDS = (*SENTENCE_ENDS, ";")
"""Marks behind a word that end a sentence, or a clause that stands by itself."""

_STROKE = re.compile(r"[a-z]I(?:[a-z]|\b)")  # a capital inside a word in small letters is a scanner's l
_HYPHEN = re.compile("[-‐‑]")
_ROMAN = re.compile(rb"[ivxlcdm]+")
_ADDRESS = re.compile(r"\w@\w|://|^www\.|\w\.(?:com|org|net|gov|edu|info)\b", re.IGNORECASE)
_SHORT_CODE = 3  # capitals of an abbreviation or a code
_LONG_CODE = 5
_LEAST_NAME = 3
_RUN = 3  # letters in a row by which a name is judged
_SELDOM, _TIMES_SELDOMER = 10, 5


def is_word(key: bytes, text: str, index: DocumentIndex) -> bool:
    """Tell whether a key is a word in its own right: listed, a name, or printed by the document."""
    if _STROKE.search(text):
        return False
    if key in index.vocabulary or is_listed(key) or (len(key) > 1 and key in light_words()):
        return True
    return (is_capitalized(text) and is_name(key)) or is_hyphenated(text)


def is_hyphenated(text: str) -> bool:
    """Tell whether hyphens join listed words: `thirty-one`, which no list has whole."""
    parts = _HYPHEN.split(text.strip(AROUND))
    return len(parts) > 1 and all(len(part) > 1 and is_listed(fold(part)) for part in parts)


def is_capitalized(text: str) -> bool:
    """Tell whether a written word begins with a capital."""
    return text.strip(AROUND)[:1].isupper()


def is_evenly_cased(text: str) -> bool:
    """Tell whether a word is all small, all capitals, or capitalized."""
    bare = text.strip(AROUND)
    return bare.islower() or bare.isupper() or bare.istitle()


def is_address(text: str) -> bool:
    """Tell whether a text is an address of the internet, every character of which counts."""
    return _ADDRESS.search(text) is not None


def is_roman(key: bytes) -> bool:
    """Tell whether a key may be a Roman numeral."""
    return _ROMAN.fullmatch(key) is not None


def are_identifiers(quoted: str, printed: str, keys: tuple[bytes, bytes]) -> bool:
    """Tell whether two words are a few capitals or Roman numerals, of which every stroke counts."""
    ours, theirs = quoted.strip(AROUND), printed.strip(AROUND)
    if not ours.isupper() or not theirs.isupper():
        return False
    if is_roman(keys[0]) and is_roman(keys[1]):
        return True
    longest = max(map(len, keys))
    if longest > _SHORT_CODE:
        # CRPS and CPRS, EAMS and EMAS; words and surnames in capitals are listed
        if longest > _LONG_CODE or sorted(keys[0]) != sorted(keys[1]):
            return False
        return not any(is_listed(key) or is_name(key) for key in keys)
    return len(keys[1]) == 1 or keys[1] not in known_words()


def is_name_like(text: str, key: bytes) -> bool:
    """Tell whether a printed word is capitalized and no common word: a person, a firm, a place, a drug."""
    if len(key) < _LEAST_NAME or not is_capitalized(text) or key in known_words():
        return False
    return is_name(key) or not is_listed(key)


def is_worse_spelt(key: bytes, than: bytes) -> bool:
    """Tell whether a name holds letters in a row that names and words hardly ever do, and another does not.

    `Wesfergren` is a misreading of `Westergren`; of `Petrenko` and `Petrenka` either may be meant.
    """
    ours = _rarest_run(key)
    return ours < _SELDOM and ours * _TIMES_SELDOMER < _rarest_run(than)


@lru_cache(maxsize=1024)
def _rarest_run(key: bytes) -> int:
    bound = b"\n" + key + b"\n"
    return min(count_run(bound[at : at + _RUN]) for at in range(len(bound) - _RUN + 1))
