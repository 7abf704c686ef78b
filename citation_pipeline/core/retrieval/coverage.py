"""Where a question's terms stand: in a statement, around it, close to its value, or nowhere."""

import math
from dataclasses import dataclass

from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.sought import Sought
from citation_pipeline.core.retrieval.statements.statement import LABELLED, Statement
from citation_pipeline.core.retrieval.term_weights import TermWeights, telling_of
from citation_pipeline.core.retrieval.terms import light_terms, term_set
from citation_pipeline.core.retrieval.typed_value import TypedValue

# what a term found here counts beside one in the statement itself
_CONTEXT, _TITLE, _PAGE, _RELATED = 0.75, 0.45, 0.25, 0.5
# how far a term is missing that only stands so
_HINTED_LACKS, _TITLE_LACKS, _PAGE_LACKS, _ALIKE_LACKS = 0.35, 0.4, 0.7, 0.7
_FAR = 40  # characters between a value and the word it is about


@dataclass(frozen=True, slots=True)
class Found:
    """Weighted shares of the question's terms, by where they stand; `missed` is the most telling one's.

    `plain` and `plain_missed` weigh the terms by how rare they are in the language, not in the claim.
    """

    coverage: float
    quoted: float
    missed: float
    related: float
    title: float
    context: float
    alike: float
    plain: float
    plain_missed: float


def look_for(
    sought: Sought, statement: Statement, page: frozenset[str], authors: frozenset[str] = frozenset()
) -> Found:
    """Add up the weights of the question's terms by where they stand.

    Whoever wrote a document (`authors`, terms of names) is named by its title, as it were.
    """
    question, asked = sought.question, sought.asked
    own = statement.label_terms | statement.text_terms
    whole, most = sum(asked.values()) or 1.0, max(asked.values(), default=1.0)
    gained = quoted = missed = related = title = context = alike = 0.0
    plain = plain_missed = 0.0
    around = own | statement.context_terms
    titled = statement.title_terms | (authors & asked.keys())
    for term, weight in asked.items():
        lacking = _lacking(sought, term, statement, around, page, titled)
        telling = telling_of(term)
        plain += telling * (1 - lacking)
        plain_missed = max(plain_missed, telling * lacking * (term not in light_terms()))
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
        elif term in titled:
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
        plain / (math.fsum(map(telling_of, asked)) or 1.0),
        plain_missed,
    )


def _lacking(
    sought: Sought,
    term: str,
    statement: Statement,
    around: frozenset[str],
    page: frozenset[str],
    titled: frozenset[str],
) -> float:
    """Return in 0-1 how far a term is missing in a statement and its headings; like meaning counts."""
    if term in around:
        return 0.0
    part = sought.parts.get(term)
    if part and (part in statement.own_parts[0] or part in statement.near_parts[0]):
        return 0.0
    if not around.isdisjoint(sought.kin[term]):
        return _HINTED_LACKS
    alike = max((near for other, near in sought.alike[term].items() if other in around), default=0.0)
    lacking = 1.0 - _ALIKE_LACKS * alike
    if term in titled:
        return min(lacking, _TITLE_LACKS)
    return min(lacking, _PAGE_LACKS) if term in page else lacking


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
