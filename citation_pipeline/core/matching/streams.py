"""A key stream: the keys of a document's words run together in one order, with every way of looking into it.

Exact lookup is a scan in a short stream; in a long one the key's rarest gram tells where it may be. Both give
the same hits. The gram table also finds where a damaged snippet may be. All tables are built on first use.
Nothing here knows pages or boxes.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

GRAM = 4
"""Characters a seed has: at 8 % character noise 70 % of the 4-grams are still whole."""

# below this length one scan is faster than the table's first use
_SCAN_BELOW = 65_536
_CHUNK = 1 << 21  # grams that are sorted at once: the sort's 64-bit numbers stay small beside the table
_FEW = 64  # places that are compared one by one
_TELLING = 64  # characters of a key among which a rare gram is looked for
_HASH = np.uint32(2654435761)  # Knuth's multiplicative constant

Offsets = NDArray[np.int64]


class KeyStream:
    """The keys of `words` (word ids in this stream's order; None: 0, 1, 2, …) run together.

    `starts` has one offset per position and the total length at its end.
    """

    def __init__(self, keys: Sequence[bytes], words: NDArray[np.int32] | None = None) -> None:
        self.words = words
        count = len(keys) if words is None else len(words)
        ordered = keys if words is None else [keys[word] for word in words.tolist()]
        self.key = b"".join(ordered)
        self.starts = np.zeros(count + 1, np.int32)
        np.cumsum(np.fromiter(map(len, ordered), np.int32, count), out=self.starts[1:])
        self._starts = _view(self.starts)  # bisect on it beats searchsorted for one number
        self._last_seeds: tuple[bytes, int, int, tuple[Offsets, Offsets]] | None = None

    def __len__(self) -> int:
        """Return the length of the key."""
        return len(self.key)

    def __getstate__(self) -> dict[str, object]:
        """Leave the memory view out: it cannot be pickled."""
        return {name: value for name, value in self.__dict__.items() if name != "_starts"}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Put the memory view back."""
        self.__dict__.update(state)
        self._starts = _view(self.starts)

    def warm(self) -> None:
        """Build every table now instead of on first use."""
        _ = self.is_start, self._grams
        if len(self.key) >= _SCAN_BELOW:
            _ = self._first_bytes

    def position_at(self, offset: int) -> int:
        """Return the position of the word whose key holds the byte at `offset`."""
        return bisect_right(self._starts, offset) - 1

    def positions_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the half-open positions of the words that a non-empty range of the key touches."""
        return self.position_at(start), self.position_at(end - 1) + 1

    def positions_of_all(self, places: Offsets, length: int) -> tuple[Offsets, Offsets]:
        """Return the half-open positions of the words that ranges of the key, all of one length, touch."""
        # numbers of the table's own type: of any other it would be converted whole
        begin = np.searchsorted(self.starts, places.astype(np.int32), side="right") - 1
        end = np.searchsorted(self.starts, (places + length - 1).astype(np.int32), side="right")
        return begin.astype(np.int64), end.astype(np.int64)

    def words_of(self, positions: Offsets) -> NDArray[np.int64]:
        """Return the word ids at positions."""
        return positions if self.words is None else self.words[positions].astype(np.int64)

    def word_of(self, position: int) -> int:
        """Return the word id at a position."""
        return position if self.words is None else int(self.words[position])

    @cached_property
    def is_start(self) -> NDArray[np.bool_]:
        """For every offset (and the end) whether a word begins there."""
        found = np.zeros(len(self.key) + 1, np.bool_)
        found[self.starts] = True
        return found

    @cached_property
    def _bytes(self) -> NDArray[np.uint8]:
        return np.frombuffer(self.key, np.uint8)

    def find_all(self, key: bytes) -> Offsets:
        """Return every offset where `key` is from a word's start to a word's end, in order."""
        if not key or len(key) > len(self.key):
            return np.zeros(0, np.int64)
        if len(self.key) < _SCAN_BELOW:
            return np.asarray(self._scan(key), np.int64)
        places = self._places_of_rarest_gram(key) if len(key) >= GRAM else self._words_beginning(key[0])
        places = places[(places >= 0) & (places + len(key) <= len(self.key))]
        places = places[self.is_start[places] & self.is_start[places + len(key)]]
        if len(places):
            places = places[self._go_on(key, places)]
        # words without a key begin where the next one does
        return places if len(key) >= GRAM else np.unique(places)

    @cached_property
    def _first_bytes(self) -> NDArray[np.uint8]:
        found: NDArray[np.uint8] = self._bytes[self.starts[:-1].clip(max=len(self.key) - 1)]
        return found

    def _words_beginning(self, byte: int) -> Offsets:
        """Return, in order, the offsets of the words that begin with a byte; some may be named twice."""
        found: Offsets = self.starts[:-1][self._first_bytes == byte].astype(np.int64)
        return found

    def _places_of_rarest_gram(self, key: bytes) -> Offsets:
        """Return, in order, the only offsets where the key may be: of its grams the rarest tells."""
        bits, order, groups = self._grams
        hashes = _hash_grams(np.frombuffer(key[:_TELLING], np.uint8), bits).astype(np.int64)
        counts = groups[hashes + 1] - groups[hashes]
        # every place of the key has all its grams: a rare one leaves few to look at
        rarest = int(np.argmin(counts))
        group = int(hashes[rarest])
        return order[groups[group] : groups[group + 1]].astype(np.int64) - rarest

    def find_aligned(self, key: bytes, *, limit: int) -> list[int]:
        """Return the first `limit` offsets of `find_all`."""
        found: list[int] = self.find_all(key)[:limit].tolist()
        return found

    def _go_on(self, key: bytes, places: Offsets) -> NDArray[np.bool_]:
        """Tell at which places, where the key's first bytes are, all of it is."""
        if len(places) <= _FEW:
            return np.fromiter((self.key.startswith(key, p) for p in places.tolist()), np.bool_, len(places))
        # a column at a time: what differs early is not read to its end
        raw = np.frombuffer(key, np.uint8)
        left = np.arange(len(places))
        for step in range(len(key)):
            left = left[self._bytes[places[left] + step] == raw[step]]
            if len(left) <= _FEW:
                break
        found = np.zeros(len(places), np.bool_)
        found[[n for n in left.tolist() if self.key.startswith(key, int(places[n]))]] = True
        return found

    def _scan(self, key: bytes) -> list[int]:
        found: list[int] = []
        # a hit inside words is no quotation: `art` is in `part`
        place = self.key.find(key)
        is_start = self.is_start
        while place != -1:
            if is_start[place] and is_start[place + len(key)]:
                found.append(place)
            place = self.key.find(key, place + 1)
        return found

    def find_anywhere(self, key: bytes, *, limit: int) -> list[int]:
        """Return the first offsets where `key` is found, also inside words."""
        found: list[int] = []
        place = self.key.find(key) if key else -1
        while place != -1 and len(found) < limit:
            found.append(place)
            place = self.key.find(key, place + 1)
        return found

    @cached_property
    def _grams(self) -> tuple[int, NDArray[np.int32], NDArray[np.int32]]:
        """Hash bits, offsets grouped by gram hash, in order, and where each group starts."""
        count = max(0, len(self.key) - GRAM + 1)
        bits = min(16, max(8, (2 * count + 1).bit_length()))
        hashes = _hash_grams(self._bytes, bits)
        groups = np.zeros((1 << bits) + 1, np.int32)
        np.cumsum(np.bincount(hashes, minlength=1 << bits), out=groups[1:])
        if count <= _CHUNK:
            return (
                bits,
                np.argsort(hashes, kind="stable").astype(np.int32),
                groups,
            )  # a radix sort for 16 bits
        order = np.empty(count, np.int32)
        filled = groups[:-1].astype(np.int64)
        for low in range(0, count, _CHUNK):
            part = hashes[low : low + _CHUNK]
            by_hash = np.argsort(part, kind="stable")
            sizes = np.bincount(part, minlength=1 << bits)
            # where each group of this chunk goes on in the whole table
            shift = filled - (np.cumsum(sizes) - sizes)
            order[np.arange(len(part)) + np.repeat(shift, sizes)] = by_hash + low
            filled += sizes
        return bits, order, groups

    def count_differences(self, key: bytes, offsets: Offsets) -> NDArray[np.int64]:
        """Return for each offset how many characters of the key differ from those that are there."""
        raw = np.frombuffer(key, np.uint8)
        windows = np.lib.stride_tricks.sliding_window_view(self._bytes, len(raw))
        differ: NDArray[np.int64] = np.count_nonzero(windows[offsets] != raw, axis=1)
        return differ

    def seed_hits(self, key: bytes, *, budget: int) -> tuple[Offsets, Offsets]:
        """Return (key offsets, stream offsets) of shared 4-grams, the rarest grams first, within `budget`
        hits."""
        known = self._last_seeds
        # more windows of one snippet are looked at right after its first ones; what a budget did not cut is
        # the same within any other that would not have cut it
        if (
            known is not None
            and known[0] == key
            and (known[1] == budget or known[2] <= min(known[1], budget))
        ):
            return known[3]
        total, found = self._seed_hits(key, budget)
        self._last_seeds = (key, budget, total, found)
        return found

    def _seed_hits(self, key: bytes, budget: int) -> tuple[int, tuple[Offsets, Offsets]]:
        """Return how many hits there are without a budget, and those within it."""
        empty = np.zeros(0, np.int64)
        if len(key) < GRAM or len(self.key) < GRAM:
            return 0, (empty, empty)
        bits, order, groups = self._grams
        raw = np.frombuffer(key, np.uint8)
        hashes = _hash_grams(raw, bits)
        begin = groups[hashes].astype(np.int64)
        count = groups[hashes.astype(np.int64) + 1].astype(np.int64) - begin
        unbounded = total = int(count.sum())
        offsets = np.arange(len(hashes), dtype=np.int64)
        # frequent grams tell least: "tion" is everywhere, so the rarest are kept
        if total > budget:
            rarest = np.argsort(count, kind="stable")
            kept = max(1, int(np.searchsorted(np.cumsum(count[rarest]), budget, side="right")))
            chosen = np.sort(rarest[:kept])
            offsets, begin, count = offsets[chosen], begin[chosen], np.minimum(count[chosen], budget)
            total = int(count.sum())
        if total == 0:
            return 0, (empty, empty)
        ends = np.cumsum(count)
        places = order[np.arange(total) - np.repeat(ends - count, count) + np.repeat(begin, count)]
        seeds = np.repeat(offsets, count)
        places = places.astype(np.int64)
        # buckets are shared by other grams: keep true ones
        same = np.ones(total, np.bool_)
        for step in range(GRAM):
            same &= self._bytes[places + step] == raw[seeds + step]
        return unbounded, (seeds[same], places[same])


def _view(numbers: NDArray[np.int32]) -> "memoryview[int]":
    return memoryview(numbers.data)


def _hash_grams(raw: NDArray[np.uint8], bits: int) -> NDArray[np.uint16]:
    count = len(raw) - GRAM + 1
    if count <= 0:
        return np.zeros(0, np.uint16)
    found = np.empty(count, np.uint16)
    for low in range(0, count, _CHUNK):
        high = min(count, low + _CHUNK)
        value = raw[low:high].astype(np.uint32)
        for step in range(1, GRAM):
            value |= raw[low + step : high + step].astype(np.uint32) << np.uint32(8 * step)
        found[low:high] = (value * _HASH) >> np.uint32(32 - bits)
    return found
