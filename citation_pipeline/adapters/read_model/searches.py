"""Search: chunks for the words of a query, claims for its conditions, both with citations."""

import sqlite3
from collections.abc import Mapping, Sequence
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
)
from citation_pipeline.adapters.search_index.chunk_hits import ChunkHit, text_around
from citation_pipeline.adapters.search_index.field_values import FieldValue, find_values
from citation_pipeline.adapters.search_index.searching import search_chunks
from citation_pipeline.core.retrieval.query_grammar import QueryInterpretation, interpret
from citation_pipeline.core.retrieval.terms import term_set
from citation_pipeline.core.viewer.citation_objects import (
    CitationFormat,
    CitationObject,
    as_context,
    citation_texts,
    citation_urls,
    document_id_of,
)

MOST_RESULTS = 50
_MOST_FIELDS = 12  # of one hit: more is a dump, not a result
_SNIPPET = 360


def search(
    model: ReadModel,
    query: str,
    *,
    include_citations: bool = True,
    citation_format: CitationFormat = "short",
    claim_ids: Sequence[str] | None = None,
    limit: int = 10,
    offset: int = 0,
) -> SearchAnswer:
    """Answer a query; what it was understood to ask comes back with the results."""
    fields = model.searchable_fields()
    understood = interpret(query, fields)
    with model.file.reading() as connection:
        meeting: dict[str, list[FieldValue]] | None = None
        for condition in understood.conditions:
            values = find_values(connection, condition=condition, claim_ids=claim_ids)
            found: dict[str, list[FieldValue]] = {}
            for value in values:
                found.setdefault(value.claim_id, []).append(value)
            meeting = (
                found if meeting is None else {c: [*v, *found[c]] for c, v in meeting.items() if c in found}
            )
        allowed = claim_ids if meeting is None else list(meeting)
        hits: list[ChunkHit] = []
        if understood.text.strip() or understood.identifiers:
            hits = search_chunks(
                connection,
                understood.text,
                claim_ids=allowed,
                identifiers=understood.identifiers,
                limit=MOST_RESULTS + 10,
                embeddings=model.embeddings,
            )
    pages = _one_a_page(hits)
    claims = sorted(meeting.items()) if meeting is not None and not hits else []
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
    )


def view_interpretation(understood: QueryInterpretation) -> InterpretationView:
    """Return how a query was read, as it is shown."""
    return InterpretationView(
        query=understood.query,
        text=understood.text,
        conditions=[
            ConditionView(c.field_key, c.label, c.operator, c.value, c.upper, c.source)
            for c in understood.conditions
        ],
        identifiers=list(understood.identifiers),
    )


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
        near.sort(key=lambda pair: -len(self._asked & term_set(f"{pair[0]['label']} {pair[0]['value']}")))
        return self._hit(state, hit.source_id, hit.page, self._snippet(hit), near, hit.score, hit.places)

    def of_values(self, claim_id: str, values: Sequence[FieldValue]) -> SearchHit:
        state = self._model.claims.state(claim_id, last_ids=self._last_ids)
        chosen = []
        for value in values:
            field = state.fields.get(value.field_key)
            if field is not None:
                cited = next(
                    (c for c in field["citations"] if c.get("itemPath", "") == value.item_path), None
                )
                cited = cited or next(iter(field["citations"]), None)
                chosen.append((field, cited))
        first = next((citation for _, citation in chosen if citation is not None), None)
        source_id = first["sourceId"] if first else next(iter(state.sources), "")
        text = "; ".join(f"{field['label']}: {field['value']}" for field, _ in chosen)
        return self._hit(
            state, source_id, first["page"] if first else 1, text[:_SNIPPET], chosen, 1.0, {"conditions": 1}
        )

    def _hit(
        self,
        state: ClaimState,
        source_id: str,
        page: int,
        snippet: str,
        fields: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]],
        score: float,
        places: Mapping[str, int],
    ) -> SearchHit:
        kept = list({id(field): (field, citation) for field, citation in fields}.values())[:_MOST_FIELDS]
        citations = [
            cite_field(
                state,
                f,
                c,
                text=partial(text_around, self._connection, state.claim_id, c["sourceId"]),
                root=self._model.root_url,
            )
            for f, c in kept
            if c is not None and self._cites
        ]
        return SearchHit(
            document_id=document_id_of(state.claim_id, source_id),
            claim_id=state.claim_id,
            filename=state.sources.get(source_id, {}).get("file", source_id),
            page=page,
            snippet=snippet,
            fields=[view_field(state, f, self._format, cited=c) for f, c in kept],
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
    cited = cited or next(iter(field["citations"]), None)
    text = None
    if cited is not None:
        filename = state.sources.get(cited["sourceId"], {}).get("file", cited["sourceId"])
        verified = review.get("madeAt") if review.get("state") in ("confirmed", "corrected") else None
        texts = citation_texts(filename, cited["page"], cited.get("snippet", ""), verified_at=verified)
        text = str(getattr(texts, citation_format))
    return FieldView(
        name=field["fieldKey"],
        label=field["label"],
        value=field.get("rawValue", field["value"]),
        type=field.get("valueType", "string"),
        verified=review.get("state") in ("confirmed", "corrected"),
        citation=text,
    )


def _summary(understood: QueryInterpretation, results: Sequence[SearchHit], total: int) -> str:
    if not total:
        return "Nothing was found."
    claims = len({result.claim_id for result in results})
    asked = " and ".join(
        f"{c.label} {c.operator} {c.value}" + (f" and {c.upper}" if c.upper is not None else "")
        for c in understood.conditions
    )
    where = f" where {asked}" if asked else ""
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
