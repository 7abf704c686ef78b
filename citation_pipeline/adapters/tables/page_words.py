"""Words of some source documents or one page, read without what else is known of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
from numpy.typing import NDArray

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import ranges_of
from citation_pipeline.adapters.tables.parquet_files import DamagedFileError, told_from_absence
from citation_pipeline.adapters.tables.store_errors import DamagedTableError, MissingTableError
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.claims import check_claim_id

_HERE = pyarrow.fs.LocalFileSystem()
_EDGES = ["left", "top", "width", "height"]
_COLUMNS = ["word_id", "text", "page", "left", "top", "width", "height", "line_id", "block_id"]


@dataclass(frozen=True, slots=True)
class PageWord:
    """One word as a reader of a page needs it; `box` in the page frame."""

    word_id: int
    text: str
    page: int
    box: Box
    line: int
    block: int


def read_words(
    store: ClaimStore, claim_id: str, *, source_id: str, pages: tuple[int, int] | None = None
) -> list[PageWord]:
    """Return a source document's words in reading order.

    `pages` are the first and the last page that are wanted; None for all. Raises MissingTableError before a
    first parse, and DamagedTableError.
    """
    check_claim_id(claim_id)

    def read(path: Path) -> pa.Table:
        # the filter prunes row groups by their statistics: documents are written one after another
        with told_from_absence(path):
            return pq.read_table(
                str(path),
                columns=_COLUMNS,
                filters=[("source_id", "=", source_id), *_of_pages(pages)],
                partitioning=None,
                filesystem=_HERE,
            )

    try:
        table = store.read_with(read, "words", f"{claim_id}.parquet")
    except FileNotFoundError as error:
        raise MissingTableError("words", claim_id) from error
    except DamagedFileError as error:
        raise DamagedTableError("words", claim_id) from error
    columns = [table.column(name).to_pylist() for name in _COLUMNS]
    words = [
        PageWord(word_id, text, page, Box(left, top, width, height), line, block)
        for word_id, text, page, left, top, width, height, line, block in zip(*columns, strict=True)
    ]
    return sorted(words, key=lambda word: word.word_id)


def read_second_words(
    store: ClaimStore, claim_id: str, source_ids: Collection[str], words: Sequence[PageWord]
) -> list[PageWord]:
    """Return the words with what a second reading of a scan had instead; none where no reading differs."""
    try:
        rows = store.read_rows("second_readings", claim_id)
    except MissingTableError:
        return []
    seconds = {
        row["word_id"]: (row["text"], row["second_reading"]) for row in rows if row["source_id"] in source_ids
    }
    # a row whose word has another text by now is of a parse that is gone
    differing = {
        word.word_id: replace(word, text=seconds[word.word_id][1])
        for word in words
        if word.word_id in seconds and seconds[word.word_id][0] == word.text
    }
    return [differing.get(word.word_id, word) for word in words] if differing else []


def _of_pages(pages: tuple[int, int] | None) -> list[tuple[str, str, int]]:
    return [("page", ">=", pages[0]), ("page", "<=", pages[1])] if pages is not None else []


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class PlacedWords:
    """A source document's words in reading order with page and box, as columns."""

    texts: Sequence[str]
    page: NDArray[Any]
    boxes: NDArray[Any]


def read_placed_words(
    store: ClaimStore, claim_id: str, source_ids: Collection[str]
) -> dict[str, PlacedWords]:
    """Return the words of some source documents by source id; raises MissingTableError before a first parse.

    A third of the cost of reading the documents whole: for who compares boxes with what is printed there.
    """
    table = store.read_table("words", claim_id, ["source_id", "text", "page", *_EDGES])
    starts, ends = ranges_of(table)
    found = {}
    for source_id in source_ids:
        if source_id in starts:
            rows = table.slice(starts[source_id], ends[source_id] - starts[source_id])
            boxes = np.column_stack([rows.column(edge).to_numpy() for edge in _EDGES])
            found[source_id] = PlacedWords(
                rows.column("text").to_pylist(), rows.column("page").to_numpy(), boxes
            )
    return found


def line_boxes(words: Sequence[PageWord]) -> list[Box]:
    """Return one box per line around words of one page, in reading order."""
    edges: dict[int, list[float]] = {}
    for word in words:
        box = word.box
        if word.line not in edges:
            edges[word.line] = [box.left, box.top, box.right, box.bottom]
            continue
        kept = edges[word.line]
        edges[word.line] = [
            min(kept[0], box.left),
            min(kept[1], box.top),
            max(kept[2], box.right),
            max(kept[3], box.bottom),
        ]
    return [Box(left, top, right - left, bottom - top) for left, top, right, bottom in edges.values()]
