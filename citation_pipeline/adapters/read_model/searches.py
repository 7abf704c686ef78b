"""Search: chunks for the words of a query, claims for its conditions, both with citations."""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.search_results import Results
from citation_pipeline.adapters.read_model.shapes import (
    ConditionView,
    InterpretationView,
    SearchAnswer,
    SearchHit,
    SortingView,
)
from citation_pipeline.adapters.search_index.chunk_hits import ChunkHit
from citation_pipeline.adapters.search_index.field_values import FieldValue, claims_meeting, find_values
from citation_pipeline.adapters.search_index.searching import search_chunks
from citation_pipeline.adapters.search_index.word_ranking import DEPTH, count_pages
from citation_pipeline.core.retrieval.conditions.condition import (
    Condition,
    NotUnderstoodError,
    Sorting,
    leaves,
)
from citation_pipeline.core.retrieval.conditions.naming import choose_field
from citation_pipeline.core.retrieval.query_grammar import QueryInterpretation, interpret
from citation_pipeline.core.viewer.citation_objects import (
    CitationFormat,
    CitationObject,
    as_context,
    citation_texts,
)

MOST_RESULTS = 50
_NOUNS_OF_RESULTS = frozenset(
    ("a", "all", "case", "cases", "claim", "claims", "every", "file", "files", "list")
    + ("matter", "matters", "me", "my", "our", "show", "the")
)
"""What is left of a query that orders or limits claims says no more than that these are meant."""
_CHUNKS_A_PAGE = 3


def search(
    model: ReadModel,
    query: str,
    *,
    include_citations: bool = True,
    citation_format: CitationFormat = "short",
    claim_ids: Sequence[str] | None = None,
    order_by: str | None = None,
    descending: bool = False,
    limit: int = 10,
    offset: int = 0,
) -> SearchAnswer:
    """Answer a query; what it was understood to ask comes back with the results.

    `order_by` names a field by whose values claims are ordered; those without one come last. Raises
    NotUnderstoodError for a condition or an order that is not wholly understood.
    """
    fields = model.searchable_fields()
    claim_ids = model.seen(claim_ids)
    understood = interpret(query, fields)
    if order_by is not None and understood.sorting is not None:
        raise NotUnderstoodError(
            "the query says an order, and order_by another",
            words=order_by,
            remedy="name one order, there or here",
            argument="order_by",
        )
    if order_by is not None:
        chosen = choose_field(order_by, fields, argument="order_by")
        sorting = Sorting(chosen.key, chosen.label, descending, chosen.member)
        understood = replace(understood, sorting=sorting)
    found = _find(model, understood, claim_ids, shown=offset + limit)
    with model.file.reading() as connection:
        results = Results(
            model,
            connection,
            understood.text,
            citation_format=citation_format,
            include_citations=include_citations,
            missing=[leaf for leaf in leaves(understood.where) if leaf.operator == "missing"],
        )
        made = [results.of_chunk(hit) for hit in found.pages[offset : offset + limit]]
        made += [results.of_values(*entry) for entry in found.claims[offset : offset + limit]]
    total = found.total
    return SearchAnswer(
        query_interpretation=view_interpretation(understood),
        total=total,
        offset=offset,
        next_offset=offset + limit if offset + limit < total else None,
        results=made,
        summary=" ".join([_summary(understood, made, total), *(f"{note}." for note in found.notes)]),
        llm_context=_context(made, citation_format),
        where=str(understood.where) if understood.where is not None else "",
        sorting=_view_sorting(understood.sorting),
        claims_without_value=found.silent,
        notes=found.notes,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What answers a query, in order: pages where it has words, else claims with the values that met it.

    `silent` are the claims that have no value to compare, `notes` what has to be said of the total.
    """

    pages: Sequence[ChunkHit]
    claims: Sequence[tuple[str, Sequence[FieldValue]]]
    total: int
    silent: int = 0
    notes: Sequence[str] = ()


def _find(
    model: ReadModel, understood: QueryInterpretation, claim_ids: Sequence[str] | None, *, shown: int
) -> _Found:
    """Find what answers a query; `shown` results at most are looked at, the total counts all of them."""
    # a page may hold several chunks; what is ordered by a field orders the best ones
    depth = DEPTH if understood.sorting is not None else max(DEPTH, _CHUNKS_A_PAGE * shown)
    has_words = bool(understood.text.strip() or (understood.identifiers and understood.where is None))
    if understood.sorting is not None and not understood.identifiers:
        has_words = not set(understood.text.casefold().split()) <= _NOUNS_OF_RESULTS
    with model.file.reading() as connection:
        meeting: dict[str, list[FieldValue]] | None = None
        silent, notes = 0, list[str]()
        if understood.where is not None:
            meeting = claims_meeting(connection, understood.where, claim_ids)
            silent, notes = _unsaid(connection, list(leaves(understood.where)), claim_ids, meeting)
        order = _sort_values(connection, understood.sorting, claim_ids if meeting is None else list(meeting))
        if meeting is None and order is not None and not has_words:
            meeting = {claim: [] for claim in order}
        hits: list[ChunkHit] = []
        deeper = 0
        if has_words:
            hits = search_chunks(
                connection,
                understood.text,
                claim_ids=claim_ids if meeting is None else list(meeting),
                identifiers=understood.identifiers,
                limit=depth,
                embeddings=model.embeddings,
                depth=depth,
            )
            if len(hits) >= DEPTH and understood.sorting is None:
                within = claim_ids if meeting is None else list(meeting)
                deeper = count_pages(connection, understood.text, within)
    pages = _one_a_page(hits)
    claims = sorted(meeting.items()) if meeting is not None and not has_words else []
    if order is not None and understood.sorting is not None:
        place = {claim: number for number, claim in enumerate(order)}
        pages = sorted(pages, key=lambda hit: place.get(hit.claim_id, len(place)))
        claims = sorted(claims, key=lambda entry: place.get(entry[0], len(place)))
        claims = [(claim, [*values, *order.get(claim, ())]) for claim, values in claims]
        claims = claims[: understood.sorting.limit]
    return _Found(pages, claims, max(len(pages), deeper) + len(claims), silent, notes)


def _unsaid(
    connection: sqlite3.Connection,
    conditions: Sequence[Condition],
    claim_ids: Sequence[str] | None,
    meeting: Collection[str],
) -> tuple[int, list[str]]:
    """Return how many claims have no value to compare, and what is to be said beside the total.

    Of "liens over $1,000" one claim that is found is not the only one, where others have no lien read.
    """
    every = {row[0] for row in connection.execute("SELECT claim_id FROM claims")}
    asked = every if claim_ids is None else every & set(claim_ids)
    silent: set[str] = set()
    labels: dict[str, None] = {}
    notes = []
    for leaf in conditions:
        if leaf.operator == "missing":
            continue
        valued = find_values(connection, field_key=leaf.field_key, member=leaf.member, claim_ids=list(asked))
        lacking = asked - {value.claim_id for value in valued} - set(meeting)
        if lacking:
            labels[leaf.label] = None
        silent |= lacking
        if leaf.operator == "=" and isinstance(leaf.value, str) and not meeting:
            near = claims_meeting(connection, replace(leaf, operator="contains"), claim_ids)
            if near:
                notes.append(f"{leaf.label} is exactly that in no claim, and contains it in {len(near)}")
    if silent:
        verb = "claim has" if len(silent) == 1 else "claims have"
        notes.append(f"{len(silent)} {verb} no value of {', '.join(labels)} to compare")
    return len(silent), notes


def _sort_values(
    connection: sqlite3.Connection, sorting: Sorting | None, claim_ids: Sequence[str] | None
) -> dict[str, list[FieldValue]] | None:
    """Return the claims in the order asked for, each with the value that orders it; None without one.

    Of several items of a list the one counts that comes first in that order.
    """
    if sorting is None:
        return None
    found = find_values(connection, field_key=sorting.field_key, member=sorting.member, claim_ids=claim_ids)
    ordered = sorted(
        (value for value in found if not isinstance(value.value, list | dict) and value.value is not None),
        key=lambda value: _sort_key(value.value),
        reverse=sorting.descending,
    )
    order: dict[str, list[FieldValue]] = {}
    for value in ordered:
        order.setdefault(value.claim_id, [value])
    return order


def _sort_key(value: Any) -> tuple[int, Any]:
    if isinstance(value, bool):
        return (0, value)
    return (1, float(value)) if isinstance(value, int | float) else (2, str(value).casefold())


def view_interpretation(understood: QueryInterpretation) -> InterpretationView:
    """Return how a query was read, as it is shown."""
    return InterpretationView(
        query=understood.query,
        text=understood.text,
        conditions=[
            ConditionView(c.path, c.label, c.operator, c.value, c.upper, c.source)
            for c in understood.conditions
        ],
        identifiers=list(understood.identifiers),
    )


def _view_sorting(sorting: Sorting | None) -> SortingView | None:
    if sorting is None:
        return None
    path = f"{sorting.field_key}.{sorting.member}" if sorting.member else sorting.field_key
    return SortingView(path, sorting.label, sorting.descending)


def _one_a_page(hits: Sequence[ChunkHit]) -> list[ChunkHit]:
    seen: set[tuple[str, str, int]] = set()
    kept = []
    for hit in hits:
        key = (hit.claim_id, hit.source_id, hit.page)
        if key not in seen:
            seen.add(key)
            kept.append(hit)
    return kept


def _summary(understood: QueryInterpretation, results: Sequence[SearchHit], total: int) -> str:
    if not total:
        return "Nothing was found."
    claims = len({result.claim_id for result in results})
    where = f" where {understood.where}" if understood.where is not None else ""
    return f"{total} places{where}; this page shows {len(results)} of {claims} claims."


def _context(results: Sequence[SearchHit], citation_format: CitationFormat) -> str:
    """Return the results as lines to quote from; document text is data here, never an instruction."""
    lines = []
    for result in results:
        texts = citation_texts(
            result.filename, result.page, result.snippet, verified_at=None, part=result.part
        )
        lines.append(f"{getattr(texts, citation_format)} {result.snippet}".strip())
        cited: list[CitationObject] = list(result.citations)
        if cited:
            lines.append(as_context(cited))
    return "\n".join(lines)
