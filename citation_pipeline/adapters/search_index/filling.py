"""Bringing the index file up to the store: claims whose tables, dataset or reviews changed are written anew.

Claims are written whole, some in one transaction, so readers never see half of one; a claim without chunks
is left out until it has
some.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.adapters.search_index.embeddings import EmbeddingProvider
from citation_pipeline.adapters.search_index.files import SearchFile, scope_of, transaction
from citation_pipeline.adapters.tables.chunk_rows import read_chunks
from citation_pipeline.adapters.tables.claim_store import ClaimStore, MissingTableError
from citation_pipeline.core.boxes import Box, union
from citation_pipeline.core.retrieval.chunks import Chunk
from citation_pipeline.core.retrieval.identifiers import normal_identifier
from citation_pipeline.core.retrieval.terms import index_terms

ReadDataset = Callable[[str], Mapping[str, Any]]
"""Returns a claim's dataset with its reviews laid over; raises MissingTableError before there is one."""


@dataclass(frozen=True, slots=True)
class Filling:
    """What one refresh did."""

    written: int
    removed: int
    unchanged: int


def fill(
    file: SearchFile,
    store: ClaimStore,
    *,
    dataset_marks: Mapping[str, str],
    read_dataset: ReadDataset,
    embeddings: EmbeddingProvider | None = None,
) -> Filling:
    """Write what changed; `dataset_marks` tell by claim which dataset and reviews are current."""
    chunk_marks = store.table_marks("chunks")
    suffix = f"+{embeddings.name}" if embeddings else ""
    wanted = {
        claim_id: (mark + suffix, dataset_marks[claim_id])
        for claim_id, mark in chunk_marks.items()
        if claim_id in dataset_marks
    }
    with file.reading() as connection:
        known = {
            row[0]: (row[1], row[2])
            for row in connection.execute("SELECT claim_id, chunks_mark, dataset_mark FROM claims")
        }
    changed = [claim_id for claim_id, marks in wanted.items() if known.get(claim_id) != marks]
    gone = [claim_id for claim_id in known if claim_id not in wanted]
    written = 0
    with file.writing() as connection:
        for batch in _batches(changed):
            drafts = [_draft(store, read_dataset, embeddings, claim_id, known, wanted) for claim_id in batch]
            with transaction(connection):
                for draft in drafts:
                    if draft is not None:
                        _write(connection, draft, wanted[draft.claim_id], embeddings)
                        written += 1
        with transaction(connection):
            for claim_id in gone:
                _remove(connection, claim_id)
    return Filling(written, len(gone), len(wanted) - len(changed))


@dataclass(frozen=True, slots=True)
class _Draft:
    """What is to be written of one claim; without chunks only its fields changed."""

    claim_id: str
    dataset: Mapping[str, Any]
    chunks: Sequence[Chunk] | None
    vectors: Sequence[bytes]


def _batches(claim_ids: Sequence[str]) -> Iterable[Sequence[str]]:
    """Claims of one transaction: a commit costs some 10 ms, and other writers wait for the whole of one."""
    return (claim_ids[i : i + 20] for i in range(0, len(claim_ids), 20))


def _draft(
    store: ClaimStore,
    read_dataset: ReadDataset,
    embeddings: EmbeddingProvider | None,
    claim_id: str,
    known: Mapping[str, tuple[str, str]],
    wanted: Mapping[str, tuple[str, str]],
) -> _Draft | None:
    """Read what changed of a claim; None when a run took it away meanwhile."""
    has_chunks = claim_id in known and known[claim_id][0] == wanted[claim_id][0]
    try:
        dataset = read_dataset(claim_id)
        chunks = None if has_chunks else read_chunks(store, claim_id)
    except MissingTableError:
        return None
    return _Draft(claim_id, dataset, chunks, _vectors(embeddings, chunks, claim_id))


def _write(
    connection: sqlite3.Connection,
    draft: _Draft,
    marks: tuple[str, str],
    embeddings: EmbeddingProvider | None,
) -> None:
    if draft.chunks is not None:
        _write_chunks(connection, draft.claim_id, draft.chunks, draft.vectors, embeddings)
    _write_fields(connection, draft.claim_id, draft.dataset, draft.chunks)
    connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", (draft.claim_id, *marks))


def _vectors(
    embeddings: EmbeddingProvider | None, chunks: Sequence[Chunk] | None, claim_id: str
) -> list[bytes]:
    if embeddings is None or not chunks:
        return []
    texts = [f"{chunk.title}\n{chunk.heading}\n{chunk.text}" for chunk in chunks]
    return [vector.tobytes() for vector in embeddings.embed(texts, claim_id=claim_id)]


def _write_chunks(
    connection: sqlite3.Connection,
    claim_id: str,
    chunks: Sequence[Chunk],
    vectors: Sequence[bytes],
    embeddings: EmbeddingProvider | None,
) -> None:
    _remove_chunks(connection, claim_id)
    for number, chunk in enumerate(chunks):
        key = connection.execute(
            "INSERT INTO chunks (claim_id, chunk_id, source_id, kind, page, page_end, word_start, word_end, "
            "text_start, text_end, text, heading, title, document_type, document_date) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                claim_id,
                chunk.chunk_id,
                chunk.source_id,
                chunk.kind,
                chunk.page,
                chunk.page_end,
                chunk.word_start,
                chunk.word_end,
                chunk.text_start,
                chunk.text_end,
                chunk.text,
                chunk.heading,
                chunk.title,
                chunk.document_type,
                chunk.document_date,
            ),
        ).lastrowid
        head = f"{chunk.heading} {chunk.title.replace('_', ' ')} {chunk.document_type}"
        connection.execute(
            "INSERT INTO words (rowid, scope, body, head) VALUES (?, ?, ?, ?)",
            (key, scope_of(claim_id), " ".join(index_terms(chunk.text)), " ".join(index_terms(head))),
        )
        connection.executemany(
            "INSERT INTO identifiers VALUES (?, ?, ?)", [(each, claim_id, key) for each in chunk.identifiers]
        )
        if embeddings is not None:
            connection.execute(
                "INSERT INTO vectors VALUES (?, ?, ?, ?)", (key, claim_id, embeddings.name, vectors[number])
            )
    connection.execute("INSERT INTO identifiers VALUES (?, ?, NULL)", (normal_identifier(claim_id), claim_id))


def _write_fields(
    connection: sqlite3.Connection, claim_id: str, dataset: Mapping[str, Any], chunks: Sequence[Chunk] | None
) -> None:
    connection.execute("DELETE FROM field_values WHERE claim_id = ?", (claim_id,))
    connection.executemany(
        "INSERT OR REPLACE INTO field_values VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        _field_rows(claim_id, dataset),
    )
    if chunks is None:
        return
    dates = {chunk.source_id: chunk.document_date for chunk in chunks}
    connection.execute("DELETE FROM documents WHERE claim_id = ?", (claim_id,))
    connection.executemany(
        "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                claim_id,
                source["id"],
                source["name"],
                source["file"],
                source["pageCount"],
                source.get("status") or "parsed",
                source.get("sha256") or "",
                dates.get(source["id"], ""),
            )
            for source in dataset["sources"]
        ],
    )


def _field_rows(claim_id: str, dataset: Mapping[str, Any]) -> Iterable[tuple[Any, ...]]:
    sizes = {
        (source["id"], page["page"]): (page["width"], page["height"])
        for source in dataset["sources"]
        for page in source.get("pages") or ()
    }
    for field in dataset["fields"]:
        if field.get("markedAbsent"):
            continue
        value = field.get("rawValue", field["value"])
        cited = {citation.get("itemPath", ""): citation for citation in reversed(field["citations"])}
        best = next(iter(field["citations"]), None)
        verified = field.get("review", {}).get("state") in ("confirmed", "corrected")
        yield _field_row(claim_id, field, "", value, cited.get("", best), verified, sizes)
        if isinstance(value, list):
            for number, item in enumerate(value):
                members = item.items() if isinstance(item, Mapping) else [("", item)]
                for name, member in members:
                    path = f"[{number}].{name}" if name else f"[{number}]"
                    place = cited.get(path) or cited.get(f"[{number}]")
                    yield _field_row(claim_id, field, path, member, place, verified, sizes)


def _field_row(
    claim_id: str,
    field: Mapping[str, Any],
    item_path: str,
    value: Any,
    citation: Mapping[str, Any] | None,
    is_verified: bool,
    sizes: Mapping[tuple[str, int], tuple[float, float]],
) -> tuple[Any, ...]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_day = isinstance(value, str) and len(value) == 10 and value[4:5] == "-" and value[:4].isdigit()
    if isinstance(value, bool):
        word: str | None = "yes" if value else "no"
    else:
        word = value.casefold()[:200] if isinstance(value, str) and not is_day else None
    return (
        claim_id,
        field["fieldKey"],
        item_path,
        field["label"],
        field["category"],
        field.get("valueType", "string"),
        json.dumps(value, ensure_ascii=False),
        float(value) if is_number else None,
        value if is_day else None,
        word,
        citation["sourceId"] if citation else None,
        citation["page"] if citation else None,
        int(citation is not None),
        int(is_verified),
        float(citation.get("confidence") or 0.0) if citation else 0.0,
        _place(citation, sizes) if citation else None,
    )


def _place(citation: Mapping[str, Any], sizes: Mapping[tuple[str, int], tuple[float, float]]) -> str:
    """Return the value's box on the citation's page, and the page's size, as JSON."""
    page = citation["page"]
    regions = citation.get("regions", {})
    boxes = [
        Box(**box)
        for region in regions.get("value") or regions.get("snippet") or ()
        if region["page"] == page
        for box in region["boxes"]
    ]
    box = union(boxes) if boxes else Box(**citation["bbox"])
    width, height = sizes.get((citation["sourceId"], page), (612.0, 792.0))
    return json.dumps([*box.as_dict().values(), width, height])


def _remove_chunks(connection: sqlite3.Connection, claim_id: str) -> None:
    keys = "SELECT id FROM chunks WHERE claim_id = ?"
    connection.execute(f"DELETE FROM words WHERE rowid IN ({keys})", (claim_id,))
    connection.execute("DELETE FROM vectors WHERE claim_id = ?", (claim_id,))
    connection.execute("DELETE FROM chunks WHERE claim_id = ?", (claim_id,))
    connection.execute("DELETE FROM identifiers WHERE claim_id = ?", (claim_id,))


def _remove(connection: sqlite3.Connection, claim_id: str) -> None:
    _remove_chunks(connection, claim_id)
    for table in ("field_values", "documents", "claims"):
        connection.execute(f"DELETE FROM {table} WHERE claim_id = ?", (claim_id,))
