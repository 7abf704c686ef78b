"""Chunks as a search returns them: with their places in the rankings, and the text around a range."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class ChunkHit:
    """A chunk with its place in each ranking (1-based) and the fused score."""

    id: int
    claim_id: str
    chunk_id: str
    source_id: str
    kind: str
    page: int
    page_end: int
    word_start: int
    word_end: int
    text_start: int
    text_end: int
    text: str
    heading: str
    title: str
    score: float
    places: Mapping[str, int]


_COLUMNS = [field.name for field in fields(ChunkHit) if field.name not in ("score", "places")]


def read_hits(
    connection: sqlite3.Connection,
    fused: Sequence[tuple[int, float]],
    places: Mapping[str, Mapping[int, int]],
) -> list[ChunkHit]:
    """Return the chunks of fused keys and scores; `places` are each ranking's, by key."""
    if not fused:
        return []
    keys = [key for key, _ in fused]
    rows = connection.execute(
        f"SELECT {', '.join(_COLUMNS)} FROM chunks WHERE id IN ({','.join('?' * len(keys))})",
        keys,
    ).fetchall()
    by_id = {row[0]: row for row in rows}
    return [
        _hit(by_id[key], score, {name: ranking[key] for name, ranking in places.items() if key in ranking})
        for key, score in fused
        if key in by_id
    ]


def _hit(row: Any, score: float, places: Mapping[str, int]) -> ChunkHit:
    return ChunkHit(**dict(zip(_COLUMNS, row, strict=True)), score=score, places=places)


def text_around(
    connection: sqlite3.Connection, claim_id: str, source_id: str, start: int, end: int
) -> tuple[str, int]:
    """Return the document's text around a range as the chunks hold it, and the offset at which it begins."""
    rows = connection.execute(
        "SELECT text_start, text_end, text FROM chunks WHERE claim_id = ? AND source_id = ? AND text_end > ? "
        "AND text_start < ? ORDER BY text_start",
        (claim_id, source_id, start, end),
    ).fetchall()
    text, begin, reached = "", start, start
    for first, last, piece in rows:
        if not text:
            begin = first
        elif first > reached:
            text += "\n\n".ljust(first - reached)[: first - reached]
        if last > reached or not text:
            text += piece[max(0, reached - first) if text else 0 :]
            reached = last
    return text, begin
