"""The places of a snippet: one for each way in which it is printed, and the one that it is resolved to."""

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.search import Match, find_occurrences
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import JudgedPlace, search_places


def find_matches(index: DocumentIndex, text: str) -> list[Match]:
    """Return the first place of each way, best first. Empty when nothing is near."""
    return [found.match for found in find_occurrences(index, text)]


def best_place(index: DocumentIndex, snippet: str) -> JudgedPlace:
    """Return the place that a snippet without hints is resolved to; there has to be one."""
    best = search_places(index, snippet, Hints()).best
    assert best is not None
    return best
