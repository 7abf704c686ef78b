"""An answer out of the documents' own words, or the refusal to give one.

Candidates come ranked; here the best is said, the evidence weighed, and the exact refusal given when it is
too thin. Fetching statements and composing citations is the read model's work.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.retrieval.candidates import Candidates
from citation_pipeline.core.retrieval.confidence import (
    AnswerModel,
    ConfidenceBreakdown,
    break_down,
    confidence_of,
    said_by,
    says_same,
)
from citation_pipeline.core.retrieval.evidence import Evidence
from citation_pipeline.core.retrieval.page_evidence import rank_pages
from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.thresholds import EVIDENCE_THRESHOLD
from citation_pipeline.core.retrieval.typed_answers import polarity

NOT_FOUND = "Not found in document."
"""The whole answer where the evidence is below the threshold: exactly these words."""

MOST_SOURCES = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered: the text, the typed value where the question has a kind, and what supports it.

    `state` is verified (a person has confirmed the field), conflicting (another place says something else),
    superseded (a newer document says something else), doubted (read, but not believed enough to be shown as
    the field's value), found, or absent. `support` are the places that say so,
    the first being quoted; `misses` the nearest ones that say something else, or all of them for a refusal.
    """

    text: str
    value: Any
    is_found: bool
    confidence: float
    breakdown: ConfidenceBreakdown
    support: Sequence[Evidence]
    misses: Sequence[Evidence]
    state: str = "absent"
    field_key: str = ""


def answer_from(
    candidates: Candidates, model: AnswerModel, *, threshold: float = EVIDENCE_THRESHOLD
) -> Answer:
    """Choose the answer from ranked evidence, or refuse."""
    ranked = candidates.ranked
    best = distinct_places(ranked)
    parts = break_down(ranked)
    confidence = confidence_of(candidates, model)
    if not best or confidence < threshold:
        return Answer(NOT_FOUND, None, False, confidence, parts, (), tuple(_shown(candidates, best, model)))
    top = best[0]
    text, value = say(candidates.question, top)
    near = _shown(candidates, best, model)
    agreeing = tuple(e for e in near if e is top or says_same(top, e))
    return Answer(
        text,
        value,
        True,
        confidence,
        parts,
        agreeing,
        tuple(e for e in near if e not in agreeing),
        state=_state(candidates, top),
        field_key=top.field_key,
    )


def _state(candidates: Candidates, top: Evidence) -> str:
    """Return how far an answer may be trusted beyond its confidence."""
    if top.features.get("field_verified"):
        return "verified"
    if top.features.get("field_superseded"):
        return "superseded"
    if top.features.get("field_conflicting"):
        return "conflicting"
    if top.features.get("field_doubted"):
        return "doubted"
    if top.features.get("outdated_label") and not candidates.question.wants_earlier:
        return "superseded"
    if top.features.get("field_flagged") or _is_contradicted(candidates, top):
        return "conflicting"
    return "found"


def _is_contradicted(candidates: Candidates, top: Evidence) -> bool:
    """Tell whether a print of the same label, not older, gives another value."""
    if top.typed is None:
        return False
    label = top.statement.label_terms
    return any(
        other.typed is not None
        and not (other.features.get("field_doubted") and not other.features.get("field_conflicting"))
        and bool(label)
        and other.statement.label_terms == label
        and other.statement.recency >= top.statement.recency
        and said_by(other) != said_by(top)
        for other in candidates.ranked[:MOST_SOURCES]
    )


def distinct_places(ranked: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence without statements of the same words: a row, its pairs and its sentence are one.

    The first of a page comes before a second of it, so that three places are three pages where there are.
    """
    kept: list[Evidence] = []
    for evidence in ranked[:60]:
        statement = evidence.statement
        words = set(statement.words)
        if any(
            statement.source_id == other.statement.source_id
            and len(words & set(other.statement.words)) > 0.5 * min(len(words), len(other.statement.words))
            for other in kept
        ):
            continue
        kept.append(evidence)
        if len(kept) >= 16:  # three sources, and what agrees or disagrees with them
            break
    pages: set[tuple[str, int]] = set()
    first: list[Evidence] = []
    again: list[Evidence] = []
    for evidence in kept:
        place = (evidence.statement.source_id, evidence.statement.page)
        (again if place in pages else first).append(evidence)
        pages.add(place)
    return [*first, *again]


def _shown(candidates: Candidates, best: Sequence[Evidence], model: AnswerModel) -> list[Evidence]:
    """Return the places that are shown: the best evidence, then the best pages beside its own.

    What answers may stand in pieces on a page of which none comes first.
    """
    first = list(best[:1])
    shown = {(evidence.statement.source_id, evidence.statement.page) for evidence in first}
    others = [page.best for page in rank_pages(candidates.pages, model.pages) if page.place not in shown]
    return [*first, *others[: MOST_SOURCES - len(first)]]


def say(question: Question, top: Evidence) -> tuple[str, Any]:
    """Return what a piece of evidence answers: its text, and its value where the question has a kind."""
    if top.field_key:
        return top.answer, top.value
    statement = top.statement
    if question.kind == "boolean":
        value = top.typed.value if top.typed is not None else polarity(statement.quote)
        return f"{'Yes' if value else 'No'}: {statement.quote}", value
    if question.is_compound:
        return statement.quote, None
    if top.typed is not None:
        return top.typed.text, top.typed.value
    return statement.text, None
