"""A claim's fields as they answer questions: the reviewed value with the words and headings of its place."""

from collections.abc import Iterator, Mapping
from typing import Any

from citation_pipeline.adapters.read_model.claims import ClaimDocuments, ClaimState
from citation_pipeline.core.retrieval.candidates import KeptFields
from citation_pipeline.core.retrieval.field_evidence import FieldValue
from citation_pipeline.core.retrieval.listed_items import text_of_item, text_of_items
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.review.standing import is_verified
from citation_pipeline.core.viewer.sureness import confidence_of

_MOST_DOUBTED = 4  # of a field: what the extractor ranked below is seldom right
_UNRATED = 0.3  # the belief in a value that lost against another
_AROUND = 400  # letters of the statements around a citation: more is the page, not the place


def kept_fields(
    state: ClaimState,
    documents: ClaimDocuments,
    dates: Mapping[str, str],
    *,
    source_id: str | None = None,
) -> KeptFields:
    """Return a claim's fields as they answer questions; with `source_id`, of that document only."""
    return KeptFields(
        field_values(state, documents, dates, source_id=source_id),
        doubted_values(state, documents, dates, source_id=source_id),
    )


def field_values(
    state: ClaimState,
    documents: ClaimDocuments,
    dates: Mapping[str, str],
    *,
    source_id: str | None = None,
) -> dict[str, FieldValue]:
    """Return every field that has a value and a place, by key; with `source_id`, of that document only."""
    found = {
        field["fieldKey"]: _field_value(state, documents, field, dates, source_id)
        for field in state.fields.values()
    }
    return {key: value for key, value in found.items() if value is not None}


def _field_value(
    state: ClaimState,
    documents: ClaimDocuments,
    field: Mapping[str, Any],
    dates: Mapping[str, str],
    source_id: str | None,
) -> FieldValue | None:
    citations = [
        c
        for c in field["citations"]
        if c["sourceId"] in documents.by_id and source_id in (None, c["sourceId"]) and _words_of(c)
    ]
    if not citations:
        return None
    value = field.get("rawValue", field["value"])
    items = tuple(_items(state, documents, field, citations, dates)) if isinstance(value, list) else ()
    return FieldValue(
        key=field["fieldKey"],
        value=value,
        value_type=field.get("valueType", "string"),
        statement=_statement(
            state, documents, field, citations[0], text_of_items(value) or field["value"] or "", dates
        ),
        confidence=field.get("confidence", ""),
        is_verified=is_verified(field),
        is_flagged=citations[0]["status"] != "resolved" or bool(field.get("conflicts")),
        citations=len(citations),
        enum=tuple(field.get("enum") or ()),
        items=items,
        belief=_belief_in(field),
    )


def _belief_in(field: Mapping[str, Any]) -> float:
    """Return the fitted confidence of a shown field; what a person verified needs none."""
    fitted = confidence_of(field)
    if fitted is not None:
        return fitted
    return 1.0 if is_verified(field) else _UNRATED


def doubted_values(
    state: ClaimState,
    documents: ClaimDocuments,
    dates: Mapping[str, str],
    *,
    source_id: str | None = None,
) -> dict[str, tuple[FieldValue, ...]]:
    """Return what was read for each field and is not shown as its value, the likeliest first."""
    found = {
        field["fieldKey"]: tuple(_doubted(state, documents, field, dates, source_id))
        for field in (*state.fields.values(), *state.dataset.get("unreadFields", ()))
        if field.get("candidates")
    }
    return {key: values for key, values in found.items() if values}


def _doubted(
    state: ClaimState,
    documents: ClaimDocuments,
    field: Mapping[str, Any],
    dates: Mapping[str, str],
    source_id: str | None,
) -> Iterator[FieldValue]:
    for candidate in field["candidates"][:_MOST_DOUBTED]:
        citations = [
            c
            for c in candidate.get("citations", ())
            if c["sourceId"] in documents.by_id and source_id in (None, c["sourceId"]) and _words_of(c)
        ]
        if not citations:
            continue
        belief = candidate.get("confidence")
        yield FieldValue(
            key=field["fieldKey"],
            value=candidate.get("rawValue", candidate["value"]),
            value_type=field.get("valueType", "string"),
            statement=_statement(state, documents, field, citations[0], str(candidate["value"] or ""), dates),
            is_flagged=citations[0]["status"] != "resolved",
            citations=len(citations),
            enum=tuple(field.get("enum") or ()),
            doubt=candidate.get("reason") or "weak_evidence",
            belief=_UNRATED if belief is None else float(belief),
        )


def _items(
    state: ClaimState,
    documents: ClaimDocuments,
    field: Mapping[str, Any],
    citations: list[Mapping[str, Any]],
    dates: Mapping[str, str],
) -> Iterator[FieldValue]:
    for number, item in enumerate(field["rawValue"]):
        own = [c for c in citations if c.get("itemPath", "").startswith(f"[{number}]")]
        if not own or not isinstance(item, Mapping):
            continue
        text = text_of_item(item)
        yield FieldValue(
            key=field["fieldKey"],
            value=item,
            value_type="item",
            statement=_statement(state, documents, field, own[0], text, dates),
            confidence=field.get("confidence", ""),
            is_verified=is_verified(field),
            is_flagged=own[0]["status"] != "resolved",
            citations=len(own),
            belief=_belief_in(field),
        )


def _statement(
    state: ClaimState,
    documents: ClaimDocuments,
    field: Mapping[str, Any],
    cited: Mapping[str, Any],
    text: str,
    dates: Mapping[str, str],
) -> Statement:
    words = _words_of(cited)
    recency, written = _written_at(documents, cited, frozenset(words), dates)
    return Statement(
        source_id=cited["sourceId"],
        page=cited["page"],
        kind="field",
        words=words,
        value_words=words,
        label=f"{field['category']} {field['label']}",
        text=str(text),
        context=str(cited.get("snippet", "")),
        title=f"{_around(documents, cited, frozenset(words))} {state.sources[cited['sourceId']]['name']}",
        dated=dates.get(cited["sourceId"]) or "",
        recency=recency,
        written=written,
    )


def _written_at(
    documents: ClaimDocuments, cited: Mapping[str, Any], words: frozenset[int], dates: Mapping[str, str]
) -> tuple[float, str]:
    """Return how new the place of a citation is among all that the claim states, and its day.

    That of the shortest statement there: without it an older print of another value would pass for newer.
    """
    ordered = documents.ordered_statements(dates).get(cited["sourceId"], ())
    here = [s for s in ordered if s.page == cited["page"]]
    own = [s for s in here if not words.isdisjoint(s.words)]
    nearest = min(own or here or ordered, key=lambda s: len(s.words), default=None)
    return (nearest.recency, nearest.written) if nearest is not None else (0.0, "")


def _around(documents: ClaimDocuments, cited: Mapping[str, Any], words: frozenset[int]) -> str:
    """Return the labels, headings and the document's title of the statements at a citation's place."""
    found: dict[str, None] = {}
    for statement in documents.statements(cited["sourceId"]):
        if statement.page == cited["page"] and not words.isdisjoint(statement.words):
            found[statement.label] = found[statement.context] = found[statement.title] = None
    return " ".join(text for text in found if text)[:_AROUND]


def _words_of(citation: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(word for first, last in citation.get("wordRanges") or () for word in range(first, last))
