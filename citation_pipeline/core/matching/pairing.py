"""Which words of the page each token of a snippet stands for, from blocks of equal characters.

Pairs say what is the same, alike, added or left out; whether that matters is `checks`' work.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from rapidfuzz.distance import Levenshtein

from citation_pipeline.core.matching.alignment import EqualBlock
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.snippets import PreparedSnippet
from citation_pipeline.core.matching.streams import KeyStream

# tokens times words that are paired by dynamic programming: a dozen damaged words in a row are no noise
# any more
_MOST_CELLS = 144

# how many tokens may have been run together or torn apart: tokens, words, and what that costs
_SHAPE_COST = 0.1  # among equal costs one to one is the plainest reading
_SHAPES = tuple(
    (a, b, _SHAPE_COST * (a + b - 2)) for a, b in ((1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (2, 2))
)


class PairKind(StrEnum):
    """What a pair says."""

    SAME = "same"  # one key
    LIKE = "like"  # aligned, with edits
    ADDED = "added"  # tokens that the page does not have there
    REWRITTEN = "rewritten"  # the same date or number in another form
    SKIPPED = "skipped"  # words of the page that the snippet leaves out


@dataclass(frozen=True, slots=True)
class Pair:
    """Tokens (half-open range of the snippet's) against words (ids), and the edits between their keys."""

    kind: PairKind
    tokens: tuple[int, int]
    words: tuple[int, ...]
    edits: int = 0


def pair_blocks(
    snippet: PreparedSnippet,
    index: DocumentIndex,
    stream: KeyStream,
    blocks: Sequence[EqualBlock],
    *,
    first_token: int,
    last_token: int,
    open_head: bool = True,
    open_tail: bool = True,
) -> list[Pair]:
    """Pair the tokens [first, last) with the stretch of the stream that the blocks span.

    With an open head or tail, tokens beyond the blocks may pair with as many words beyond the stretch.
    """
    tokens = [t for t in range(first_token, last_token) if snippet.tokens[t].end > snippet.tokens[t].start]
    if not tokens or not blocks:
        return []
    clean = _clean_tokens(snippet, stream, blocks, tokens)
    low, high = stream.positions_of(blocks[0].place, blocks[-1].place + blocks[-1].size)
    pairs: list[Pair] = []
    pending: list[int] = []
    at = low
    begun = False
    for token in tokens:
        if token not in clean:
            pending.append(token)
            continue
        begin, end = clean[token]
        pairs += _pair_run(
            snippet,
            index,
            stream,
            pending,
            at,
            begin,
            reach_back=0 if begun or not open_head else len(pending),
        )
        words = tuple(stream.word_of(p) for p in range(begin, end))
        pairs.append(Pair(PairKind.SAME, (token, token + 1), _with_keys(index, words)))
        pending, at, begun = [], end, True
    reach_back = 0 if begun or not open_head else len(pending)
    pairs += _pair_run(
        snippet,
        index,
        stream,
        pending,
        at,
        max(at, high),
        reach_back=reach_back,
        reach_on=len(pending) if open_tail else 0,
    )
    return pairs


def _with_keys(index: DocumentIndex, words: Sequence[int]) -> tuple[int, ...]:
    return tuple(w for w in words if index.keys[w])


def _clean_tokens(
    snippet: PreparedSnippet, stream: KeyStream, blocks: Sequence[EqualBlock], tokens: Sequence[int]
) -> dict[int, tuple[int, int]]:
    """Tokens that lie whole in one block and fill whole words, with the positions of those words."""
    found: dict[int, tuple[int, int]] = {}
    is_start = stream.is_start
    number = 0
    for token in tokens:
        start, end = snippet.tokens[token].start, snippet.tokens[token].end
        while number < len(blocks) and blocks[number].key + blocks[number].size < end:
            number += 1
        if number == len(blocks):
            break
        block = blocks[number]
        # the token begins before the block: part of it was changed
        if block.key > start:
            continue
        shift = block.place - block.key
        # equal letters inside another word are no word: `able` of `unable`
        if is_start[start + shift] and is_start[end + shift]:
            found[token] = stream.positions_of(start + shift, end + shift)
    return found


def _pair_run(
    snippet: PreparedSnippet,
    index: DocumentIndex,
    stream: KeyStream,
    tokens: Sequence[int],
    begin: int,
    end: int,
    *,
    reach_back: int = 0,
    reach_on: int = 0,
) -> list[Pair]:
    """Pair tokens that differ somehow with the positions [begin, end); reached words may stay unpaired
    freely."""
    inner = [stream.word_of(p) for p in range(begin, end)]
    inner = [w for w in inner if index.keys[w]]
    before = _reach(index, stream, begin, -1, reach_back)[::-1]
    after = _reach(index, stream, end, 1, reach_on)
    words = before + inner + after
    if not tokens and not inner:
        return []
    if not tokens:
        return [Pair(PairKind.SKIPPED, (0, 0), tuple(inner), sum(len(index.keys[w]) for w in inner))]
    # so much of the text is new that pairing word by word would be guessing
    if not words or len(tokens) * len(words) > _MOST_CELLS:
        pairs = [added_token(snippet, t) for t in tokens]
        if inner:
            pairs.append(Pair(PairKind.SKIPPED, (0, 0), tuple(inner), sum(len(index.keys[w]) for w in inner)))
        return pairs
    free = range(len(before)), range(len(before) + len(inner), len(words))
    return pair_cheapest(snippet, index, list(tokens), words, free=free)


def _reach(index: DocumentIndex, stream: KeyStream, position: int, step: int, count: int) -> list[int]:
    """Return up to `count` words with a key beyond a position, nearest first."""
    found: list[int] = []
    at = position - 1 if step < 0 else position
    last = len(stream.starts) - 1
    while 0 <= at < last and len(found) < count:
        word = stream.word_of(at)
        if index.keys[word]:
            found.append(word)
        at += step
    return found


def added_token(snippet: PreparedSnippet, token: int) -> Pair:
    """Return the pair of a token that the page does not have."""
    width = snippet.tokens[token].end - snippet.tokens[token].start
    return Pair(PairKind.ADDED, (token, token + 1), (), width)


# long: filling the table and walking back through it share its keys, lengths and costs, in the innermost loop
def pair_cheapest(
    snippet: PreparedSnippet,
    index: DocumentIndex,
    tokens: list[int],
    words: list[int],
    *,
    free: tuple[range, range] = (range(0), range(0)),
) -> list[Pair]:
    """Pair tokens and words in order with the fewest edits.

    Words in the two `free` ranges (positions in `words`, at its head and its tail) may stay unpaired for
    nothing.
    """
    head, tail = free
    if len(tokens) == len(words) == 1 and not head and not tail:
        # the commonest difference, one word for one: leaving both out would always cost more edits
        token = snippet.tokens[tokens[0]]
        edits = Levenshtein.distance(snippet.key[token.start : token.end], index.keys[words[0]])
        kind = PairKind.LIKE if edits else PairKind.SAME
        return [Pair(kind, (tokens[0], tokens[0] + 1), (words[0],), edits)]
    token_keys = [snippet.key[snippet.tokens[t].start : snippet.tokens[t].end] for t in tokens]
    word_keys = [index.keys[w] for w in words]
    if len(words) == 1 and b"".join(token_keys) == word_keys[0]:
        # a long number written in groups
        return [Pair(PairKind.SAME, (tokens[0], tokens[-1] + 1), (words[0],), 0)]
    tail_start = tail.start if len(tail) else len(words)

    rows, columns = len(tokens), len(words)
    # keys that are joined are slices of the keys run together
    ours = [0, *accumulate(map(len, token_keys))]
    theirs = [0, *accumulate(map(len, word_keys))]
    joined_tokens, joined_words = b"".join(token_keys), b"".join(word_keys)

    def distance(i: int, a: int, j: int, b: int) -> int:
        own, other = joined_tokens[ours[i] : ours[i + a]], joined_words[theirs[j] : theirs[j + b]]
        lengths = len(own) + len(other)
        if (a > 1 or b > 1) and abs(len(own) - len(other)) * 2 > lengths:
            return lengths  # too unlike to have been one: dearer than leaving both
        return Levenshtein.distance(own, other)

    def is_free(i: int, j: int) -> bool:
        return (j in head and i == 0) or (j >= tail_start and i == rows)

    infinite = float("inf")
    cost = [[infinite] * (columns + 1) for _ in range(rows + 1)]
    back: list[list[tuple[int, int]]] = [[(0, 0)] * (columns + 1) for _ in range(rows + 1)]
    cost[0][0] = 0.0
    for i in range(rows + 1):
        shapes = [(a, b, extra, ours[i + a] - ours[i]) for a, b, extra in _SHAPES if i + a <= rows]
        for j in range(columns + 1):
            here = cost[i][j]
            if here == infinite:
                continue
            if i < rows and here + len(token_keys[i]) < cost[i + 1][j]:
                cost[i + 1][j], back[i + 1][j] = here + len(token_keys[i]), (1, 0)
            if j < columns:
                step = here + (0.0 if is_free(i, j) else len(word_keys[j]))
                if step < cost[i][j + 1]:
                    cost[i][j + 1], back[i][j + 1] = step, (0, 1)
            for a, b, extra, length in shapes:
                if j + b > columns:
                    continue
                base, known = here + extra, cost[i + a][j + b]
                # at least the letters that one side has more are edits: most shapes need no closer look
                if base + abs(length - theirs[j + b] + theirs[j]) >= known:
                    continue
                step = base + distance(i, a, j, b)
                if step < known:
                    cost[i + a][j + b], back[i + a][j + b] = step, (a, b)
    pairs: list[Pair] = []
    i, j = rows, columns
    while i or j:
        a, b = back[i][j]
        i, j = i - a, j - b
        if a == 0:
            if not is_free(i, j):
                pairs.append(Pair(PairKind.SKIPPED, (0, 0), (words[j],), len(word_keys[j])))
        elif b == 0:
            pairs.append(added_token(snippet, tokens[i]))
        else:
            edits = distance(i, a, j, b)
            kind = PairKind.LIKE if edits else PairKind.SAME
            pairs.append(Pair(kind, (tokens[i], tokens[i + a - 1] + 1), tuple(words[j : j + b]), edits))
    return pairs[::-1]
