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
_COMPOUNDS = frozenset(b"maybe everyday already altogether sometime sometimes apart".split())
"""Words that say something else than their two parts: `may be`, `every day`, `a part`."""
_FIRST_PARTS = _PREFIXES | {"may", "every", "all", "some"}
_REPEATED = frozenset(
    b"""
sign signs signed signing cover covers covered covering form forms formed forming formation sent create
created creates creating creation present presents presented lease leased leases leasing sort sorted sorts lay
laid serve served serves serving mark marked marks press pressed count counted counts collect collected
collects collection sound sounded dress dressed treat treated treating treats treatment fuse fused pair paired
pairs store stored stores strain strained move moved solve solved solves pose posed posing tire tired act
acted search prove proved turn turned view viewed place placed places call called tract lie lied late lated
bound
""".split()
)
"""Words that say something else behind `re` than behind `re-`: resigned is not re-signed."""
_LONGEST_MOVE = 3  # words by which a comma is moved: farther apart two of them were added and left out
_STOPS = (".", "?", "!", ";")
_LEAST_JOINED = 2  # letters of a word that denies, to be told at an end of a longer one


def joins_denial(quoted: str, printed: str) -> bool:
    """Tell whether of two texts that differ one holds a word that denies, run together with others, and the
    other is nearer without it: `be not provided` of `be nr0vided`, `accept` of `acceptno`."""
    return _adds_denial(quoted, fold(printed)) or _adds_denial(printed, fold(quoted))


def _adds_denial(text: str, other: bytes) -> bool:
    parts = [fold(part) for part in text.split()]
    whole = b"".join(parts)
    lost = len(whole) - len(other)
    # most pairs are one word for one: nothing of them can be a word that denies
    if len(parts) > 1 and not NEGATIONS.isdisjoint(parts):
        known = slips_between(whole, other)
        for at, part in enumerate(parts):
            rest = b"".join([*parts[:at], *parts[at + 1 :]])
            if part in NEGATIONS and slips_between(rest, other) <= known:
                return True
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
            if (first := first.lower()) not in _FIRST_PARTS or not is_listed(stem := fold(second)):
                continue
            joined = fold(first) + stem
            if first not in _PREFIXES and joined not in _COMPOUNDS:
                continue
            is_turned = first in _DENIALS or joined in _COMPOUNDS or is_inverted(joined, stem)
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


def turns_by_hyphen(quoted: Sequence[str], printed: Sequence[str]) -> bool:
    """Tell whether of two texts of one key one does again what the other's word does not say: `re-signed`
    quoted as `resigned`. A word that is parted at a line's end is two words, and says what it says joined."""
    for parted, whole in ((quoted, printed), (printed, quoted)):
        for text in parted:
            head, hyphen, rest = text.lower().partition("-")
            if hyphen and fold(head) == b"re" and fold(rest) in _REPEATED:
                joined = b"re" + fold(rest)
                if any(fold(other) == joined and "-" not in other for other in whole):
                    return True
    return False


def moves_comma(quoted: Sequence[str], printed: Sequence[str]) -> bool:
    """Tell whether a comma is behind another word than on the page: `not, except at` as `not except, at`.

    A comma that is only added or left out is a matter of taste.
    """
    if len(quoted) != len(printed):
        return False
    added: list[int] = []
    left_out: list[int] = []
    for at, (a, b) in enumerate(zip(quoted[:-1], printed, strict=False)):
        if a != b and a.endswith(",") != b.endswith(",") and a.rstrip(",") == b.rstrip(","):
            (added if a.endswith(",") else left_out).append(at)
    return any(abs(a - b) <= _LONGEST_MOVE for a in added for b in left_out)
