"""The search of one document for one snippet: exact first, then aligned, then put together from parts.

The answer is places with evidence. Which place is meant, and what status it earns, is `resolution`'s work.
"""

from dataclasses import dataclass

from citation_pipeline.core.matching.alignment import EARLY_STOP, Alignment, EqualBlock, align_best
from citation_pipeline.core.matching.checks import Findings, examine
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.pairing import Pair, PairKind, pair_blocks
from citation_pipeline.core.matching.snippets import PreparedSnippet, has_ellipsis, prepare
from citation_pipeline.core.matching.streams import KeyStream

MOST_OCCURRENCES = 50
"""Equal places that are kept; a snippet that stands more often than that identifies nothing."""


@dataclass(frozen=True)
class Match:
    """A place that a snippet may stand for.

    `words` are the ids of the words meant, in the snippet's order; `similarity` is the share of the snippet's key
    that was found there; `method` says how.
    """

    words: tuple[int, ...]
    method: str
    similarity: float
    pairs: tuple[Pair, ...]
    findings: Findings
    key_length: int

    @property
    def is_exact(self) -> bool:
        """Whether the whole key stands there."""
        return self.method in ("exact", "row")


def find_matches(index: DocumentIndex, text: str) -> list[Match]:
    """Return the places of a snippet, best first; equal places in reading order. Empty when nothing is near."""
    snippet = prepare(text)
    if not snippet.key or not index.words.texts:
        return []
    found = find_exact(index, snippet)
    if found:
        return found
    return find_aligned(index, snippet)


def find_exact(index: DocumentIndex, snippet: PreparedSnippet) -> list[Match]:
    """Return the places where the whole key stands from a word's start to a word's end."""
    for method in ("exact", "row"):
        stream = index.reading if method == "exact" else index.visual
        places = stream.find_aligned(snippet.key, limit=MOST_OCCURRENCES)
        if places:
            return [_exact_match(index, snippet, stream, place, method) for place in places]
    return []


def _exact_match(
    index: DocumentIndex, snippet: PreparedSnippet, stream: KeyStream, place: int, method: str
) -> Match:
    first, last = stream.positions_of(place, place + len(snippet.key))
    words = tuple(stream.word_of(p) for p in range(first, last))
    pairs = _exact_pairs(index, snippet, stream, place)
    findings = examine(snippet, index, pairs)
    return Match(words, method, 1.0, tuple(pairs), findings, len(snippet.key))


def _exact_pairs(index: DocumentIndex, snippet: PreparedSnippet, stream: KeyStream, place: int) -> list[Pair]:
    block = EqualBlock(0, place, len(snippet.key))
    return pair_blocks(
        snippet,
        index,
        stream,
        [block],
        first_token=0,
        last_token=len(snippet.tokens),
        open_head=False,
        open_tail=False,
    )


def find_aligned(index: DocumentIndex, snippet: PreparedSnippet) -> list[Match]:
    """Return the places where the key stands with edits."""
    found: list[Match] = []
    for method, stream_name in (("aligned", "reading"), ("row_aligned", "visual")):
        stream: KeyStream = getattr(index, stream_name)
        alignments = align_best(snippet.key, stream)
        found += [aligned_match(index, snippet, stream, a, method) for a in alignments[:3]]
        if alignments and alignments[0].edits <= EARLY_STOP * len(snippet.key):
            break
    return sorted(found, key=lambda m: (-m.similarity, m.words[:1]))


def aligned_match(
    index: DocumentIndex, snippet: PreparedSnippet, stream: KeyStream, alignment: Alignment, method: str
) -> Match:
    """Turn an alignment into a match."""
    pairs = pair_blocks(
        snippet, index, stream, alignment.blocks, first_token=0, last_token=len(snippet.tokens)
    )
    return build_match(index, snippet, pairs, method)


def build_match(
    index: DocumentIndex,
    snippet: PreparedSnippet,
    pairs: list[Pair],
    method: str,
    *,
    free_skips: frozenset[int] = frozenset(),
) -> Match:
    """Collect the words and the evidence of pairs."""
    words: list[int] = []
    matched = 0
    for pair in pairs:
        if pair.kind in (PairKind.SAME, PairKind.LIKE):
            words += pair.words
            width = snippet.tokens[pair.tokens[1] - 1].end - snippet.tokens[pair.tokens[0]].start
            matched += max(0, width - pair.edits)
    findings = examine(snippet, index, pairs, free_skips=free_skips)
    return Match(tuple(words), method, matched / len(snippet.key), tuple(pairs), findings, len(snippet.key))


__all__ = ["Match", "find_matches", "has_ellipsis"]
