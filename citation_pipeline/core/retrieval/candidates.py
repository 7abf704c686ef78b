"""Everything that could answer a question, field values and statements in one ranking.

What a candidate's neighbours say about it is measured here: whether the field that is asked for has a value,
whether a statement agrees with it, whether the claim knows the subject at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from citation_pipeline.core.retrieval.evidence import (
    Evidence,
    TermWeights,
    judge_statements,
    weigh,
    weigh_terms,
)
from citation_pipeline.core.retrieval.field_evidence import FieldValue, Matched, judge_fields, match_fields
from citation_pipeline.core.retrieval.field_questions import FieldPhrasings
from citation_pipeline.core.retrieval.near_misses import near_miss_of
from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.subjects import is_near
from citation_pipeline.core.retrieval.terms import light_terms, related_terms, term_of, term_set, words_of

_SHARE_OF_DOCUMENTS = 0.4  # a name on so many documents is the claim's own subject
_FEW_DOCUMENTS = 4
_MISSED = 4.0  # what a near miss loses against evidence that speaks of the subject
_COMPARED = 30  # the first candidates, among which a newer print is looked for


@dataclass(frozen=True)
class Candidates:
    """The ranked evidence with what the schema says about the question."""

    question: Question
    ranked: Sequence[Evidence]
    matched: Matched
    unknown: float
    is_field_absent: bool


def find_candidates(
    question: Question,
    statements: Sequence[Statement],
    fields: Mapping[str, FieldValue],
    phrasings: FieldPhrasings | None,
    weights: Mapping[str, float],
) -> Candidates:
    """Judge and rank everything that could answer."""
    terms = weigh_terms(statements)
    question = _without_own_names(question, statements)
    matched = match_fields(question, phrasings) if phrasings is not None else Matched((), 0.0)
    from_fields = (
        judge_fields(question, matched, fields, phrasings, terms, _page_words(question, statements))
        if phrasings is not None
        else []
    )
    best = matched.best
    absent = best is not None and best.field_key not in fields
    unknown = _unknown(question, statements, terms)
    names = _names_of(best.field_key, phrasings) if best is not None and phrasings is not None else ()
    values = {str(e.value).lower() for e in from_fields if e.features.get("field_first") and e.answer}
    similarity = best.similarity if best is not None else 0.0
    own = {str(fields[key].value).lower() for key in ("claimant.full_name",) if key in fields}
    judged = []
    for evidence in judge_statements(question, statements, terms):
        said = str(evidence.typed.value).lower() if evidence.typed is not None else ""
        named = _named_share(evidence.statement, names)
        added = {
            "statement": 1.0,
            "field_absent": best.similarity if best is not None and absent else 0.0,
            "field_present": best.similarity if best is not None and not absent else 0.0,
            "agrees": float(bool(said) and said in values),
            "named": named * similarity,
            "named_whole": float(named == 1.0) * similarity,
            "named_absent": named * similarity * absent,
            "is_worker": float(bool(said) and question.kind in ("person", "firm") and said in own),
            "unknown": unknown,
        }
        judged.append(replace(evidence, features={**evidence.features, **added}))
    judged += [
        replace(evidence, features={**evidence.features, "unknown_field": unknown})
        for evidence in from_fields
    ]
    judged = [replace(evidence, near_miss=near_miss_of(question, evidence)) for evidence in judged]
    ranked = _ranked(judged, weights)
    ranked = _ranked([*_with_outdated(question, ranked[:_COMPARED]), *ranked[_COMPARED:]], weights)
    return Candidates(question, ranked, matched, unknown, absent)


def rank_again(candidates: Candidates, weights: Mapping[str, float]) -> Candidates:
    """Return the candidates in the order that other weights give."""
    return replace(candidates, ranked=_ranked(candidates.ranked, weights))


def _page_words(question: Question, statements: Sequence[Statement]) -> dict[tuple[str, int], frozenset[str]]:
    """Return the words of each page, where a name in the question has to be looked for on it."""
    if not question.subjects.names:
        return {}
    words: dict[tuple[str, int], set[str]] = {}
    for statement in statements:
        words.setdefault((statement.source_id, statement.page), set()).update(statement.own_words)
    return {place: frozenset(found) for place, found in words.items()}


def _ranked(judged: Sequence[Evidence], weights: Mapping[str, float]) -> list[Evidence]:
    scored = (replace(e, score=weigh(e.features, weights) - _MISSED * bool(e.near_miss)) for e in judged)
    return sorted(scored, key=lambda evidence: -evidence.score)


def _with_outdated(question: Question, ranked: Sequence[Evidence]) -> list[Evidence]:
    """Mark what a newer print of the same thing contradicts."""
    said = [(_said(e), e.statement.recency, _about(question, e)) for e in ranked]
    labels = [(_said(e), e.statement.recency, e.statement.label_terms) for e in ranked]
    marked = []
    for evidence, (own, recency, about) in zip(ranked, said, strict=True):
        newer = any(
            other != own and other and later > recency and about <= about_other
            for other, later, about_other in said
        )
        label = evidence.statement.label_terms
        relabelled = bool(label) and any(
            other != own and other and later > recency and label == label_other
            for other, later, label_other in labels
        )
        may = bool(own) and not question.wants_earlier
        features = {
            **evidence.features,
            "outdated": float(newer and may),
            "outdated_label": float(relabelled and may),
        }
        marked.append(replace(evidence, features=features))
    return marked


def _said(evidence: Evidence) -> str:
    return str(evidence.typed.value).lower() if evidence.typed is not None else ""


def _about(question: Question, evidence: Evidence) -> frozenset[str]:
    own = evidence.statement.label_terms | evidence.statement.text_terms
    if evidence.field_key:
        own |= evidence.statement.context_terms
    return frozenset(question.terms) & own


def _without_own_names(question: Question, statements: Sequence[Statement]) -> Question:
    """Drop the names that stand all over the claim, its worker's and its employer's: they tell nothing."""
    documents = {statement.source_id for statement in statements}
    if not question.subjects.names or len(documents) < _FEW_DOCUMENTS:
        return question
    own = {
        name
        for name in question.subjects.names
        if len({s.source_id for s in statements if set(name.split("-")) <= s.own_words})
        >= _SHARE_OF_DOCUMENTS * len(documents)
    }
    terms = {term_of(part) for name in own for part in name.split("-")}
    kept = tuple(term for term in question.terms if term not in terms)
    names = tuple(name for name in question.subjects.names if name not in own)
    owners = tuple(name for name in question.subjects.owners if name not in own)
    subjects = replace(question.subjects, names=names, owners=owners)
    return replace(question, terms=kept or question.terms, subjects=subjects)


def _unknown(question: Question, statements: Sequence[Statement], weights: TermWeights) -> float:
    """Return the share of the question's subjects and telling terms that the claim does not know."""
    telling = [term for term in question.terms if term not in light_terms()]
    missing = [
        term
        for term in telling
        if not weights.knows(term) and not any(weights.knows(other) for other in related_terms(term))
    ]
    share = len(missing) / len(telling) if telling else 0.0
    if not question.subjects.names:
        return share
    words = frozenset[str]().union(*(statement.own_words for statement in statements))
    parts = [part for name in question.subjects.names for part in words_of(name.replace("-", " "))]
    strange = sum(
        part not in words and not any(is_near(part, word) for word in words) for part in parts
    ) / max(1, len(parts))
    return max(share, strange)


def _names_of(field_key: str, phrasings: FieldPhrasings) -> tuple[frozenset[str], ...]:
    return tuple(terms for name in phrasings.names_of_field(field_key) if (terms := term_set(name)))


def _named_share(statement: Statement, names: Sequence[frozenset[str]]) -> float:
    """Return how much of one of the field's printed names a statement carries."""
    own = statement.label_terms | statement.text_terms
    return max((len(terms & own) / len(terms) for terms in names), default=0.0)
