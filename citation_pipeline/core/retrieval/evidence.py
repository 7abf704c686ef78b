"""How well a statement supports an answer to a question: what is compared, and the one score made of it.

Pure arithmetic over terms; choosing and refusing is `answering`'s.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.terms import LIGHT_TERMS
from citation_pipeline.core.retrieval.typed_answers import (
    TypedValue,
    choose_typed,
    find_typed,
    polarity,
)

# what a term found here counts beside one in the statement itself
_CONTEXT, _TITLE, _PAGE = 0.75, 0.45, 0.25
_LABEL_WORDS = 8
_LIGHT = 0.22  # what a word that says little weighs beside others


@dataclass(frozen=True)
class TermWeights:
    """How telling each term is: the rarer among the statements, the more."""

    counts: Mapping[str, int]
    total: int

    def of(self, term: str) -> float:
        """Return the term's weight; a term that is nowhere weighs most, one that says little hardly
        any."""
        scale = _LIGHT if term in LIGHT_TERMS else 1.0
        return scale * math.log(1 + (self.total + 1) / (self.counts.get(term, 0) + 0.5))

    def knows(self, term: str) -> bool:
        """Tell whether the term is anywhere."""
        return term in self.counts


def weigh_terms(statements: Iterable[Statement]) -> TermWeights:
    """Count in how many statements each term is."""
    counts: Counter[str] = Counter()
    total = 0
    for statement in statements:
        total += 1
        counts.update(statement.label_terms | statement.text_terms | statement.context_terms)
    return TermWeights(counts, max(total, 1))


OPEN_KINDS = ("text", "boolean", "place")
"""Kinds of question that a statement may answer without a value of that form."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A statement judged against a question; all numbers in 0-1 but `score`, which orders and may pass 1.

    `coverage` is the weighted share of the question's terms that are in the statement or around it,
    `quoted` the
    share in its own words; `missed` the weight of the most telling term that is missing, as a share of the
    most telling one; `focus` how much of the label (or of the statement) the question asks for.
    """

    statement: Statement
    coverage: float
    quoted: float
    missed: float
    focus: float
    has_kind: bool
    typed: TypedValue | None
    score: float


def judge_statement(
    question: Question, statement: Statement, weights: TermWeights, page: frozenset[str] = frozenset()
) -> Evidence:
    """Compare one statement with the question; `page` holds the question's terms that are on its page."""
    asked = {term: weights.of(term) for term in question.terms}
    whole = sum(asked.values()) or 1.0
    own = statement.label_terms | statement.text_terms
    near = statement.context_terms
    gained = quoted = missed = 0.0
    for term, weight in asked.items():
        if term in own:
            gained += weight
            quoted += weight
        elif term in near:
            gained += _CONTEXT * weight
            if question.kind == "boolean" and term == question.predicate:
                missed = max(missed, 0.6 * weight)  # a heading does not say yes or no
        elif term in statement.title_terms:
            gained += _TITLE * weight
            missed = max(missed, 0.4 * weight)
        elif term in page:
            gained += _PAGE * weight
            missed = max(missed, 0.6 * weight)
        else:
            missed = max(missed, weight if term not in LIGHT_TERMS else 0.0)
    typed = _typed_of(question, statement, asked)
    has_kind = question.kind in OPEN_KINDS or typed is not None
    focus = _focus(question, statement, weights)
    evidence = Evidence(
        statement=statement,
        coverage=gained / whole,
        quoted=quoted / whole,
        missed=missed / max(asked.values(), default=1.0),
        focus=focus,
        has_kind=has_kind,
        typed=typed,
        score=0.0,
    )
    return _scored(evidence, question)


def _typed_of(question: Question, statement: Statement, asked: Mapping[str, float]) -> TypedValue | None:
    if statement.kind == "field":
        return _typed_field(question.kind, statement)
    values = find_typed(statement.text, question.kind)
    return choose_typed(statement.text, values, asked, question.kind)


_TYPES_OF_KIND = {
    "date": ("date",),
    "money": ("number", "integer"),
    "percent": ("number", "integer"),
    "number": ("number", "integer"),
    "boolean": ("boolean",),
}


def _typed_field(kind: str, statement: Statement) -> TypedValue | None:
    """Return a field's own value where its type is what the question asks for."""
    if kind in _TYPES_OF_KIND:
        if statement.value_type not in _TYPES_OF_KIND[kind]:
            return None
        return TypedValue(statement.value, statement.text, 0, len(statement.text))
    values = find_typed(statement.text, kind)
    return values[0] if values else None


def _focus(question: Question, statement: Statement, weights: TermWeights) -> float:
    """The weighted share of a pair's label that the question names; of other statements, a little brevity."""
    named = statement.label_terms if statement.kind in LABELLED else statement.text_terms
    if not named:
        return 0.0
    total = math.fsum(weights.of(term) for term in named)
    shared = math.fsum(weights.of(term) for term in named if term in question.terms)
    share = shared / total if total else 0.0
    return share if statement.kind in LABELLED else min(1.0, 2.0 * share)


LABELLED = ("pair", "exchange", "cell", "field")
"""Kinds of statement whose label says what their text is about."""

_KIND_PRIOR = {"field": 0.05, "exchange": 0.05, "cell": 0.03, "pair": 0.02, "sentence": 0.02, "row": 0.0}


def _scored(evidence: Evidence, question: Question) -> Evidence:
    score = 0.62 * evidence.coverage + 0.14 * evidence.quoted + 0.2 * evidence.focus - 0.2 * evidence.missed
    score += 0.1 if evidence.has_kind else -0.35
    if question.kind == "place":
        score += 0.1 if evidence.typed is not None else -0.05
    score += (0.12 if question.wants_latest else 0.04) * evidence.statement.recency
    score += _KIND_PRIOR.get(evidence.statement.kind, 0.0)
    if evidence.statement.text.rstrip().endswith("?") or len(evidence.statement.text) < 2:
        score -= 0.5  # what only asks answers nothing
    if evidence.statement.kind == "pair" and len(evidence.statement.label.split()) > _LABEL_WORDS:
        score -= 0.08  # a label is short; this is a sentence that a gap tore
    if question.kind in ("date", "money", "person") and not polarity(evidence.statement.text):
        score -= 0.08  # who asks when something happened gets no answer from "no such thing"
    if not evidence.statement.says_more_than(question.terms):
        score -= 0.5  # nor does what only repeats the question
    return Evidence(
        evidence.statement,
        evidence.coverage,
        evidence.quoted,
        evidence.missed,
        evidence.focus,
        evidence.has_kind,
        evidence.typed,
        score,
    )


def rank(question: Question, statements: Sequence[Statement], weights: TermWeights) -> list[Evidence]:
    """Return the statements that share a term with the question, the best first."""
    # a word that says little and is nowhere was only how the question was put
    terms = tuple(t for t in question.terms if t not in LIGHT_TERMS or weights.knows(t)) or question.terms
    question = replace(question, terms=terms)
    wanted = set(terms)
    pages: dict[tuple[str, int], set[str]] = {}
    for statement in statements:
        here = wanted & (statement.label_terms | statement.text_terms)
        if here:
            pages.setdefault((statement.source_id, statement.page), set()).update(here)
    judged = [
        judge_statement(
            question, statement, weights, frozenset(pages.get((statement.source_id, statement.page), ()))
        )
        for statement in statements
        if wanted & (statement.label_terms | statement.text_terms | statement.context_terms)
    ]
    judged.sort(key=lambda e: -e.score)
    return judged
