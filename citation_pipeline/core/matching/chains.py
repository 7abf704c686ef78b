"""A snippet put together from pieces: words in a row, with jumps over cells, footers, columns and ellipses.

Each token may be where its key is; the chain with the most characters and the cheapest jumps wins.
What a jump costs belongs to `jumps`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from citation_pipeline.core.matching.jumps import NEVER, Arrivals, Jump, Scores
from citation_pipeline.core.matching.neighbourhoods import Neighbourhood
from citation_pipeline.core.matching.snippets import PreparedSnippet

MOST_TOKENS = 120
"""Tokens that are chained; longer snippets have long whole stretches, which alignment finds."""

_LIKE = 0.6  # similarity from which a token may stand for another key
_LEAST_LIKE_LENGTH = 4
_FEW_PLACES, _MOST_PLACES = 16, 80  # of one token: a word that is everywhere anchors nothing by itself
_ADDED_BASE, _ADDED_SHARE = 0.5, 0.6  # cost of a token that is not there
_BONUS = 1.0  # of a token found whole


@dataclass(frozen=True, slots=True)
class Link:
    """Tokens (half-open) found at words (relative, half-open), the edits between them, and the jump that
    led there."""

    tokens: tuple[int, int]
    words: tuple[int, int]
    edits: int
    jump: Jump


@dataclass(frozen=True, slots=True)
class _Option:
    first_token: int
    token: int  # the last of the tokens
    start: int
    end: int
    edits: int
    score: float


def chain(snippet: PreparedSnippet, near: Neighbourhood) -> list[Link]:
    """Return the best chain of the snippet's tokens through a neighbourhood, in the snippet's order."""
    tokens = [number for number, token in enumerate(snippet.tokens) if token.end > token.start]
    if not tokens or len(tokens) > MOST_TOKENS or not len(near):
        return []
    keys = [snippet.key[snippet.tokens[t].start : snippet.tokens[t].end] for t in tokens]
    parted = {number for number, t in enumerate(tokens) if snippet.tokens[t].start in snippet.parts}
    table = _Table(near, keys, parted)
    return [
        Link(
            (tokens[option.first_token], tokens[option.token] + 1),
            (option.start, option.end),
            option.edits,
            jump,
        )
        for option, jump in table.solve()
    ]


class _Table:
    """The dynamic program: `best[i][w]` is the best score of tokens up to i whose last found word is w."""

    def __init__(self, near: Neighbourhood, keys: Sequence[bytes], parted: set[int]) -> None:
        self.near, self.keys, self.parted = near, keys, parted
        self.count = len(near)
        self.best: list[Scores] = []
        self.options: list[dict[int, _Option]] = []
        self.jumps: list[dict[int, tuple[Jump, int]]] = []
        self.added = [_ADDED_BASE + _ADDED_SHARE * len(key) for key in keys]

    def solve(self) -> list[tuple[_Option, Jump]]:
        for token in range(len(self.keys)):
            self._add_token(token)
        last = len(self.keys) - 1
        place = int(np.argmax(self.best[last]))
        if self.best[last][place] <= NEVER / 2:
            return []
        path: list[tuple[_Option, Jump]] = []
        token = last
        while token >= 0:
            option = self.options[token].get(place)
            if option is None or self.best[token][place] > option.score + 1e-9:
                token -= 1  # not found: the state was carried over
                continue
            jump, before = self.jumps[token][place]
            path.append((option, jump))
            if jump is Jump.START:
                break
            token, place = option.first_token - 1, before
        return path[::-1]

    def _add_token(self, token: int) -> None:
        carried = self.best[token - 1] - self.added[token] if token else np.full(self.count, NEVER)
        best = carried.copy()
        options: dict[int, _Option] = {}
        jumps: dict[int, tuple[Jump, int]] = {}
        arrivals: dict[int, Arrivals] = {}
        for first, start, end, edits, gain in self._candidates(token):
            if first not in arrivals:
                arrivals[first] = Arrivals(
                    near=self.near,
                    before=self.best[first - 1] if first else None,
                    start=-sum(self.added[:first]),
                    is_parted=first in self.parted,
                )
            score, jump, before = arrivals[first].at(start)
            score += gain
            place = end - 1
            if score > best[place]:
                best[place] = score
                options[place] = _Option(first, token, start, end, edits, score)
                jumps[place] = (jump, before)
        self.best.append(best)
        self.options.append(options)
        self.jumps.append(jumps)

    def _candidates(self, token: int) -> list[tuple[int, int, int, int, float]]:
        """(first token, start, end, edits, gain) of every place where the token may be."""
        near, key = self.near, self.keys[token]
        gain = len(key) + _BONUS
        found = [(token, p, p + 1, 0, gain) for p in self._likely(token, near.places_of(key))]
        if len(key) >= 2:
            found += [(token, start, end, 0, gain) for start, end in self._torn(key)]
        if token:
            # two tokens may be one word of the page: the parser keeps together what the quotation tears
            joined = self.keys[token - 1] + key
            found += [(token - 1, p, p + 1, 0, len(joined) + _BONUS) for p in near.places_of(joined)]
        # a token that is there whole needs no look-alike; of short ones everything is a look-alike
        if not found and len(key) >= _LEAST_LIKE_LENGTH:
            found = self._alike(token, key)
        return found

    def _likely(self, token: int, places: Sequence[int]) -> Sequence[int]:
        """Return the places of a token; of a frequent one those beside a neighbour's key, in its row or at an
        edge."""
        if len(places) <= _FEW_PLACES:
            return places
        near = self.near
        before = self.keys[token - 1] if token else None
        after = self.keys[token + 1] if token + 1 < len(self.keys) else None
        # the cell of a column that says the same in every row is told by the row alone
        beside = near.places_of(before) if before is not None else []
        rows = {near.row[p] for p in beside} if len(beside) <= _FEW_PLACES else frozenset()
        chosen = [
            p
            for p in places
            if near.row[p] in rows
            or (p and near.keys[p - 1] == before)
            or (p + 1 < self.count and near.keys[p + 1] == after)
            or near.is_block_start[p]
            or near.is_block_end[p]
        ]
        return chosen[:_MOST_PLACES]

    def _torn(self, key: bytes) -> list[tuple[int, int]]:
        """Places where two or three words in a row make up the key."""
        found: list[tuple[int, int]] = []
        vocabulary, keys = self.near.index.vocabulary, self.near.keys
        for cut in range(1, len(key)):
            if key[:cut] not in vocabulary:
                continue
            for start in self.near.places_of(key[:cut])[:_MOST_PLACES]:
                rest, end = key[cut:], start + 1
                while rest and end < self.count and end - start < 4:
                    part = keys[end]
                    if not rest.startswith(part):
                        break
                    rest, end = rest[len(part) :], end + 1
                if not rest:
                    found.append((start, end))
        return found

    def _alike(self, token: int, key: bytes) -> list[tuple[int, int, int, int, float]]:
        distinct = self.near.distinct
        close = process.extract(
            key, distinct, scorer=Levenshtein.normalized_similarity, score_cutoff=_LIKE, limit=12
        )
        found = []
        for other, _, _ in close:
            edits = Levenshtein.distance(key, other)
            # an edit loses the letter and casts doubt on the word: two for one
            gain = len(key) - 2.0 * edits
            if gain > 0:
                found += [(token, p, p + 1, edits, gain) for p in self.near.places_of(other)[:_MOST_PLACES]]
        return found
