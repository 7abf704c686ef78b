"""Writing one claim into the index file: chunks with their terms and vectors, documents and fields."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.adapters.search_index.dataset_rows import document_rows, field_rows
from citation_pipeline.adapters.search_index.files import scope_of
from citation_pipeline.core.retrieval.chunks import Chunk
from citation_pipeline.core.retrieval.identifiers import normal_identifier
from citation_pipeline.core.retrieval.terms import index_terms

_CHUNK_COLUMNS = (
    "chunk_id",
    "source_id",
    "kind",
    "page",
    "page_end",
    "word_start",
    "word_end",
    "text_start",
    "text_end",
    "text",
    "heading",
    "title",
    "document_type",
    "document_date",
)
_INSERT_CHUNK = (
    f"INSERT INTO chunks (claim_id, {', '.join(_CHUNK_COLUMNS)}) VALUES (?{', ?' * len(_CHUNK_COLUMNS)})"
)


@dataclass(frozen=True, slots=True)
class ClaimDraft:
    """What is to be written of one claim; without chunks only its fields changed.

    `vectors` are the chunks' own, in their order, made by the provider of that name; "" where none are kept.
    """

    claim_id: str
    dataset: Mapping[str, Any]
    chunks: Sequence[Chunk] | None
    vectors: Sequence[bytes]
    provider: str


def write_claim(connection: sqlite3.Connection, draft: ClaimDraft, marks: tuple[str, str]) -> None:
    """Replace what the index holds of a claim; `marks` tell of which chunks and dataset it was made."""
    if draft.chunks is not None:
        _remove_chunks(connection, draft.claim_id)
        _write_chunks(connection, draft, draft.chunks)
    _write_fields(connection, draft.claim_id, draft.dataset, draft.chunks)
    connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", (draft.claim_id, *marks))


def _write_chunks(connection: sqlite3.Connection, draft: ClaimDraft, chunks: Sequence[Chunk]) -> None:
    claim_id = draft.claim_id
    for number, chunk in enumerate(chunks):
        values = (claim_id, *(getattr(chunk, name) for name in _CHUNK_COLUMNS))
        key = connection.execute(_INSERT_CHUNK, values).lastrowid
        head = f"{chunk.heading} {chunk.title.replace('_', ' ')} {chunk.document_type}"
        connection.execute(
            "INSERT INTO words (rowid, scope, body, head) VALUES (?, ?, ?, ?)",
            (key, scope_of(claim_id), " ".join(index_terms(chunk.text)), " ".join(index_terms(head))),
        )
        connection.executemany(
            "INSERT INTO identifiers VALUES (?, ?, ?)", [(each, claim_id, key) for each in chunk.identifiers]
        )
        if draft.provider:
            connection.execute(
                "INSERT INTO vectors VALUES (?, ?, ?, ?)",
                (key, claim_id, draft.provider, draft.vectors[number]),
            )
    connection.execute("INSERT INTO identifiers VALUES (?, ?, NULL)", (normal_identifier(claim_id), claim_id))


def _write_fields(
    connection: sqlite3.Connection, claim_id: str, dataset: Mapping[str, Any], chunks: Sequence[Chunk] | None
) -> None:
    connection.execute("DELETE FROM field_values WHERE claim_id = ?", (claim_id,))
    connection.executemany(
        "INSERT OR REPLACE INTO field_values VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        field_rows(claim_id, dataset),
    )
    connection.execute("DELETE FROM unsettled_fields WHERE claim_id = ?", (claim_id,))
    connection.executemany(
        "INSERT OR REPLACE INTO unsettled_fields VALUES (?, ?)",
        [(claim_id, field["fieldKey"]) for field in dataset.get("unreadFields") or ()],
    )
    if chunks is None:
        return
    dates = {chunk.source_id: chunk.document_date for chunk in chunks}
    connection.execute("DELETE FROM documents WHERE claim_id = ?", (claim_id,))
    connection.executemany(
        "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        document_rows(claim_id, dataset, dates),
    )


def _remove_chunks(connection: sqlite3.Connection, claim_id: str) -> None:
    keys = "SELECT id FROM chunks WHERE claim_id = ?"
    connection.execute(f"DELETE FROM words WHERE rowid IN ({keys})", (claim_id,))
    connection.execute("DELETE FROM vectors WHERE claim_id = ?", (claim_id,))
    connection.execute("DELETE FROM chunks WHERE claim_id = ?", (claim_id,))
    connection.execute("DELETE FROM identifiers WHERE claim_id = ?", (claim_id,))


def remove_claim(connection: sqlite3.Connection, claim_id: str) -> None:
    """Take a claim out of the index."""
    _remove_chunks(connection, claim_id)
    for table in ("field_values", "unsettled_fields", "documents", "claims"):
        connection.execute(f"DELETE FROM {table} WHERE claim_id = ?", (claim_id,))
