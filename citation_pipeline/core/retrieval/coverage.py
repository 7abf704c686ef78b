"""Where a question's terms stand: in a statement, around it, close to its value, or nowhere."""

import math
from dataclasses import dataclass

from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.sought import Sought
from citation_pipeline.core.retrieval.statements.statement import LABELLED, Statement
from citation_pipeline.core.retrieval.term_weights import TermWeights
from citation_pipeline.core.retrieval.terms import light_terms, term_set
from citation_pipeline.core.retrieval.typed_value import TypedValue

# what a term found here counts beside one in the statement itself
_CONTEXT, _TITLE, _PAGE, _RELATED = 0.75, 0.45, 0.25, 0.5
_FAR = 40  # characters between a value and the word it is about


@dataclass(frozen=True, slots=True)
class Found:
    """Weighted shares of the question's terms, by where they stand; `missed` is the most telling one's."""

    coverage: float
    quoted: float
    missed: float
    related: float
    title: float
    context: float
    alike: float


def look_for(sought: Sought, statement: Statement, page: frozenset[str]) -> Found:
    """Add up the weights of the question's terms by where they stand."""
    question, asked = sought.question, sought.asked
    own = statement.label_terms | statement.text_terms
    whole, most = sum(asked.values()) or 1.0, max(asked.values(), default=1.0)
    gained = quoted = missed = related = title = context = alike = 0.0
    for term, weight in asked.items():
        if term in own or sought.parts.get(term) in statement.own_parts[0]:
            gained += weight
            quoted += weight
            continue
        is_hinted = not own.isdisjoint(sought.kin[term])
        related += weight * is_hinted
        if not is_hinted:
            alike += weight * max((near for t, near in sought.alike[term].items() if t in own), default=0.0)
        if term in statement.context_terms or sought.parts.get(term) in statement.near_parts[0]:
            gained += _CONTEXT * weight
            context += weight
            if question.kind == "boolean" and term == question.predicate:
                missed = max(missed, 0.6 * weight)  # a heading does not say yes or no
        elif term in statement.title_terms:
            gained += _TITLE * weight
            title += weight
            missed = max(missed, 0.4 * weight)
        elif is_hinted:
            gained += _RELATED * weight
            missed = max(missed, 0.4 * weight)
        elif term in page:
            gained += _PAGE * weight
            missed = max(missed, 0.6 * weight)
        else:
            missed = max(missed, weight if term not in light_terms() else 0.0)
    return Found(
        gained / whole,
        quoted / whole,
        missed / most,
        related / whole,
        title / whole,
        context / whole,
        alike / whole,
    )


def tight_share(sought: Sought, statement: Statement, typed: TypedValue | None) -> float:
    """Return the share of the question, hints too, that stands in the label or close to the value."""
    if typed is None:
        return 0.0
    close = statement.text[max(0, typed.start - _FAR) : typed.end + _FAR]
    near = term_set(close) | (statement.label_terms if statement.kind in LABELLED else frozenset())
    gained = math.fsum(
        weight if term in near else _RELATED * weight * (not near.isdisjoint(sought.kin[term]))
        for term, weight in sought.asked.items()
    )
    return gained / (sum(sought.asked.values()) or 1.0)


def focus_of(question: Question, statement: Statement, weights: TermWeights) -> float:
    """The weighted share of a pair's label that the question names; of other statements, a little brevity."""
    named = statement.label_terms if statement.kind in LABELLED else statement.text_terms
    if not named:
        return 0.0
    total = math.fsum(weights.of(term) for term in named)
    shared = math.fsum(weights.of(term) for term in named if term in question.terms)
    share = shared / total if total else 0.0
    return share if statement.kind in LABELLED else min(1.0, 2.0 * share)
