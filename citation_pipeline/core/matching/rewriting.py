"""Dates and numbers that a quotation writes in another form than the page: found, and named as rewritten.

A stretch of tokens and words that differ is one pair when both state the same values and nothing else is in
them. Which values words state belongs to `stated_values`.
"""

from collections.abc import Sequence

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.margins import without_note_mark
from citation_pipeline.core.matching.pairing import Pair, PairKind
from citation_pipeline.core.matching.snippets import PreparedSnippet
from citation_pipeline.core.matching.stated_values import is_part_of_a_value, states_a_value, values_of

_MOST_WORDS = 12  # of one rewritten value on either side
_MOST_PAIRS = 10  # that one value may take
_REACH = 3  # tokens and words beside a difference that may belong to its value


def merge_rewritten(snippet: PreparedSnippet, index: DocumentIndex, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs with every stretch that states the same values in another form as one pair."""
    telling = [
        _may_belong_to_a_value(snippet, index, pair) and not _is_noted(snippet, index, pair) for pair in pairs
    ]
    if not any(told and pair.kind is not PairKind.SAME for told, pair in zip(telling, pairs, strict=True)):
        return list(pairs)
    merged: list[Pair] = []
    at = 0
    while at < len(pairs):
        found = _merge_from(snippet, index, pairs, telling, at)
        if found is None:
            merged.append(pairs[at])
            at += 1
        else:
            merged.append(found[0])
            at = found[1]
    return merged


def _may_belong_to_a_value(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> bool:
    """Tell whether either side of a difference may be part of a date or a number."""
    texts = [token.text for token in snippet.tokens[slice(*pair.tokens)]]
    texts += [index.words.texts[word] for word in pair.words]
    return any(is_part_of_a_value(text) for text in texts)


def _is_noted(snippet: PreparedSnippet, index: DocumentIndex, pair: Pair) -> bool:
    """Tell whether two words differ in the mark of a footnote only, which is no part of a value."""
    if pair.kind is not PairKind.LIKE or len(pair.words) != 1:
        return False
    printed = index.words.texts[pair.words[0]]
    noted = without_note_mark(printed)
    if noted == printed:
        return False
    return fold(noted) == fold("".join(token.text for token in snippet.tokens[slice(*pair.tokens)]))


def _merge_from(
    snippet: PreparedSnippet, index: DocumentIndex, pairs: Sequence[Pair], telling: Sequence[bool], at: int
) -> tuple[Pair, int] | None:
    """Return the longest rewritten pair that begins at a pair, and where it ends.

    Of words that are the same on both sides only those of the value itself may begin or end it.
    """
    best: tuple[Pair, int] | None = None
    # the number of a list's member is no value of its text
    if pairs[at].kind is PairKind.ADDED and pairs[at].tokens[1] <= snippet.markers:
        return None
    if pairs[at].kind is PairKind.SAME and not telling[at]:
        return None
    is_open = is_told = False
    for end in range(at + 1, min(len(pairs), at + _MOST_PAIRS) + 1):
        pair = pairs[end - 1]
        is_same = pair.kind is PairKind.SAME
        # a value that is left out beside itself, "twenty-one (21)", is only left out
        is_open |= not is_same and pair.kind is not PairKind.SKIPPED
        is_told |= not is_same and telling[end - 1]
        if not (is_open and is_told):
            if end - at > _REACH:
                break
            continue
        if is_same and (best is not None or not telling[end - 1]):
            continue
        is_last = end == len(pairs)
        edge = _edge_beside(pairs, at, end)
        merged = _rewritten(snippet, index, pairs[at:end], edge, is_first=at == 0, is_last=is_last)
        if merged is not None:
            best = (merged, end)
    return best


def _rewritten(
    snippet: PreparedSnippet,
    index: DocumentIndex,
    stretch: Sequence[Pair],
    edge: int | None,
    *,
    is_first: bool,
    is_last: bool,
) -> Pair | None:
    tokens = [t for pair in stretch if pair.kind is not PairKind.SKIPPED for t in range(*pair.tokens)]
    words = sorted({word for pair in stretch for word in pair.words})
    if not tokens or len(tokens) > _MOST_WORDS:
        return None
    # no word was like any token: what is printed beside the rest of the quotation may still be the value
    if words:
        low, high = words[0], words[-1] + 1
    elif edge is not None:
        low = high = edge
    else:
        return None
    if high - low > _MOST_WORDS:
        return None
    quoted = [snippet.tokens[t].text for t in range(tokens[0], tokens[-1] + 1)]
    if not any(states_a_value(text) for text in quoted):
        return None  # most of a quotation states no value: cheaper to see than to read
    texts = index.words.texts
    ours = values_of(tuple(quoted))
    if ours is None:
        return None
    ends = fold(quoted[0]), fold(quoted[-1])
    ranges = _ranges(low, high, len(texts), max(_REACH, len(tokens)), is_first=is_first, is_last=is_last)
    if not ranges:
        return None
    widest = values_of(tuple(texts[min(low for low, _ in ranges) : max(high for _, high in ranges)]))
    if widest is None or not set(ours[0]) <= set(widest[0]):
        return None  # cheaper than reading every range
    # of the ranges with these values one that begins and ends as the quotation does is likeliest
    ranges.sort(key=lambda r: (index.keys[r[0]] != ends[0]) + (index.keys[r[1] - 1] != ends[1]))
    for low, high in ranges:
        if ours == values_of(tuple(texts[low:high])):
            kept = tuple(word for word in range(low, high) if index.keys[word])
            return Pair(PairKind.REWRITTEN, (tokens[0], tokens[-1] + 1), kept, 0)
    return None


def _edge_beside(pairs: Sequence[Pair], at: int, end: int) -> int | None:
    """Return the word at which the page goes on beyond the quotation's end that a stretch of it is."""
    if end == len(pairs) and at and pairs[at - 1].words:
        return pairs[at - 1].words[-1] + 1
    if not at and end < len(pairs) and pairs[end].words:
        return pairs[end].words[0]
    return None


def _ranges(
    low: int, high: int, count: int, reach: int, *, is_first: bool, is_last: bool
) -> list[tuple[int, int]]:
    """Return the ranges of words that a stretch may be, the likeliest first.

    At the quotation's ends nobody knows how many words of the page the value takes.
    """
    if is_last:
        further = range(high, min(count, high + reach) + 1)
        return [(low, end) for end in (*further, *range(high - 1, low, -1)) if end > low]
    if is_first:
        further = range(low, max(0, low - reach) - 1, -1)
        return [(begin, high) for begin in (*further, *range(low + 1, high)) if begin < high]
    return [(low, high)]
