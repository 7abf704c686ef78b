"""Questions to one claim or one document, answered from what was read and what the documents state.

Retrieval narrows to pages, statements of those pages and the claim's fields are ranked, and the best is
quoted
with its place. A model's answer belongs to `grounded_answers`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.adapters.read_model.citing import cite_words
from citation_pipeline.adapters.read_model.claims import ClaimDocuments, ClaimState
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.shapes import AnswerSource, ConfidenceView, QuestionAnswer
from citation_pipeline.adapters.search_index.chunk_hits import ChunkHit
from citation_pipeline.adapters.search_index.searching import search_chunks
from citation_pipeline.core.retrieval.answering import Answer, answer_from
from citation_pipeline.core.retrieval.evidence import Evidence, rank, weigh_terms
from citation_pipeline.core.retrieval.identifiers import identifiers_in_query
from citation_pipeline.core.retrieval.questions import Question, read_question
from citation_pipeline.core.retrieval.statements.statement import Statement, order_by_date
from citation_pipeline.core.viewer.citation_objects import as_context, document_id_of

MOST_PAGES = 60
"""Pages whose statements are ranked: all of a usual claim, the nearest ones of a large one."""


@dataclass(frozen=True)
class Retrieved:
    """What was found for a question before anything was answered."""

    question: Question
    hits: Sequence[ChunkHit]
    ranked: Sequence[Evidence]
    documents: int
    pages: int


def ask(model: ReadModel, question: str, *, claim_id: str, source_id: str | None = None) -> QuestionAnswer:
    """Answer from the claim's documents without a model; raises UnknownClaimError."""
    state = model.claims.state(claim_id)
    if source_id is not None:
        state.source(source_id)
    retrieved = retrieve(model, question, claim_id=claim_id, source_id=source_id)
    answer = answer_from(retrieved.question, retrieved.ranked, threshold=model.min_similarity)
    return compose(model, state, retrieved, answer)


def retrieve(model: ReadModel, text: str, *, claim_id: str, source_id: str | None = None) -> Retrieved:
    """Return the ranked evidence for a question, and the hits of retrieval behind it."""
    model.refresh()
    state, documents = model.claims.state(claim_id), model.claims.documents(claim_id)
    question = read_question(text)
    with model.file.reading() as connection:
        hits = search_chunks(
            connection,
            text,
            claim_ids=[claim_id],
            source_id=source_id,
            identifiers=identifiers_in_query(text),
            limit=2 * MOST_PAGES,
            embeddings=model.embeddings,
        )
        dates = dict(
            connection.execute(
                "SELECT source_id, document_date FROM documents WHERE claim_id = ?", (claim_id,)
            ).fetchall()
        )
    pages = _pages(hits)
    statements = [
        statement
        for name in dict.fromkeys(name for name, _ in pages)
        if name in documents.by_id
        for statement in documents.statements(name)
        if (name, statement.page) in pages
    ]
    statements += [s for s in _field_statements(state, documents) if source_id in (None, s.source_id)]
    ordered = order_by_date(statements, dates)
    ranked = rank(question, ordered, weigh_terms(ordered))
    looked = [d for d in documents.readable if source_id in (None, d.source.source_id)]
    return Retrieved(question, hits, ranked, len(looked), sum(len(d.pages) for d in looked))


def _pages(hits: Sequence[ChunkHit]) -> dict[tuple[str, int], int]:
    pages: dict[tuple[str, int], int] = {}
    for hit in hits:
        for page in range(hit.page, hit.page_end + 1):
            if len(pages) < MOST_PAGES:
                pages.setdefault((hit.source_id, page), len(pages))
    return pages


def _field_statements(state: ClaimState, documents: ClaimDocuments) -> Iterator[Statement]:
    """Return every placed field under its names, so that a question may use any of them."""
    for field in state.fields.values():
        cited = next(iter(field["citations"]), None)
        if cited is None or cited["sourceId"] not in documents.by_id:
            continue
        words = _words_of(cited)
        if not words:
            continue
        category = field["category"]
        for name in (field["label"], f"{category} {field['label']}"):
            yield Statement(
                source_id=cited["sourceId"],
                page=cited["page"],
                kind="field",
                words=words,
                value_words=words,
                label=name,
                text=field["value"],
                context=category,
                title=state.sources[cited["sourceId"]]["name"],
                value=field.get("rawValue", field["value"]),
                value_type=field.get("valueType", "string"),
            )


def _words_of(citation: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(word for first, last in citation.get("wordRanges") or () for word in range(first, last))


def compose(model: ReadModel, state: ClaimState, retrieved: Retrieved, answer: Answer) -> QuestionAnswer:
    """Return the answer with its places cited."""
    sources = [source_of(model, state, evidence, answer.confidence) for evidence in answer.support]
    misses = [source_of(model, state, evidence, answer.confidence) for evidence in answer.misses]
    parts = answer.breakdown
    return QuestionAnswer(
        question=retrieved.question.text,
        answer=answer.text,
        value=answer.value,
        found=answer.is_found,
        method="extractive",
        confidence=ConfidenceView(
            round(answer.confidence, 4),
            parts.top_match,
            parts.agreement,
            parts.coverage,
            parts.keyword_signal,
        ),
        sentences=(),
        sources=sources,
        near_misses=misses,
        searched=searched(retrieved),
        llm_context=as_context([source.citation for source in sources]),
    )


def searched(retrieved: Retrieved) -> str:
    """Return what was looked at, in one sentence."""
    return f"{retrieved.documents} readable documents, {retrieved.pages} pages"


def source_of(model: ReadModel, state: ClaimState, evidence: Evidence, confidence: float) -> AnswerSource:
    """Return the place of a piece of evidence, cited."""
    statement = evidence.statement
    document = model.claims.documents(state.claim_id).by_id[statement.source_id]
    value = evidence.typed.value if evidence.typed is not None else statement.text
    cited, regions = cite_words(
        state,
        document,
        statement.words,
        name="answer",
        value=value,
        method=f"extractive_{statement.kind}",
        confidence=confidence,
        root=model.root_url,
    )
    return AnswerSource(
        document_id=document_id_of(state.claim_id, statement.source_id),
        filename=cited.source.filename,
        page=cited.source.page or statement.page,
        quote=cited.source.text,
        citation=cited,
        regions=regions,
        score=round(min(1.0, max(0.0, evidence.score)), 4),
        kind=statement.kind,
    )
