"""Which pages answer, whatever is read on them: measured page by page, the weights are fitted.

A page is looked at as a whole: what stands in pieces on it, of which none comes first among the statements,
still makes it the page to look at.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from citation_pipeline.core.retrieval.evidence import Evidence, weigh
from citation_pipeline.core.retrieval.sought import Sought
from citation_pipeline.core.retrieval.statements.statement import Statement

Place = tuple[str, int]
"""A document's source id and a page of it."""

_SCALE = 2.0  # scores: how fast a lesser candidate counts less
_HINT = 0.5  # what a word that only hints at the one asked for counts
_SATURATED, _LENGTHS = 1.2, 0.5  # as in BM25: repeated words, and long pages


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """A page with the best evidence on it; `features` is everything that was measured, `score` orders."""

    best: Evidence
    features: Mapping[str, float] = field(default_factory=dict)
    score: float = 0.0

    @property
    def place(self) -> Place:
        """The document and the page."""
        return self.best.statement.source_id, self.best.statement.page


def judge_pages(
    sought: Sought,
    statements: Sequence[Statement],
    ranked: Sequence[Evidence],
    hits: Sequence[Place] = (),
) -> list[PageEvidence]:
    """Measure the pages that have evidence; `hits` are pages as the index orders them."""
    if not ranked:
        return []
    pages: dict[Place, list[tuple[int, Evidence]]] = defaultdict(list)
    for number, evidence in enumerate(ranked):
        pages[evidence.statement.source_id, evidence.statement.page].append((number, evidence))
    words = _words_of_pages(sought, statements)
    top = ranked[0].score
    whole = math.fsum(math.exp((e.score - top) / _SCALE) for e in ranked)
    reached = {place: number for number, place in reversed(list(enumerate(dict.fromkeys(hits))))}
    return [
        PageEvidence(
            found[0][1],
            {
                **words.get(place, {}),  # a value may be cited where nothing else is stated
                **_of_evidence(found, top, whole),
                "hit": 1.0 / (1 + reached[place]) if place in reached else 0.0,
            },
        )
        for place, found in pages.items()
    ]


def rank_pages(pages: Sequence[PageEvidence], weights: Mapping[str, float]) -> list[PageEvidence]:
    """Return the pages in the order that weights give."""
    scored = [PageEvidence(page.best, page.features, weigh(page.features, weights)) for page in pages]
    return sorted(scored, key=lambda page: -page.score)


def _of_evidence(found: Sequence[tuple[int, Evidence]], top: float, whole: float) -> dict[str, float]:
    """Measure the evidence on a page: its best piece, all of it together, and what kind it is of."""
    number, best = found[0]
    shares = [math.exp((evidence.score - top) / _SCALE) for _, evidence in found]
    fields = [e.features.get("field_similarity", 0.0) for _, e in found if e.field_key and not e.near_miss]
    firsts = [e.features["field_similarity"] for _, e in found if e.features.get("field_first")]
    return {
        "best": shares[0],
        "together": math.fsum(shares) / whole,
        "rank": 1.0 / (1 + number),
        "near": (best.score - top) / 10,
        "near_miss": float(bool(best.near_miss)),
        "field": max(fields, default=0.0),
        "field_first": max(firsts, default=0.0),
        "covered_best": max(evidence.coverage for _, evidence in found),
        "typed": max(e.coverage * (e.typed is not None) for _, e in found),
        "named": max(1.0 - e.features.get("name_missing", 0.0) for _, e in found),
        "part_missing": min(e.features.get("subject_missing", 0.0) for _, e in found),
        "part_found": max(e.features.get("subject_found", 0.0) for _, e in found),
        "year_found": max(e.features.get("year_found", 0.0) for _, e in found),
        "recency_now": max(e.features.get("recency_now", 0.0) for _, e in found),
        "recency": best.statement.recency,
    }


def _words_of_pages(sought: Sought, statements: Sequence[Statement]) -> dict[Place, dict[str, float]]:
    """Return the shares of the question's words on each page and in its title, and its BM25 score."""
    counts: dict[Place, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    lengths: dict[Place, int] = defaultdict(int)
    titles: dict[Place, frozenset[str]] = {}
    wanted = set(sought.asked).union(*sought.kin.values(), sought.field_terms)
    for statement in statements:
        place = (statement.source_id, statement.page)
        own = statement.label_terms | statement.text_terms
        lengths[place] += len(own)
        titles[place] = statement.title_terms
        for term in own & wanted:
            counts[place][term] += 1
    mean = sum(lengths.values()) / max(1, len(lengths))
    measured = {
        place: _measured(sought, counts[place], titles[place], length / (mean or 1.0))
        for place, length in lengths.items()
    }
    most = max((found["bm25"] for found in measured.values()), default=0.0) or 1.0
    return {place: {**found, "bm25": found["bm25"] / most} for place, found in measured.items()}


def _measured(
    sought: Sought, counts: Mapping[str, int], title: frozenset[str], length: float
) -> dict[str, float]:
    whole = math.fsum(sought.asked.values()) or 1.0
    most = max(sought.asked.values(), default=1.0)
    covered = hinted = titled = score = rarest = 0.0
    for term, weight in sought.asked.items():
        count = counts.get(term, 0)
        kin = max((counts.get(other, 0) for other in sought.kin[term]), default=0)
        if count:
            covered += weight
            rarest = max(rarest, weight)
        elif kin:
            hinted += weight
        titled += weight * (term in title or not title.isdisjoint(sought.kin[term]))
        times = count + _HINT * kin * (not count)
        score += weight * times / (times + _SATURATED * (1 - _LENGTHS + _LENGTHS * length))
    return {
        "covered": covered / whole,
        "hinted": hinted / whole,
        "titled": titled / whole,
        "rarest": rarest / most,
        "bm25": score,
        "field_words": math.fsum(w for term, w in sought.field_terms.items() if counts.get(term)),
        "field_titled": math.fsum(w for term, w in sought.field_terms.items() if term in title),
    }
