"""Asking the index for chunks: by words, identifiers and vectors, fused.

Every value that a caller gives is a bound parameter.
"""

import sqlite3
from collections.abc import Sequence

import numpy as np

from citation_pipeline.adapters.search_index.chunk_hits import ChunkHit, read_hits
from citation_pipeline.adapters.search_index.embeddings import EmbeddingProvider
from citation_pipeline.adapters.search_index.word_ranking import DEPTH, rank_by_words
from citation_pipeline.core.retrieval.fusion import fuse


def search_chunks(
    connection: sqlite3.Connection,
    text: str,
    *,
    claim_ids: Sequence[str] | None = None,
    source_id: str | None = None,
    identifiers: Sequence[str] = (),
    limit: int = 20,
    embeddings: EmbeddingProvider | None = None,
    depth: int = DEPTH,
) -> list[ChunkHit]:
    """Return the best chunks, exact identifiers first; `claim_ids` of None means every claim.

    `depth` chunks of each ranking are looked at.
    """
    if claim_ids is not None and not claim_ids:
        return []
    exact = _by_identifiers(connection, identifiers, claim_ids)
    rankings = {"words": rank_by_words(connection, text, claim_ids, depth=depth)}
    if embeddings is not None and text.strip():
        rankings["vectors"] = _by_vectors(connection, text, claim_ids, embeddings)
    if not rankings["words"] and "vectors" not in rankings:
        rankings["identifiers"] = exact
    fused = fuse(rankings, first=_preferred(exact, rankings["words"]))
    places = {
        name: {key: place for place, key in enumerate(ranking, start=1)}
        for name, ranking in (*rankings.items(), ("identifiers", exact))
    }
    hits = read_hits(connection, fused[: max(limit * 3, depth)], places)
    return [hit for hit in hits if source_id is None or hit.source_id == source_id][:limit]


def _preferred(exact: Sequence[int], by_words: Sequence[int]) -> list[int]:
    """Order exact hits by the rest of the query: an identifier alone may be on every page."""
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
            (identifier, DEPTH),
        )
        found += [chunk for chunk, claim_id in rows if claim_ids is None or claim_id in claim_ids]
    return list(dict.fromkeys(found))


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
    near = np.argsort(-(matrix @ wanted))[:DEPTH]
    return [int(rows[int(place)][0]) for place in near]
