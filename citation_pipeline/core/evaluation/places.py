"""Whether a citation lies where the truth says: by page, and word for word.

A word is found when a cited word's box overlaps its own by IoU >= 0.5. Boxes are in the page frame.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from citation_pipeline.core.boxes import Box, BoxArray, iou
from citation_pipeline.core.citations import Citation
from citation_pipeline.core.documents.parsed import ParsedDocument

_SAME_WORD = 0.5


@dataclass(frozen=True, slots=True)
class Place:
    """A true place: the document, the page and one box a line, none where the truth names only the page."""

    source_id: str
    page: int
    boxes: tuple[Box, ...]


def names_of(documents: Sequence[ParsedDocument]) -> dict[str, str]:
    """Return, under every name a document goes by, the one id that stands for its bytes.

    A truth file names files; their ids depend on who wrote them (accents composed or not), and a file filed
    twice has two.
    """
    first: dict[str, str] = {}
    names: dict[str, str] = {}
    for document in documents:
        source = document.source
        one = first.setdefault(source.sha256, source.source_id) if document.is_readable else source.source_id
        names[source.source_id] = names[file_name(source.file)] = one
    return names


def file_name(path: str) -> str:
    """Return a file's name without its folders, accents composed."""
    return unicodedata.normalize("NFC", path.rsplit("/", 1)[-1])


def places_of(truth: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> list[Place]:
    """Return the places of a truth field's citations under our documents' ids (`names_of`)."""
    return [
        Place(
            source_id=names.get(file_name(str(citation.get("file", ""))))
            or names.get(str(citation.get("source_id", "")), str(citation.get("source_id", ""))),
            page=int(citation["page"]),
            boxes=tuple(_box_of(box) for box in citation.get("boxes") or ()),
        )
        for citation in truth
        if citation.get("page")
    ]


def _box_of(box: Mapping[str, float] | Sequence[float]) -> Box:
    """Return a truth file's box: edges by name, or left, top, width and height in a row."""
    if isinstance(box, Mapping):
        return Box(box["left"], box["top"], box["width"], box["height"])
    left, top, width, height = box
    return Box(left, top, width, height)


def is_on_page(citation: Citation, places: Sequence[Place]) -> bool:
    """Tell whether a true place lies on the cited page."""
    return any(p.source_id == citation.source_id and p.page == citation.page for p in places)


def word_box_f1(
    citation: Citation, places: Sequence[Place], documents: Mapping[str, ParsedDocument]
) -> float:
    """Return the F1 of the cited words against the best true place in the cited document, in 0-1."""
    document = documents.get(citation.source_id)
    if document is None:
        return 0.0
    cited = _cited_boxes(citation, document)
    best = 0.0
    for place in places:
        if place.source_id == citation.source_id and place.page == citation.page:
            wanted = _words_in(document, place)
            found = _matches(cited, wanted)
            if found:
                best = max(best, 2 * found / (len(cited) + len(wanted)))
    return best


def _cited_boxes(citation: Citation, document: ParsedDocument) -> list[Box]:
    words = [word for start, end in citation.word_ranges for word in range(start, end)]
    if words:
        return [document.words.box(word) for word in words if word < len(document.words)]
    regions = [region for region in citation.snippet if region.page == citation.page]
    return [
        document.words.box(int(word))
        for region in regions
        for word in _inside(document.words.boxes, document, region.page, region.boxes)
    ]


def _words_in(document: ParsedDocument, place: Place) -> list[Box]:
    return [
        document.words.box(int(word))
        for word in _inside(document.words.boxes, document, place.page, place.boxes)
    ]


def _inside(boxes: BoxArray, document: ParsedDocument, page: int, around: Sequence[Box]) -> list[int]:
    """Return the words of a page whose middles lie in one of the boxes."""
    x, y = boxes[:, 0] + boxes[:, 2] / 2, boxes[:, 1] + boxes[:, 3] / 2
    chosen = np.zeros(len(boxes), np.bool_)
    for box in around:
        chosen |= (x >= box.left) & (x <= box.right) & (y >= box.top) & (y <= box.bottom)
    return [int(word) for word in np.flatnonzero(chosen & (document.words.page == page))]


def _matches(cited: Sequence[Box], wanted: Sequence[Box]) -> int:
    """Return how many true words a cited word lies on, one to one."""
    free = list(cited)
    found = 0
    for box in wanted:
        best = max(free, key=lambda other: iou(other, box), default=None)
        if best is not None and iou(best, box) >= _SAME_WORD:
            free.remove(best)
            found += 1
    return found
