"""What was found, as results: a page of a document or a claim's values, each with its citations."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from citation_pipeline.adapters.read_model.citing import cite_field
from citation_pipeline.adapters.read_model.claims import ClaimState
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.shapes import FieldView, RetrievalView, SearchHit
from citation_pipeline.adapters.search_index.chunk_hits import ChunkHit, text_around
from citation_pipeline.adapters.search_index.field_values import FieldValue
from citation_pipeline.core.retrieval.conditions.condition import Condition
from citation_pipeline.core.retrieval.terms import light_terms, term_set
from citation_pipeline.core.review.standing import both_values, is_signed_at, is_verified
from citation_pipeline.core.schemas import label_of
from citation_pipeline.core.viewer.citation_objects import (
    CitationFormat,
    citation_texts,
    citation_urls,
    document_id_of,
)
from citation_pipeline.core.viewer.sureness import confidence_of

_MOST_FIELDS = 3  # of one hit, those that share most words with the query: more is a dump, not a result
_MOST_MEETING = 8  # values of one claim that meet the conditions: of a long list, the first
_SNIPPET = 360


_SILENT = {
    "unread": "no value found, and not all pages were read for it",
    "doubted": "no value: what was read is in doubt, or nothing was found where it may be",
    "unreadable": "no value, what was read is none that the field may have",
}


def _silence_of(state: ClaimState, field_key: str) -> str:
    """Return what is to be said of a field without a value."""
    fields = state.dataset.get("unreadFields") or ()
    status = next((field["status"] for field in fields if field["fieldKey"] == field_key), "")
    return _SILENT.get(status, "no value found")


class Results:
    """Turns what was found into results."""

    def __init__(
        self,
        model: ReadModel,
        connection: sqlite3.Connection,
        asked: str,
        *,
        citation_format: CitationFormat,
        include_citations: bool,
        missing: Sequence[Condition] = (),
    ) -> None:
        """`missing` are the conditions that a claim without a value meets."""
        self._model, self._connection = model, connection
        self._format, self._cites = citation_format, include_citations
        self._asked = term_set(asked)
        self._missing = missing
        self._last_ids = model.claims.verifications.last_ids()

    def of_chunk(self, hit: ChunkHit) -> SearchHit:
        """Return a page that was found, with the fields that were read there."""
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
        """Return a claim with the values that met the conditions."""
        state = self._model.claims.state(claim_id, last_ids=self._last_ids)
        chosen = []
        for value in {(v.field_key, v.item_path): v for v in values}.values():
            field = state.fields.get(value.field_key)
            if field is not None:
                chosen.append(self._of_value(state, field, value))
        chosen = chosen[:_MOST_MEETING]
        first = next((citation for _, _, citation in chosen if citation is not None), None)
        source_id = first["sourceId"] if first else next(iter(state.sources), "")
        text = "; ".join(
            [
                *(f"{view.label}: {view.value}" for view, _, _ in chosen),
                *(
                    f"{asked.label}: {_silence_of(state, asked.field_key)}"
                    for asked in self._missing
                    if asked.field_key not in state.fields
                ),
            ]
        )
        return self._hit(
            state, source_id, first["page"] if first else 1, text[:_SNIPPET], chosen, 1.0, {"conditions": 1}
        )

    def _of_value(
        self, state: ClaimState, field: Mapping[str, Any], value: FieldValue
    ) -> tuple[FieldView, Mapping[str, Any], Mapping[str, Any] | None]:
        own = (c for c in field["citations"] if c.get("itemPath", "") == value.item_path)
        cited = next(own, None) or next(iter(field["citations"]), None)
        view = view_field(state, field, self._format, cited=cited)
        if value.item_path:  # a list's one item answers, not the list
            member = value.item_path.partition("].")[2]
            name = f"{view.name}.{member}" if member else view.name
            view = replace(view, name=name, label=f"{view.label}: {label_of(member)}", value=value.value)
        return view, field, cited

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
            part=state.part_title(source_id, page),
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
        verified = review.get("madeAt") if is_signed_at(field, cited) else None
        texts = citation_texts(
            filename,
            cited["page"],
            cited.get("snippet", ""),
            verified_at=verified,
            part=state.part_title(cited["sourceId"], cited["page"]),
        )
        text = str(getattr(texts, citation_format))
    return FieldView(
        name=field["fieldKey"],
        label=field["label"],
        value=field.get("rawValue", field["value"]),
        type=field.get("valueType", "string"),
        verified=is_verified(field),
        confidence=confidence_of(field),
        confidence_parts=(field.get("fieldConfidence") or {}).get("parts"),
        review_state=review.get("state", "unreviewed"),
        verified_value=signed,
        current_value=current,
        citation=text,
    )
