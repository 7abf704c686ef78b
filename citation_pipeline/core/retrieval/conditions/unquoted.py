"""Values without quotation marks: the words behind `is`, where they are one name and nothing else.

A word that joins or limits (`Bob unless litigated`), or a small word among names in capitals (`Bob hence
litigated`), is no part of a name: the value is refused until it is quoted.
"""

from collections.abc import Sequence

from citation_pipeline.core.retrieval.conditions.lexing import WEAK, Token

_LONGEST_NAME = 8  # words
# words that join or limit what is said: in lower case inside a value without quotation marks they are no name
_CONNECTIVES = frozenset(
    (
        "if",
        "unless",
        "while",
        "when",
        "whenever",
        "where",
        "plus",
        "minus",
        "except",
        "excepting",
        "excluding",
    )
    + ("save", "besides", "also", "then", "than", "as", "nor", "xor", "yet", "though", "although", "because")
    + (
        "only",
        "instead",
        "rather",
        "without",
        "within",
        "per",
        "alone",
        "both",
        "either",
        "neither",
        "anymore",
    )
    + ("again", "still", "currently", "nobody", "somebody", "anybody", "anyone", "someone", "everyone", "any")
    + ("like", "unlike")
)
_NO_NAMES = frozenset(("none", "no one", "n/a", "na", "nil", "nothing"))
# words in lower case that a name in capitals may hold
_PARTICLES = frozenset(
    (
        "of",
        "the",
        "for",
        "de",
        "del",
        "della",
        "di",
        "da",
        "das",
        "do",
        "dos",
        "du",
        "la",
        "las",
        "le",
        "les",
        "el",
    )
    + (
        "los",
        "y",
        "e",
        "van",
        "von",
        "der",
        "den",
        "ter",
        "ten",
        "zu",
        "al",
        "bin",
        "ibn",
        "bint",
        "ap",
        "af",
        "av",
    )
)


def written(right: Sequence[Token], text: str) -> str:
    """Return the words of some tokens as they are written, without the sentence's end."""
    return text[right[0].start : right[-1].end].strip(" .?!")


def name_of(right: Sequence[Token], text: str) -> str:
    """Return the name that the words are, quoted or not; empty where they may say more than a name."""
    if len(right) == 1 and right[0].kind == "quoted":
        return right[0].text if right[0].text.strip() else ""
    if len(right) > _LONGEST_NAME or any(token.kind in ("quoted", "open", "close") for token in right):
        return ""
    for place, token in enumerate(right):
        follows = right[place + 1] if place + 1 < len(right) else None
        if token.kind in ("not", "or", "and", "comma", "post") or token.text in _CONNECTIVES:
            return ""
        is_mark = token.kind == "word" and not any(character.isalnum() for character in token.text)
        if is_mark and not (token.text == "&" and follows is not None and follows.text[:1].isupper()):
            return ""  # "Bob / Alice"; a firm's "Hall & Sons" is one name
        if token.kind == "comparison" and (
            token.lower not in WEAK or place == 0 or follows is None or follows.kind == "value"
        ):
            return ""
    said = written(right, text)
    return said if _is_one_name(right, said) else ""


def _is_one_name(right: Sequence[Token], said: str) -> bool:
    """Tell whether words are one name: in capitals but for particles, or all small."""
    if said.lower() in _NO_NAMES or "*" in said:
        return False
    small = [token.text for token in right if token.text[:1].islower()]
    has_capitals = any(token.text[:1].isupper() for token in right)
    return not has_capitals or all(word in _PARTICLES for word in small)
