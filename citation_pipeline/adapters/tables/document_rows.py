"""Source documents and parsed documents as rows of their tables, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from citation_pipeline.adapters.tables.claim_store import ClaimStore, rows_of
from citation_pipeline.adapters.tables.part_boundaries import divided, read_boundaries
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.tables.store_errors import MissingTableError
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.duplicates import SimilarPage
from citation_pipeline.core.documents.parsed import (
    NO_WORDS,
    Block,
    DocumentError,
    DocumentStatus,
    Page,
    ParsedDocument,
    SourceDocument,
    Words,
)

CONTEXT_CHARACTERS = 200  # what a citation's reader is shown on each side
# what a table keeps for its own readers, and documents are not made of
_BESIDE = frozenset({"claim_id", "word_id", "context_before", "context_after"})

# a word is printed many times: each different one is made a text once
_REPEATED: Mapping[str, Sequence[str]] = {"words": ("source_id", "text")}


def source_document_table(claim_id: str, sources: Sequence[SourceDocument]) -> pa.Table:
    """Return the rows of `source_documents`."""
    return _table("source_documents", [_source_row(claim_id, source) for source in sources])


def read_source_documents(store: ClaimStore, claim_id: str) -> list[SourceDocument]:
    """Return a claim's source documents in stored order."""
    return [_source(row) for row in store.read_rows("source_documents", claim_id)]


def document_tables(claim_id: str, documents: Sequence[ParsedDocument]) -> dict[str, pa.Table]:
    """Return the tables of the `parsed_documents` stage."""
    return {
        "documents": _table("documents", [_document_row(claim_id, document) for document in documents]),
        "pages": _table(
            "pages", [_page_row(claim_id, d.source.source_id, page) for d in documents for page in d.pages]
        ),
        "blocks": _table("blocks", [_block_row(claim_id, d, block) for d in documents for block in d.blocks]),
        "words": pa.concat_tables(
            [SHAPES["words"].empty_table(), *(_words_table(claim_id, d) for d in documents)]
        ),
    }


def similar_page_table(claim_id: str, pages: Sequence[SimilarPage]) -> pa.Table:
    """Return the rows of `similar_pages`: pages that were filed before, as re-scans or faxed copies."""
    return _table("similar_pages", [{"claim_id": claim_id, **asdict(page)} for page in pages])


def read_similar_pages(store: ClaimStore, claim_id: str) -> list[SimilarPage]:
    """Return the pages that were filed before; none where the claim was not parsed yet."""
    try:
        rows = store.read_rows("similar_pages", claim_id)
    except MissingTableError:
        return []
    return [SimilarPage(**{name: row[name] for name in row if name != "claim_id"}) for row in rows]


def read_documents(store: ClaimStore, claim_id: str, *, with_text: bool = True) -> list[ParsedDocument]:
    """Return a claim's documents as parsed; raises MissingTableError or TornStageError.

    Without text, for callers who only list documents and pages, blocks and words are left unread.
    """
    names = ("documents", "pages", "blocks", "words") if with_text else ("documents", "pages")
    tables = {
        name: store.read_table(name, claim_id, _columns_of(name), repeated=_REPEATED.get(name, ()))
        for name in names
    }
    store.check_whole("parsed_documents", claim_id, read=tables)
    pages, blocks = _grouped(tables["pages"]), _grouped(tables["blocks"]) if with_text else {}
    words = tables["words"] if with_text else SHAPES["words"].empty_table()
    starts, ends = ranges_of(words)
    columns = _words(words)
    documents = []
    for row in rows_of(tables["documents"]):
        source_id = row["source_id"]
        start, end = starts.get(source_id, 0), ends.get(source_id, 0)
        documents.append(
            ParsedDocument(
                source=_source(row),
                status=DocumentStatus(row["status"]),
                parser=row["parser"],
                parser_version=row["parser_version"],
                pages=tuple(_page(page) for page in pages.get(source_id, ())),
                blocks=tuple(_block(block) for block in blocks.get(source_id, ())),
                words=columns.between(start, end) if end > start else NO_WORDS,
                error=_error(row),
                warnings=tuple(row["warnings"] or ()),
            )
        )
    return divided(documents, read_boundaries(store, claim_id))


def _columns_of(name: str) -> list[str]:
    return [column for column in SHAPES[name].names if column not in _BESIDE]


def _table(name: str, rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SHAPES[name])


def _source_row(claim_id: str, source: SourceDocument) -> dict[str, Any]:
    return {
        "claim_id": claim_id,
        "source_id": source.source_id,
        "name": source.name,
        "file": source.file,
        "sha256": source.sha256,
        "media_type": source.media_type,
        "bytes": source.byte_count,
        "duplicate_of": source.duplicate_of,
    }


def _source(row: Mapping[str, Any]) -> SourceDocument:
    return SourceDocument(
        source_id=row["source_id"],
        name=row["name"],
        file=row["file"],
        sha256=row["sha256"],
        media_type=row["media_type"],
        byte_count=row["bytes"],
        duplicate_of=row["duplicate_of"],
    )


def _document_row(claim_id: str, document: ParsedDocument) -> dict[str, Any]:
    error = document.error
    return {
        **_source_row(claim_id, document.source),
        "page_count": len(document.pages),
        "status": document.status.value,
        "error": error.message if error else None,
        "error_code": error.code if error else None,
        "error_remedy": error.remedy if error else None,
        "error_transient": error.transient if error else None,
        "parser": document.parser,
        "parser_version": document.parser_version,
        "warnings": list(document.warnings),
    }


def _error(row: Mapping[str, Any]) -> DocumentError | None:
    if row["error"] is None:
        return None
    return DocumentError(
        code=row["error_code"],
        message=row["error"],
        remedy=row["error_remedy"],
        transient=bool(row["error_transient"]),
    )


def _page_row(claim_id: str, source_id: str, page: Page) -> dict[str, Any]:
    return {
        "claim_id": claim_id,
        "source_id": source_id,
        "page": page.page,
        "width_pt": page.width_pt,
        "height_pt": page.height_pt,
        "rotation": page.rotation,
        "text_start": page.text_start,
        "text_end": page.text_end,
        "has_text_layer": page.has_text_layer,
        "words_from": page.words_from,
    }


def _page(row: Mapping[str, Any]) -> Page:
    return Page(**{name: row[name] for name in row if name != "source_id"})


def _block_row(claim_id: str, document: ParsedDocument, block: Block) -> dict[str, Any]:
    return {
        "claim_id": claim_id,
        "source_id": document.source.source_id,
        "block_id": block.block_id,
        "type": block.type,
        "content": block.content,
        "text": block.text,
        "page": block.page,
        **block.box.as_dict(digits=None),
        "text_start": block.text_start,
        "text_end": block.text_end,
        "word_start": block.word_start,
        "word_end": block.word_end,
        "context_before": document.text[max(0, block.text_start - CONTEXT_CHARACTERS) : block.text_start],
        "context_after": document.text[block.text_end : block.text_end + CONTEXT_CHARACTERS],
        "confidence": block.confidence,
    }


def _block(row: Mapping[str, Any]) -> Block:
    return Block(
        block_id=row["block_id"],
        type=row["type"],
        page=row["page"],
        box=Box(row["left"], row["top"], row["width"], row["height"]),
        word_start=row["word_start"],
        word_end=row["word_end"],
        text_start=row["text_start"],
        text_end=row["text_end"],
        text=row["text"],
        content=row["content"],
        confidence=row["confidence"],
    )


def _words_table(claim_id: str, document: ParsedDocument) -> pa.Table:
    words, count = document.words, len(document.words)
    columns = {
        "claim_id": pa.array([claim_id] * count, pa.string()),
        "source_id": pa.array([document.source.source_id] * count, pa.string()),
        "word_id": np.arange(count, dtype=np.int32),
        "text": pa.array(words.texts, pa.string()),
        "page": words.page,
        **{name: words.boxes[:, i] for i, name in enumerate(("left", "top", "width", "height"))},
        "line_id": words.line,
        "block_id": words.block,
        "text_start": words.text_start,
        "text_end": words.text_end,
        # a text layer's words carry no confidence: absent in the table, NaN in the columns
        "confidence": pa.array(words.confidence, pa.float32(), from_pandas=True),
    }
    return pa.table([columns[name] for name in SHAPES["words"].names], schema=SHAPES["words"])


def _words(rows: pa.Table) -> Words:
    """Return the words of all documents as one: columns are converted at once for as many as there are."""

    def column(name: str) -> Any:
        return rows.column(name).to_numpy()

    confidence = pc.fill_null(rows.column("confidence"), float("nan"))
    return Words(
        texts=_texts(rows.column("text")),
        page=column("page"),
        boxes=np.column_stack([column(name) for name in ("left", "top", "width", "height")]),
        line=column("line_id"),
        block=column("block_id"),
        text_start=column("text_start"),
        text_end=column("text_end"),
        confidence=confidence.to_numpy(),
    )


def _texts(column: pa.ChunkedArray) -> list[str]:
    """Return a column of texts; equal ones of a dictionary share one object."""
    if not pa.types.is_dictionary(column.type):
        listed: list[str] = column.to_pylist()
        return listed
    found: list[str] = []
    for chunk in column.chunks:
        different = np.array(chunk.dictionary.to_pylist(), dtype=object)
        found += different[chunk.indices.to_numpy()].tolist()
    return found


def ranges_of(words: pa.Table) -> tuple[dict[str, int], dict[str, int]]:
    """Return where each source's rows start and end; a source's words are stored in one run."""
    if not len(words):
        return {}, {}
    encoded = words.column("source_id").combine_chunks().dictionary_encode()
    codes = encoded.indices.to_numpy()
    first = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist()]
    names = [encoded.dictionary[int(codes[i])].as_py() for i in first]
    last = [*first[1:], len(codes)]
    return dict(zip(names, first, strict=True)), dict(zip(names, last, strict=True))


def _grouped(table: pa.Table) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows_of(table):
        groups.setdefault(row["source_id"], []).append(row)
    return groups
