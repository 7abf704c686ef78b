"""How telling each term of a claim is: the rarer among what its documents state, the more."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.terms import light_terms
from citation_pipeline.core.retrieval.word_kin import rarity_of

_LIGHT = 0.22  # what a word that says little weighs beside others


_PLAINLY_LIGHT = 0.3
_CONCEPT = 0.8


@lru_cache(maxsize=50_000)
def telling_of(term: str) -> float:
    """Return in 0-1 how much a term tells of what is asked, whatever the documents: rare words tell most."""
    if term in light_terms():
        return _PLAINLY_LIGHT
    return _CONCEPT if term.startswith("@") else 0.4 + 0.6 * rarity_of(term)


@dataclass(frozen=True)
class TermWeights:
    """How telling each term is: the rarer among the statements, the more.

    `lower` are the words that the statements print in lower case somewhere: they are no names. `firms` are
    the first two words of firms' names: "San Joaquin" is no person where it begins a hospital's.
    """

    counts: Mapping[str, int]
    total: int
    lower: frozenset[str] = frozenset()
    firms: frozenset[str] = frozenset()

    def of(self, term: str) -> float:
        """Return the term's weight; a term that stands nowhere weighs most, one that says little hardly
        any."""
        # inverse document frequency over statements: a claim's own names are in hundreds of them and tell
        # none apart; the half keeps a term that is in none from infinity
        scale = _LIGHT if term in light_terms() else 1.0
        return scale * math.log(1 + (self.total + 1) / (self.counts.get(term, 0) + 0.5))

    def knows(self, term: str) -> bool:
        """Tell whether the term stands anywhere."""
        return term in self.counts


def weigh_terms(statements: Iterable[Statement]) -> TermWeights:
    """Count in how many statements each term stands."""
    counts: Counter[str] = Counter()
    lower: set[str] = set()
    firms: set[str] = set()
    total = 0
    for statement in statements:
        total += 1
        lower.update(statement.lower_words)
        firms.update(statement.firm_beginnings)
        counts.update(statement.label_terms | statement.text_terms | statement.context_terms)
    return TermWeights(counts, max(total, 1), frozenset(lower), frozenset(firms))
