"""What the matcher says of the drawn quotations, one line each."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from benchmarks.quotations.__main__ import drawn
from benchmarks.quotations.cases import Case, identify, query_line
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.confidence import confidence_of
from citation_pipeline.core.resolution.places import JudgedPlace, search_places
from citation_pipeline.core.resolution.queries import hints_of, read_words
from citation_pipeline.core.resolution.regions import group_runs

MOST_OF_A_KIND = 100  # some kinds have hundreds, all alike
MOST_OTHERS = 4


@cache
def drawn_cases() -> tuple[Mapping[str, Sequence[Case]], Mapping[str, Mapping[str, Any]]]:
    """Return the quotations by kind, in the order of their ids, and the documents by name."""
    cases: dict[str, dict[str, Case]] = {}
    documents: dict[str, Mapping[str, Any]] = {}
    for part in drawn("dev", "dev", ()):
        documents.update({str(record["doc_id"]): record for record in part.documents})
        for case in part.cases:
            cases.setdefault(case.kind, {})[identify(case)] = case
    chosen = {
        kind: [found[identity] for identity in sorted(found)[:MOST_OF_A_KIND]]
        for kind, found in sorted(cases.items())
    }
    return chosen, documents


@cache
def _index_of(name: str) -> DocumentIndex:
    return DocumentIndex(read_words(drawn_cases()[1][name]))


def outcome_of(case: Case) -> str:
    """Return one line: the quotation's id, its status, and all that led to it.

    Method, words (ranges of ids), findings, confidence, and how many other places there are.
    """
    index = _index_of(case.document)
    query = query_line(case, identify(case))
    search = search_places(index, case.text, hints_of(index, query))
    best = search.best
    if best is None:
        return f"{identify(case)} nowhere"
    match, judgement = best.match, best.judgement
    words = ",".join(f"{first}-{last}" for first, last in group_runs(match.words))
    found = match.findings
    counts = f"{found.matched}/{match.key_length} noise {found.noise} added {found.added}"
    codes = " ".join(found.codes) or "-"
    pairs = "".join(pair.kind[0] for pair in match.pairs)
    margin = "-" if search.margin is None else f"{search.margin:.3f}"
    told = (
        f"{identify(case)} {judgement.status} {match.method} {words} {counts} {found.skipped_words}",
        codes,
        f"{judgement.reason}, {best.reason or '-'}",
        f"{confidence_of(match, judgement):.5f} {judgement.score:.4f}",
        f"{pairs} {sum(pair.edits for pair in match.pairs)} {'>'.join(jump[:2] for jump in match.jumps)}",
        f"{len(search.places)} places {margin} {search.ties}",
        *(_other(place) for place in search.places[1:MOST_OTHERS]),
    )
    return "; ".join(told)


def _other(place: JudgedPlace) -> str:
    words = place.match.words
    return f"{words[0]}-{words[-1]} {len(words)} {place.match.method} {place.judgement.reason} {place.reason}"
