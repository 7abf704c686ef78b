"""Asking the index for chunks: by words, identifiers and vectors, fused; and for the text around a place.

Every value that a caller gives is a bound parameter; the words of a query become quoted tokens.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from citation_pipeline.adapters.search_index.embeddings import EmbeddingProvider
from citation_pipeline.adapters.search_index.files import scope_of
from citation_pipeline.core.retrieval.fusion import fuse
from citation_pipeline.core.retrieval.terms import LIGHT_TERMS, index_terms, terms_of

_DEPTH = 60  # of each ranking; what stands deeper changes no first page of results
_MOST_TERMS = 12  # the rarest of a long query; each further one costs time and finds nothing new
_SCOPED = 12  # claims that are named in the full-text query; of more, the best chunks are sifted
_SIFTED = 3_000  # chunks that are sifted: a condition that one claim in fifty meets still fills a page
_ENOUGH = 20  # hits that hold every term: those with fewer would follow on later pages only
_FEW = 2_000  # chunks that are ranked by every word of a query: that takes a few milliseconds
_COMMON = 0.2  # a term in more than this share of the chunks ranks nothing and costs most


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


def search_chunks(
    connection: sqlite3.Connection,
    text: str,
    *,
    claim_ids: Sequence[str] | None = None,
    source_id: str | None = None,
    identifiers: Sequence[str] = (),
    limit: int = 20,
    embeddings: EmbeddingProvider | None = None,
) -> list[ChunkHit]:
    """Return the best chunks, exact identifiers first; `claim_ids` of None means every claim."""
    if claim_ids is not None and not claim_ids:
        return []
    exact = _by_identifiers(connection, identifiers, claim_ids)
    rankings = {"words": _by_words(connection, text, claim_ids)}
    if embeddings is not None and text.strip():
        rankings["vectors"] = _by_vectors(connection, text, claim_ids, embeddings)
    if not rankings["words"] and "vectors" not in rankings:
        rankings["identifiers"] = exact
    fused = fuse(rankings, first=_preferred(exact, rankings["words"]))
    places = {
        name: {key: place for place, key in enumerate(ranking, start=1)}
        for name, ranking in (*rankings.items(), ("identifiers", exact))
    }
    hits = _hits(connection, fused[: max(limit * 3, _DEPTH)], places)
    return [hit for hit in hits if source_id is None or hit.source_id == source_id][:limit]


def _preferred(exact: Sequence[int], by_words: Sequence[int]) -> list[int]:
    """Order exact hits by the rest of the query: an identifier alone may stand on every page."""
    place = {key: number for number, key in enumerate(by_words)}
    return sorted(exact, key=lambda key: place.get(key, len(place)))


def _by_identifiers(
    connection: sqlite3.Connection, identifiers: Sequence[str], claim_ids: Sequence[str] | None
) -> list[int]:
    found: list[int] = []
    for identifier in identifiers:
        rows = connection.execute(
            "SELECT chunk, claim_id FROM identifiers WHERE identifier = ? AND chunk IS NOT NULL "
            "ORDER BY chunk LIMIT ?",
            (identifier, _DEPTH),
        )
        found += [chunk for chunk, claim_id in rows if claim_ids is None or claim_id in claim_ids]
    return list(dict.fromkeys(found))


def _by_words(connection: sqlite3.Connection, text: str, claim_ids: Sequence[str] | None) -> list[int]:
    terms = list(dict.fromkeys(terms_of(text)))
    if not terms:
        return []
    total = connection.execute("SELECT count(*) FROM chunks").fetchone()[0] or 1
    frequency = {term: _frequency(connection, term) for term in terms}
    known = sorted((term for term in terms if frequency[term]), key=lambda term: frequency[term])[
        :_MOST_TERMS
    ]
    if not known:
        return []
    scope, among = "", None
    if claim_ids is not None and len(claim_ids) > _SCOPED:
        among = claim_ids
    elif claim_ids is not None:
        listed = " OR ".join(f'"{scope_of(claim_id)}"' for claim_id in claim_ids)
        scope = f"(scope : ({listed})) AND "
    elif len(known) > 1 and total > _FEW:
        # over all claims a common term only reorders; within one claim it is all there may be
        telling = [t for t in known if frequency[t] <= _COMMON * total and t not in LIGHT_TERMS]
        known = telling or known[:1]
    found: list[int] = []
    if len(known) > 1 and not scope:
        found = _match(connection, scope, " AND ".join(_token(t) for t in known), among)
    if len(found) < _ENOUGH:
        is_common = not scope and total > _FEW and all(frequency[t] > _COMMON * total for t in known)
        # a phrase's own words count too: "wage" where the query says "average weekly wage"
        inner = (
            [] if is_common else [t for t in index_terms(text) if t not in frequency and t not in LIGHT_TERMS]
        )
        either = " OR ".join(_token(t) for t in [*known, *inner][: 2 * _MOST_TERMS])
        found += _match(connection, scope, either, among, is_ranked=not is_common)
    return list(dict.fromkeys(found))[:_DEPTH]


def _token(term: str) -> str:
    return '"' + term.replace('"', "") + '"'


def _frequency(connection: sqlite3.Connection, term: str) -> int:
    row = connection.execute("SELECT doc FROM vocabulary WHERE term = ?", (term,)).fetchone()
    return int(row[0]) if row else 0


def _match(
    connection: sqlite3.Connection,
    scope: str,
    expression: str,
    among: Sequence[str] | None = None,
    *,
    is_ranked: bool = True,
) -> list[int]:
    """Return the best chunks of an expression; `among` are the claims that count, when they are many.

    Words that most chunks hold order nothing: then the first chunks do, which spares ranking all of them.
    """
    # a word of the heading or the document's name says more of a chunk than one of many in its body
    rank = "bm25(words, 0.0, 1.0, 1.5)" if is_ranked else "rowid"
    asked = f"{scope}({{body head}} : ({expression}))"
    best = f"SELECT rowid, {rank} AS place FROM words WHERE words MATCH ? ORDER BY {rank} LIMIT ?"
    if among is None:
        return [row[0] for row in connection.execute(best, (asked, _DEPTH))]
    rows = connection.execute(
        f"SELECT w.rowid, c.claim_id FROM ({best}) w JOIN chunks c ON c.id = w.rowid ORDER BY w.place",
        (asked, _SIFTED),
    )
    allowed = set(among)
    return [row[0] for row in rows if row[1] in allowed][:_DEPTH]


def _by_vectors(
    connection: sqlite3.Connection, text: str, claim_ids: Sequence[str] | None, embeddings: EmbeddingProvider
) -> list[int]:
    query, parameters = "SELECT chunk, vector FROM vectors WHERE provider = ?", [embeddings.name]
    if claim_ids is not None:
        query += f" AND claim_id IN ({','.join('?' * len(claim_ids))})"
        parameters += claim_ids
    rows = connection.execute(query, parameters).fetchall()
    if not rows:
        return []
    matrix = np.frombuffer(b"".join(row[1] for row in rows), np.float32).reshape(len(rows), -1)
    wanted = embeddings.embed([text])[0]
    if wanted.shape[0] != matrix.shape[1]:
        return []
    near = np.argsort(-(matrix @ wanted))[:_DEPTH]
    return [int(rows[int(place)][0]) for place in near]


def _hits(
    connection: sqlite3.Connection,
    fused: Sequence[tuple[int, float]],
    places: Mapping[str, Mapping[int, int]],
) -> list[ChunkHit]:
    if not fused:
        return []
    keys = [key for key, _ in fused]
    rows = connection.execute(
        "SELECT id, claim_id, chunk_id, source_id, kind, page, page_end, word_start, word_end, "
        "text_start, text_end, "
        f"text, heading, title FROM chunks WHERE id IN ({','.join('?' * len(keys))})",
        keys,
    ).fetchall()
    by_id = {row[0]: row for row in rows}
    return [
        _hit(by_id[key], score, {name: ranking[key] for name, ranking in places.items() if key in ranking})
        for key, score in fused
        if key in by_id
    ]


def _hit(row: Any, score: float, places: Mapping[str, int]) -> ChunkHit:
    names = [field.name for field in fields(ChunkHit)][:-2]
    return ChunkHit(**dict(zip(names, row, strict=True)), score=score, places=places)


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
