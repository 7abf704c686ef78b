"""What a claim knows of a question's subjects: names all over it, and names it never prints."""

import re
from collections.abc import Sequence
from dataclasses import replace

from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.subjects import is_near
from citation_pipeline.core.retrieval.term_weights import TermWeights
from citation_pipeline.core.retrieval.terms import light_terms, related_terms, term_of, words_of
from citation_pipeline.core.values.dates import MONTHS

_SHARE_OF_DOCUMENTS = 0.4  # a name on so many documents is the claim's own subject
_FEW_DOCUMENTS = 4
_PROPER = re.compile(r"(?<![\w'’])[A-Z][\w&'’-]+")
_DOCUMENTS = "order contract invoice bill agreement buy form letter report sheet"


def page_words(question: Question, statements: Sequence[Statement]) -> dict[tuple[str, int], frozenset[str]]:
    """Return the words of each page, where a name in the question has to be looked for on it."""
    if not question.subjects.names:
        return {}
    words: dict[tuple[str, int], set[str]] = {}
    for statement in statements:
        words.setdefault((statement.source_id, statement.page), set()).update(statement.own_words)
    return {place: frozenset(found) for place, found in words.items()}


def without_own_names(
    question: Question, statements: Sequence[Statement], worker: frozenset[str] = frozenset()
) -> Question:
    """Drop the names that stand all over the claim, its worker's and its employer's: they tell nothing.

    `worker` are the words of the worker's name; a namesake's are kept.
    """
    if not question.subjects.names:
        return question
    own: set[str] = set()
    if not is_namesake(question, worker):
        own = {name for name in question.subjects.names if set(name.split("-")) <= worker}
    documents = {statement.source_id for statement in statements}
    if len(documents) >= _FEW_DOCUMENTS:
        own |= {
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


def without_own_number(question: Question, claim_number: str) -> Question:
    """Drop a number that is a part of the claim's own: "the total on 4417" asks for no other number."""
    own = tuple(
        n for n in question.subjects.identifiers if re.search(rf"(?<!\d){re.escape(n)}$", claim_number, re.I)
    )
    if not own:
        return question
    numbers = tuple(n for n in question.subjects.identifiers if n not in own)
    dropped = {term_of(word) for number in own for word in words_of(number)}
    kept = tuple(term for term in question.terms if term not in dropped)
    return replace(
        question, terms=kept or question.terms, subjects=replace(question.subjects, identifiers=numbers)
    )


def unknown_share(
    question: Question,
    statements: Sequence[Statement],
    weights: TermWeights,
    explained: frozenset[str] = frozenset(),
) -> float:
    """Return the share of the question's subjects and telling terms that the claim does not know.

    `explained` are terms by which people ask for the field that is meant.
    """
    left_out = light_terms() | explained | question.asides
    telling = [term for term in question.terms if term not in left_out]
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


def within_one_document(question: Question, statements: Sequence[Statement]) -> Question:
    """Ask within a single document: what only tells which one is meant need not stand beside the answer.

    The parties, the station and the number that its first page names are no subjects, and the words of its
    title, or for a document as such, count little.
    """
    if len({statement.source_id for statement in statements}) != 1:
        return question
    first = [statement for statement in statements if statement.page == 1]
    words = frozenset[str]().union(*(s.own_words | s.near_words for s in first))
    subjects = question.subjects
    names = tuple(name for name in subjects.names if not set(name.split("-")) <= words)
    owners = tuple(name for name in subjects.owners if name in names)
    named = (term_of(word) for word in _proper_words(question.text) if word in words)
    titled = frozenset[str]().union(
        *(s.title_terms for s in first[:1]), map(term_of, _DOCUMENTS.split()), named
    )
    meant = [term for term in question.terms if term not in titled and term not in light_terms()]
    asides = question.asides | (titled & set(question.terms)) if meant else question.asides
    printed = " ".join(f"{s.label} {s.text}" for s in first).lower()
    numbers = tuple(number for number in subjects.identifiers if number not in printed)
    told = replace(subjects, names=names, owners=owners, identifiers=numbers)
    return replace(question, asides=asides, subjects=told)


def _proper_words(text: str) -> list[str]:
    """Return the folded words of a question that it writes with a capital, but its first and the months."""
    found = [word for run in _PROPER.finditer(text) if run.start() for word in words_of(run[0])]
    return [word for word in found if word not in MONTHS]


def is_namesake(question: Question, worker: frozenset[str]) -> bool:
    """Tell whether a full name in the question is like the worker's, and not the worker's."""
    for parts in question.subjects.full_names:
        shared = [any(is_near(piece, word) for word in worker for piece in part.split("-")) for part in parts]
        if any(shared) and not all(shared):
            return True
    return False


def names_another(question: Question, statement: Statement) -> bool:
    """Tell whether a statement lacks a part of a full name that the question has."""
    return not any(
        all(set(part.split("-")) <= statement.own_words for part in parts)
        for parts in question.subjects.full_names
    )
