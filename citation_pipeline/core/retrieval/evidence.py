"""What speaks for a statement as the answer to a question: measured one by one, weighed together.

Pure arithmetic over terms and subjects; choosing and refusing is `answering`'s, the weights are fitted.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.subjects import Subjects, names_in
from citation_pipeline.core.retrieval.terms import light_terms, related_terms, term_set, words_of
from citation_pipeline.core.retrieval.typed_answers import (
    TypedValue,
    choose_typed,
    counts_unit,
    find_typed,
    polarity,
)

# what a term found here counts beside one in the statement itself
_CONTEXT, _TITLE, _PAGE, _RELATED = 0.75, 0.45, 0.25, 0.5
_LABEL_WORDS = 8
_LIGHT = 0.22  # what a word that says little weighs beside others
_GREETING = re.compile(r"(?i)(?:dear|to whom|re:|subject:|from:|to:|cc:|sincerely|i declare under penalty)\b")
# what is wanted, offered or possible, and not what is: no answer unless it is asked for
_SUPPOSING = re.compile(
    r"(?i)\b(?:demand|offer|propos|request|ask(?:s|ed|ing)? for|authority|would|could|might|may|if|"
    r"draft|estimat|expect|anticipat|reques|consider|unless|pending)\w*"
)
_FAR = 40  # characters between a value and the word it is about


@dataclass(frozen=True)
class TermWeights:
    """How telling each term is: the rarer among the statements, the more.

    `lower` are the words that the statements print in lower case somewhere: they are no names.
    """

    counts: Mapping[str, int]
    total: int
    lower: frozenset[str] = frozenset()

    def of(self, term: str) -> float:
        """Return the term's weight; a term that stands nowhere weighs most, one that says little hardly
        any."""
        scale = _LIGHT if term in light_terms() else 1.0
        return scale * math.log(1 + (self.total + 1) / (self.counts.get(term, 0) + 0.5))

    def knows(self, term: str) -> bool:
        """Tell whether the term stands anywhere."""
        return term in self.counts


def weigh_terms(statements: Iterable[Statement]) -> TermWeights:
    """Count in how many statements each term stands."""
    counts: Counter[str] = Counter()
    lower: set[str] = set()
    total = 0
    for statement in statements:
        total += 1
        lower.update(statement.lower_words)
        counts.update(statement.label_terms | statement.text_terms | statement.context_terms)
    return TermWeights(counts, max(total, 1), frozenset(lower))


OPEN_KINDS = ("text", "boolean", "place")
"""Kinds of question that a statement may answer without a value of that form."""

LABELLED = ("pair", "exchange", "cell")
"""Kinds of statement whose label says what their text is about."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A statement judged against a question.

    `coverage` is the weighted share of the question's terms that stand in the statement or around it, in
    0-1; `quoted` the share in its own words; `missed` the weight of the most telling term that is missing,
    as a share of the most telling one; `features` everything that was measured; `score` orders.
    """

    statement: Statement
    coverage: float
    quoted: float
    missed: float
    typed: TypedValue | None
    features: Mapping[str, float] = field(default_factory=dict)
    score: float = 0.0
    answer: str = ""
    value: Any = None
    field_key: str = ""
    near_miss: str = ""


@dataclass(frozen=True, slots=True)
class _Found:
    coverage: float
    quoted: float
    missed: float
    related: float
    title: float
    context: float


def _look_for(
    question: Question, statement: Statement, asked: Mapping[str, float], page: frozenset[str]
) -> _Found:
    """Add up the weights of the question's terms by where they stand."""
    own = statement.label_terms | statement.text_terms
    whole, most = sum(asked.values()) or 1.0, max(asked.values(), default=1.0)
    gained = quoted = missed = related = title = context = 0.0
    for term, weight in asked.items():
        if term in own:
            gained += weight
            quoted += weight
            continue
        is_hinted = not own.isdisjoint(related_terms(term))
        related += weight * is_hinted
        if term in statement.context_terms:
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
    return _Found(
        gained / whole, quoted / whole, missed / most, related / whole, title / whole, context / whole
    )


def judge_statement(
    question: Question, statement: Statement, weights: TermWeights, page: "Page | None" = None
) -> Evidence:
    """Compare one statement with the question, in the light of the rest of its page."""
    page = page or Page()
    asked = {term: weights.of(term) for term in question.terms}
    found = _look_for(question, statement, asked, page.terms)
    values = [v for v in find_typed(statement.text, value_kind(question)) if _may_be(question, v, weights)]
    typed = choose_typed(
        statement.text,
        values,
        asked,
        question.kind,
        ends_asked=question.ends_asked,
        unit=question.unit,
    )
    features = {
        "coverage": found.coverage,
        "quoted": found.quoted,
        "missed": found.missed,
        "related": found.related,
        "title": found.title,
        "context": found.context,
        "focus": _focus(question, statement, weights),
        "recency": statement.recency,
        "recency_now": statement.recency * question.wants_latest,
        f"is_{statement.kind}": 1.0,
        **_form(question, statement, typed, values),
        "tight": _tight(statement, typed, asked),
        "predicate_missing": float(_lacks_predicate(question, statement)),
        "predicate_denied": float(typed is not None and not polarity(_clause_of(statement.text, typed))),
        **subject_features(question.subjects, statement, page.words),
    }
    return Evidence(
        statement=statement,
        coverage=found.coverage,
        quoted=found.quoted,
        missed=found.missed,
        typed=typed,
        features=features,
    )


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says besides a statement: the question's terms on it, and all of its words."""

    terms: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


def _may_be(question: Question, value: TypedValue, weights: TermWeights) -> bool:
    """Tell whether a capitalized run may be a name here: "Expedited Review" is printed small elsewhere."""
    if question.kind != "person":
        return True
    words = [word for word in words_of(value.text) if len(word) > 2]
    names = [word for word in words if word not in weights.lower]
    return bool(names) and 2 * len(names) >= len(words)


def _lacks_predicate(question: Question, statement: Statement) -> bool:
    """Tell whether what is asked about, mostly the question's last word, is not even hinted at."""
    term = question.predicate
    if not term or term not in question.terms:
        return False
    own = statement.label_terms | statement.text_terms | statement.context_terms
    return term not in own and own.isdisjoint(related_terms(term))


def _clause_of(text: str, typed: TypedValue) -> str:
    """Return the words around a value up to the next stop or comma."""
    before, after = text[: typed.start], text[typed.end :]
    return re.split(r"[,;.]\s", before)[-1] + " " + re.split(r"[,;.]\s", after)[0]


def _tight(statement: Statement, typed: TypedValue | None, asked: Mapping[str, float]) -> float:
    """Return the share of the question, hints too, that stands in the label or close to the value."""
    if typed is None:
        return 0.0
    close = statement.text[max(0, typed.start - _FAR) : typed.end + _FAR]
    near = term_set(close) | (statement.label_terms if statement.kind in LABELLED else frozenset())
    gained = math.fsum(
        weight if term in near else _RELATED * weight * (not near.isdisjoint(related_terms(term)))
        for term, weight in asked.items()
    )
    return gained / (sum(asked.values()) or 1.0)


def value_kind(question: Question) -> str:
    """Return the kind of value that is looked for: whoever asks "who" may mean a firm."""
    return "party" if question.kind == "person" else question.kind


def _form(
    question: Question, statement: Statement, typed: TypedValue | None, values: Sequence[TypedValue]
) -> dict[str, float]:
    """Measure whether a statement has the form of an answer at all."""
    text = statement.text.strip()
    is_open = question.kind in OPEN_KINDS
    found = {
        "has_kind": float(typed is not None and not is_open),
        "lacks_kind": float(typed is None and not is_open),
        "one_value": 1.0 / len(values) if values and not is_open else 0.0,
        "place_value": float(question.kind == "place" and typed is not None),
        "only_asks": float(text.endswith("?") or len(text) < 2),
        "torn_label": float(statement.kind == "pair" and len(statement.label.split()) > _LABEL_WORDS),
        "repeats": float(not statement.says_more_than(question.terms)),
        "denies": float(
            question.kind in ("date", "money", "person", "firm") and not polarity(statement.text)
        ),
        "short": float(len(text) < 12 and is_open),
        "words": min(1.0, len(text.split()) / 40),
        "supposes": float(bool(_SUPPOSING.search(text)) and not _SUPPOSING.search(question.text)),
        "greets": float(bool(_GREETING.match(text))),
        "is_heading": float(is_open and _is_heading(text)),
        "is_whole_value": float(typed is not None and len(typed.text) > 0.7 * len(text)),
    }
    if question.unit and question.kind == "number" and typed is not None:
        is_counted = counts_unit(statement.text, typed, question.unit)
        found["counts"], found["counts_other"] = float(is_counted), float(not is_counted)
    if question.kind == "text":
        found["text_pair"] = float(statement.kind in LABELLED)
    if question.kind == "boolean":
        found["boolean_own"] = float(question.predicate in (statement.text_terms | statement.label_terms))
    return found


def _is_heading(text: str) -> bool:
    words = text.split()
    return (
        len(words) <= 8
        and not any(c.isdigit() for c in text)
        and all(w[:1].isupper() for w in words if len(w) > 3)
    )


def subject_features(
    subjects: Subjects, statement: Statement, page: frozenset[str] = frozenset()
) -> dict[str, float]:
    """Measure how far the evidence speaks of the question's subjects, and whether it speaks of others."""
    asked, missing, near, other = 0, 0.0, 0.0, 0.0
    if subjects.names:
        count = len(subjects.names)
        words = [part for name in subjects.names for part in name.split("-")]
        own = names_in(words, statement.own_words) / len(words)
        around = names_in(words, statement.own_words | statement.near_words) / len(words)
        asked += count
        near += count * (around - own)
        missing += count * (1 - around)
    for wanted, own_ones, near_ones in (
        (subjects.body_parts, statement.own_parts[0], statement.near_parts[0]),
        (subjects.sides, statement.own_parts[1], statement.near_parts[1]),
    ):
        if not wanted:
            continue
        asked += 1
        if wanted & own_ones:
            continue
        other += bool(own_ones)
        if wanted & near_ones:
            near += 1
        else:
            missing += 1
            other += 0.5 * bool(near_ones)
    if subjects.identifiers:
        asked += 1
        text = f"{statement.label} {statement.text}".lower()
        missing += not any(number in text for number in subjects.identifiers)
    if subjects.dates:
        asked += 1
        missing += not _speaks_of(subjects.dates, statement)
    words = [part for name in subjects.names for part in name.split("-")]
    here = statement.own_words | statement.near_words | page
    return {
        "name_missing": 1.0 - names_in(words, here) / len(words) if words else 0.0,
        "owner_missing": float(
            bool(subjects.owners)
            and names_in(subjects.owners, statement.own_words | statement.near_words) < len(subjects.owners)
        ),
        "subject_missing": missing / asked if asked else 0.0,
        "subject_near": near / asked if asked else 0.0,
        "subject_found": 1.0 - (missing + near) / asked if asked else 0.0,
        "subject_other": min(1.0, other),
    }


def _speaks_of(dates: Sequence[str], statement: Statement) -> bool:
    if statement.dated in dates:
        return True
    text = f"{statement.label} {statement.text} {statement.context}"
    return any(str(value.value) in dates for value in find_typed(text, "date"))


def _focus(question: Question, statement: Statement, weights: TermWeights) -> float:
    """The weighted share of a pair's label that the question names; of other statements, a little brevity."""
    named = statement.label_terms if statement.kind in LABELLED else statement.text_terms
    if not named:
        return 0.0
    total = math.fsum(weights.of(term) for term in named)
    shared = math.fsum(weights.of(term) for term in named if term in question.terms)
    share = shared / total if total else 0.0
    return share if statement.kind in LABELLED else min(1.0, 2.0 * share)


def weigh(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the weighted sum of features; one without a weight counts nothing."""
    return math.fsum(value * weights.get(name, 0.0) for name, value in features.items())


def judge_statements(
    question: Question, statements: Sequence[Statement], weights: TermWeights
) -> list[Evidence]:
    """Return the statements that share a term with the question, or stand where it does, judged."""
    # a word that says little and stands nowhere was only how the question was put
    terms = tuple(t for t in question.terms if t not in light_terms() or weights.knows(t)) or question.terms
    question = replace(question, terms=terms)
    wanted = set(terms)
    hinted = wanted.union(*(related_terms(term) for term in terms)) if terms else wanted
    pages: dict[tuple[str, int], tuple[set[str], set[str]]] = {}
    for statement in statements:
        here, words = pages.setdefault((statement.source_id, statement.page), (set(), set()))
        here |= wanted & (statement.label_terms | statement.text_terms)
        if question.subjects.names:
            words |= statement.own_words
    frozen = {place: Page(frozenset(here), frozenset(words)) for place, (here, words) in pages.items()}
    return [
        judge_statement(question, statement, weights, frozen[statement.source_id, statement.page])
        for statement in statements
        if hinted & (statement.label_terms | statement.text_terms | statement.context_terms)
    ]
