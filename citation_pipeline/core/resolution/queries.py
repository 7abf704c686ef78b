"""Plain queries against one document of words: the format of the public benchmark, for the command line.

A query is {"query_id", "text_snippet", "hint": {"page"|"value"}?}; a document {"words": [[text, page,
left, top, width, height], …], "blocks": [{"words": [first, end), …}, …], "line_starts": [word index, …],
"confidence": [0-1 a word, null where none was recognized]?}; a prediction {"query_id", "status", "page",
"boxes": [{page, left, top, width, height}], "score"}.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.parsed import Words
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.confidence import confidence_at
from citation_pipeline.core.resolution.hints import Hints, value_positions
from citation_pipeline.core.resolution.places import PlaceSearch, search_places
from citation_pipeline.core.resolution.regions import regions_of


class QueryDocumentError(ValueError):
    """A query document whose words cannot be read; the message says what is wrong with it."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"not a document of words: {reason}; see docs/resolution.md for the format")


def read_words(document: Mapping[str, Any]) -> Words:
    """Return a query document's words as columns; lines and blocks may be missing, then all is one block."""
    rows = document.get("words")
    if not isinstance(rows, list):
        raise QueryDocumentError('"words" is not a list')
    count = len(rows)
    try:
        texts = [str(row[0]) for row in rows]
        page = np.asarray([int(row[1]) for row in rows], np.int32)
        boxes = np.asarray([[float(number) for number in row[2:6]] for row in rows], np.float64).reshape(
            count, 4
        )
    except (TypeError, ValueError, IndexError, KeyError) as error:
        raise QueryDocumentError("a word is not [text, page, left, top, width, height]") from error
    confidence = _read_confidence(document.get("confidence"), count)
    line = np.zeros(count, np.int32)
    for start in document.get("line_starts") or ():
        if isinstance(start, int) and 0 < start < count:
            line[start] = 1
    block = np.full(count, -1, np.int32)
    for number, entry in enumerate(document.get("blocks") or ()):
        first, last = entry.get("words") or (0, 0)
        block[first:last] = number
    changes = np.zeros(count, np.int32)
    # a new block or page begins a line, whether or not the file says so
    changes[1:] = (block[1:] != block[:-1]) | (page[1:] != page[:-1])
    lines = np.cumsum(np.maximum(line, changes), dtype=np.int32)
    ends = np.cumsum(np.fromiter((len(text) + 1 for text in texts), np.int64, count)).astype(np.int32)
    starts = np.r_[np.zeros(min(1, count), np.int32), ends[:-1]].astype(np.int32)
    return Words(
        texts=texts,
        page=page,
        boxes=boxes,
        line=lines.astype(np.int32),
        block=np.cumsum(changes, dtype=np.int32).astype(np.int32),
        text_start=starts,
        text_end=(ends - 1).astype(np.int32),
        confidence=confidence,
    )


def _read_confidence(told: object, count: int) -> NDArray[np.float32]:
    """Return how sure the recognizer was of each word, NaN where nothing is told: a text layer's words."""
    if told is None:
        return np.full(count, np.nan, np.float32)
    try:
        found = np.asarray(told, np.float32)
    except (TypeError, ValueError) as error:
        raise QueryDocumentError('"confidence" is not a list of numbers') from error
    if found.shape != (count,):
        raise QueryDocumentError('"confidence" has not as many numbers as there are words')
    return found


def resolve_queries(
    document: Mapping[str, Any] | DocumentIndex, queries: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return one prediction per query, in order."""
    index = document if isinstance(document, DocumentIndex) else DocumentIndex(read_words(document))
    return [_resolve(index, query) for query in queries]


def hints_of(index: DocumentIndex, query: Mapping[str, Any]) -> Hints:
    """Return a query's hints."""
    hint = query.get("hint") or {}
    value, page = hint.get("value"), hint.get("page")
    return Hints(
        page=page if isinstance(page, int) else None,
        find_values=partial(value_positions, index, [str(value)]) if value is not None else None,
    )


def _resolve(index: DocumentIndex, query: Mapping[str, Any]) -> dict[str, Any]:
    text = str(query.get("text_snippet") or "")
    return predict(index, query, search_places(index, text, hints_of(index, query)))


def predict(index: DocumentIndex, query: Mapping[str, Any], search: PlaceSearch) -> dict[str, Any]:
    """Return the prediction that a search makes for a query."""
    best = search.best
    answer: dict[str, Any] = {
        "query_id": query.get("query_id"),
        "status": CitationStatus.UNRESOLVED.value,
        "page": None,
        "boxes": [],
        "score": 0.0,
    }
    if best is None or best.judgement.status is CitationStatus.UNRESOLVED:
        return answer
    regions = regions_of(index.words, best.match.words)
    answer["status"] = best.judgement.status.value
    answer["page"] = regions[0].page
    answer["boxes"] = [{"page": r.page, **box.as_dict()} for r in regions for box in r.boxes]
    answer["score"] = confidence_at(index, best.match, best.judgement)
    return answer
