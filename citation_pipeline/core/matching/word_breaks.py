"""What the breaks between words say, which the key does not show: `not able` is not `notable`, and `No.
Recovery expected` is not `No recovery expected`.

Whether letters were misread is `wording`'s work; marks beside figures are `marks`'.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from citation_pipeline.core.matching.confusions import slips_between
from citation_pipeline.core.matching.folding import fold, fold_all
from citation_pipeline.core.matching.vocabulary import NEGATIONS, is_inverted, is_listed

_PREFIXES = frozenset((b"a", b"an", b"in", b"no", b"not"))  # words that may begin another one
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
    ours, theirs = fold_all(quoted), fold_all(printed)
    return any(
        first in _PREFIXES
        and is_listed(whole)
        and is_listed(second)
        and whole not in NEGATIONS
        and (first in NEGATIONS or is_inverted(whole, second))
        for a, b in ((ours, theirs), (theirs, ours))
        for whole, first, second in _torn(a, b)
    )


def _torn(ours: Sequence[bytes], theirs: Sequence[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield each word of the one side that is two of the other, and these two."""
    begins = {begin: at for at, begin in enumerate(accumulate(map(len, theirs), initial=0))}
    begin = 0
    for key in ours:
        at = begins.get(begin)
        begin += len(key)
        pair = theirs[at : at + 2] if at is not None else ()
        if len(pair) == 2 and pair[0] and pair[0] + pair[1] == key:
            yield key, pair[0], pair[1]


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
