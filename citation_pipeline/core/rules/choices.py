"""A field's choice and how its support is weighed: by documents, by days, by what else was read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.extraction import Confidence
from citation_pipeline.core.rules.readers.candidates import Candidate, Item

# A citation this much weaker than the best one would not convince a reader.
_CITED_WITHIN = 0.2


@dataclass(frozen=True)
class Choice:
    """A field's value with the candidates behind it, best first; `items` pair with a list's items."""

    value: Any
    support: Sequence[Candidate]
    confidence: Confidence
    items: Sequence[Item] = ()
    item_support: Sequence[Sequence[tuple[Candidate, Item]]] = ()
    has_conflict: bool = False
    is_derived: bool = False
    others: Sequence[Candidate] = ()
    is_doubtful: bool = False
    weaker: Sequence[Candidate] = ()
    """Readings of the same value that are too weak to be cited beside the best: they agree all the same."""


def summed(group: Sequence[Candidate]) -> float:
    """Add the best weight of each document: a document that repeats itself counts once."""
    best: dict[int, float] = {}
    for candidate in group:
        best[candidate.source] = max(best.get(candidate.source, 0.0), candidate.weight)
    return round(sum(best.values()), 4)


def ranked(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Order support for citing: the heavier reading first, then the newer document, then the tighter unit."""
    best = max(c.weight for c in chosen)
    kept = [c for c in chosen if c.weight >= best - _CITED_WITHIN]
    return sorted(
        kept,
        key=lambda c: (round(c.weight, 1), c.as_of, c.method != "sentence", -len(c.unit.words)),
        reverse=True,
    )


def confidence_of(support: Sequence[Candidate], others: Sequence[Candidate]) -> Confidence:
    """Return high, medium or low, by how many documents say so and how many say otherwise."""
    sources = {c.source for c in support}
    newest = max(c.as_of for c in support)
    rivals = {c.source for c in others if c.as_of >= newest}
    if rivals and len(rivals) >= len(sources):
        return Confidence.LOW
    if max(c.weight for c in support) < 0.7 or rivals:
        return Confidence.MEDIUM if len(sources) > 1 else Confidence.LOW
    return Confidence.HIGH if len(sources) > 1 else Confidence.MEDIUM
