"""What the breaks between words say, which the key does not show: `not able` is not `notable`, and `No.
Recovery expected` is not `No recovery expected`.

Whether letters were misread is `wording`'s work; marks beside figures are `marks`'.
"""

from collections.abc import Sequence
from itertools import pairwise

from citation_pipeline.core.matching.confusions import slips_between
from citation_pipeline.core.matching.folding import fold, fold_all
from citation_pipeline.core.matching.vocabulary import NEGATIONS, is_inverted, is_listed

_DENIALS = frozenset(("no", "not"))
_PREFIXES = _DENIALS | {"a", "an", "in"}  # words that may begin another one
_STOPS = (".", "?", "!", ";")
_LEAST_JOINED = 2  # letters of a word that denies, to be told at an end of a longer one


def joins_denial(quoted: str, printed: str) -> bool:
    """Tell whether of two texts that differ one holds a word that denies, run together with others, and the
    other is nearer without it: `be not provided` of `be nr0vided`, `accept` of `acceptno`."""
    return _adds_denial(quoted, fold(printed)) or _adds_denial(printed, fold(quoted))


def _adds_denial(text: str, other: bytes) -> bool:
    parts = [fold(part) for part in text.split()]
    whole = b"".join(parts)
    known = slips_between(whole, other)
    for at, part in enumerate(parts):
        if part in NEGATIONS and len(parts) > 1:
            rest = b"".join([*parts[:at], *parts[at + 1 :]])
            if slips_between(rest, other) <= known:
                return True
    lost = len(whole) - len(other)
    if lost < _LEAST_JOINED or is_listed(whole):
        return False
    return any(
        denial in NEGATIONS and slips_between(rest, other) <= 1
        for denial, rest in ((whole[:lost], whole[lost:]), (whole[-lost:], whole[:-lost]))
    )


def turns_by_spaces(quoted: Sequence[str], printed: Sequence[str]) -> bool:
    """Tell whether of two texts of one key one has a word that says the opposite of what the other has in
    two: `incapable hands` of `in capable hands`."""
    for torn, whole in ((quoted, printed), (printed, quoted)):
        for first, second in pairwise(torn):
            if (first := first.lower()) not in _PREFIXES or not is_listed(stem := fold(second)):
                continue
            joined = fold(first) + stem
            is_turned = first in _DENIALS or is_inverted(joined, stem)
            if is_turned and is_listed(joined) and joined not in NEGATIONS and joined in fold_all(whole):
                return True
    return False


def turns_by_stops(quoted: Sequence[str], printed: Sequence[str]) -> bool:
    """Tell whether of two texts of one key, word for word, one denies alone and begins a sentence behind it,
    where the other denies what follows."""
    if len(quoted) != len(printed):
        return False
    return any(
        a.endswith(_STOPS) != b.endswith(_STOPS)
        and c[:1].isupper() != d[:1].isupper()
        and fold(a) in NEGATIONS
        for (a, c), (b, d) in zip(pairwise(quoted), pairwise(printed), strict=True)
    )
