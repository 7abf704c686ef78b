"""What speaks for a statement as the answer to a question: measured one by one, weighed together.

Pure arithmetic over terms and subjects; choosing and refusing is `answering`'s, the weights are fitted.
"""

import math
import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any

from citation_pipeline.core.retrieval.authors import authors_of
from citation_pipeline.core.retrieval.coverage import focus_of, look_for, tight_share
from citation_pipeline.core.retrieval.forms import clause_of, form_features
from citation_pipeline.core.retrieval.party_names import is_firm, is_plainly_worded, is_titled
from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.sought import Sought
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.statements.sums import SUM
from citation_pipeline.core.retrieval.subject_evidence import subject_features
from citation_pipeline.core.retrieval.subjects import days_without_year
from citation_pipeline.core.retrieval.term_weights import TermWeights
from citation_pipeline.core.retrieval.terms import term_of, term_places, words_of
from citation_pipeline.core.retrieval.typed_answers import (
    choose_typed,
    find_typed,
    polarity,
)
from citation_pipeline.core.retrieval.typed_value import TypedValue

_ISO_DAY = re.compile(r"[12]\d{3}-\d\d-\d\d")
_BETWEEN_NAMES = re.compile(r"[,;/&]|\band\b")
_NAME_WORDS = 4
_WHOLE_WORDS = 8  # a longer value beside a label is a sentence, not a name
_ALIKE = 0.4  # how near in meaning a word has to be for its statements to be looked at
_FIELD_WORDS = 0.3  # a third of what a field is called is more than a sentence says of it
_HINTED_BY_FIELD = 0.25  # the share of a field's words from which a statement is looked at for them alone


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
class Page:
    """What a page says besides a statement: the question's terms on it, and all of its words.

    `authors` are the words of the names of whoever wrote its document, `author_terms` the same as terms.
    """

    terms: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    authors: frozenset[str] = frozenset()
    author_terms: frozenset[str] = frozenset()


def judge_statement(sought: Sought, statement: Statement, page: Page | None = None) -> Evidence:
    """Compare one statement with the question, in the light of the rest of its page."""
    page, question = page or Page(), sought.question
    found = look_for(sought, statement, page.terms, page.author_terms)
    values = _values_of(sought, statement)
    typed = choose_typed(
        statement.text,
        values,
        sought.beside,
        question.kind,
        ends_asked=question.ends_asked,
        unit=question.unit,
        is_lasting=question.is_lasting,
        wants_total=question.wants_total,
        wants_earlier=question.wants_earlier,
    )
    features = {
        "coverage": found.coverage,
        "quoted": found.quoted,
        "missed": found.missed,
        "related": found.related,
        "title": found.title,
        "context": found.context,
        "alike": found.alike,
        "plain": found.plain,
        "plain_missed": found.plain_missed,
        "laid_out": float(statement.is_laid_out),
        "focus": focus_of(question, statement, sought.weights),
        "field_words": _field_share(sought, statement.label_terms | statement.text_terms),
        "recency": statement.recency,
        "recency_now": statement.recency * question.wants_latest,
        f"is_{statement.kind}": 1.0,
        **form_features(question, statement, typed, values),
        "tight": tight_share(sought, statement, typed),
        "predicate_missing": float(_lacks_predicate(sought, statement)),
        "predicate_denied": float(typed is not None and not polarity(clause_of(statement.text, typed))),
        **subject_features(question.subjects, statement, page.words, page.authors),
        "author_found": float(_is_by(question, page)),
        "year_missing": float(bool(question.years) and statement.years.isdisjoint(question.years)),
        "month_missing": float(bool(question.months) and statement.months.isdisjoint(question.months)),
        "month_found": float(bool(question.months) and not statement.months.isdisjoint(question.months)),
        "year_found": float(bool(question.years) and not statement.years.isdisjoint(question.years)),
        **_order(question, statement),
    }
    return Evidence(
        statement=statement,
        coverage=found.coverage,
        quoted=found.quoted,
        missed=found.missed,
        typed=typed,
        features=features,
    )


def _is_by(question: Question, page: Page) -> bool:
    """Tell whether somebody whom the question names wrote the document."""
    return any(page.authors.issuperset(name.split("-")) for name in question.subjects.names)


def _values_of(sought: Sought, statement: Statement) -> list[TypedValue]:
    """Return the values of the kind that is asked for; beside a label that names a party, the whole text."""
    question, text = sought.question, statement.text
    values = [
        value
        for value in find_typed(text, value_kind(question))
        if _may_be(question, value, sought.weights) and not _is_asked_with(question, value)
    ]
    if question.kind == "date":
        return _with_days_of_year(statement, values)
    if question.kind == "code" and statement.kind == "row":
        return [value for value in values if not _is_of_other_label(sought, text, value)]
    may_be_whole = question.kind in ("person", "firm", "place") and statement.kind in ("pair", "cell")
    if may_be_whole and len(values) > 1 and _is_list_of_names(text):
        return [TypedValue(text.strip(), text.strip(), 0, len(text))]
    if values or not may_be_whole or not 1 <= len(text.split()) <= _WHOLE_WORDS:
        return values
    named = not sought.asked.keys().isdisjoint(statement.label_terms)
    plain = text.strip(" .,;:")
    if question.kind == "person" and not _is_in_capitals(plain):
        return values  # "Who did the surgery?": a procedure beside its label is nobody
    if named and plain[:1].isupper() and sum(c.isalpha() for c in plain) > len(plain) / 2:
        return [TypedValue(plain, plain, 0, len(text))]
    return values


def _is_list_of_names(text: str) -> bool:
    """Tell whether a text is several names and nothing else: whoever asks who saw it wants them all."""
    parts = [part.split() for part in _BETWEEN_NAMES.split(text.strip(" ."))]
    return len(parts) > 1 and all(
        0 < len(part) <= _NAME_WORDS and all(word[0].isalpha() for word in part) for part in parts
    )


def _is_of_other_label(sought: Sought, text: str, value: TypedValue) -> bool:
    """Tell whether a row names something else between what is asked for and a number: a box left blank.

    Of "Deal # Agency Code 4471" the number is the agency's, of "Order # 81 Product 204" 204 is no order's,
    and what stands before all of the words is under another head.
    """
    places = [place for place, term in term_places(text) if term in sought.asked]
    before = [place for place in places if place < value.start]
    if places and not before:
        return True
    between = text[max(before) : value.start].split()[1:] if before else []
    labels = [word for word in between if word[:1].isupper() and word.isalpha()]
    return len(labels) > 1 or (bool(labels) and any(c.isdigit() for word in between for c in word))


def _is_asked_with(question: Question, value: TypedValue) -> bool:
    """Tell whether the question says a value itself, which is no answer: the number of form X-12.

    Of "how many of the dozen visits" twelve is no count; a party is said by its last name or a short form.
    """
    if question.kind not in ("code", "date", "number", "person", "firm") or " or " in question.text:
        return False
    if question.kind == "number":
        return value.value in _numbers_of(question.text)
    if question.kind in ("person", "firm"):
        return _is_named_in(question, value)
    asked = rf"(?<![\w-]){re.escape(value.text)}(?![\w-])"
    return re.search(asked, question.text, re.IGNORECASE) is not None


@lru_cache(maxsize=64)
def _numbers_of(text: str) -> frozenset[Any]:
    """Return the numbers that a question says, a dozen among them."""
    said = {value.value for value in find_typed(text, "number")}
    return frozenset(said | {12} if "dozen" in text.lower() else said)


def _is_named_in(question: Question, value: TypedValue) -> bool:
    """Tell whether a question about a party names this one: who signed for Alder Foods, Inc.?"""
    names = [part for name in question.subjects.names for part in name.split("-")]
    own = [word for word in words_of(value.text) if len(word) > 2]
    if not names or not own:
        return False
    return own[0 if is_firm(value.text) else -1] in names


def _with_days_of_year(statement: Statement, values: Sequence[TypedValue]) -> list[TypedValue]:
    """Add the days without a year; beside a day with one only those whose month is a word.

    "Filed on May 6, 2024 and served on May 9" has two days, "5/10 pain on May 6, 2024" one.
    """
    found = [
        day
        for day in _days_of_year(statement)
        if not values
        or (day.text[:1].isalpha() and all(day.end <= v.start or v.end <= day.start for v in values))
    ]
    return sorted([*values, *found], key=lambda value: value.start)


def _days_of_year(statement: Statement) -> list[TypedValue]:
    """Return the days without a year in a note, in the year that lies nearest to when it was written."""
    if not _ISO_DAY.fullmatch(statement.written):
        return []
    written = date.fromisoformat(statement.written)
    found = []
    for month, day, start, end in days_without_year(statement.text):
        if day > monthrange(2023, month)[1]:
            continue  # no leap day: its year would have to be known
        years = (date(year, month, day) for year in range(written.year - 1, written.year + 2))
        nearest = min(years, key=lambda known: abs((known - written).days))
        found.append(
            TypedValue(f"{nearest.year}-{month:02}-{day:02}", statement.text[start:end].strip(), start, end)
        )
    return found


def _is_in_capitals(text: str) -> bool:
    """Tell whether all longer words begin with a capital, as those of a name do, and not all are common."""
    words = text.split()
    is_name = len(words) > 1 and all(word[:1].isupper() for word in words if len(word) > 3)
    return is_name and not is_plainly_worded(text)


def _order(question: Question, statement: Statement) -> dict[str, float]:
    """Measure whether a visit is the one asked for: the packet of a clinic has a page for each."""
    if not question.ordinal or statement.pages < 2:
        return {}
    wanted = question.ordinal if question.ordinal > 0 else statement.pages + 1 + question.ordinal
    return {"visit_fits": float(statement.page == wanted), "visit_other": float(statement.page != wanted)}


def _field_share(sought: Sought, terms: frozenset[str]) -> float:
    """Return how much of what the field is called stands in a statement."""
    share = math.fsum(weight for term, weight in sought.field_terms.items() if term in terms)
    return min(1.0, share / _FIELD_WORDS)


def _may_be(question: Question, value: TypedValue, weights: TermWeights) -> bool:
    """Tell whether a capitalized run may be a name here: "Expedited Review" is printed small elsewhere."""
    if question.kind != "person":
        return True
    if " ".join(words_of(value.text)) in weights.firms and not is_titled(value.text):
        return False
    words = [word for word in words_of(value.text) if len(word) > 2]
    names = [word for word in words if word not in weights.lower]
    return bool(names) and 2 * len(names) >= len(words)


def _lacks_predicate(sought: Sought, statement: Statement) -> bool:
    """Tell whether what is asked about, mostly the question's last word, is not even hinted at."""
    term = sought.question.predicate
    if not term or term not in sought.asked:
        return False
    own = statement.label_terms | statement.text_terms | statement.context_terms
    return term not in own and own.isdisjoint(sought.kin[term])


def value_kind(question: Question) -> str:
    """Return the kind of value that is looked for: whoever asks "who" may mean a firm."""
    return "party" if question.kind == "person" and question.may_be_firm else question.kind


def weigh(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the weighted sum of features; one without a weight counts nothing."""
    return math.fsum(value * weights.get(name, 0.0) for name, value in features.items() if value)


def judge_statements(sought: Sought, statements: Sequence[Statement]) -> list[Evidence]:
    """Return the statements that share a term with the question or its field, or stand where one does."""
    wanted = set(sought.asked)
    hinted = wanted.union(*sought.kin.values())
    hinted |= {other for near in sought.alike.values() for other, share in near.items() if share >= _ALIKE}
    subjects = sought.question.subjects
    names = bool(subjects.names or subjects.identifiers)
    authors = authors_of(statements) if subjects.names else {}
    pages: dict[tuple[str, int], tuple[set[str], set[str]]] = {}
    for statement in statements:
        here, words = pages.setdefault((statement.source_id, statement.page), (set(), set()))
        here |= wanted & (statement.label_terms | statement.text_terms)
        if names:
            words |= statement.own_words
    terms = {source: frozenset(map(term_of, words)) for source, words in authors.items()}
    frozen = {
        place: Page(
            frozenset(here),
            frozenset(words),
            authors.get(place[0], frozenset()),
            terms.get(place[0], frozenset()),
        )
        for place, (here, words) in pages.items()
    }
    return [
        judge_statement(sought, statement, frozen[statement.source_id, statement.page])
        for statement in statements
        if _is_hinted(sought, statement, hinted) and (statement.kind != SUM or sought.question.wants_total)
    ]


def _is_hinted(sought: Sought, statement: Statement, hinted: set[str]) -> bool:
    own = statement.label_terms | statement.text_terms
    if not hinted.isdisjoint(own) or not hinted.isdisjoint(statement.context_terms):
        return True
    return bool(sought.field_terms) and _field_share(sought, own) >= _HINTED_BY_FIELD
