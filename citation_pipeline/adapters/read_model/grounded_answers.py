"""Answers that a model writes and we check: every snippet is found again by our own matcher, or it counts
for nothing.

A sentence with a snippet that is not found, or that says more than its snippets (`core/retrieval/grounding`),
is left out of the answer and shown as unsupported. Whoever writes answers implements `Answerer`; without one,
questions are answered extractively.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from citation_pipeline.adapters.read_model.citing import cite_words
from citation_pipeline.adapters.read_model.claims import ClaimDocuments, ClaimState
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.published_confidence import published_confidence
from citation_pipeline.adapters.read_model.questions import Retrieved, compose, retrieve, searched, source_of
from citation_pipeline.adapters.read_model.shapes import (
    AnswerSource,
    ConfidenceView,
    QuestionAnswer,
    SentenceView,
)
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.prompts.sources import SourceText, read_source
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import JudgedPlace, search_places
from citation_pipeline.core.retrieval.answering import NOT_FOUND, answer_from
from citation_pipeline.core.retrieval.confidence import UNSURE, ConfidenceBreakdown, answer_model, break_down
from citation_pipeline.core.retrieval.grounding import QuotedPlace, quoted_place, says_more
from citation_pipeline.core.retrieval.terms import fold_text
from citation_pipeline.core.viewer.citation_objects import as_context, document_id_of

Method = Literal["auto", "extractive", "model"]

MOST_PAGES = 16
"""Pages that a model is shown: the nearest ones, so that a question costs cents."""

_MOST_FIELDS = 6  # values read for the fields that are nearest to the question


class NoModelError(PipelineError):
    """A model's answer was asked for where no model is configured."""


@dataclass(frozen=True, slots=True)
class GroundedSentence:
    """A sentence and the snippets that its writer says support it, as (source_id, text)."""

    text: str
    snippets: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ShownEvidence:
    """What a model is shown: the nearest pages, and what was read for the fields that are asked for.

    A field is one line: its name, its value, and the document and page that it is cited at.
    """

    sources: Sequence[SourceText]
    fields: Sequence[str] = ()


class Answerer(Protocol):
    """Someone who writes answers from what retrieval shows; `name` says who."""

    name: str

    def answer(self, question: str, shown: ShownEvidence, *, claim_id: str) -> Sequence[GroundedSentence]:
        """Return the sentences of an answer, none when the evidence does not answer; raises a
        PipelineError."""
        ...


def answer_question(
    model: ReadModel,
    question: str,
    *,
    claim_id: str,
    source_id: str | None = None,
    answerer: Answerer | None = None,
    method: Method = "auto",
) -> QuestionAnswer:
    """Answer a question with the answerer's words where there is one; raises UnknownClaimError.

    `method` is auto (the answerer if there is one), extractive (never), or model: without an answerer that
    raises NoModelError.
    """
    if method == "model" and answerer is None:
        raise NoModelError(
            "no model is configured to answer: set CITATION_VIEWER_ANSWERS or ANTHROPIC_API_KEY, or ask with "
            "method 'extractive'"
        )
    state = model.claims.state(claim_id)
    if source_id is not None:
        state.source(source_id)
    retrieved = retrieve(model, question, claim_id=claim_id, source_id=source_id)
    if answerer is None or method == "extractive":
        answer = answer_from(retrieved.candidates, answer_model(), threshold=model.min_similarity)
        return compose(model, state, retrieved, answer)
    documents = model.claims.documents(claim_id)
    shown = _shown(retrieved, documents, source_id)
    sentences = answerer.answer(question, shown, claim_id=claim_id)
    return _grounded(model, state, documents, retrieved, sentences, answerer.name)


def _shown(retrieved: Retrieved, documents: ClaimDocuments, source_id: str | None) -> ShownEvidence:
    """Return the nearest pages, in the order of their documents, and the values of the nearest fields."""
    readable = {d.source.source_id: d for d in documents.readable if source_id in (None, d.source.source_id)}
    near = [(e.statement.source_id, e.statement.page) for e in retrieved.ranked[:40]]
    near += [(hit.source_id, page) for hit in retrieved.hits for page in range(hit.page, hit.page_end + 1)]
    near += [(name, page) for name, d in readable.items() for page in range(1, len(d.pages) + 1)]
    chosen = [place for place in dict.fromkeys(near) if place[0] in readable][:MOST_PAGES]
    order = {name: number for number, name in enumerate(dict.fromkeys(name for name, _ in chosen))}
    sources = [
        read_source(readable[name], first_page=page, last_page=page)
        for name, page in sorted(chosen, key=lambda place: (order[place[0]], place[1]))
    ]
    fields = [
        f"{e.statement.label}: {e.answer} ({e.statement.source_id}, page {e.statement.page})"
        for e in retrieved.ranked
        if e.field_key and e.answer and not e.near_miss
    ]
    return ShownEvidence(sources, tuple(dict.fromkeys(fields))[:_MOST_FIELDS])


def _grounded(
    model: ReadModel,
    state: ClaimState,
    documents: ClaimDocuments,
    retrieved: Retrieved,
    sentences: Sequence[GroundedSentence],
    method: str,
) -> QuestionAnswer:
    sources: list[AnswerSource] = []
    views: list[SentenceView] = []
    scores: list[float] = []
    for sentence in sentences:
        places = [(name, _find(documents, name, text)) for name, text in sentence.snippets]
        found: list[int] = []
        for name, place in places:
            if place is None:
                continue
            found.append(len(sources))
            scores.append(place.judgement.score)
            sources.append(_source(model, state, documents.by_id[name], place, sentence.text))
        quoted = [_quoted(documents.by_id[name], place) for name, place in places if place is not None]
        rests = len(found) == len(places) > 0 and not says_more(
            sentence.text, quoted, question=retrieved.question.text
        )
        views.append(SentenceView(sentence.text, rests, found))
    supported = [view.text for view in views if view.supported]
    parts = _breakdown(retrieved, scores, views)
    confidence = _confidence(retrieved, parts, supported)
    misses = [source_of(model, state, e, confidence) for e in retrieved.ranked[:3]] if not supported else []
    sure = ConfidenceView(
        round(confidence, 4), parts.top_match, parts.agreement, parts.coverage, parts.keyword_signal
    )
    return QuestionAnswer(
        state="found" if supported else retrieved.silence,
        question=retrieved.question.text,
        answer=" ".join(supported) if supported else NOT_FOUND,
        value=None,
        found=bool(supported),
        method=method,
        confidence=sure,
        confidence_details=published_confidence(sure, model.confidence_rules, is_found=bool(supported)),
        sentences=views,
        sources=sources,
        near_misses=misses,
        searched=searched(retrieved),
        llm_context=as_context([source.citation for source in sources]),
    )


def _confidence(retrieved: Retrieved, parts: ConfidenceBreakdown, supported: Sequence[str]) -> float:
    """Return how sure a model's answer is: below 0.8, unless the answer without a model says the same.

    Only the answer without a model was fitted on labelled questions.
    """
    if not supported:
        return 0.0
    own = answer_from(retrieved.candidates, answer_model())
    said = fold_text(" ".join(supported))
    if own.is_found and fold_text(own.text) in said:
        return max(own.confidence, UNSURE * parts.top_match * parts.agreement)
    return UNSURE * parts.top_match * parts.agreement


def _quoted(document: ParsedDocument, place: JudgedPlace) -> QuotedPlace:
    columns, found = document.words, place.match.words
    start, end = int(columns.text_start[min(found)]), int(columns.text_end[max(found)])
    return quoted_place(document.text, start, end)


def _find(documents: ClaimDocuments, source_id: str, text: str) -> JudgedPlace | None:
    """Return where a snippet is as quoted, or None: a flagged match supports nothing."""
    document = documents.by_id.get(source_id)
    if document is None or not document.is_readable or not text.strip():
        return None
    search = search_places(documents.index(source_id), text, Hints())
    best = search.best
    return best if best is not None and best.judgement.status is CitationStatus.RESOLVED else None


def _breakdown(
    retrieved: Retrieved, scores: Sequence[float], views: Sequence[SentenceView]
) -> ConfidenceBreakdown:
    """The match is the snippets', the agreement the share of supported sentences, the rest the
    retrieval's."""
    base = break_down(retrieved.ranked)
    if not views:
        return base
    return ConfidenceBreakdown(
        top_match=round(max(scores, default=0.0), 4),
        agreement=round(sum(view.supported for view in views) / len(views), 4),
        coverage=base.coverage,
        keyword_signal=base.keyword_signal,
    )


def _source(
    model: ReadModel, state: ClaimState, document: ParsedDocument, place: JudgedPlace, sentence: str
) -> AnswerSource:
    cited, regions = cite_words(
        state,
        document,
        place.match.words,
        name="answer",
        value=sentence,
        method=place.match.method,
        confidence=place.judgement.score,
        root=model.root_url,
    )
    return AnswerSource(
        document_id=document_id_of(state.claim_id, document.source.source_id),
        filename=cited.source.filename,
        page=cited.source.page or 1,
        quote=cited.source.text,
        citation=cited,
        regions=regions,
        score=round(place.judgement.score, 4),
        kind="snippet",
    )
