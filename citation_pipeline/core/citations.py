"""Citations: snippets with the place where they were found. Shapes only; finding is `resolution`'s work."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from citation_pipeline.core.boxes import Box


class CitationStatus(StrEnum):
    """What a reviewer may assume: found as quoted; found but look at the warnings; not found."""

    RESOLVED = "resolved"
    FLAGGED = "flagged"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True)
class Region:
    """Boxes, one per line, on one 1-based page; `polygons` (x, y) corners in the page frame where the text
    is not upright, else empty."""

    page: int
    boxes: Sequence[Box]
    polygons: Sequence[Sequence[tuple[float, float]]] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that was considered: its words (half-open ranges of word ids), score in 0-1, and why it won or
    lost (a stable code such as `record_order`, `value`, `page_hint`, `first`)."""

    source_id: str
    page: int
    word_ranges: Sequence[tuple[int, int]]
    score: float
    reason: str
    boxes: Sequence[Box] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """One snippet resolved, or not.

    `source_id` is the document where the place lies; `cited_source_id` the one that the extractor named
    (they differ for a `wrong_source` finding). `score` is the text match in 0-1, `confidence` the fitted
    probability that the place is right. `block` holds the box of each block that is touched, `snippet`
    one box per line, `value` the value inside it, each as one region a page. `text_start`/`text_end`
    index the source's normalized text and `word_ranges` its words (half-open). `candidates` holds the best
    places; `equal_places` counts all that are as good as the best by their text. `warnings` are stable codes.
    """

    citation_id: str
    field_key: str
    citation_index: int
    item_path: str
    cited_source_id: str
    source_id: str
    snippet_text: str
    status: CitationStatus
    method: str
    score: float
    confidence: float
    page: int | None = None
    block: Sequence[Region] = ()
    snippet: Sequence[Region] = ()
    value: Sequence[Region] = ()
    text_start: int | None = None
    text_end: int | None = None
    word_ranges: Sequence[tuple[int, int]] = ()
    candidates: Sequence[Candidate] = ()
    margin: float | None = None
    equal_places: int = 0
    reason: str = ""
    warnings: Sequence[str] = ()
