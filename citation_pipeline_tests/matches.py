"""The places of a snippet, one for each way in which it is printed."""

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.search import Match, find_occurrences


def find_matches(index: DocumentIndex, text: str) -> list[Match]:
    """Return the first place of each way, best first. Empty when nothing is near."""
    return [found.match for found in find_occurrences(index, text)]
