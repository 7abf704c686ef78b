"""Everything that could answer a question, field values and statements in one ranking.

What a candidate's neighbours say about it is measured here: whether the field that is asked for has a value,
whether a statement agrees with it, whether the claim knows the subject at all.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from citation_pipeline.core.retrieval.authors import authors_of
from citation_pipeline.core.retrieval.evidence import Evidence, judge_statements, weigh
from citation_pipeline.core.retrieval.field_evidence import FieldValue, Matched, judge_fields, match_fields
from citation_pipeline.core.retrieval.field_questions import FieldMatch, FieldPhrasings
from citation_pipeline.core.retrieval.known_subjects import (
    is_namesake,
    names_another,
    page_words,
    unknown_share,
    within_one_document,
    without_own_names,
    without_own_number,
)
from citation_pipeline.core.retrieval.label_match import with_labels
from citation_pipeline.core.retrieval.near_misses import near_miss_of
from citation_pipeline.core.retrieval.page_evidence import PageEvidence, Place, judge_pages
from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.sought import read_sought
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.statements.sums import SUM
from citation_pipeline.core.retrieval.subjects import names_in
from citation_pipeline.core.retrieval.term_weights import weigh_terms
from citation_pipeline.core.retrieval.terms import light_terms, term_set, words_of

_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_HOW_MUCH_OF = re.compile(r"(?i)how much of\b")
_MISSED = 4.0  # what a near miss loses against evidence that speaks of the subject
_COMPARED = 30  # the first candidates, among which a newer print is looked for
_FIELD_MEANT = 0.4  # how near a field has to be for its type to say what form the answer has
_FIELD_HINTS = 0.25  # and for its words to be looked for too
_SAID_AGAIN = 0.7  # what a name of the field counts that is not printed for the first time
_FEWEST_FIELDS = 5
"""A claim with fewer values is none of the schema's: those that were run have 30 or more, other papers 3."""
_WORKER = "claimant.full_name"
_CLAIM_NUMBER = "metadata.claim_number"
_PARTIES = {
    "employer.name": "~employer",
    "coverage.insurance_carrier": "@carrier",
    "coverage.claims_administrator": "@claims_administrator",
}
_OF_WORKER = ("claimant.", "wages.")
_DEGREES = frozenset(["esq", "inc", "llc", "llp", "company", "the", "and"])  # what makes no two names one


@dataclass(frozen=True)
class KeptFields:
    """A claim's shown values by field key, and what was read for each field and is not believed."""

    shown: Mapping[str, FieldValue] = field(default_factory=dict)
    doubted: Mapping[str, Sequence[FieldValue]] = field(default_factory=dict)


@dataclass(frozen=True)
class Candidates:
    """The ranked evidence with what the schema says about the question, and the pages it stands on.

    `is_alone` tells that a single document is asked about.
    """

    question: Question
    ranked: Sequence[Evidence]
    matched: Matched
    unknown: float
    is_field_absent: bool
    is_alone: bool = False
    pages: Sequence[PageEvidence] = ()


def find_candidates(
    question: Question,
    statements: Sequence[Statement],
    fields: KeptFields,
    phrasings: FieldPhrasings | None,
    weights: Mapping[str, float],
    hits: Sequence[Place] = (),
) -> Candidates:
    """Judge and rank everything that could answer; `hits` are pages in the order of the index."""
    terms = weigh_terms(statements)
    worker = _words_of_worker(fields.shown)
    owners = [name for name in question.subjects.owners if worker and worker.isdisjoint(name.split("-"))]
    question = without_own_names(question, statements, worker)
    question = without_own_number(question, _text_of(fields.shown, _CLAIM_NUMBER))
    question = within_one_document(question, statements)
    matched = match_fields(question, phrasings) if phrasings is not None else Matched((), 0.0)
    question = _with_kind_of_field(question, matched, phrasings)
    unknown = unknown_share(question, statements, terms, _explained(matched, phrasings))
    from_fields: list[Evidence] = []
    sought = read_sought(question, terms, _field_terms(matched, phrasings))
    unread = _unread_field(matched, fields)
    matched = _of_schema(matched, fields)
    if phrasings is not None:
        pages = page_words(question, statements)
        from_fields = judge_fields(
            question, matched, fields.shown, phrasings, terms, pages, doubted=fields.doubted
        )
    stated = with_labels(question, judge_statements(sought, statements))
    judged = _beside_fields(question, stated, from_fields, matched, fields.shown, phrasings, unknown)
    if unread is not None and phrasings is not None:
        judged = _with_printed_name(judged, unread, _names_of(unread.field_key, phrasings))
    judged += [
        replace(evidence, features={**evidence.features, "unknown_field": unknown})
        for evidence in from_fields
    ]
    judged = _with_tense(question, _beside_sums(judged), statements)
    judged = _of_other_agent(question, judged, statements)
    judged = [
        _missing(evidence, near_miss_of(question, evidence))
        for evidence in _of_other_person(question, judged, fields.shown, owners, matched)
    ]
    judged = [_with_owners(evidence, owners) for evidence in judged]
    ranked = _ranked(judged, weights)
    ranked = _ranked([*_with_outdated(question, ranked[:_COMPARED]), *ranked[_COMPARED:]], weights)
    pages_found = judge_pages(sought, statements, ranked, hits)
    return Candidates(
        question,
        ranked,
        matched,
        unknown,
        _is_absent(matched, fields.shown),
        is_alone=len({statement.source_id for statement in statements}) == 1,
        pages=pages_found,
    )


def _with_owners(evidence: Evidence, owners: Sequence[str]) -> Evidence:
    """Mark what does not name whose it is, where that is not the worker: a supervisor stands everywhere."""
    if _names_owners(evidence, owners):
        return evidence
    return replace(evidence, features={**evidence.features, "owner_dropped": 1.0})


def _names_owners(evidence: Evidence, owners: Sequence[str]) -> bool:
    words = evidence.statement.own_words | evidence.statement.near_words
    return all(set(name.split("-")) <= words for name in owners)


def _with_tense(
    question: Question, judged: Sequence[Evidence], statements: Sequence[Statement]
) -> list[Evidence]:
    """Measure whether a day lies ahead of the newest paper, where one to come or a past one is asked for."""
    newest = max((s.written for s in statements if s.written and not s.dated), default="")
    if question.kind != "date" or question.asks_ahead is None or not newest:
        return list(judged)
    marked = []
    for evidence in judged:
        day = str(evidence.typed.value) if evidence.typed is not None else ""
        day = str(evidence.value) if evidence.field_key else day
        if not _ISO.fullmatch(day):
            marked.append(evidence)
            continue
        fits = (day >= newest) == question.asks_ahead
        tense = "ahead" if question.asks_ahead else "past"
        name = f"{tense}_fits" if fits else f"{tense}_not"
        name = f"field_{name}" if evidence.field_key else name
        marked.append(replace(evidence, features={**evidence.features, name: 1.0}))
    return marked


def _missing(evidence: Evidence, reason: str) -> Evidence:
    """Mark evidence about something else; that its label fits speaks for it no more."""
    if not reason:
        return evidence
    kept = {name: value for name, value in evidence.features.items() if not name.startswith("label_")}
    return replace(evidence, near_miss=reason, features=kept)


def _beside_sums(judged: Sequence[Evidence]) -> list[Evidence]:
    """Mark the rows of a sum that covers the question as well as they do: one of them is not the total."""
    sums = [(set(e.statement.words), e) for e in judged if e.statement.kind == SUM]
    if not sums:
        return list(judged)
    return [
        replace(evidence, features={**evidence.features, "part_of_sum": 1.0})
        if evidence.statement.kind != SUM
        and any(
            words.issuperset(evidence.statement.words) and whole.coverage >= evidence.coverage
            for words, whole in sums
        )
        else evidence
        for evidence in judged
    ]


def _of_other_person(
    question: Question,
    judged: Sequence[Evidence],
    shown: Mapping[str, FieldValue],
    strangers: Sequence[str],
    matched: Matched,
) -> list[Evidence]:
    """Mark what speaks of the worker where a namesake, or somebody else by name, is asked about.

    A birthday that is printed without a name is the worker's, whoever stands all over the claim.
    """
    worker = _words_of_worker(shown)
    namesake = is_namesake(question, worker)
    best = matched.best
    is_workers = (
        best is not None and best.similarity >= _FIELD_MEANT and best.field_key.startswith(_OF_WORKER)
    )
    if not worker or not (namesake or strangers):
        return list(judged)
    return [
        replace(evidence, features={**evidence.features, "other_person": 1.0})
        if (namesake and names_another(question, evidence.statement))
        or (strangers and evidence.field_key.startswith(_OF_WORKER))
        or (is_workers and not evidence.field_key and not _names_owners(evidence, strangers))
        else evidence
        for evidence in judged
    ]


def _of_other_agent(
    question: Question, judged: Sequence[Evidence], statements: Sequence[Statement]
) -> list[Evidence]:
    """Mark what another wrote and says without naming whoever is asked about: what did Dr. Ruiz assign?"""
    agents = question.agents
    if not agents:
        return list(judged)
    authors = authors_of(statements)
    marked = []
    for evidence in judged:
        statement = evidence.statement
        wrote = authors.get(statement.source_id, frozenset())
        named = statement.own_words | statement.near_words
        is_other = bool(wrote) and not names_in(agents, wrote | named)
        features = {**evidence.features, "agent_missing": 1.0} if is_other else evidence.features
        marked.append(replace(evidence, features=features))
    return marked


def _words_of_worker(shown: Mapping[str, FieldValue]) -> frozenset[str]:
    return frozenset(words_of(_text_of(shown, _WORKER)))


def _text_of(shown: Mapping[str, FieldValue], key: str) -> str:
    return str(shown[key].value) if key in shown else ""


def _of_schema(matched: Matched, fields: KeptFields) -> Matched:
    """Leave out fields without a value where hardly any has one: an invoice lacks the whole schema."""
    if len(fields.shown) >= _FEWEST_FIELDS:
        return matched
    kept = [m for m in matched.matches if m.field_key in fields.shown or m.field_key in fields.doubted]
    return replace(matched, matches=kept)


def _unread_field(matched: Matched, fields: KeptFields) -> FieldMatch | None:
    """Return the field that is meant where hardly any was read: its clause may stand there all the same."""
    best = matched.best
    if best is None or best.similarity < max(_FIELD_MEANT, matched.other):
        return None
    return None if len(fields.shown) >= _FEWEST_FIELDS or best.field_key in fields.shown else best


def _with_printed_name(
    judged: Sequence[Evidence], unread: FieldMatch, names: Sequence[frozenset[str]]
) -> list[Evidence]:
    """Measure which statements print a name of the field that is meant beside a value of the form asked for.

    The first that does so counts whole: a contract's date and its law are said once more in its annexes.
    """
    found = []
    seen = False
    for evidence in judged:
        is_labelled = evidence.statement.kind == "pair"  # its label is compared with the question itself
        if is_labelled or evidence.typed is None or _named_share(evidence.statement, names) < 1.0:
            found.append(evidence)
            continue
        share = unread.similarity * (_SAID_AGAIN if seen else 1.0)
        seen = True
        found.append(replace(evidence, features={**evidence.features, "name_printed": share}))
    return found


def _is_absent(matched: Matched, shown: Mapping[str, FieldValue]) -> bool:
    return matched.best is not None and matched.best.field_key not in shown


def _with_kind_of_field(question: Question, matched: Matched, phrasings: FieldPhrasings | None) -> Question:
    """Ask for the form of the field that is meant: "P&S as of when" and "what do the liens add up to"."""
    best = matched.best
    is_share = question.kind == "money" and bool(_HOW_MUCH_OF.match(question.text))
    if phrasings is None or best is None or question.is_compound or not (question.kind == "text" or is_share):
        return question
    others = [match.similarity for match in matched.matches[1:]]
    if best.similarity < _FIELD_MEANT or best.similarity < max([matched.other, *others], default=0.0):
        return question
    kind = phrasings.kind_of_field(best.field_key)
    if is_share and kind != "percent":
        return question
    return replace(question, kind=kind) if kind in ("date", "money", "percent", "number") else question


def _explained(matched: Matched, phrasings: FieldPhrasings | None) -> frozenset[str]:
    """Return the words by which people ask for the field that is meant: they need not be printed."""
    best = matched.best
    if phrasings is None or best is None or best.similarity < _FIELD_MEANT:
        return frozenset()
    return phrasings.terms_of_field(best.field_key)


def _field_terms(matched: Matched, phrasings: FieldPhrasings | None) -> Mapping[str, float]:
    best = matched.best
    if phrasings is None or best is None or best.similarity < _FIELD_HINTS:
        return {}
    return phrasings.words_of_field(best.field_key)


# long: a line for each feature of the fit
def _beside_fields(
    question: Question,
    judged: Sequence[Evidence],
    from_fields: Sequence[Evidence],
    matched: Matched,
    shown: Mapping[str, FieldValue],
    phrasings: FieldPhrasings | None,
    unknown: float,
) -> list[Evidence]:
    """Measure what the claim's fields say about each statement."""
    best = matched.best
    similarity = best.similarity if best is not None else 0.0
    absent = _is_absent(matched, shown)
    names = _names_of(best.field_key, phrasings) if best is not None and phrasings is not None else ()
    values = {
        str(e.value).lower()
        for e in from_fields
        if e.features.get("field_first") and e.answer and not e.features.get("field_doubted")
    }
    doubted = {str(e.value).lower() for e in from_fields if e.features.get("field_doubted")}
    meant = {match.field_key for match in matched.matches}
    elsewhere = {
        str(value.value).lower() for key, value in shown.items() if key not in meant and _is_telling(value)
    }
    worker = _words_of_worker(shown)
    # "Which firm defends the employer?" is not answered by the employer
    named_in_question = {
        str(shown[key].value).lower()
        for key, term in _PARTIES.items()
        if key in shown
        and term in question.terms
        and (best is None or best.field_key != key or _asks_beside(question, matched, phrasings))
    }
    found = []
    for evidence in judged:
        said = str(evidence.typed.value).lower() if evidence.typed is not None else ""
        named = _named_share(evidence.statement, names)
        is_party = bool(said) and question.kind in ("person", "firm")
        added = {
            "statement": 1.0,
            "field_absent": similarity * absent,
            "field_present": similarity * (not absent),
            "field_words": evidence.features["field_words"] * similarity,
            "agrees": float(bool(said) and said in values),
            "agrees_doubted": float(bool(said) and said in doubted),
            # the field's value was chosen among all prints of its labels
            "label_beside_field": evidence.features.get("label_fit", 0.0)
            * similarity
            * (not absent and said not in values),
            "of_other_field": float(bool(said) and said in elsewhere),
            "named": named * similarity,
            "named_whole": float(named == 1.0) * similarity,
            "named_absent": named * similarity * absent,
            "is_worker": float(is_party and _is_same_person(said, worker)),
            "is_asked_about": float(is_party and said in named_in_question),
            "unknown": unknown,
        }
        if not question.wants_earlier:
            added |= _against_field(evidence, said, from_fields)
        found.append(replace(evidence, features={**evidence.features, **added}))
    return found


def _against_field(evidence: Evidence, said: str, from_fields: Sequence[Evidence]) -> dict[str, float]:
    """Measure whether the field that is meant has another value, and whether that one is older.

    An extractor has weighed all prints of a field; what is not newer than its choice is not the answer.
    """
    field = next((e for e in from_fields if _is_meant(e) and not _is_alike(str(e.value).lower(), said)), None)
    if not said or field is None:
        return {}
    similarity = field.features["field_similarity"]
    if evidence.statement.recency > field.statement.recency:
        return {"field_older": similarity}
    found = {"field_differs": similarity}
    if evidence.features.get("label_near"):
        found |= {"label_sure": 0.0, "label_rivalled": 1.0}
    return found


def _is_alike(one: str, other: str) -> bool:
    """Tell whether two values may be the same: a name with and without its first name or degree is one."""
    if one == other or one.startswith(other) or other.startswith(one):
        return True
    if any(c.isdigit() for c in one + other):
        return False
    return any(len(word) > 2 and word not in _DEGREES for word in {*words_of(one)} & {*words_of(other)})


def _is_meant(evidence: Evidence) -> bool:
    """Tell whether a field's shown value is of the field that a question surely asks for."""
    features = evidence.features
    return bool(
        features.get("field_sure") and features.get("field_first") and not features.get("field_doubted")
    )


def _asks_beside(question: Question, matched: Matched, phrasings: FieldPhrasings | None) -> bool:
    """Tell whether a word of the question belongs to another field near it, and not to the nearest."""
    if phrasings is None or not matched.matches:
        return False
    best, *others = matched.matches
    left = set(question.terms) - light_terms() - phrasings.terms_of_field(best.field_key)
    return any(left & phrasings.terms_of_field(match.field_key) for match in others)


def _is_telling(value: FieldValue) -> bool:
    """Tell whether a field's value can be of no other field: a name, a date, a sum, not a yes or a 2."""
    return isinstance(value.value, str | float | int) and len(str(value.value)) > 4


def _is_same_person(said: str, worker: frozenset[str]) -> bool:
    """Tell whether a name is the worker's: Ms. Fontanilla is Imelda Q. Fontanilla."""
    words = {word for word in words_of(said) if len(word) > 2} - {"mrs", "miss"}
    return bool(words) and words <= worker


def rank_again(candidates: Candidates, weights: Mapping[str, float]) -> Candidates:
    """Return the candidates in the order that other weights give."""
    return replace(candidates, ranked=_ranked(candidates.ranked, weights))


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


def _names_of(field_key: str, phrasings: FieldPhrasings) -> tuple[frozenset[str], ...]:
    return tuple(terms for name in phrasings.names_of_field(field_key) if (terms := term_set(name)))


def _named_share(statement: Statement, names: Sequence[frozenset[str]]) -> float:
    """Return how much of one of the field's printed names a statement carries."""
    own = statement.label_terms | statement.text_terms
    return max((len(terms & own) / len(terms) for terms in names), default=0.0)
