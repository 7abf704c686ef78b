"""Whether a quotation stops right before, or begins right behind, the word that denies what it says.

`paid in May` of `was not paid in May` is printed letter by letter and says the opposite. A statement that is
cut so is contradicted by the page; of a name or a value (`fever` of `no fever`) only a person can tell.
"""

import re
from functools import cache

from citation_pipeline.core.matching.clauses import is_finite
from citation_pipeline.core.matching.cut_clauses import TURNED, is_turned
from citation_pipeline.core.matching.denied_lists import is_denied_item
from citation_pipeline.core.matching.folding import fold, spell
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.neighbourhoods import are_cells_apart
from citation_pipeline.core.matching.omissions import denies
from citation_pipeline.core.matching.vocabulary import NEGATION_PARTS, NEGATIONS, lines_of
from citation_pipeline.core.matching.void_sections import is_void
from citation_pipeline.core.matching.written_words import CLAUSE_ENDS, OPENING

_ENDS = (*CLAUSE_ENDS, ":")
_PAUSES = (*_ENDS, ",")
_MOST_BEHIND = 2  # words behind a denial that ends its clause: `stimmt nicht zu.`
_MOST_KEPT = 1_000  # places whose codes are kept
_LEAST_STATED = 2  # words of a statement
_NE = re.compile("ne|n['’].+", re.IGNORECASE)
_STEMS = tuple(map(spell, ("않", "못")))  # of verbs that deny the one before them
_NE_REACH = 3  # words before the second half of a French denial


@cache
def _places() -> dict[str, frozenset[bytes]]:
    found: dict[str, set[bytes]] = {}
    for line in lines_of("denial_places.txt"):
        kind, _, words = line.partition(":")
        found.setdefault(kind, set()).update(map(fold, words.split()))
    return {kind: frozenset(keys) for kind, keys in found.items()}


def code_of_clipping(
    index: DocumentIndex, first: int, last: int, *, asks: bool = False, around: tuple[str, str] = ("", "")
) -> str:
    """Return what is left out beside the words [first, last] of a quotation, or nothing.

    `negation_differs` where the page denies the statement, `denial_beside` where it may, `turn_left_out`
    where its sentence or list turns it otherwise; `asks` and `around` are as `cut_clauses` has them.
    """
    # of the places of one quotation the same is asked several times
    known, place = index.clippings, (first, last, asks)
    if around != ("", ""):
        return _code_at(index, first, last, asks=asks, around=around)
    if place not in known:
        if len(known) >= _MOST_KEPT:
            known.clear()
        known[place] = _code_at(index, first, last, asks=asks, around=around)
    return known[place]


def _code_at(index: DocumentIndex, first: int, last: int, *, asks: bool, around: tuple[str, str]) -> str:
    keys = index.keys
    if first and _may_deny(keys[first - 1]) and _denies_behind(index, first):
        return "negation_differs" if _is_stated(index, first, last) else "denial_beside"
    if last + 1 < len(keys) and _denies_before(index, last + 1) and _is_one_sentence(index, last):
        return "negation_differs" if _is_ended(index, first, last) else "denial_beside"
    is_left_out = (
        is_turned(index, first, last, asks=asks, around=around)
        or is_denied_item(index, first, last)
        or is_void(index, first, last)
    )
    return TURNED if is_left_out else ""


def _denies_before(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word of the page may deny what is before it: `nicht`, `않았다`."""
    key = index.keys[word]
    return key in _places()["behind"] or (
        not key.isascii() and spell(index.words.texts[word]).startswith(_STEMS)
    )


def _may_deny(key: bytes) -> bool:
    return key in NEGATIONS or key in _places()["ne"] or not key.isascii()


def _denies_behind(index: DocumentIndex, first: int) -> bool:
    """Tell whether the word before a place denies what is behind it, in one sentence and one cell."""
    before, texts, keys = first - 1, index.words.texts, index.keys
    if not _is_one_sentence(index, before):
        return False
    # a capital begins a name or another sentence, a figure is the number of something
    printed = texts[first].lstrip(OPENING)[:1]
    if not printed.isalpha() or (printed.isupper() and keys[before] not in _places()["capitals"]):
        return False
    if keys[before] in _places()["ne"]:
        near = texts[max(0, before - _NE_REACH) : before]
        return any(_NE.fullmatch(text) for text in near)
    if keys[before] in _places()["articles"]:
        return False
    # what answers a question or a box denies nothing behind it
    if before and (texts[before - 1].endswith((":", "?")) or not keys[before - 1]):
        return False
    if keys[before] in NEGATIONS:
        return denies(index, before)
    return spell(texts[before]).endswith(NEGATION_PARTS)


def _is_one_sentence(index: DocumentIndex, word: int) -> bool:
    """Tell whether the next word belongs to the same sentence, block and cell."""
    words = index.words
    if not words.texts[word][-1:].isalpha() or words.block.item(word) != words.block.item(word + 1):
        return False
    return words.line.item(word) != words.line.item(word + 1) or not are_cells_apart(index, word)


def _is_stated(index: DocumentIndex, first: int, last: int) -> bool:
    """Tell whether what is quoted behind a denial is the rest of its clause, with a verb."""
    keyed = [word for word in range(first, last + 1) if index.keys[word]]
    if len(keyed) < _LEAST_STATED or not _ends_clause(index, last):
        return False
    texts = index.words.texts
    if any(
        texts[word].endswith(_ENDS)
        for word in keyed[:-1]
        if len(texts[word]) > 2 and not texts[word].endswith(":")
    ):
        return False
    if index.keys[first - 1] not in _places()["nouns"]:
        return True
    return any(is_finite(index, word) for word in keyed)


def _ends_clause(index: DocumentIndex, last: int) -> bool:
    """Tell whether a clause ends with a word: a stop, or the end of its block or row."""
    words = index.words
    if words.texts[last].endswith(_PAUSES) or last + 1 == len(words.texts):
        return True
    if words.block.item(last) != words.block.item(last + 1):
        return True
    is_new_line = words.line.item(last) != words.line.item(last + 1)
    return is_new_line and words.texts[last + 1].lstrip(OPENING)[:1].isupper()


def _is_ended(index: DocumentIndex, first: int, last: int) -> bool:
    """Tell whether a place begins a sentence whose clause ends with the denial right behind it."""
    words, denial = index.words, last + 1
    is_led = (
        not first
        or words.texts[first - 1].endswith(_ENDS)
        or (words.block.item(first - 1) != words.block.item(first))
    )
    if not is_led or last == first:
        return False
    return any(
        _ends_clause(index, word) for word in range(denial, min(denial + _MOST_BEHIND, len(words.texts)))
    )
