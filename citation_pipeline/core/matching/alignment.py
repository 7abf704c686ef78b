"""Where a damaged key is best in a stream: seeds vote for diagonals, a few windows are aligned.

The answer is a list of blocks that are equal, character by character; what the differences between them
mean is `pairing`'s and `checks`' work.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from citation_pipeline.core.matching.streams import GRAM, KeyStream, Offsets
from citation_pipeline.core.matching.tallies import count_distinct, first_largest

MORE_EDITS = 4
"""Edits by which the right place on a badly recognized page may be behind a wrong one in clean print."""

EARLY_STOP = 0.12
"""Share of edits at which the first window is taken without looking at the others."""

_BIN = 32  # diagonals voted for together; insertions of up to a long word stay in one bin or its neighbour
_WINDOWS = 5
_NEAR = 0.3  # share of edits up to which a place may be the text on a badly recognized page
_MORE_WINDOWS = 30  # looked at with a cutoff: on a noisy page the right place shares few whole grams
_LONGEST_END, _END_SLACK = 40, 3  # of a key's head or tail that is aligned once more
_LONG_KEY = 600  # beyond it sliding costs more than aligning with the whole window
_SHORT_KEY = 28  # short keys share their grams with so many places that votes tie
_MOST_DIAGONALS = 4_000
_SEED_BUDGET = 20_000  # hits looked at: some 0.3 ms of array work


@dataclass(frozen=True, slots=True)
class EqualBlock:
    """Characters of the key (from `key`) that equal characters of the stream (from `place`)."""

    key: int
    place: int
    size: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """Equal blocks in order, and the edits (in characters) between the key and the stretch they span."""

    blocks: tuple[EqualBlock, ...]
    edits: int

    @property
    def start(self) -> int:
        """The first offset of the stream."""
        return self.blocks[0].place

    def uncovered(self, length: int) -> tuple[int, int]:
        """Return how many characters of a key of `length` are before the first equal block and behind the
        last."""
        last = self.blocks[-1]
        return self.blocks[0].key, length - last.key - last.size

    @property
    def end(self) -> int:
        """The offset behind the last equal character."""
        return self.blocks[-1].place + self.blocks[-1].size

    def moved(self, by: int) -> "Alignment":
        """Return the alignment with the same text elsewhere in the stream."""
        blocks = tuple(EqualBlock(block.key, block.place + by, block.size) for block in self.blocks)
        return Alignment(blocks, self.edits)


def vote(seeds: Offsets, places: Offsets, *, count: int) -> list[int]:
    """Return the `count` diagonals (stream offset minus key offset) with most different seeds, best first."""
    if len(seeds) == 0:
        return []
    # a quotation without gaps has one offset from the text: all of its grams fall on one diagonal. A letter
    # more or less moves the rest by one, so near diagonals are one place
    diagonals = places - seeds
    low = int(diagonals.min())
    bins, votes = count_distinct((diagonals - low) // _BIN)
    pairs = votes.copy()
    # a bin and its right neighbour: a shift must not split the vote
    pairs[:-1] += np.where(np.diff(bins) == 1, votes[1:], 0)
    chosen: dict[int, None] = {}
    # three times as many as wanted: most of the runners-up are neighbours of the winner
    for number in bins[first_largest(pairs, count * 3)].tolist():
        if len(chosen) == count:
            break
        # a neighbour of a chosen bin votes for the same window
        if number not in chosen and number - 1 not in chosen and number + 1 not in chosen:
            chosen[number] = None
    return [low + number * _BIN for number in chosen]


def align_best(key: bytes, stream: KeyStream) -> list[Alignment]:
    """Return alignments of the whole key with the best places of the stream, fewest edits first."""
    if len(key) < GRAM or not len(stream):
        return []
    seeds, places = stream.seed_hits(key, budget=_SEED_BUDGET)
    starts = vote(seeds, places, count=_WINDOWS)
    # of a short key one slip leaves so few grams that chance outvotes the right place: count edits instead
    if len(key) <= _SHORT_KEY:
        starts += _least_changed(key, stream, seeds, places)
    found: list[Alignment] = []
    _align_windows(key, stream, starts, found)
    return sorted(found, key=lambda a: (a.edits, a.start))


def align_further(
    key: bytes, stream: KeyStream, known: Sequence[Alignment], is_noisy_at: Callable[[int], bool]
) -> list[Alignment]:
    """Return the alignments of `align_best` and those of more windows that may compete, fewest edits
    first.

    Only offsets of the stream at which the page was badly recognized are looked at.
    """
    seeds, places = stream.seed_hits(key, budget=_SEED_BUDGET)
    starts = [s for s in vote(seeds, places, count=_MORE_WINDOWS)[_WINDOWS:] if is_noisy_at(max(0, s))]
    found = list(known)
    _align_windows(key, stream, starts, found, most=known[0].edits + MORE_EDITS)
    return sorted(found, key=lambda a: (a.edits, a.start))


def may_be_noisy(key: bytes, alignments: Sequence[Alignment]) -> bool:
    """Tell whether the fewest edits are so few, and yet some, that the key may be on a badly recognized page
    that shares few whole grams with it: then another window may be the right one."""
    return 0 < alignments[0].edits <= _NEAR * len(key) and len(key) <= _LONG_KEY


def _align_windows(
    key: bytes, stream: KeyStream, starts: Sequence[int], found: list[Alignment], *, most: int | None = None
) -> None:
    """Add the alignments of the windows at diagonals that may compete, until one has no edits."""
    for diagonal in starts:
        if found and most is None:
            # a window that is worse than this cannot win, whatever the page's noise: it is not aligned to
            # its end, which is most of the time that a search takes
            limit: int | None = min(alignment.edits for alignment in found) + MORE_EDITS
        else:
            limit = most
        alignment = align(key, stream.key, diagonal - _BIN, diagonal + len(key) + 3 * _BIN, most=limit)
        if alignment is None or any(alignment.start == other.start for other in found):
            continue
        found.append(alignment)
        if alignment.edits == 0:
            return


def _least_changed(key: bytes, stream: KeyStream, seeds: Offsets, places: Offsets) -> list[int]:
    """Return the diagonals on which the fewest characters of the key differ, a few of the best."""
    # every diagonal that any gram hit, not the bins that most of them hit: `WC-2023` with one misread digit
    # has one gram left, as thousands of other places have
    diagonals = np.unique(places - seeds)
    diagonals = diagonals[(diagonals >= 0) & (diagonals <= len(stream) - len(key))][:_MOST_DIAGONALS]
    if not len(diagonals):
        return []
    differ = stream.count_differences(key, diagonals)
    best = np.argsort(differ, kind="stable")[:_WINDOWS]
    return [int(diagonals[number]) for number in best]


def align_near_words(key: bytes, stream: KeyStream, places: Sequence[int]) -> list[Alignment]:
    """Return alignments around stream offsets at which a word like one of the key's is, fewest edits
    first."""
    found: dict[int, Alignment] = {}
    for place in places:
        alignment = align(key, stream.key, place - len(key) - 4, place + 2 * len(key) + 4)
        if alignment is not None:
            found.setdefault(alignment.start, alignment)
    return sorted(found.values(), key=lambda a: (a.edits, a.start))


def align(key: bytes, text: bytes, low: int, high: int, *, most: int | None = None) -> Alignment | None:
    """Align the whole key with its best stretch of `text` between two offsets (clamped); `None` where
    nothing is alike, or where it surely takes more than `most` edits."""
    low, high = max(0, low), min(len(text), high)
    window = text[low:high]
    if not window or not key:
        return None
    if len(key) < len(window) and len(key) <= _LONG_KEY:
        # an edit costs at most two of the insertions and deletions that the ratio counts
        least = 0.0 if most is None else 100.0 * (1 - (most + 0.5) / len(key))
        rough = fuzz.partial_ratio_alignment(key, window, score_cutoff=max(0.0, least))
        if rough is None:
            return None
        # the rough alignment has no gaps: where letters were dropped its ends are off by as many
        pad = max(3, len(key) // 8)
        begin, stop = max(0, rough.dest_start - pad), min(len(window), rough.dest_end + pad)
        window, low = window[begin:stop], low + begin
    # the edit operations bind every letter of the key to something in the window, however far: what is kept
    # is the run that is worth its gaps, and its ends are aligned anew with what is right beside it
    blocks = _best_run(_equal_blocks(key, window, 0, low))
    if not blocks:
        return None
    blocks = _extended(key, text, blocks)
    return Alignment(tuple(blocks), _edits(key, blocks))


def _extended(key: bytes, text: bytes, blocks: list[EqualBlock]) -> list[EqualBlock]:
    """Align both ends of the key with the text right beside the blocks, where that saves edits.

    The window is wider than the key, so of equal letters ("xx" before "xxxxabc") the edit operations may
    take those farther out: what stands before the first gap in the text is aligned anew as well.
    """
    heads = [0, *(n for n in range(1, len(blocks)) if _skips_text(blocks, n))]
    ends = [_with_head(key, text, blocks[n:]) for n in heads if n == 0 or blocks[n].key <= _LONGEST_END]
    blocks = min(ends, key=lambda found: _edits(key, found)) if len(ends) > 1 else ends[0]
    last = len(blocks)
    tails = [last, *(n for n in range(last - 1, 0, -1) if _skips_text(blocks, n))]
    ends = [
        _with_tail(key, text, blocks[:n])
        for n in tails
        if n == last or len(key) - blocks[n].key <= _LONGEST_END
    ]
    return min(ends, key=lambda found: _edits(key, found)) if len(ends) > 1 else ends[0]


def _skips_text(blocks: Sequence[EqualBlock], number: int) -> bool:
    """Whether more of the text than of the key lies between a block and the one before it."""
    before, after = blocks[number - 1], blocks[number]
    return after.place - before.place > after.key - before.key


def _edits(key: bytes, blocks: Sequence[EqualBlock]) -> int:
    """Edits between the whole key and the stretch that the blocks span."""
    # the key's own letters before the first and behind the last block have nothing to be compared with: each
    # is an edit. Between blocks a letter that was replaced is one edit, not a deletion and an insertion
    ends = blocks[0].key + len(key) - (blocks[-1].key + blocks[-1].size)
    return ends + sum(_gap(before, after) for before, after in zip(blocks, blocks[1:], strict=False))


def _with_head(key: bytes, text: bytes, blocks: list[EqualBlock]) -> list[EqualBlock]:
    """Align the key's characters before the blocks with the text right before them."""
    head, first = key[: blocks[0].key], blocks[0].place
    if not 0 < len(head) <= _LONGEST_END:
        return blocks
    sizes = range(max(0, len(head) - _END_SLACK), min(first, len(head) + _END_SLACK) + 1)
    size = min(sizes, key=lambda n: (Levenshtein.distance(head, text[first - n : first]), n), default=0)
    return _joined(_equal_blocks(head, text[first - size : first], 0, first - size), blocks)


def _with_tail(key: bytes, text: bytes, blocks: list[EqualBlock]) -> list[EqualBlock]:
    """Align the key's characters behind the blocks with the text right behind them."""
    behind, last = blocks[-1].key + blocks[-1].size, blocks[-1].place + blocks[-1].size
    tail = key[behind:]
    if not 0 < len(tail) <= _LONGEST_END:
        return blocks
    sizes = range(max(0, len(tail) - _END_SLACK), min(len(text) - last, len(tail) + _END_SLACK) + 1)
    size = min(sizes, key=lambda n: (Levenshtein.distance(tail, text[last : last + n]), n), default=0)
    return _joined(blocks, _equal_blocks(tail, text[last : last + size], behind, last))


def _equal_blocks(key: bytes, window: bytes, key_start: int, place: int) -> list[EqualBlock]:
    return [
        EqualBlock(key_start + code.src_start, place + code.dest_start, code.src_end - code.src_start)
        for code in Levenshtein.opcodes(key, window)
        if code.tag == "equal"
    ]


def _joined(before: list[EqualBlock], after: list[EqualBlock]) -> list[EqualBlock]:
    """Put two lists of blocks together; blocks that touch become one."""
    if not before or not after:
        return before or after
    a, b = before[-1], after[0]
    if a.key + a.size == b.key and a.place + a.size == b.place:
        return [*before[:-1], EqualBlock(a.key, a.place, a.size + b.size), *after[1:]]
    return before + after


def _gap(before: EqualBlock, after: EqualBlock) -> int:
    """Edits between two neighbouring blocks."""
    return max(after.key - before.key - before.size, after.place - before.place - before.size)


def _best_run(blocks: Sequence[EqualBlock]) -> list[EqualBlock]:
    """Drop stray blocks at both ends: the run with most equal characters after taking its gaps off."""
    # the largest sum of a run (Kadane): a run whose gap eats up all it had is better begun anew
    best_score, best = 0, (0, 0)
    score, first = 0, 0
    for number, block in enumerate(blocks):
        # a lone letter that happens to match far off costs more than it brings
        joined = score - _gap(blocks[number - 1], block) if number else 0
        if joined <= 0:
            score, first = block.size, number
        else:
            score = joined + block.size
        if score > best_score:
            best_score, best = score, (first, number + 1)
    return list(blocks[best[0] : best[1]])
