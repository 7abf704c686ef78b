"""What is computed once per document and reused by every snippet that is looked for in it; all of it lazily.

Looking is `search`'s work.
"""

from bisect import bisect_left
from collections.abc import Container, Iterator
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from citation_pipeline.core.documents.parsed import ParsedDocument, Words
from citation_pipeline.core.matching.box_signs import may_hold_box
from citation_pipeline.core.matching.confusions import readings_of
from citation_pipeline.core.matching.folding import fold, is_unspaced
from citation_pipeline.core.matching.rows import RowOrder, order_rows
from citation_pipeline.core.matching.streams import KeyStream
from citation_pipeline.core.matching.vocabulary import are_foreign, is_listed

_UNSURE = 0.8  # one word in five of those just below it is misread
_LOW_CONFIDENCE = 0.6  # below it a recognizer is more often wrong than a typist
_STRETCH = 200  # words whose noise is told together: half a dense page
_LEAST_TOLD = 4  # characters of a word that tells noise: shorter ones are abbreviations as often
_LEAST_UNKNOWN = 0.07  # of clean English print 1-4 % is no listed word
_MOST_TOLD = 40  # unknown words that are looked at
_LEAST_MISREAD = (
    0.5  # of them: of clean print a sixth, of a medical page two fifths, of bad prints three quarters
)
_MOST_UNKNOWN = 0.6  # more is another language, of which nothing is told


class DocumentIndex:
    """The key streams and layout tables of one document's words."""

    def __init__(self, document: ParsedDocument | Words) -> None:
        self.words = document if isinstance(document, Words) else document.words
        self.neighbourhoods: dict[tuple[int, int], object] = {}
        self._noisy: dict[int, bool] = {}
        self._misread: dict[int, bool] = {}
        self._foreign: dict[int, bool] = {}
        self._odd: dict[bytes, bool] = {}
        self.line_numbers: dict[int, frozenset[int]] = {}
        self.item_numbers: dict[int, frozenset[int]] = {}
        self.turn_places: object = None
        self.denied_headings: list[int] | None = None
        self.void_sections: list[tuple[int, int]] | None = None
        self.taken_back: frozenset[int] | None = None
        self.clippings: dict[tuple[int, int, bool], str] = {}

    def warm(self) -> None:
        """Build every table now instead of on first use."""
        for stream in (self.reading, self.visual):
            stream.warm()
        _ = self.keys_by_length

    @cached_property
    def key_of(self) -> dict[str, bytes]:
        """The key of each different written word."""
        return {text: fold(text) for text in set(self.words.texts)}

    @cached_property
    def keys(self) -> list[bytes]:
        """Every word's key; equal words share one object."""
        return list(map(self.key_of.__getitem__, self.words.texts))

    def written(self, texts: Container[str]) -> Iterator[int]:
        """Yield the ids of the words that are written in one of some ways, in order."""
        return compress(range(len(self.words.texts)), map(texts.__contains__, self.words.texts))

    def keyed(self, keys: Container[bytes]) -> Iterator[int]:
        """Yield the ids of the words that have one of some keys, in order."""
        # a document has few different words: most have none of these, and are not gone through
        texts = {text for text, key in self.key_of.items() if key in keys}
        return self.written(texts) if texts else iter(())

    @cached_property
    def reading(self) -> KeyStream:
        """The words in the parser's reading order."""
        return KeyStream(self.keys)

    @cached_property
    def rows(self) -> RowOrder:
        """The words' visual rows."""
        return order_rows(self.words)

    @cached_property
    def boxed_texts(self) -> frozenset[str]:
        """The written words that may be a box of a form, or a part of one."""
        return frozenset(text for text in self.key_of if may_hold_box(text))

    @cached_property
    def turns(self) -> NDArray[np.int64]:
        """The ids of the words above and to the right of the word before: the first of a next column."""
        boxes, page = self.words.boxes, self.words.page
        left, top, bottom = boxes[:, 0], boxes[:, 1], boxes[:, 1] + boxes[:, 3]
        goes_up = (page[1:] == page[:-1]) & (bottom[1:] <= top[:-1]) & (left[1:] > left[:-1])
        found: NDArray[np.int64] = np.flatnonzero(goes_up) + 1
        return found

    @cached_property
    def turn_list(self) -> list[int]:
        """The same, for looking at one place."""
        found: list[int] = self.turns.tolist()
        return found

    @cached_property
    def returns(self) -> NDArray[np.int64]:
        """The ids of the words below and to the left of the word before: the first of a next line."""
        boxes, page = self.words.boxes, self.words.page
        left, top, bottom = boxes[:, 0], boxes[:, 1], boxes[:, 1] + boxes[:, 3]
        goes_down = (page[1:] == page[:-1]) & (top[1:] >= (top[:-1] + bottom[:-1]) / 2)
        found: NDArray[np.int64] = np.flatnonzero(goes_down & (left[1:] < left[:-1])) + 1
        return found

    @cached_property
    def _row_numbers(self) -> NDArray[np.int32]:
        """The row number of each word in row order, ascending."""
        found: NDArray[np.int32] = self.rows.row[self.rows.order]
        return found

    @cached_property
    def has_unspaced_lines(self) -> bool:
        """Whether some word is a line of a script that sets no spaces."""
        return any(not text.isascii() and is_unspaced(text) for text in self.key_of)

    def words_of_row(self, row: int) -> list[int]:
        """Return the ids of the words with a key of a visual row, left to right."""
        first, last = np.searchsorted(self._row_numbers, np.asarray((row, row + 1), self._row_numbers.dtype))
        return [word for word in self.rows.order[first:last].tolist() if self.keys[word]]

    def keys_of_rows(self, first: int, last: int) -> set[bytes]:
        """Return the keys of the visual rows [first, last]."""
        bounds = np.asarray((first, last + 1), self._row_numbers.dtype)
        begin, end = np.searchsorted(self._row_numbers, bounds)
        return {self.keys[word] for word in self.rows.order[begin:end].tolist()}

    @cached_property
    def visual(self) -> KeyStream:
        """The words in visual row order, of the pages that it orders otherwise than the parser: of the others
        the reading order says it all."""
        order = self.rows.order
        keyed = order[self.is_keyed[order]]
        page = self.words.page
        falls = np.flatnonzero(np.diff(keyed) < 0)
        # a fall between two pages is the parser's order of pages, not of words
        torn = np.unique(page[keyed[falls]][page[keyed[falls]] == page[keyed[falls + 1]]])
        return KeyStream(self.keys, order[np.isin(page[order], torn)])

    @cached_property
    def _occurrences(
        self,
    ) -> tuple[dict[bytes, int], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """Numbers of the different keys, each word's number, the words by number, and where each number
        starts."""
        numbers = {key: number for number, key in enumerate(dict.fromkeys(self.keys))}
        of_word = np.fromiter(map(numbers.__getitem__, self.keys), np.int32, len(self.keys))
        by_number = np.argsort(of_word, kind="stable").astype(np.int32)
        starts = np.r_[0, np.cumsum(np.bincount(of_word, minlength=len(numbers)))].astype(np.int64)
        return numbers, of_word, by_number, starts

    @property
    def vocabulary(self) -> Container[bytes]:
        """The keys that the document prints."""
        return self._occurrences[0]

    def count_of(self, key: bytes) -> int:
        """Return how often the document prints a key."""
        numbers, _, _, starts = self._occurrences
        number = numbers.get(key)
        return 0 if number is None else int(starts[number + 1] - starts[number])

    def is_doubted(self, word: int) -> bool:
        """Tell whether the recognizer itself gave a word a low confidence."""
        return self.words.confidence.item(word) < _LOW_CONFIDENCE  # NaN, a text layer's, is not lower

    def is_unsure(self, word: int) -> bool:
        """Tell whether the recognizer itself was not sure of a word."""
        return self.words.confidence.item(word) < _UNSURE

    def is_odd(self, key: bytes) -> bool:
        """Tell whether a printed key may be misread: neither a listed word nor a number."""
        known = self._odd.get(key)
        if known is None:
            known = bool(key) and not key.isdigit() and not (key.isalpha() and is_listed(key))
            self._odd[key] = known
        return known

    def is_noisy_near(self, word: int) -> bool:
        """Tell whether so many words around a word are no words that its page was badly recognized."""
        number = word // _STRETCH
        if number not in self._noisy:
            self._noisy[number] = self._is_noisy_stretch(number * _STRETCH)
        return self._noisy[number]

    def is_foreign_near(self, word: int) -> bool:
        """Tell whether the words around a word are hardly English."""
        number = word // _STRETCH
        if number not in self._foreign:
            low, high = max(0, number * _STRETCH - _STRETCH // 2), (number + 1) * _STRETCH + _STRETCH // 2
            self._foreign[number] = are_foreign(self.keys[low:high])
        return self._foreign[number]

    def _is_noisy_stretch(self, first: int) -> bool:
        low, high = max(0, first - _STRETCH // 2), first + _STRETCH + _STRETCH // 2
        confidence = self.words.confidence[low:high]
        if np.count_nonzero(confidence < _LOW_CONFIDENCE) > _LEAST_UNKNOWN * len(confidence):
            return True
        keys = [
            key
            for key, text in zip(self.keys[low:high], self.words.texts[low:high], strict=True)
            if len(key) >= _LEAST_TOLD and not text[:1].isupper()
        ]
        unknown = sum(self.is_odd(key) for key in keys)
        # too many unknown words are another language, one or two are names
        return _LEAST_UNKNOWN * len(keys) <= unknown <= _MOST_UNKNOWN * len(keys) and unknown > 1

    def is_misread_near(self, word: int) -> bool:
        """Tell whether the words that make a page noisy near a word are misreadings: most are one slip from a
        listed word. Terms, codes and abbreviations of a clean page are not."""
        number = word // _STRETCH
        if number not in self._misread:
            self._misread[number] = self.is_noisy_near(word) and self._is_misread_stretch(number * _STRETCH)
        return self._misread[number]

    def _is_misread_stretch(self, first: int) -> bool:
        low, high = max(0, first - _STRETCH // 2), first + _STRETCH + _STRETCH // 2
        if np.count_nonzero(self.words.confidence[low:high] < _LOW_CONFIDENCE) > 1:
            return True
        odd = dict.fromkeys(
            key
            for key, text in zip(self.keys[low:high], self.words.texts[low:high], strict=True)
            if len(key) >= _LEAST_TOLD and not text[:1].isupper() and self.is_odd(key)
        )
        told = list(odd)[:_MOST_TOLD]
        misread = sum(any(is_listed(true) for true in readings_of(key)) for key in told)
        return misread >= _LEAST_MISREAD * len(told)

    def words_with(self, key: bytes, low: int, high: int) -> list[int]:
        """Return the ids in [low, high) of the words with a key, in order."""
        numbers, _, by_number, starts = self._occurrences
        number = numbers.get(key)
        if number is None:
            return []
        # bisect on the table's memory: numpy's own search costs more to call than to run
        words, begin, end = by_number.data, int(starts[number]), int(starts[number + 1])
        first = bisect_left(words, low, begin, end)
        found: list[int] = words[first : bisect_left(words, high, first, end)].tolist()
        return found

    def offsets_of(self, key: bytes, *, most: int) -> list[int]:
        """Return where the first words with a key are in the reading stream."""
        numbers, _, by_number, starts = self._occurrences
        number = numbers.get(key)
        if number is None:
            return []
        first = int(starts[number])
        words = by_number[first : min(first + most, int(starts[number + 1]))]
        found: list[int] = self.reading.starts[words].tolist()
        return found

    def keys_between(self, low: int, high: int) -> list[bytes]:
        """Return the different keys of the words [low, high), in no telling but a stable order."""
        keys = self.keys
        _, of_word, _, _ = self._occurrences
        _, first = np.unique(of_word[low:high], return_index=True)
        return [key for place in first.tolist() if (key := keys[low + place])]

    def keys_near(self, key: bytes, slips: int) -> list[bytes]:
        """Return the different keys of the document at most so many letters from a key, in a stable order."""
        found: list[bytes] = []
        for length in range(len(key) - slips, len(key) + slips + 1):
            choices = self.keys_by_length.get(length, ())
            near = process.extract(key, choices, scorer=OSA.distance, score_cutoff=slips, limit=None)
            found += [choice for choice, _, _ in near]
        return found

    @cached_property
    def is_keyed(self) -> NDArray[np.bool_]:
        """For each word whether it has a key at all."""
        found: NDArray[np.bool_] = np.diff(self.reading.starts) > 0
        return found

    @cached_property
    def keys_by_length(self) -> dict[int, list[bytes]]:
        """The different keys of the document by their length."""
        found: dict[int, list[bytes]] = {}
        for key in self._occurrences[0]:
            found.setdefault(len(key), []).append(key)
        return found
