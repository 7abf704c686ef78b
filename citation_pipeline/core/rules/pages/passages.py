"""Passages: runs of words that are read together - a value, a sentence, a note, an answer.

Word ids go along with the text, so that whatever is read in a passage can be cited to the word. Labels and
patterns live elsewhere.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from citation_pipeline.core.documents.parsed import ParsedDocument


@dataclass(frozen=True)
class Passage:
    """Words in the order in which they are read, as one text with single spaces between them."""

    words: tuple[int, ...]
    texts: tuple[str, ...]

    @cached_property
    def text(self) -> str:
        """The words joined by spaces."""
        return " ".join(self.texts)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each word begins in `text`."""
        places, at = [], 0
        for text in self.texts:
            places.append(at)
            at += len(text) + 1
        return tuple(places)

    def part(self, start: int, end: int) -> "Passage":
        """Return the passage of the words that overlap a range of `text`."""
        first, last = words_overlapping(self.starts, self.texts, start, end)
        return Passage(self.words[first:last], self.texts[first:last])


def words_overlapping(starts: Sequence[int], texts: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Return which words overlap a range of their joined text: the first, and the one behind the last."""
    first = max(bisect_right(starts, start) - 1, 0)
    if first < len(texts) and starts[first] + len(texts[first]) <= start:
        first += 1
    return first, max(bisect_left(starts, end), first)


EMPTY = Passage((), ())


def join(passages: Iterable[Passage]) -> Passage:
    """Return the passages one after the other."""
    parts = list(passages)
    return Passage(
        tuple(word for part in parts for word in part.words),
        tuple(text for part in parts for text in part.texts),
    )


def passage_of(document: ParsedDocument, words: Iterable[int]) -> Passage:
    """Return a passage of the document's words by their ids."""
    ids = tuple(words)
    return Passage(ids, tuple(document.words.texts[word] for word in ids))


_LEADER = re.compile(r"^[.\u2026\u00b7_]{2,}$")


def without_leaders(passage: Passage) -> Passage:
    """Return a passage without its dotted leaders."""
    kept = [n for n, text in enumerate(passage.texts) if not _LEADER.match(text)]
    return Passage(tuple(passage.words[n] for n in kept), tuple(passage.texts[n] for n in kept))
