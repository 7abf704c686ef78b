"""Whether a word of a badly recognized page is what a recognizer left of the quoted one.

Letters alone do not tell: `hum` is a word, `toomn` is near several. What decides is which word the page is
likelier to have had. How the rest of the quotation was read, and what a difference means, is `wording`'s
work.
"""

from functools import cache, lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from citation_pipeline.core.matching.confusions import misreading_cost, readings_of, slips_between
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.numerals import look
from citation_pipeline.core.matching.vocabulary import (
    everyday_words,
    is_listed,
    light_words,
    opposites_of,
)

_LETTERS_PER_SLIP = 2  # of a word that is none: half of it may be misread
_TELLING_SLIPS = 2  # with one only, no word can be nearer
_LEAST_BESIDE = 3  # letters of a neighbour that tells which word is meant
_ENDINGS = (b"s", b"es", b"d", b"ed", b"ing", b"ly", b"er")
_MOST_PLACES = 40  # places of a word whose neighbours are looked at


def is_remnant(quoted: bytes, printed: bytes, index: DocumentIndex) -> bool:
    """Tell whether a misread word has enough letters of the quoted one to be what is left of it.

    Where fewer slips lead to a common word, to one of the document or to the opposite, it is left of that.
    """
    slips = slips_between(quoted, printed)
    if slips > max(1, len(quoted) // _LETTERS_PER_SLIP):
        return False
    if slips < _TELLING_SLIPS:
        return True
    # `extemally` is externally, whatever else is as near
    if any(key != quoted and is_listed(key) for key in readings_of(printed) if look(key) == look(printed)):
        return False
    near = (*_words_near(printed, slips - 1, index), *opposites_of(quoted))
    return all(slips_between(key, printed) >= slips for key in near)


def is_nearest(quoted: bytes, printed: bytes, index: DocumentIndex) -> bool:
    """Tell whether no common word and no word of the document is as near to a misread word as the quoted."""
    cost = misreading_cost(quoted, printed)
    near = _words_near(printed, slips_between(quoted, printed), index)
    return all(misreading_cost(key, printed) > cost for key in near if key != quoted)


def _words_near(printed: bytes, slips: int, index: DocumentIndex) -> list[bytes]:
    return [*_everyday_near(printed, slips), *filter(is_listed, index.keys_near(printed, slips))]


def is_likelier(quoted: bytes, printed: bytes, words: tuple[int, ...], index: DocumentIndex) -> bool:
    """Tell whether of two words, one slip apart, the page is likelier to have had the quoted one.

    A common word is read as a rarer one, seldom the other way round; and what the document says elsewhere of
    the same neighbour (`right knee`) it says here, rather than what it says nowhere (`night knee`).
    """
    if quoted in everyday_words() and not _is_everyday(printed) and index.count_of(printed) == 1:
        return slips_between(quoted, printed) <= 1
    if misreading_cost(quoted, printed) > 1:
        return False
    return _is_beside_same(quoted, words, index) and not _is_beside_same(printed, words, index)


def _is_beside_same(key: bytes, words: tuple[int, ...], index: DocumentIndex) -> bool:
    """Tell whether the document has a word elsewhere beside a neighbour that these words have."""
    keys = index.keys
    last = len(keys) - 1
    before = keys[words[0] - 1] if words[0] > 0 else b""
    behind = keys[words[-1] + 1] if words[-1] < last else b""
    before, behind = (beside if _is_telling(beside) else b"" for beside in (before, behind))
    if not before and not behind:
        return False
    places = [at for at in index.words_with(key, 0, len(keys))[:_MOST_PLACES] if at not in words]
    return any(
        (before and at > 0 and keys[at - 1] == before) or (behind and at < last and keys[at + 1] == behind)
        for at in places
    )


def _is_everyday(key: bytes) -> bool:
    """Tell whether a key is a common word or a form of one: `pulling` is as common as `pull`."""
    words = everyday_words()
    return key in words or any(
        key.endswith(ending) and (key[: -len(ending)] in words or key[: -len(ending)] + b"e" in words)
        for ending in _ENDINGS
    )


def _is_telling(key: bytes) -> bool:
    return len(key) >= _LEAST_BESIDE and key not in light_words()


@cache
def _everyday() -> list[bytes]:
    return sorted(everyday_words())


@lru_cache(maxsize=1024)
def _everyday_near(printed: bytes, slips: int) -> tuple[bytes, ...]:
    found = process.extract(printed, _everyday(), scorer=OSA.distance, score_cutoff=slips, limit=None)
    return tuple(key for key, _, _ in found)
