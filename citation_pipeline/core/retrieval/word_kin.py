"""Words of like meaning that no list of the project names: `boss` and `supervisor`, `rival` and `competitor`.

They are data, `schemas/questions/word_kin.txt.gz`, written by `benchmarks/build_word_kin.py`; `SOURCES.md`
beside it names the model they come from. They hint, they are never taken for the word itself.
"""

import gzip
import math
from collections.abc import Mapping
from functools import cache
from importlib import resources

from citation_pipeline.core.retrieval.terms import term_of

_COMMON = 50  # how many words of the language are so common that they tell next to nothing
_LEAST, _MOST = 0.5, 0.9  # cosines that count nothing, and as the same meaning


@cache
def _kin() -> Mapping[str, Mapping[str, float]]:
    path = resources.files("citation_pipeline.schemas") / "questions" / "word_kin.txt.gz"
    found: dict[str, dict[str, float]] = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        word, *nearest = line.split()
        own = found.setdefault(term_of(word), {})
        for entry in nearest:
            other, _, hundredths = entry.partition(":")
            likeness = min(1.0, (int(hundredths) / 100 - _LEAST) / (_MOST - _LEAST))
            term = term_of(other)
            own[term] = max(own.get(term, 0.0), likeness)
    return found


def alike_terms(term: str) -> Mapping[str, float]:
    """Return the terms of like meaning with how near they are, in 0-1; of a name or a number none."""
    return {other: near for other, near in _kin().get(term, {}).items() if other != term}


@cache
def _ranks() -> Mapping[str, int]:
    """Return each term's place in the list, whose words stand from the commonest to the rarest."""
    path = resources.files("citation_pipeline.schemas") / "questions" / "word_kin.txt.gz"
    ranks: dict[str, int] = {}
    for rank, line in enumerate(gzip.decompress(path.read_bytes()).decode().splitlines()):
        ranks.setdefault(term_of(line.split(" ", 1)[0]), rank)
    return ranks


def rarity_of(term: str) -> float:
    """Return how rare a term is in the language, in 0-1: names, numbers and words in no list are rarest.

    What a claim's own counts say is another thing: there a plain word may be rare, and tell nothing.
    """
    ranks = _ranks()
    rank = ranks.get(term, len(ranks))
    return math.log1p(rank / _COMMON) / math.log1p(len(ranks) / _COMMON)


@cache
def _plain_words() -> frozenset[str]:
    path = resources.files("citation_pipeline.schemas") / "questions" / "word_kin.txt.gz"
    return frozenset(line.split()[0] for line in gzip.decompress(path.read_bytes()).decode().splitlines())


def is_plain_word(word: str) -> bool:
    """Tell whether a word is listed as one of the language, in any of its plain endings."""
    plain, listed = word.lower(), _plain_words()
    if plain in listed:
        return True
    return any(plain.endswith(end) and plain[: -len(end)] in listed for end in ("s", "es", "ed", "ing", "ly"))
