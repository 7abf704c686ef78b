"""Questions to one claim or one document, answered from what was read and what the documents state.

Retrieval narrows to pages, statements of those pages and the claim's fields are ranked, and the best is
quoted
with its place. A model's answer belongs to `grounded_answers`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.adapters.read_model.citing import cite_words
from citation_pipeline.adapters.read_model.claims import ClaimDocuments, ClaimState
from citation_pipeline.adapters.read_model.field_values import kept_fields
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.published_confidence import published_confidence
from citation_pipeline.adapters.read_model.shapes import AnswerSource, ConfidenceView, QuestionAnswer
from citation_pipeline.adapters.search_index.chunk_hits import ChunkHit
from citation_pipeline.adapters.search_index.searching import search_chunks
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.retrieval.answering import Answer, answer_from
from citation_pipeline.core.retrieval.candidates import Candidates, find_candidates
from citation_pipeline.core.retrieval.confidence import answer_model
from citation_pipeline.core.retrieval.evidence import Evidence
from citation_pipeline.core.retrieval.identifiers import identifiers_in_query
from citation_pipeline.core.retrieval.questions import Question, read_question
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.viewer.citation_objects import as_context, document_id_of
from citation_pipeline.core.viewer.issues import unread_sources

MOST_PAGES = 150
"""Pages whose statements are ranked: all of a usual claim, the nearest ones of a large one."""

_FIELD_NAMED = 0.5
"""How near a question has to be to a field for a refusal to name the field."""
# measured on questions of outsiders (benchmarks/questions.py): without it a refusal sounds like a fact
_UNASKED = "; without a model more than half of the questions that documents do answer are not answered"


# what an extractor left unread is searched here all the same
_UNREAD = frozenset({"document_unreadable", "pages_not_read"})


@dataclass(frozen=True)
class Retrieved:
    """What was found for a question before anything was answered.

    `unreadable` documents were not read, or not all of their pages.
    """

    question: Question
    hits: Sequence[ChunkHit]
    candidates: Candidates
    documents: int
    pages: int
    unreadable: int = 0

    @property
    def silence(self) -> str:
        """The state of an answer that was not found: absent only where all was read."""
        return "unread" if self.unreadable else "absent"

    @property
    def ranked(self) -> Sequence[Evidence]:
        """The evidence, the best first."""
        return self.candidates.ranked


def ask(model: ReadModel, question: str, *, claim_id: str, source_id: str | None = None) -> QuestionAnswer:
    """Answer from the claim's documents without a model; raises UnknownClaimError."""
    state = model.claims.state(claim_id)
    if source_id is not None:
        state.source(source_id)
    retrieved = retrieve(model, question, claim_id=claim_id, source_id=source_id)
    answer = answer_from(retrieved.candidates, answer_model(), threshold=model.min_similarity)
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
    looked = [d for d in documents.readable if source_id in (None, d.source.source_id)]
    candidates = find_candidates(
        question,
        _statements(documents, looked, hits, dates),
        documents.kept_fields(
            (state.mark, source_id, dates), lambda: kept_fields(state, documents, dates, source_id=source_id)
        ),
        model.phrasings(state.schema_name),
        answer_model().ranking,
        [(hit.source_id, hit.page) for hit in hits],
    )
    unread = unread_sources([issue for issue in state.dataset.get("issues", ()) if issue["code"] in _UNREAD])
    unreadable = len(unread) if source_id is None else int(source_id in unread)
    pages = sum(len(d.pages) for d in looked)
    return Retrieved(candidates.question, hits, candidates, len(looked), pages, unreadable)


def _statements(
    documents: ClaimDocuments,
    looked: Sequence[ParsedDocument],
    hits: Sequence[ChunkHit],
    dates: Mapping[str, str],
) -> list[Statement]:
    """Return what the documents state: all of a usual claim's, of a large one's the nearest pages."""
    ordered = documents.ordered_statements(dates)
    names = [document.source.source_id for document in looked]
    if sum(len(document.pages) for document in looked) <= MOST_PAGES:
        return [statement for name in names for statement in ordered[name]]
    pages = _pages(hits)
    found = dict.fromkeys(name for name, _ in pages if name in ordered)
    return [s for name in found for s in ordered[name] if (name, s.page) in pages]


def _pages(hits: Sequence[ChunkHit]) -> dict[tuple[str, int], int]:
    pages: dict[tuple[str, int], int] = {}
    for hit in hits:
        for page in range(hit.page, hit.page_end + 1):
            if len(pages) < MOST_PAGES:
                pages.setdefault((hit.source_id, page), len(pages))
    return pages


def compose(model: ReadModel, state: ClaimState, retrieved: Retrieved, answer: Answer) -> QuestionAnswer:
    """Return the answer with its places cited."""
    sources = [source_of(model, state, evidence, answer.confidence) for evidence in answer.support]
    misses = [source_of(model, state, evidence, answer.confidence) for evidence in answer.misses]
    parts = answer.breakdown
    confidence = ConfidenceView(
        round(answer.confidence, 4), parts.top_match, parts.agreement, parts.coverage, parts.keyword_signal
    )
    return QuestionAnswer(
        question=retrieved.question.text,
        answer=answer.text,
        value=answer.value,
        found=answer.is_found,
        method="extractive",
        confidence=confidence,
        sentences=(),
        sources=sources,
        near_misses=misses,
        searched=searched(retrieved) + ("" if answer.is_found else _UNASKED),
        llm_context=as_context([source.citation for source in sources]),
        state=answer.state if answer.is_found else retrieved.silence,
        field=answer.field_key or None,
        confidence_details=published_confidence(confidence, model.confidence_rules, is_found=answer.is_found),
    )


def searched(retrieved: Retrieved) -> str:
    """Return what was looked at, and which field was asked for, in one sentence."""
    text = f"{retrieved.documents} readable documents, {retrieved.pages} pages"
    if retrieved.unreadable:  # what is not found may stand there
        text += f"; {retrieved.unreadable} could not be read, or not in full"
    matched = retrieved.candidates.matched.best
    if matched is None or matched.similarity < _FIELD_NAMED:
        return text
    has = "has no value" if retrieved.candidates.is_field_absent else "has a value"
    return f"{text}; the field {matched.field_key} {has}"


def _value_of(evidence: Evidence) -> Any:
    if evidence.field_key:
        return evidence.value if evidence.value is not None else evidence.answer
    return evidence.typed.value if evidence.typed is not None else evidence.statement.text


def source_of(model: ReadModel, state: ClaimState, evidence: Evidence, confidence: float) -> AnswerSource:
    """Return the place of a piece of evidence, cited."""
    statement = evidence.statement
    document = model.claims.documents(state.claim_id).by_id[statement.source_id]
    value = _value_of(evidence)
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
        score=round(1.0 / (1.0 + math.exp(-evidence.score)), 4),
        kind=statement.kind,
        reason=evidence.near_miss,
    )
