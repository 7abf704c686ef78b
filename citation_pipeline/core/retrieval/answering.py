"""An answer out of the documents' own words, or the refusal to give one.

Statements come ranked; here one is chosen, the evidence weighed, and the exact refusal given when it is too
thin. Fetching statements and composing citations is the read model's work.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.retrieval.confidence import (
    ConfidenceBreakdown,
    break_down,
    confidence_of,
    says_same,
)
from citation_pipeline.core.retrieval.evidence import OPEN_KINDS, Evidence
from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.typed_answers import polarity

NOT_FOUND = "Not found in document."
"""The whole answer where the evidence is below the threshold: exactly these words."""

EVIDENCE_THRESHOLD = 0.4
"""Chosen on the sample claim; see `benchmarks/questions.py` for what it costs on other claims."""

MOST_SOURCES = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered: the text, the typed value where the question has a kind, and what supports it.

    `support` are the statements that say so, the first being quoted; `misses` the nearest ones that say
    something
    else, or all of them for a refusal.
    """

    text: str
    value: Any
    is_found: bool
    confidence: float
    breakdown: ConfidenceBreakdown
    support: Sequence[Evidence]
    misses: Sequence[Evidence]


def answer_from(
    question: Question, ranked: Sequence[Evidence], *, threshold: float = EVIDENCE_THRESHOLD
) -> Answer:
    """Choose the answer from ranked evidence, or refuse."""
    needs_value = question.kind not in OPEN_KINDS
    best = _distinct_places([e for e in ranked if e.typed is not None] if needs_value else ranked)
    parts = break_down(best)
    confidence = confidence_of(parts)
    if not best or confidence < threshold:
        return Answer(NOT_FOUND, None, False, confidence, parts, (), tuple(best[:MOST_SOURCES]))
    top = best[0]
    text, value = _say(question, top)
    near = best[:MOST_SOURCES]
    agreeing = tuple(e for e in near if e is top or says_same(top, e))
    return Answer(text, value, True, confidence, parts, agreeing, tuple(e for e in near if e not in agreeing))


def _distinct_places(ranked: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence without statements of the same words: a row, its pairs and its sentence are one."""
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
        if len(kept) >= 8:  # three sources, and what agrees or disagrees with them
            break
    return kept


def _say(question: Question, top: Evidence) -> tuple[str, Any]:
    statement = top.statement
    if question.kind == "boolean":
        value = top.typed.value if top.typed is not None else polarity(statement.quote)
        return f"{'Yes' if value else 'No'}: {statement.quote}", value
    if top.typed is not None:
        return top.typed.text, top.typed.value
    return statement.text, None
