"""Large words that take a page back (VOID, SUPERSEDED, DRAFT): over its print, or as a stamp beside it.

What else is printed across pages (CONFIDENTIAL, COPY, a company's name) takes nothing back.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PageWords

MARKED_VOID, PRINTED_ACROSS = "marked_void", "printed_across"
"""Warnings of a page that is stamped so, and of one over which other large words run."""

_VOIDING = frozenset(
    # English, Spanish, French, German, Italian, Portuguese, Polish
    b"void voided draft superseded cancelled canceled cancel specimen sample obsolete withdrawn rescinded"
    b" revoked expired invalid annulled nullified null replaced outdated retracted rejected preliminary"
    b" anulado anulada borrador cancelado cancelada caducado vencido obsoleto reemplazado muestra"
    b" annule annulee brouillon perime remplace caduc entwurf ungultig storniert ersetzt muster aufgehoben"
    b" bozza annullato sostituito rascunho substituido niewazny niewazne projekt anulowano".split()
)
_DENYING = (
    "not valid",
    "not for use",
    "do not use",
    "do not pay",
    "not approved",
    "no longer valid",
    "not final",
)
_BESIDE = frozenset(
    b"and by on the this document report copy version page check cheque not for in of only review discussion"
    b" purposes see new revised dated issued y por de et und".split()
)
_HARMLESS = frozenset(
    b"confidential privileged confidencial confidentiel vertraulich original proprietary restricted private"
    b" personal and attorney client work product internal use only".split()
)
_LARGER = 1.4  # sizes of usual print: a stamp beside it
_MOST_WORDS = 6
_LETTERS = re.compile(r"[^\W_]+")
_FOLDED = str.maketrans("áàâäãéèêëíìîïóòôöõúùûüñçążśźćłęń", "aaaaaeeeeiiiiooooouuuuncazszclen")


def void_warnings(words: PageWords, across: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return the warnings of a page with large words on it; `across` marks those that run over its lines."""
    spelled = [_key(words.texts[at]) for at in np.flatnonzero(across).tolist()]
    if takes_back(" ".join(spelled)):
        return (MARKED_VOID,)
    if _has_stamp(words, across):
        return (MARKED_VOID,)
    strange = [text for text in spelled if any(key not in _HARMLESS for key in _keys(text))]
    return (PRINTED_ACROSS,) if strange else ()


def takes_back(text: str) -> bool:
    """Tell whether a watermark takes back what it is printed over."""
    said = _key(text)
    return any(key in _VOIDING for key in _keys(said)) or any(phrase in said for phrase in _DENYING)


def _has_stamp(words: PageWords, across: NDArray[np.bool_]) -> bool:
    """Tell whether large words that stand by themselves on their line take the page back."""
    large = words.sizes >= _LARGER * (float(np.median(words.sizes)) if len(words) else 0.0)
    said = [at for at in np.flatnonzero(large & ~across).tolist() if _may_void(words.texts[at])]
    return any(_is_voiding(_beside(words, at)) for at in said)


def _may_void(text: str) -> bool:
    return text.upper() == text and any(
        key in _VOIDING or key in (b"not", b"do", b"no") for key in _keys(_key(text))
    )


def _beside(words: PageWords, at: int) -> Sequence[str]:
    """Return the words on one line with a word that are of its size, from left to right."""
    edges, size = words.edges, float(words.sizes[at])
    middles = (edges[:, 1] + edges[:, 3]) / 2
    near = (
        (np.abs(middles - middles[at]) < size / 2)
        & (words.sizes > 0.7 * size)
        & (words.sizes < 1.5 * size)
        & (words.turns == words.turns[at])
    )
    return [words.texts[one] for one in np.flatnonzero(near)[np.argsort(edges[near, 0])].tolist()]


def _is_voiding(texts: Sequence[str]) -> bool:
    said = " ".join(map(_key, texts))
    keys = _keys(said)
    if not keys or len(keys) > _MOST_WORDS or any(text.upper() != text for text in texts):
        return False
    if said.startswith(_DENYING):
        return True
    return keys[0] in _VOIDING and all(key in _VOIDING or key in _BESIDE or key.isdigit() for key in keys)


def _key(text: str) -> str:
    return " ".join(_LETTERS.findall(text.lower().translate(_FOLDED)))


def _keys(said: str) -> list[bytes]:
    return said.encode().split()
