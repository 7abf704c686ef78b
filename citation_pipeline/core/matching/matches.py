"""A place that a snippet may stand for, with its words and the evidence of every difference.

How places are found belongs to `search`; what status one scores, to `resolution`.
"""

from dataclasses import dataclass

from citation_pipeline.core.matching.alignment import Alignment
from citation_pipeline.core.matching.checks import Findings, examine
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.jumps import Jump
from citation_pipeline.core.matching.pairing import Pair, PairKind, pair_blocks
from citation_pipeline.core.matching.rewriting import merge_rewritten
from citation_pipeline.core.matching.snippets import PreparedSnippet
from citation_pipeline.core.matching.stated_values import states_a_value
from citation_pipeline.core.matching.streams import KeyStream

MOST_SKIPPED_WORDS = 4
"""Words that a quotation may drop silently and keep its place; more is flagged, and leaves a gap in the
place."""


@dataclass(frozen=True)
class Match:
    """A place that a snippet may stand for.

    `words` are the ids of the words meant, in the snippet's order; `similarity` is the share of the
    snippet's key that was found there; `method` says how.
    """

    words: tuple[int, ...]
    method: str
    similarity: float
    pairs: tuple[Pair, ...]
    findings: Findings
    key_length: int
    token_count: int
    jumps: tuple[Jump, ...] = ()
    alignment: Alignment | None = None


def aligned_match(
    index: DocumentIndex, snippet: PreparedSnippet, stream: KeyStream, alignment: Alignment, method: str
) -> Match:
    """Turn an alignment into a match."""
    pairs = pair_blocks(
        snippet, index, stream, alignment.blocks, first_token=0, last_token=len(snippet.tokens)
    )
    return build_match(index, snippet, pairs, method, alignment=alignment)


def build_match(
    index: DocumentIndex,
    snippet: PreparedSnippet,
    pairs: list[Pair],
    method: str,
    *,
    free_skips: frozenset[int] = frozenset(),
    jumps: tuple[Jump, ...] = (),
    alignment: Alignment | None = None,
) -> Match:
    """Collect the words and the evidence of pairs."""
    # where pieces were put together a value could be made of two places
    if not free_skips and states_a_value(snippet.text):
        pairs = merge_rewritten(snippet, index, pairs)
    words: list[int] = []
    for number, pair in enumerate(pairs):
        # a word or two left out of a quoted line belong to the place all the same
        is_short_skip = (
            pair.kind is PairKind.SKIPPED
            and bool(words)
            and number not in free_skips
            and len(pair.words) <= MOST_SKIPPED_WORDS
        )
        if pair.kind in (PairKind.SAME, PairKind.LIKE, PairKind.REWRITTEN) or is_short_skip:
            words += pair.words
    findings = examine(snippet, index, pairs, free_skips=free_skips)
    length = len(snippet.key)
    return Match(
        tuple(words),
        method,
        findings.matched / length,
        tuple(pairs),
        findings,
        length,
        len(snippet.tokens),
        jumps,
        alignment,
    )
