"""Search: chunks for the words of a query, claims for its conditions, both with citations."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from citation_pipeline.adapters.read_model.citing import cite_field
from citation_pipeline.adapters.read_model.claims import ClaimState
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.shapes import (
    ConditionView,
    FieldView,
    InterpretationView,
    RetrievalView,
    SearchAnswer,
    SearchHit,
    SortingView,
)
from citation_pipeline.adapters.search_index.chunk_hits import ChunkHit, text_around
from citation_pipeline.adapters.search_index.field_values import FieldValue, claims_meeting, find_values
from citation_pipeline.adapters.search_index.searching import search_chunks
from citation_pipeline.core.retrieval.conditions.condition import Sorting
from citation_pipeline.core.retrieval.conditions.naming import choose_field
from citation_pipeline.core.retrieval.query_grammar import QueryInterpretation, interpret
from citation_pipeline.core.retrieval.terms import light_terms, term_set
from citation_pipeline.core.review.standing import both_values, is_verified
from citation_pipeline.core.schemas import label_of
from citation_pipeline.core.viewer.citation_objects import (
    CitationFormat,
    CitationObject,
    as_context,
    citation_texts,
    citation_urls,
    document_id_of,
)

MOST_RESULTS = 50
_MOST_FIELDS = 3  # of one hit, those that share most words with the query: more is a dump, not a result
_MOST_MEETING = 8  # values of one claim that meet the conditions: of a long list, the first
_SNIPPET = 360


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
    if order_by is not None:
        chosen = choose_field(order_by, fields, argument="order_by")
        sorting = Sorting(chosen.key, chosen.label, descending, chosen.member)
        understood = replace(understood, sorting=sorting)
    has_words = bool(understood.text.strip() or (understood.identifiers and understood.where is None))
    with model.file.reading() as connection:
        meeting: dict[str, list[FieldValue]] | None = None
        if understood.where is not None:
            meeting = claims_meeting(connection, understood.where, claim_ids)
        order = _sort_values(connection, understood.sorting, claim_ids if meeting is None else list(meeting))
        if meeting is None and order is not None and not has_words:
            meeting = {claim: [] for claim in order}
        hits: list[ChunkHit] = []
        if has_words:
            hits = search_chunks(
                connection,
                understood.text,
                claim_ids=claim_ids if meeting is None else list(meeting),
                identifiers=understood.identifiers,
                limit=MOST_RESULTS + 10,
                embeddings=model.embeddings,
            )
    pages = _one_a_page(hits)
    claims = sorted(meeting.items()) if meeting is not None and not has_words else []
    if order is not None and understood.sorting is not None:
        place = {claim: number for number, claim in enumerate(order)}
        pages = sorted(pages, key=lambda hit: place.get(hit.claim_id, len(place)))
        claims = sorted(claims, key=lambda entry: place.get(entry[0], len(place)))
        claims = [(claim, [*values, *order.get(claim, ())]) for claim, values in claims]
        claims = claims[: understood.sorting.limit]
    with model.file.reading() as connection:
        results = _Results(model, connection, understood, citation_format, include_citations)
        made = [results.of_chunk(hit) for hit in pages[offset : offset + limit]]
        made += [results.of_values(*entry) for entry in claims[offset : offset + limit]]
    total = len(pages) + len(claims)
    return SearchAnswer(
        query_interpretation=view_interpretation(understood),
        total=total,
        offset=offset,
        next_offset=offset + limit if offset + limit < total else None,
        results=made,
        summary=_summary(understood, made, total),
        llm_context=_context(made, citation_format),
        where=str(understood.where) if understood.where is not None else "",
        sorting=_view_sorting(understood.sorting),
    )


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


class _Results:
    """Turns what was found into results."""

    def __init__(
        self,
        model: ReadModel,
        connection: sqlite3.Connection,
        understood: QueryInterpretation,
        citation_format: CitationFormat,
        include_citations: bool,
    ) -> None:
        self._model, self._connection = model, connection
        self._format, self._cites = citation_format, include_citations
        self._asked = term_set(understood.text)
        self._last_ids = model.claims.verifications.last_ids()

    def of_chunk(self, hit: ChunkHit) -> SearchHit:
        state = self._model.claims.state(hit.claim_id, last_ids=self._last_ids)
        near = [
            (field, citation)
            for field in state.fields.values()
            for citation in field["citations"]
            if citation["sourceId"] == hit.source_id and hit.page <= citation["page"] <= hit.page_end
        ]
        near = self._telling(near)[:_MOST_FIELDS]
        chosen = [(view_field(state, f, self._format, cited=c), f, c) for f, c in near]
        return self._hit(state, hit.source_id, hit.page, self._snippet(hit), chosen, hit.score, hit.places)

    def _telling(self, near: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """Return the fields whose name or value has words of the query that say something, best first."""
        asked = self._asked - light_terms() or self._asked
        shared = {}
        for field, citation in near:
            words = term_set(f"{field['category']} {field['label']} {str(field['value'])[:_SNIPPET]}")
            if len(asked & words) and field["fieldKey"] not in shared:
                shared[field["fieldKey"]] = (len(asked & words), (field, citation))
        ranked = sorted(shared.values(), key=lambda entry: -entry[0])
        most = ranked[0][0] if ranked else 0
        return [pair for count, pair in ranked if 2 * count >= most]

    def of_values(self, claim_id: str, values: Sequence[FieldValue]) -> SearchHit:
        state = self._model.claims.state(claim_id, last_ids=self._last_ids)
        chosen = []
        for value in {(v.field_key, v.item_path): v for v in values}.values():
            field = state.fields.get(value.field_key)
            if field is not None:
                cited = next(
                    (c for c in field["citations"] if c.get("itemPath", "") == value.item_path), None
                )
                cited = cited or next(iter(field["citations"]), None)
                view = view_field(state, field, self._format, cited=cited)
                if value.item_path:  # a list's one item answers, not the list
                    member = value.item_path.partition("].")[2]
                    name = f"{view.name}.{member}" if member else view.name
                    view = replace(
                        view, name=name, label=f"{view.label}: {label_of(member)}", value=value.value
                    )
                chosen.append((view, field, cited))
        chosen = chosen[:_MOST_MEETING]
        first = next((citation for _, _, citation in chosen if citation is not None), None)
        source_id = first["sourceId"] if first else next(iter(state.sources), "")
        text = "; ".join(f"{view.label}: {view.value}" for view, _, _ in chosen)
        return self._hit(
            state, source_id, first["page"] if first else 1, text[:_SNIPPET], chosen, 1.0, {"conditions": 1}
        )

    def _hit(
        self,
        state: ClaimState,
        source_id: str,
        page: int,
        snippet: str,
        chosen: Sequence[tuple[FieldView, Mapping[str, Any], Mapping[str, Any] | None]],
        score: float,
        places: Mapping[str, int],
    ) -> SearchHit:
        citations = [
            cite_field(
                state,
                f,
                c,
                text=partial(text_around, self._connection, state.claim_id, c["sourceId"]),
                root=self._model.root_url,
            )
            for _, f, c in chosen
            if c is not None and self._cites
        ]
        return SearchHit(
            document_id=document_id_of(state.claim_id, source_id),
            claim_id=state.claim_id,
            filename=state.sources.get(source_id, {}).get("file", source_id),
            page=page,
            snippet=snippet,
            fields=[view for view, _, _ in chosen],
            citations=citations,
            url=citation_urls(
                state.claim_id, source_id, page=page, bbox=None, root=self._model.root_url
            ).place,
            retrieval=RetrievalView(round(score, 6), dict(places)),
        )

    def _snippet(self, hit: ChunkHit) -> str:
        """Return the part of the chunk with most of the asked terms."""
        lines = [line for line in hit.text.split("\n") if line.strip()]
        if not lines:
            return ""
        counts = [len(self._asked & term_set(line)) for line in lines]
        best = max(range(len(lines)), key=lambda i: (counts[i], -i))
        kept, size = [lines[best]], len(lines[best])
        for line in lines[best + 1 :]:
            if size + len(line) > _SNIPPET:
                break
            kept.append(line)
            size += len(line) + 1
        return " / ".join(kept)[:_SNIPPET]


def view_field(
    state: ClaimState,
    field: Mapping[str, Any],
    citation_format: CitationFormat = "short",
    *,
    cited: Mapping[str, Any] | None = None,
) -> FieldView:
    """Return a field in short, with a citation (its first, unless one is given) as it may be quoted."""
    review = field.get("review", {})
    signed, current = both_values(field)
    cited = cited or next(iter(field["citations"]), None)
    text = None
    if cited is not None:
        filename = state.sources.get(cited["sourceId"], {}).get("file", cited["sourceId"])
        verified = review.get("madeAt") if is_verified(field) else None
        texts = citation_texts(filename, cited["page"], cited.get("snippet", ""), verified_at=verified)
        text = str(getattr(texts, citation_format))
    return FieldView(
        name=field["fieldKey"],
        label=field["label"],
        value=field.get("rawValue", field["value"]),
        type=field.get("valueType", "string"),
        verified=is_verified(field),
        confidence=(field.get("fieldConfidence") or {}).get("value"),
        confidence_parts=(field.get("fieldConfidence") or {}).get("parts"),
        review_state=review.get("state", "unreviewed"),
        verified_value=signed,
        current_value=current,
        citation=text,
    )


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
        texts = citation_texts(result.filename, result.page, result.snippet, verified_at=None)
        lines.append(f"{getattr(texts, citation_format)} {result.snippet}".strip())
        cited: list[CitationObject] = list(result.citations)
        if cited:
            lines.append(as_context(cited))
    return "\n".join(lines)
