"""Words and signs in a clause that a reading would lose: what holds one is refused.

`total paid !> 5`, `the day after 2024-01-01`, `is bob litigated`, `liens more than 3`.
"""

from collections.abc import Sequence

from citation_pipeline.core.retrieval.conditions.condition import SearchableField
from citation_pipeline.core.retrieval.conditions.lexing import TEMPORAL, Token
from citation_pipeline.core.retrieval.conditions.naming import PHRASE, name_words, named

QUANTIFIERS = frozenset(("all", "every", "each", "no", "none", "only", "both", "most"))
"""Words that speak of all items of a list, or of none."""

_OF_EACH = frozenset(("each", "every", "apiece", "individually"))
_TOTALS = frozenset(("sum", "total", "totals", "average", "combined", "together"))
_UNITS_OF_TIME = frozenset(("day", "days", "week", "weeks", "month", "months", "year", "years"))
_LEAST_SUM = 100  # a smaller number beside a list's name may count its items
_LOOSE_MARKS = frozenset("&/-–—.'’#")  # signs that names hold between words; any other says something


def stray_sign(tokens: Sequence[Token], token: Token) -> str:
    """Return a sign or a word beside a comparison that would be lost: `total paid =< 5`, `the day after`."""
    before = tokens[: tokens.index(token)]
    if before and token.lower in TEMPORAL and before[-1].lower in _UNITS_OF_TIME and len(before) > 1:
        return before[-1].text
    doubled = (t for t in before if t.kind == "comparison" and not t.text[0].isalpha() and t.text != ":")
    inner = tokens[:-1] if set(tokens[-1].text) <= set(".?!") and tokens[-1] is not token else tokens
    return next((t.text for t in (*doubled, *filter(is_stray, inner))), "")


def is_stray(token: Token) -> bool:
    """Tell whether a sign among the words is none that a name holds: `total paid !> 5`."""
    if token.kind != "word" or any(character.isalnum() for character in token.text):
        return False
    return not set(token.text) <= _LOOSE_MARKS


def stray_name(right: Sequence[Token], fields: Sequence[SearchableField]) -> str:
    """Return the small words behind a value's first that name a field: `is bob litigated`."""
    if any(each.kind == "quoted" for each in right):
        return ""
    for first in range(1, len(right)):
        for last in range(first + 1, len(right) + 1):
            run = right[first:last]
            if all(each.kind == "word" and each.text[:1].islower() for each in run):
                said = " ".join(each.text for each in run)
                if _names_field(said, fields):
                    return said
    return ""


def _names_field(said: str, fields: Sequence[SearchableField]) -> bool:
    kinds = ("boolean", "number", "date") if " " in said else ("boolean",)
    return any(
        level <= PHRASE and field.kind in kinds and not field.member for level, field in named(said, fields)
    )


def may_count_items(tokens: Sequence[Token], token: Token, fields: Sequence[SearchableField]) -> bool:
    """Tell whether the name of a list is compared with a small number: `liens more than 3`."""
    place = tokens.index(token)
    subject = name_words(" ".join(each.text for each in tokens[:place]))
    right = [each for each in tokens[place + 1 :] if each.kind != "not"]
    if not subject or not right or right[0].number is None or not right[0].text.isdigit():
        return False
    lists = (field for field in fields if field.kind == "array" and not field.member)
    return right[0].number < _LEAST_SUM and any(subject <= name_words(field.label) for field in lists)


def speaks_of_all(tokens: Sequence[Token], field: SearchableField, fields: Sequence[SearchableField]) -> bool:
    """Tell whether words ask for all items of a list or for their sum, and one item meets a condition.

    Or the other way round: `liens over 500 each` is not about their sum.
    """
    words = {token.lower for token in tokens}
    if field.member:
        summed = name_words(" ".join(words & _TOTALS))
        return not words.isdisjoint(QUANTIFIERS) or bool(summed - name_words(field.label))
    category = field.key.partition(".")[0]
    has_list = any(f.kind == "array" and f.key.partition(".")[0] == category for f in fields)
    return not words.isdisjoint(_OF_EACH) and (tokens[-1].lower in _OF_EACH or has_list)
