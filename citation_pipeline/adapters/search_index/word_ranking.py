"""Ranking chunks by the words of a query, rarest first, with SQLite's full-text index.

The words of a query become quoted tokens; numbers here are what keeps a query over a large index quick.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.adapters.search_index.files import scope_of
from citation_pipeline.core.retrieval.subjects import is_near
from citation_pipeline.core.retrieval.terms import index_terms, light_terms, terms_of

DEPTH = 60
"""Chunks of each ranking: what is deeper changes no first page of results."""

_MOST_TERMS = 12  # the rarest of a long query; each further one costs time and finds nothing new
_SCOPED = 12  # claims that are named in the full-text query; of more, the best chunks are sifted
_SIFTED = 3_000  # chunks that are sifted: a condition that one claim in fifty meets still fills a page
_ENOUGH = 20  # hits that hold every term: those with fewer would follow on later pages only
_FEW = 2_000  # chunks that are ranked by every word of a query: that takes a few milliseconds
_SPELLED = 6  # letters: a shorter word with a slip is another word
_MOST_SPELLINGS = 3
_COMMON = 0.2  # a term in more than this share of the chunks ranks nothing and costs most


@dataclass(frozen=True, slots=True)
class _Asked:
    """A text as full-text queries: chunks with every term, with any; `among` are the claims that count."""

    scope: str
    among: Sequence[str] | None
    every: str
    any: str
    is_common: bool


def rank_by_words(
    connection: sqlite3.Connection, text: str, claim_ids: Sequence[str] | None, *, depth: int = DEPTH
) -> list[int]:
    """Return the best chunks of these claims, of all for None, by the terms of a text."""
    asked = _read(connection, text, claim_ids)
    if asked is None:
        return []
    found: list[int] = []
    if asked.every:
        found = _match(connection, asked.scope, asked.every, asked.among, depth=depth)
    if len(found) < _ENOUGH:
        found += _match(
            connection, asked.scope, asked.any, asked.among, is_ranked=not asked.is_common, depth=depth
        )
    return list(dict.fromkeys(found))[:depth]


def count_pages(connection: sqlite3.Connection, text: str, claim_ids: Sequence[str] | None) -> int:
    """Return how many pages hold what `rank_by_words` ranks, however deep."""
    asked = _read(connection, text, claim_ids)
    if asked is None:
        return 0
    every = asked.every
    has_enough = every and len(_match(connection, asked.scope, every, asked.among)) >= _ENOUGH
    return len(_pages(connection, asked, every if has_enough else asked.any))


def _pages(connection: sqlite3.Connection, asked: _Asked, expression: str) -> list[tuple[str, str, int]]:
    rows = connection.execute(
        "SELECT DISTINCT c.claim_id, c.source_id, c.page FROM words w JOIN chunks c ON c.id = w.rowid "
        "WHERE words MATCH ?",
        (_within(asked.scope, expression),),
    ).fetchall()
    allowed = None if asked.among is None else set(asked.among)
    return [row for row in rows if allowed is None or row[0] in allowed]


def _read(connection: sqlite3.Connection, text: str, claim_ids: Sequence[str] | None) -> _Asked | None:
    """Read a text as full-text queries; None where the index holds none of its words."""
    terms = list(dict.fromkeys(terms_of(text)))
    terms = [near for term in terms for near in _as_spelled(connection, term)]
    total = connection.execute("SELECT count(*) FROM chunks").fetchone()[0] or 1
    frequency = {term: _frequency(connection, term) for term in terms}
    if not any(frequency.values()):  # "weekly rate" is no phrase of any document: its words may be there
        frequency |= {term: _frequency(connection, term) for term in index_terms(text)}
    known = sorted((term for term in frequency if frequency[term]), key=lambda term: frequency[term])[
        :_MOST_TERMS
    ]
    if not known:
        return None
    scope, among = "", None
    if claim_ids is not None and len(claim_ids) > _SCOPED:
        among = claim_ids
    elif claim_ids is not None:
        listed = " OR ".join(f'"{scope_of(claim_id)}"' for claim_id in claim_ids)
        scope = f"(scope : ({listed})) AND "
    elif len(known) > 1 and total > _FEW:
        # over all claims a common term only reorders; within one claim it is all there may be
        telling = [t for t in known if frequency[t] <= _COMMON * total and t not in light_terms()]
        known = telling or known[:1]
    is_common = not scope and total > _FEW and all(frequency[t] > _COMMON * total for t in known)
    # a phrase's own words count too: "wage" where the query says "average weekly wage"
    inner = (
        [] if is_common else [t for t in index_terms(text) if t not in frequency and t not in light_terms()]
    )
    return _Asked(
        scope,
        among,
        " AND ".join(_token(t) for t in known) if len(known) > 1 and not scope else "",
        " OR ".join(_token(t) for t in [*known, *inner][: 2 * _MOST_TERMS]),
        is_common,
    )


def _as_spelled(connection: sqlite3.Connection, term: str) -> list[str]:
    """Return the term, or those of the index that differ by one slip: `mkrtchian` finds Mkrtchyan."""
    if len(term) < _SPELLED or not term.isalpha() or _frequency(connection, term):
        return [term]
    rows = connection.execute(
        "SELECT term FROM vocabulary WHERE term >= ? AND term < ? ORDER BY doc DESC",
        (term[:2], term[:1] + chr(ord(term[1]) + 1)),
    )
    near = [found for (found,) in rows if is_near(term, found)]
    return near[:_MOST_SPELLINGS] or [term]


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
    depth: int = DEPTH,
) -> list[int]:
    """Return the best chunks of an expression; `among` are the claims that count, when they are many.

    Words that most chunks hold order nothing: then the first chunks do, which spares ranking all of them.
    """
    # a word of the heading or the document's name says more of a chunk than one of many in its body
    rank = "bm25(words, 0.0, 1.0, 1.5)" if is_ranked else "rowid"
    asked = _within(scope, expression)
    best = f"SELECT rowid, {rank} AS place FROM words WHERE words MATCH ? ORDER BY {rank} LIMIT ?"
    if among is None:
        return [row[0] for row in connection.execute(best, (asked, depth))]
    rows = connection.execute(
        f"SELECT w.rowid, c.claim_id FROM ({best}) w JOIN chunks c ON c.id = w.rowid ORDER BY w.place",
        (asked, max(_SIFTED, depth)),
    )
    allowed = set(among)
    return [row[0] for row in rows if row[1] in allowed][:depth]


def _within(scope: str, expression: str) -> str:
    return f"{scope}({{body head}} : ({expression}))"
