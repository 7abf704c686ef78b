"""How far a printed label is what a question asks for: "What is the employee name?" and "Employee name:".

Compares the words of both in either direction. Whether the value beside the label has the right form, and
whether other prints of it agree, is measured elsewhere.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from citation_pipeline.core.retrieval.evidence import Evidence
from citation_pipeline.core.retrieval.forms import OPEN_KINDS
from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.term_weights import telling_of
from citation_pipeline.core.retrieval.terms import light_terms, related_terms, term_of, terms_of, words_of
from citation_pipeline.core.retrieval.typed_answers import polarity
from citation_pipeline.core.retrieval.vocabulary import vocabulary
from citation_pipeline.core.retrieval.word_kin import alike_terms

NAMED = 0.6
"""How near a label has to be for its value to be compared with others of the same label."""

_WHOLE = 0.9  # label and question say the same
_OTHER_PARTY = 0.35  # what is left of the likeness of a label of another party, or of the opposite
_PARTIES = """
worker employer adjuster attorney physician supervisor spouse wife husband child witness judge carrier
administrator interpreter provider pharmacy broker
"""
_OWNERS = ("worker", "employer", "spouse", "wife", "husband", "carrier", "insurer", "physician", "attorney")
_ABOUT_AS_NEAR = 0.1
_RIVAL = 0.75  # the fit of a label whose value is compared, however well another fits
_GUESSED = 0.7  # what a label counts beside its value that only the rows of the text suggest
_AROUND = 0.3  # what a word of the question costs that stands in the heading or the title, not in the label
_RELATED = 0.5  # what a word counts that only hints at one of the label
_KIN = 0.6
_SAME_LETTERS = 5
_RUNNING = ("row", "sentence")
_BESIDE_FIELD = 0.25  # likeness to a field that has another value
_YES_OR_NO = re.compile(r"(?i)\W*(?:yes|no)\b")
_ASIDE = re.compile(r"\([^)]*\)|\bcheck one\b|\bplease (?:type|print)\b", re.IGNORECASE)
# what a label says and a question of that kind has said by its first word
_IMPLIED = {
    "person": "name names by print full signature",
    "firm": "name names company firm full",
    "date": "date day dated on",
    "money": "amount total sum rate",
    "number": "number count total no",
    "time": "time hour",
    "place": "address location place at",
    "phone": "phone telephone number no",
    "code": "number no code id",
    "percent": "percent percentage rating",
    "email": "email address",
}


@lru_cache(maxsize=16)
def _implied(kind: str) -> frozenset[str]:
    return frozenset(
        term for word in _IMPLIED.get(kind, "").split() for term in (*terms_of(word), term_of(word))
    )


@lru_cache(maxsize=50_000)
def _label_terms(label: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return a label's terms with phrases taken as one, and its words one by one."""
    told = _ASIDE.sub(" ", label)
    told = told if terms_of(told) else label
    return frozenset(terms_of(told)), _plain_terms(told)


@lru_cache(maxsize=50_000)
def _plain_terms(text: str) -> frozenset[str]:
    stops = vocabulary().stop_words
    return frozenset(term_of(word) for word in words_of(text) if word not in stops)


def label_fit(question: Question, statement: Statement) -> float:
    """Return in 0-1 how far a label says what the question asks for, and nothing else.

    "What time did the accident happen" is asked with words of "when", so phrases are compared as a whole and
    word by word. What is not accepted is not told by "Accepted".
    """
    phrases, words = _label_terms(statement.label)
    around = statement.context_terms | statement.title_terms | question.asides
    plain = _plain_terms(question.text) - _dropped(question.plain or question.text, question.terms)
    is_denied = question.kind != "boolean" and not polarity(question.text) and polarity(statement.label)
    return (_OTHER_PARTY if is_denied else 1.0) * max(
        _likeness(phrases, frozenset(question.terms), around, question.kind),
        _likeness(words, plain, around, question.kind),
    )


@lru_cache(maxsize=64)
def _dropped(plain: str, terms: tuple[str, ...]) -> frozenset[str]:
    """Return the words of a question that are none of its terms any more: the worker's own name, "now"."""
    whole = frozenset(terms_of(plain))  # what a turn of speech replaced still counts
    return frozenset(term for term in whole.difference(terms) if not term.startswith("@"))


def _likeness(named: frozenset[str], asked: frozenset[str], around: frozenset[str], kind: str) -> float:
    if not named or not asked:
        return 0.0
    shared = math.fsum(telling_of(term) for term in named & asked)
    beyond = left = 0.0
    for term in named - asked - _implied(kind):
        is_hinted = _is_hinted(term, asked)
        shared += _RELATED * telling_of(term) * is_hinted
        beyond += (1 - _RELATED * is_hinted) * telling_of(term)
    if not shared:
        return 0.0
    for term in asked - named:
        share = _AROUND if term in around else _RELATED if _is_hinted(term, named) else 1.0
        left += share * telling_of(term) * (0.5 if term in light_terms() else 1.0)
    return shared / (shared + beyond + left) * (_OTHER_PARTY if _of_other_party(named, asked) else 1.0)


def _of_other_party(named: frozenset[str], asked: frozenset[str]) -> bool:
    """Tell whether a label is of one party and the question about another: employer's and worker's phone."""
    own, wanted = (named & _parties()) - asked, (asked & _parties()) - named
    return bool(own and wanted)


def is_of_other(question: Question, statement: Statement) -> bool:
    """Tell whether a label names the same thing of another: the employer's telephone for the worker's."""
    named, asked = _label_terms(statement.label)[1], _plain_terms(question.text)
    owners = _owners()
    shared = (named & asked) - owners - light_terms()
    return bool(shared and (named & owners) - asked and (asked & owners) - named)


@cache
def _owners() -> frozenset[str]:
    return frozenset(map(term_of, _OWNERS))


@cache
def _parties() -> frozenset[str]:
    return frozenset(term for word in _PARTIES.split() for term in (*terms_of(word), term_of(word)))


@lru_cache(maxsize=100_000)
def _is_hinted(term: str, others: frozenset[str]) -> bool:
    """Tell whether one of the others hints at a term: by meaning, or as it begins: assisted and assistant."""
    if not others.isdisjoint(related_terms(term)) or not others.isdisjoint(_kin_of(term)):
        return True
    return any(_begin_alike(term, other) for other in others)


def _begin_alike(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _SAME_LETTERS or not (one.isalpha() and other.isalpha()):
        return False
    begin = max(_SAME_LETTERS, min(len(one), len(other)) - 2)
    return one[:begin] == other[:begin]


@lru_cache(maxsize=20_000)
def _kin_of(term: str) -> frozenset[str]:
    return frozenset(other for other, near in alike_terms(term).items() if near >= _KIN)


def with_labels(question: Question, judged: Sequence[Evidence]) -> list[Evidence]:
    """Measure for pairs and cells how near their label is, and what other prints of it say.

    `label_sure` is the fit of a label that says what is asked, where no other print, unless it is older,
    gives another value.
    """
    fits = {
        number: fit
        for number, evidence in enumerate(judged)
        if evidence.statement.kind in ("pair", "cell") and (fit := label_fit(question, evidence.statement))
    }
    near = [
        _Near(fit, said(judged[n]), judged[n].statement.recency, judged[n].statement.source_id)
        for n, fit in fits.items()
        if (fit >= NAMED or _says_more(question, judged[n].statement)) and _has_form(question, judged[n])
    ]
    told = [
        _Near(0.0, said(e), e.statement.recency, e.statement.source_id)
        for e in judged
        if e.statement.kind in _RUNNING and e.typed is not None and _tells_as_much(question, e.statement)
    ]
    return [
        replace(
            evidence, features={**evidence.features, **_measured(question, evidence, fits[n], near, told)}
        )
        if n in fits
        else evidence
        for n, evidence in enumerate(judged)
    ]


def _tells_as_much(question: Question, statement: Statement) -> bool:
    """Tell whether a row or a sentence has every telling word of the question: it may be a newer print."""
    telling = frozenset(question.terms) - light_terms()
    return bool(telling) and telling <= statement.text_terms | statement.context_terms


@dataclass(frozen=True, slots=True)
class _Near:
    """A labelled value of the right form whose label is near the question."""

    fit: float
    said: str
    recency: float
    source_id: str


def _says_more(question: Question, statement: Statement) -> bool:
    """Tell whether a label has every telling word of the question, and others: "Department as changed"."""
    telling = frozenset(question.terms) - light_terms()
    return bool(telling) and telling <= statement.label_terms


def _has_form(question: Question, evidence: Evidence) -> bool:
    return evidence.typed is not None or question.kind in OPEN_KINDS


def _measured(
    question: Question, own: Evidence, fit: float, near: Sequence[_Near], told: Sequence[_Near]
) -> dict[str, float]:
    found = {
        "label_fit": fit,
        "label_fit_laid_out": fit * own.statement.is_laid_out,
        "label_of_other": float(is_of_other(question, own.statement)),
    }
    if fit < NAMED or not _has_form(question, own):
        return found
    value = said(own)
    others = [other for other in near if other.fit >= min(fit - _ABOUT_AS_NEAR, _RIVAL)]
    rivals = [other for other in others if other.said != value]
    rivals += [other for other in near if other.recency > own.statement.recency and other.said != value]
    agreeing = {other.source_id for other in others if other.said == value}
    is_newest = all(rival.recency < own.statement.recency for rival in rivals)
    is_rivalled = bool(rivals) and not (is_newest and not question.wants_earlier)
    is_whole = fit >= _WHOLE
    is_told_anew = not question.wants_earlier and any(
        other.recency > own.statement.recency and other.said != value for other in told
    )
    is_sure = is_whole and not is_rivalled and not is_told_anew
    return found | {
        "label_near": fit,
        "label_whole": float(is_whole),
        "label_rivalled": float(is_rivalled),
        "label_older_rival": float(bool(rivals) and not is_rivalled),
        "label_told_anew": float(is_told_anew),
        "label_sure": fit * is_sure * (1.0 if own.statement.is_laid_out else _GUESSED),
        "label_agreed": min(1.0, (len(agreeing) - 1) / 2),
    }


def said(evidence: Evidence) -> str:
    """Return what a labelled value says, folded, so that prints of it can be compared."""
    text = str(evidence.typed.value) if evidence.typed is not None else evidence.statement.text
    return " ".join(re.findall(r"[\w.]+", text.lower())).strip(" .")


def is_mere_value(evidence: Evidence) -> bool:
    """Tell whether evidence is a value beside a label that says neither yes nor no."""
    statement = evidence.statement
    return statement.kind in ("pair", "cell") and not _YES_OR_NO.match(statement.text)


def is_unmistakable(question: Question, evidence: Evidence) -> bool:
    """Tell whether a pair's label says what is asked, nothing contradicts it, and no field says otherwise.

    Of 22 such first candidates of labelled questions, held out from the fit, all were right.
    """
    measured = evidence.features.get
    return (
        measured("label_sure", 0.0) >= _WHOLE
        and measured("label_beside_field", 0.0) < _BESIDE_FIELD
        and not evidence.near_miss
        and not question.is_compound
        and not question.wants_earlier
        and not (question.kind == "boolean" and is_mere_value(evidence))
    )
