"""Places that a person has signed for, and what becomes of them in a new resolution.

A pin overrides what the matcher found. In another version of the file its boxes mean nothing: in one that
says the same (a better scan) its very words are followed to where they are now; in any other its text is
looked for again. A pin whose text is gone stays where it was and is marked as a conflict.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.followed_words import follow_words
from citation_pipeline.core.documents.parsed import ParsedDocument, Words
from citation_pipeline.core.documents.replacements import FormerDocument, successor_of
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.confidence import confidence_at
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import search_places

FOLLOWED = "verified_followed"
"""The method of a signed place whose words were followed into a new scan of the same pages."""


@dataclass(frozen=True, slots=True)
class Pin:
    """Words on one page that a person signed for.

    `citation_index` None pins the field's first citation. `sha256` is the file's content when it was signed,
    `page` 1-based, `boxes` one per line in the page frame, `text` the words as they read then.
    """

    field_key: str
    source_id: str
    sha256: str
    page: int
    text: str
    boxes: Sequence[Box]
    citation_index: int | None = None


@dataclass(frozen=True, slots=True)
class PinnedPlace:
    """Where a pin lies now: the source, its words there (may be none), and how that was decided.

    `method` is `verified`, `verified_followed` (the same words in a new scan of the same pages),
    `verified_moved` (found again in another version) or `verified_lost`. `confidence` is 1 where a person
    signed for these words, and the search's own where only their text was found again.
    """

    source_id: str
    words: tuple[int, ...]
    method: str
    warnings: tuple[str, ...] = ()
    confidence: float = 1.0


def place_pin(
    pin: Pin,
    documents: Mapping[str, ParsedDocument],
    index_of: Mapping[str, DocumentIndex],
    *,
    former: Mapping[str, FormerDocument] | None = None,
) -> PinnedPlace:
    """Find a pin in the claim's documents of today; `former` are those that were replaced, by SHA-256."""
    document = documents.get(pin.source_id)
    if document is not None and document.source.sha256 == pin.sha256:
        words = words_in_boxes(document.words, pin.page, pin.boxes)
        return PinnedPlace(pin.source_id, words, "verified")
    for source_id in sorted(documents):  # the same file under another name
        if documents[source_id].source.sha256 == pin.sha256:
            words = words_in_boxes(documents[source_id].words, pin.page, pin.boxes)
            return PinnedPlace(source_id, words, "verified")
    followed = _followed(pin, documents, former or {})
    if followed is not None:
        return followed
    # another version: boxes of the old pages would show something else
    if document is not None:
        found = search_places(index_of[pin.source_id], pin.text, Hints(page=pin.page))
        if found.best is not None and found.status is CitationStatus.RESOLVED:
            return PinnedPlace(
                pin.source_id,
                found.best.match.words,
                "verified_moved",
                ("verification_moved",),
                confidence_at(index_of[pin.source_id], found.best.match, found.best.judgement),
            )
    return PinnedPlace(pin.source_id, (), "verified_lost", ("verification_conflict",), 0.0)


def _followed(
    pin: Pin, documents: Mapping[str, ParsedDocument], former: Mapping[str, FormerDocument]
) -> PinnedPlace | None:
    """Return the pin's own words in what took its document's place; None unless all of them are there."""
    before, sha256 = successor_of(pin.sha256, former)
    if before is None:
        return None
    for source_id in sorted(documents):
        if documents[source_id].source.sha256 == sha256:
            at = words_in_boxes(before.words, pin.page, pin.boxes)
            words = follow_words(before.words, at, documents[source_id].words)
            return PinnedPlace(source_id, words, FOLLOWED, ("verification_followed",)) if words else None
    return None


def words_in_boxes(words: Words, page: int, boxes: Sequence[Box]) -> tuple[int, ...]:
    """Return the ids of the page's words whose centre lies in one of the boxes."""
    if not len(words):
        return ()
    x = words.boxes[:, 0] + words.boxes[:, 2] / 2
    y = words.boxes[:, 1] + words.boxes[:, 3] / 2
    inside = np.zeros(len(words), np.bool_)
    for box in boxes:
        inside |= (x >= box.left) & (x <= box.right) & (y >= box.top) & (y <= box.bottom)
    return tuple(int(word) for word in np.flatnonzero(inside & (words.page == page)))
