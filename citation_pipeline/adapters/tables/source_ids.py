"""Which contents a claim has had, the ids they bear, and the words of those that were replaced: one JSON per
claim.

The words of a document that left are kept only where somebody has signed for some of them: to find these in
what took its place.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from citation_pipeline.adapters.tables.stored_files import StoredFiles
from citation_pipeline.core.documents.identities import KnownContent
from citation_pipeline.core.documents.parsed import (
    DocumentStatus,
    Page,
    ParsedDocument,
    SourceDocument,
    Words,
)
from citation_pipeline.core.documents.replacements import FormerDocument

FOLDER = "source_ids"


@dataclass(frozen=True)
class SourceIds:
    """A claim's contents, the ones there now first, and the documents that left with signed words."""

    contents: Sequence[KnownContent] = ()
    former: Sequence[FormerDocument] = ()


def read_source_ids(store: StoredFiles, claim_id: str) -> SourceIds | None:
    """Return what was kept; None for a claim of an older version, or one that was never run."""
    try:
        kept = json.loads(store.read_bytes(FOLDER, f"{claim_id}.json"))
    except FileNotFoundError:
        return None
    return SourceIds(
        tuple(KnownContent(**one) for one in kept["contents"]),
        tuple(_former(one) for one in kept["former"]),
    )


def read_former_documents(store: StoredFiles, claim_id: str) -> dict[str, FormerDocument]:
    """Return the documents that left with signed words, by their SHA-256."""
    kept = read_source_ids(store, claim_id)
    return {one.sha256: one for one in kept.former} if kept is not None else {}


def keep_source_ids(store: StoredFiles, claim_id: str, kept: SourceIds) -> None:
    """Put a claim's contents and former documents in place, whole."""
    value = {
        "contents": [asdict(one) for one in kept.contents],
        "former": [_former_row(one) for one in kept.former],
    }
    text = json.dumps(value, ensure_ascii=False)
    store.write_bytes(text.encode("utf-8", "replace"), FOLDER, f"{claim_id}.json")


def as_parsed(former: FormerDocument) -> ParsedDocument:
    """Return a former document as one that can be compared: its words and pages, no blocks."""
    words = former.words
    pages = []
    for page in np.unique(words.page).tolist():
        on_page = np.flatnonzero(words.page == page)
        start, end = int(words.text_start[on_page[0]]), int(words.text_end[on_page[-1]])
        pages.append(Page(page, 0.0, 0.0, 0, start, end, has_text_layer=False))
    source = SourceDocument(former.source_id, "", "", former.sha256, "", 0)
    return ParsedDocument(source, DocumentStatus.PARSED, "", "", pages, (), words)


def _former(row: Mapping[str, Any]) -> FormerDocument:
    def numbers(name: str) -> Any:
        return np.array(row[name], np.int32)

    words = Words(
        texts=row["texts"],
        page=numbers("page"),
        boxes=np.array(row["boxes"], np.float64).reshape(-1, 4),
        line=numbers("line"),
        block=numbers("block"),
        text_start=numbers("text_start"),
        text_end=numbers("text_end"),
        # absent in what an older version kept; None where the words come from a text layer
        confidence=np.array(row.get("confidence", [None] * len(row["texts"])), np.float32),
    )
    return FormerDocument(row["source_id"], row["sha256"], row["followed_by"], words)


def _former_row(one: FormerDocument) -> dict[str, Any]:
    words = one.words
    return {
        "source_id": one.source_id,
        "sha256": one.sha256,
        "followed_by": one.followed_by,
        "texts": list(words.texts),
        "boxes": np.round(words.boxes, 6).tolist(),
        "confidence": [None if np.isnan(one) else round(float(one), 3) for one in words.confidence],
        **{
            name: getattr(words, name).tolist()
            for name in ("page", "line", "block", "text_start", "text_end")
        },
    }
