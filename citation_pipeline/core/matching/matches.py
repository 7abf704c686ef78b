"""A place that a snippet may stand for, with its words and the evidence of every difference.

How places are found belongs to `search`; what status one scores, to `resolution`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citation_pipeline.core.matching.alignment import Alignment
from citation_pipeline.core.matching.checks import Findings, examine
from citation_pipeline.core.matching.clauses import misjoins
from citation_pipeline.core.matching.clipped_denials import code_of_clipping
from citation_pipeline.core.matching.cut_clauses import TURNED, hides_condition, hides_teller
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.jumps import Jump
from citation_pipeline.core.matching.margins import beside_the_text
from citation_pipeline.core.matching.omissions import code_of_joint, cuts_denial, ends_sentence
from citation_pipeline.core.matching.options import read_options
from citation_pipeline.core.matching.pairing import Pair, PairKind, pair_blocks
from citation_pipeline.core.matching.rewriting import merge_rewritten
from citation_pipeline.core.matching.snippets import PreparedSnippet
from citation_pipeline.core.matching.stated_values import states_a_value
from citation_pipeline.core.matching.streams import KeyStream
from citation_pipeline.core.matching.word_signs import with_end_signs

_LEAST_FOUND = 0.6  # of a key, less than `judgement` asks for
_MOST_SIGNS = 3  # words without letter or digit between two words of a place
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
    reading = read_options(
        index, snippet.text, [w for p in pairs if p.kind is not PairKind.SKIPPED for w in p.words]
    )
    pairs, free_skips = _without_strangers(index, pairs, free_skips, reading.left_out)
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
            words += _signs_between(index, words[-1] if words else None, pair.words)
            words += pair.words
    findings = examine(snippet, index, pairs, free_skips=free_skips)
    if reading.is_contradicted:
        findings = findings.with_code("mark_differs")
    elif reading.is_unticked:
        findings = findings.with_code(TURNED)
    elif reading.is_confirmed:
        # the box before the one that was left out is that of another option
        findings = findings.without_code("mark_differs")
    is_begun = bool(words) and bool(pairs[0].words)
    is_parted = any(ends_sentence(index, pairs[number].words) for number in free_skips)
    if is_begun and cuts_denial(index, snippet.text, words[0], is_parted=is_parted):
        findings = findings.with_code("negation_differs")
    # what too little is found of is no place of it, whatever is beside it
    if is_begun and pairs[-1].words and findings.matched >= _LEAST_FOUND * len(snippet.key):
        code = code_of_clipping(index, words[0], words[-1], asks=snippet.bare.endswith("?"))
        findings = findings.with_code(code) if code else findings
    for code in _codes_of_joints(index, pairs, free_skips):
        findings = findings.with_code(code)
    length = len(snippet.key)
    return Match(
        with_end_signs(index, snippet.bare, words) if is_begun and pairs[-1].words else tuple(words),
        method,
        findings.matched / length,
        tuple(pairs),
        findings,
        length,
        len(snippet.tokens),
        jumps,
        alignment,
    )


def _codes_of_joints(
    index: DocumentIndex, pairs: Sequence[Pair], free_skips: frozenset[int]
) -> Iterator[str]:
    """Yield what the gaps of a quotation make of the words that they join."""
    for number, pair in enumerate(pairs):
        if pair.kind is not PairKind.SKIPPED or (number and pairs[number - 1].kind is PairKind.SKIPPED):
            continue
        gap, behind = _left_out(pairs, number)
        # a word may be left out in silence; whom or what the rest speaks of may not
        if number in free_skips and (code := code_of_joint(index, gap, behind)):
            yield code
        elif number in free_skips and any(
            hides(index, _quoted_before(pairs, number), gap, behind)
            for hides in (hides_teller, hides_condition)
        ):
            yield "ellipsis_joins"
        elif number not in free_skips and len(gap) > 1 and misjoins(index, gap, behind):
            yield "ellipsis_hides"


def _quoted_before(pairs: Sequence[Pair], number: int) -> list[int]:
    """Return the words quoted before a skip, back to the one before it."""
    found: list[int] = []
    for pair in reversed(pairs[:number]):
        if pair.kind is PairKind.SKIPPED:
            break
        found = [*pair.words, *found]
    return found


def _left_out(pairs: Sequence[Pair], number: int) -> tuple[list[int], list[int]]:
    """Return the words left out from a skip on, and those quoted behind them, up to the next skip."""
    gap: list[int] = []
    behind: list[int] = []
    for pair in pairs[number:]:
        if pair.kind is not PairKind.SKIPPED:
            behind += pair.words
        elif behind:
            break
        else:
            gap += pair.words
    return gap, behind


def _signs_between(index: DocumentIndex, last: int | None, words: Sequence[int]) -> Sequence[int]:
    """Return the words without letter or digit that are printed between two words of a place."""
    between = range(last + 1, words[0]) if last is not None and words else range(0)
    return between if len(between) <= _MOST_SIGNS and not any(index.keys[w] for w in between) else ()


def _without_strangers(
    index: DocumentIndex, pairs: list[Pair], free_skips: frozenset[int], left_out: frozenset[int]
) -> tuple[list[Pair], frozenset[int]]:
    """Return the pairs without the words left out that are no part of the text, or of options not taken, and
    the new numbers of the skips that are explained already."""
    found: list[Pair] = []
    free: set[int] = set()
    for number, pair in enumerate(pairs):
        if pair.kind is PairKind.SKIPPED and number not in free_skips:
            stranger = left_out | _beside_the_text(index, pairs, number)
            kept = tuple(word for word in pair.words if word not in stranger)
            if not kept:
                continue
            if len(kept) < len(pair.words):
                pair = replace(pair, words=kept, edits=sum(len(index.keys[word]) for word in kept))
        elif number in free_skips:
            free.add(len(found))
        found.append(pair)
    return found, frozenset(free)


def _beside_the_text(index: DocumentIndex, pairs: Sequence[Pair], number: int) -> frozenset[int]:
    """Return the words that are no part of the text, of those left out around a skip."""
    first, last = number, number
    while first and not _is_quoted(pairs[first - 1]):
        first -= 1
    while last + 1 < len(pairs) and not _is_quoted(pairs[last + 1]):
        last += 1
    if not first or last + 1 == len(pairs):
        return frozenset()
    words = [word for pair in pairs[first : last + 1] for word in pair.words]
    return beside_the_text(index, pairs[first - 1].words[-1], words, pairs[last + 1].words[0])


def _is_quoted(pair: Pair) -> bool:
    return pair.kind is not PairKind.SKIPPED and bool(pair.words)
