"""What the matcher says of the drawn quotations, one line each: `quotation_outcomes.txt` holds what was approved.

    python -m citation_pipeline_tests.quotation_outcomes

writes the file anew. Its diff names every quotation that is judged otherwise than before: read it, then commit it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.quotations.__main__ import drawn
from benchmarks.quotations.cases import Case, identify, query_line
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.confidence import confidence_of
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline.core.resolution.queries import hints_of, read_words
from citation_pipeline.core.resolution.regions import group_runs

APPROVED = Path(__file__).with_name("quotation_outcomes.txt")
MOST_OF_A_KIND = 60  # some kinds have hundreds, all alike


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
    counts = f"{found.matched}/{match.key_length} noise {found.noise} added {found.added} skipped {found.skipped_words}"
    codes = " ".join(found.codes) or "-"
    return (
        f"{identify(case)} {judgement.status} {match.method} {words} {counts}; {codes}; {judgement.reason}, "
        f"{best.reason or '-'}; {confidence_of(match, judgement):.3f} {len(search.places)} places"
    )


def outcomes() -> Iterator[str]:
    """Yield the file's lines: a heading for each kind, then its quotations."""
    for kind, cases in drawn_cases()[0].items():
        counts = Counter("honest" if case.honest else "altered" for case in cases)
        yield f"# {kind}: " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        yield from (outcome_of(case) for case in cases)


def approved() -> dict[str, list[str]]:
    """Return the approved lines by kind."""
    found: dict[str, list[str]] = {}
    for line in APPROVED.read_text().splitlines():
        if line.startswith("# "):
            kind = line[2:].partition(":")[0]
            found[kind] = []
        else:
            found[kind].append(line)
    return found


if __name__ == "__main__":
    APPROVED.write_text("\n".join(outcomes()) + "\n")
