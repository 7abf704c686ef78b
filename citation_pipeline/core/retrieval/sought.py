"""A question as a claim's statements are compared with it: its terms weighed, and what hints at each."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.subjects import part_of_term
from citation_pipeline.core.retrieval.term_weights import TermWeights
from citation_pipeline.core.retrieval.terms import light_terms, related_terms
from citation_pipeline.core.retrieval.word_kin import alike_terms

_ASIDE = 0.35  # what a term counts that is only said before the question: "They do not agree. Which day ..."
_KIN_LETTERS = 5  # words that begin alike are kin: compete and competition


@dataclass(frozen=True)
class Sought:
    """A question as statements are compared with it.

    `asked` weighs its terms; `kin` are the terms that hint at each of them, in the vocabulary or by how they
    begin; `field_terms` are the words of the field that it asks for, their weights adding up to 1; `alike`
    are terms of like meaning with how near they are; `parts` are the terms that name a part of the body, with
    the name of its group: the neck is the cervical spine.
    """

    question: Question
    weights: TermWeights
    asked: Mapping[str, float]
    kin: Mapping[str, frozenset[str]]
    field_terms: Mapping[str, float] = field(default_factory=dict)
    alike: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def beside(self) -> Mapping[str, float]:
        """The terms as they choose among the values of one text: of two days that of what was done then."""
        question = self.question
        if question.kind != "date" or question.predicate not in self.asked:
            return self.asked
        return {**self.asked, question.predicate: 2 * max(self.asked.values())}


def read_sought(
    question: Question, weights: TermWeights, field_terms: Mapping[str, float] | None = None
) -> Sought:
    """Weigh a question's terms among what the claim states."""
    # a word that says little and stands nowhere was only how the question was put
    terms = tuple(t for t in question.terms if t not in light_terms() or weights.knows(t)) or question.terms
    question = replace(question, terms=terms)
    wanted = {term: share * weights.of(term) for term, share in (field_terms or {}).items()}
    whole = math.fsum(wanted.values()) or 1.0
    return Sought(
        question,
        weights,
        {term: weights.of(term) * (_ASIDE if term in question.asides else 1.0) for term in terms},
        {term: related_terms(term) | _kin_of(term, weights.counts) for term in terms},
        {term: weight / whole for term, weight in wanted.items()},
        {
            term: {other: near for other, near in alike_terms(term).items() if weights.knows(other)}
            for term in terms
        },
        {term: part for term in terms if (part := part_of_term(term))},
    )


def _kin_of(term: str, known: Iterable[str]) -> frozenset[str]:
    """Return the claim's terms that begin as a term does, and differ only in their ending."""
    if len(term) < _KIN_LETTERS or not term.isalpha():
        return frozenset()
    begin = term[: max(_KIN_LETTERS, len(term) - 3)]
    return frozenset(
        other for other in known if other.startswith(begin) and other != term and len(other) <= len(term) + 5
    )
