"""Chains turned into pairs: what lies between two links is left out, added, or another word in its place."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citation_pipeline.core.matching.chains import Link
from citation_pipeline.core.matching.far_jumps import goes_far
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.jumps import Jump
from citation_pipeline.core.matching.neighbourhoods import Neighbourhood
from citation_pipeline.core.matching.pairing import Pair, PairKind, added_token, pair_cheapest
from citation_pipeline.core.matching.snippets import PreparedSnippet

_HYPHENS = ("-", "\u00ad", "‐")
_MOSTLY = 0.55  # of the key: below it a chain is another text, whatever its gaps hold


@dataclass(frozen=True, slots=True)
class Linked:
    """The pairs of a chain, the numbers of skips that the layout or an ellipsis explains, and the jumps
    made."""

    pairs: tuple[Pair, ...]
    free_skips: frozenset[int]
    jumps: tuple[Jump, ...]


def pair_links(
    snippet: PreparedSnippet, index: DocumentIndex, near: Neighbourhood, links: Sequence[Link]
) -> Linked:
    """Pair every token of the snippet, link by link; unlinked tokens may match the words left out beside
    them."""
    tokens = [number for number, token in enumerate(snippet.tokens) if token.end > token.start]
    pairs: list[Pair] = []
    free: set[int] = set()
    jumps: list[Jump] = []
    position = 0
    previous: Link | None = None
    linked = sum(
        snippet.tokens[t].end - snippet.tokens[t].start for link in links for t in range(*link.tokens)
    )
    # of a text that is hardly here the words beside the links are strangers: pairing them would invent
    # noise
    is_mostly_linked = linked >= _MOSTLY * len(snippet.key)
    for link in links:
        pending = []
        while tokens[position] < link.tokens[0]:
            pending.append(tokens[position])
            position += 1
        if pending and not is_mostly_linked:
            pairs += [added_token(snippet, token) for token in pending]
            pending = []
        while position < len(tokens) and tokens[position] < link.tokens[1]:
            position += 1
        words = tuple(near.low + w for w in range(*link.words) if near.keys[w])
        edits = link.edits
        if previous is None:
            pairs += _head(snippet, index, near, pending, link)
        else:
            parted = _parted_word(snippet, near, previous, link) if edits and not pending else None
            if parted is not None:  # the word's first part is at the end of the page or column before
                previous, words, edits = parted, (near.low + parted.words[1] - 1, *words), 0
                link = replace(link, jump=Jump.BLOCK)
            pairs += _between(snippet, index, near, pending, previous, link)
            jumps.append(link.jump)
            is_gap = link.jump is Jump.ELLIPSIS or _is_parted(snippet, link)
            if is_gap and pairs and pairs[-1].kind is PairKind.SKIPPED:
                free.add(len(pairs) - 1)
        kind = PairKind.LIKE if edits else PairKind.SAME
        pairs.append(Pair(kind, link.tokens, words, edits))
        previous = link
    if previous is not None and not is_mostly_linked:
        pairs += [added_token(snippet, token) for token in tokens[position:]]
    elif previous is not None:
        pairs += _tail(snippet, index, near, tokens[position:], previous)
    return Linked(tuple(pairs), frozenset(free), tuple(jumps))


def _parted_word(snippet: PreparedSnippet, near: Neighbourhood, before: Link, link: Link) -> Link | None:
    """Return the link before with the first part of a hyphenated word whose rest the link found:
    `con-` at a page's end and `sequential` on the next."""
    at = before.words[1]
    while at < link.words[0] and not near.keys[at]:
        at += 1
    if at >= link.words[0] or not near.index.words.texts[near.low + at].endswith(_HYPHENS):
        return None
    rest = b"".join(near.keys[w] for w in range(*link.words))
    first, last = snippet.tokens[link.tokens[0]], snippet.tokens[link.tokens[1] - 1]
    if near.keys[at] + rest != snippet.key[first.start : last.end]:
        return None
    return replace(before, words=(before.words[0], at + 1))


def _is_parted(snippet: PreparedSnippet, link: Link) -> bool:
    """Tell whether an ellipsis is before a link."""
    return snippet.tokens[link.tokens[0]].start in snippet.parts


def _between(
    snippet: PreparedSnippet,
    index: DocumentIndex,
    near: Neighbourhood,
    pending: list[int],
    before: Link,
    link: Link,
) -> list[Pair]:
    is_far = link.jump is Jump.BLOCK and goes_far(near, before.words[1] - 1, link.words[0])
    if is_far or link.jump in (Jump.GENERAL, Jump.ELLIPSIS, Jump.NEXT) or _is_parted(snippet, link):
        words = [near.low + w for w in range(before.words[1], link.words[0]) if near.keys[w]]
    else:
        words = []
    # many words for few tokens are a gap, not their misreading
    if pending and words and len(words) <= 3 * len(pending):
        return pair_cheapest(snippet, index, pending, words)
    pairs = [added_token(snippet, token) for token in pending]
    if words:
        pairs.append(Pair(PairKind.SKIPPED, (0, 0), tuple(words), sum(len(index.keys[w]) for w in words)))
    return pairs


def _head(
    snippet: PreparedSnippet, index: DocumentIndex, near: Neighbourhood, pending: list[int], link: Link
) -> list[Pair]:
    words = _beside(index, near.low + link.words[0] - 1, -1, len(pending))[::-1]
    if not pending or not words:
        return [added_token(snippet, token) for token in pending]
    return pair_cheapest(snippet, index, pending, words, free=(range(len(words)), range(0)))


def _tail(
    snippet: PreparedSnippet, index: DocumentIndex, near: Neighbourhood, pending: list[int], link: Link
) -> list[Pair]:
    words = _beside(index, near.low + link.words[1], 1, len(pending))
    if not pending or not words:
        return [added_token(snippet, token) for token in pending]
    return pair_cheapest(snippet, index, pending, words, free=(range(0), range(len(words))))


def _beside(index: DocumentIndex, word: int, step: int, count: int) -> list[int]:
    found: list[int] = []
    while 0 <= word < len(index.keys) and len(found) < count:
        if index.keys[word]:
            found.append(word)
        word += step
    return found
