"""A claim's field as the answer to a question: its value, the words it was read from, and what speaks for it.

A field is a candidate when its phrasings are near the question; the subject has to stand in its evidence.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from citation_pipeline.core.retrieval.evidence import Evidence
from citation_pipeline.core.retrieval.field_questions import OTHER, FieldMatch, FieldPhrasings
from citation_pipeline.core.retrieval.listed_items import text_of_items
from citation_pipeline.core.retrieval.questions import Question
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.subject_evidence import subject_features
from citation_pipeline.core.retrieval.term_weights import TermWeights, telling_of
from citation_pipeline.core.retrieval.terms import light_terms, related_terms, term_of, term_set, words_of
from citation_pipeline.core.retrieval.typed_answers import find_typed, polarity
from citation_pipeline.core.retrieval.typed_value import TypedValue
from citation_pipeline.core.retrieval.word_kin import alike_terms

_MOST_MATCHES = 4
_LEAST_SIMILAR = 0.2
_OPERATIONS = "treatment.surgeries"
_SURE = 0.5
_KIN = 0.6  # how near in meaning a word of the question has to be to one of the field's

_UNTICKED = re.compile(r"(?:\[ ?\]|\( ?\)|☐|□)\s*\w+")  # "[X] Yes [ ] No" denies nothing
_PERIOD = re.compile(
    r"\b(?:(dai|hour|week|month|annual|year)ly\b|annual\b|(?:an?|per|every) (hour|day|week|month|year)\b)"
)
_DAYS = {"dai": "day", "annual": "year", None: "year"}
_ABBREVIATION = re.compile(r"(?<![\w-])[A-Z]{2,6}(?=s?(?:'s|’s)?(?![\w-]))")
_ASKS_WHY = re.compile(r"\b(?:why|reasons?|grounds?)\b")
_TYPES_OF_KIND = {
    "date": ("date",),
    "money": ("number", "integer"),
    "percent": ("number", "integer"),
    "number": ("number", "integer"),
    "boolean": ("boolean",),
}


@dataclass(frozen=True)
class FieldValue:
    """A field's value, or one item of a list, with the statement of the place it is cited at.

    `doubt` tells why the value is not shown (weak_evidence, conflicting, superseded), "" for a shown one;
    `belief` is how sure the value is, in 0-1: the field's fitted confidence, or the extractor's belief.
    """

    key: str
    value: Any
    value_type: str
    statement: Statement
    confidence: str = ""
    is_verified: bool = False
    is_flagged: bool = False
    citations: int = 1
    enum: Sequence[str] = ()
    items: Sequence["FieldValue"] = field(default=())
    doubt: str = ""
    belief: float = 1.0


@dataclass(frozen=True)
class Matched:
    """What the schema says about a question: its fields, nearest first, and how near one of no field is."""

    matches: Sequence[FieldMatch]
    other: float
    other_share: float = 0.0

    @property
    def best(self) -> FieldMatch | None:
        """The nearest field."""
        return self.matches[0] if self.matches else None


def match_fields(question: Question, phrasings: FieldPhrasings) -> Matched:
    """Return the fields that a question may ask for."""
    found = phrasings.match(question)
    other = next((match for match in found if match.field_key == OTHER), FieldMatch(OTHER, "", 0.0))
    named = [match for match in found if match.field_key != OTHER and match.similarity >= _LEAST_SIMILAR]
    return Matched(named[:_MOST_MATCHES], other.similarity, other.share)


def judge_fields(
    question: Question,
    matched: Matched,
    fields: Mapping[str, FieldValue],
    phrasings: FieldPhrasings,
    weights: TermWeights,
    pages: Mapping[tuple[str, int], frozenset[str]],
    doubted: Mapping[str, Sequence[FieldValue]] | None = None,
) -> list[Evidence]:
    """Return the matched fields that have a value, judged; `pages` holds the words of pages.

    What the extractor read and did not believe (`doubted`) is judged too, and weighed as such.
    """
    judged = []
    for rank, match in enumerate(matched.matches):
        value = fields.get(match.field_key)
        unbelieved = (doubted or {}).get(match.field_key, ())
        if value is None and not unbelieved:
            continue
        others = [m.similarity for m in matched.matches if m.field_key != match.field_key]
        shares = [m.share for m in matched.matches if m.field_key != match.field_key]
        measured = {
            "field": 1.0,
            "field_similarity": match.similarity,
            "field_margin": match.similarity - max([matched.other, *others], default=0.0),
            "field_first": float(rank == 0),
            "field_other": matched.other,
            "field_nearest": match.nearest,
            "field_share": match.share,
            "field_share_margin": match.share - max([matched.other_share, *shares], default=0.0),
            "field_other_share": matched.other_share,
        }
        said_ones = (*_said_by(question, match, value), *unbelieved)
        named = _items_named(question, said_ones)
        judged += [
            _judge(question, match, said, phrasings, weights, {**measured, **item}, fields, pages)
            for said, item in zip(said_ones, named, strict=True)
        ]
    return judged


def _items_named(question: Question, said_ones: Sequence[FieldValue]) -> list[dict[str, float]]:
    """Measure which items of a list the question names: of two surgeries the knee's."""
    asked = {term for term in question.terms if term not in light_terms()}
    named = [
        len(asked & (said.statement.label_terms | said.statement.text_terms | said.statement.context_terms))
        for said in said_ones
    ]
    most = max(named, default=0)
    return [{"field_item_other": float(count < most and len(said_ones) > 1)} for count in named]


def _said_by(question: Question, match: FieldMatch, value: FieldValue | None) -> Iterable[FieldValue]:
    """Return the whole value, or the items of a list where one of them is asked for."""
    if value is None:
        return ()
    if value.items and (match.item_property or question.subjects.body_parts or question.subjects.names):
        return value.items
    return (value,)


# long: a line for each feature of the fit
def _judge(
    question: Question,
    match: FieldMatch,
    said: FieldValue,
    phrasings: FieldPhrasings,
    weights: TermWeights,
    measured: Mapping[str, float],
    fields: Mapping[str, FieldValue],
    pages: Mapping[tuple[str, int], frozenset[str]],
) -> Evidence:
    statement = said.statement
    question = _without_known_names(question, said, fields, phrasings)
    value, text = _property_of(said, match.item_property)
    if not question.is_compound and not _ASKS_WHY.search(question.plain):
        text = text_of_items(value, remarks=False) or text
    typed = _typed(question, said, value, text)
    answer, answered = _answer(question, said, typed, value, text, phrasings)
    left = _unexplained(question, match, statement, phrasings, weights)
    residual, worst, plain = _residual(question, left, weights)
    subjects = subject_features(
        question.subjects, statement, pages.get((statement.source_id, statement.page), frozenset())
    )
    features = {
        **measured,
        "field_fits": float(typed is not None),
        "field_lacks": float(typed is None and question.kind not in ("text", "boolean", "place")),
        "field_boolean_other": float(question.kind == "boolean" and said.value_type != "boolean"),
        "field_text_boolean": float(question.kind != "boolean" and said.value_type == "boolean"),
        "field_residual": residual,
        "field_worst": worst,
        "field_abbreviation_unknown": float(
            any(term in left and not weights.knows(term) for term in _abbreviations(question))
        ),
        "field_plain_worst": plain,
        "field_high": float(said.confidence == "high"),
        "field_low": float(said.confidence == "low"),
        "field_flagged": float(said.is_flagged),
        "field_verified": float(said.is_verified),
        "field_cited": min(1.0, (said.citations - 1) / 3),
        "field_empty": float(not text),
        "field_year_missing": float(bool(question.years) and statement.years.isdisjoint(question.years)),
        "field_month_missing": float(bool(question.months) and statement.months.isdisjoint(question.months)),
        "field_other_period": float(_is_of_other_period(question, match, statement)),
        "field_none": float(_says_none(question, said)),
        "field_sure": float(match.similarity > _SURE and measured["field_margin"] > 0),
        "field_similar_twice": match.similarity**2,
        "field_contradicts": float(_contradicts(said)),
        "field_other_state": float(_is_of_other_state(question, said, fields, phrasings)),
        "field_other_role": float(_is_of_other_role(question, match, phrasings)),
        "field_item_procedure_other": float(
            said.key.startswith(_OPERATIONS) and subjects["procedure_missing"] > 0
        ),
        "field_recency": statement.recency,
        "field_doubted": float(bool(said.doubt)),
        "field_believed": said.belief * (not said.doubt),
        "field_meant_and_believed": said.belief * (not said.doubt) * match.similarity,
        "field_unbelieved": (1.0 - said.belief) * bool(said.doubt),
        "field_conflicting": float(said.doubt == "conflicting"),
        "field_superseded": float(said.doubt == "superseded"),
        "field_earlier": float(said.doubt == "superseded") * question.wants_earlier,
        "field_only_doubted": float(bool(said.doubt) and said.key not in fields),
        **{f"field_{name}": value for name, value in subjects.items()},
    }
    return Evidence(
        statement=statement,
        coverage=1.0 - residual,
        quoted=1.0 - residual,
        missed=worst,
        typed=typed,
        features=features,
        answer=answer,
        value=answered,
        field_key=said.key,
    )


def _without_known_names(
    question: Question, said: FieldValue, fields: Mapping[str, FieldValue], phrasings: FieldPhrasings
) -> Question:
    """Leave out names that the claim's fields explain: the physician's, where the next visit is asked for."""
    subjects = question.subjects
    naming = phrasings.naming_fields(said.key) - {said.key}
    words = frozenset(word for key in naming if key in fields for word in words_of(str(fields[key].value)))
    known = {name for name in subjects.names if set(name.split("-")) <= words}
    if not known:
        return question
    terms = {term_of(part) for name in known for part in name.split("-")}
    kept = replace(
        subjects,
        names=tuple(name for name in subjects.names if name not in known),
        owners=tuple(name for name in subjects.owners if name not in known),
        full_names=tuple(parts for parts in subjects.full_names if not known.issuperset(parts)),
    )
    left = tuple(term for term in question.terms if term not in terms)
    return replace(question, subjects=kept, terms=left or question.terms)


def _property_of(said: FieldValue, name: str) -> tuple[Any, str]:
    if name and isinstance(said.value, Mapping):
        value = said.value.get(name)
        return value, "" if value is None else str(value)
    return said.value, said.statement.text


def _typed(question: Question, said: FieldValue, value: Any, text: str) -> TypedValue | None:
    kind = question.kind
    if isinstance(said.value, Mapping) and value is not said.value:
        found = find_typed(text, "party" if kind == "person" else kind)
        if kind == "money" and isinstance(value, int | float):
            return TypedValue(value, text, 0, len(text))
        return found[0] if found else None
    types = _TYPES_OF_KIND.get(kind)
    if types is not None and (said.value_type in types or kind != "number"):
        if said.value_type not in types:
            return None
        return TypedValue(said.value, text, 0, len(text))
    if kind in ("person", "firm"):
        # the field is a name already; the grammar of names in running text is narrower
        is_named = said.value_type == "string" or (said.value_type == "array" and not said.items)
        return TypedValue(text, text, 0, len(text)) if is_named and text else None
    found = find_typed(text, kind)
    if kind in ("code", "place") and found and said.value_type == "string":
        return TypedValue(text, text, 0, len(text))  # the field is the number: `WCX 4471-09`, not its tail
    return found[0] if found else None


def _answer(
    question: Question,
    said: FieldValue,
    typed: TypedValue | None,
    value: Any,
    text: str,
    phrasings: FieldPhrasings,
) -> tuple[str, Any]:
    """Return what is answered: yes or no with the words that say so, a typed value, or the value as shown."""
    if question.kind != "boolean":
        if question.is_compound and said.value_type == "boolean":
            return said.statement.context or text, None
        if question.kind == "number" or typed is None:
            return text, value if not isinstance(value, Mapping | list) else text
        return typed.text, typed.value
    verdict = _verdict(question, said, phrasings)
    quote = said.statement.context or text
    return f"{'Yes' if verdict else 'No'}: {quote}".strip(), verdict


def _says_none(question: Question, said: FieldValue) -> bool:
    """Tell whether the list is empty of which a sum, a day or a name is asked for."""
    kinds = ("money", "date", "person", "firm", "number", "percent", "code", "place")
    return said.value_type == "array" and not said.value and question.kind in kinds


def _contradicts(said: FieldValue) -> bool:
    """Tell whether a yes is read from words that deny: "NOT sent to SIU" says no."""
    return (
        said.value_type == "boolean"
        and bool(said.value)
        and not polarity(_UNTICKED.sub(" ", said.statement.context))
    )


def _is_of_other_state(
    question: Question, said: FieldValue, fields: Mapping[str, FieldValue], phrasings: FieldPhrasings
) -> bool:
    """Tell whether a date or a sum is that of another decision.

    Who asks for the denial is not told of the delay, who asks for the C&R not of the stipulations.
    """
    category, _, name = said.key.rpartition(".")
    if said.value_type not in ("date", "number", "integer"):
        return False
    for key in (f"{category}.{name.removesuffix('_date')}", f"{category}.{category}_type"):
        state = fields.get(key)
        if state is None or not state.enum:
            continue
        named = _named_states(question, state, phrasings)
        if named:
            return state.value not in named
    return False


def _is_of_other_role(question: Question, match: FieldMatch, phrasings: FieldPhrasings) -> bool:
    """Tell whether somebody's own thing is asked for whom the field is not about: the brother's birthday."""
    known = phrasings.terms_of_field(match.field_key)
    return any(term_of(role) not in known for role in question.subjects.roles)


def _is_of_other_period(question: Question, match: FieldMatch, statement: Statement) -> bool:
    """Tell whether the field is paid by the week or the hour and the question asks for another such span."""
    if question.kind != "money":
        return False
    asked, named = _periods_of(question.plain), _periods_of(f"{match.field_key} {statement.label}".lower())
    return bool(asked and named) and asked.isdisjoint(named)


def _periods_of(text: str) -> frozenset[str]:
    """Return the spans for which pay is told: `week` of "weekly", "a week" and "per week"."""
    return frozenset(
        _DAYS.get(match[1] or match[2], match[1] or match[2])
        for match in _PERIOD.finditer(text.replace("_", " "))
    )


def _named_states(question: Question, said: FieldValue, phrasings: FieldPhrasings) -> frozenset[str]:
    asked = set(question.terms)
    listed = phrasings.states_named(said.key, question.text)
    return listed or frozenset(v for v in said.enum if term_set(v.replace("_", " ")) & asked)


def _verdict(question: Question, said: FieldValue, phrasings: FieldPhrasings) -> bool:
    if said.value_type == "boolean":
        return bool(said.value) == polarity(question.text)
    if said.value_type == "array":
        return bool(said.value)
    if said.enum:
        asked = set(question.terms).union(*(related_terms(term) for term in question.terms))
        named = _named_states(question, said, phrasings)
        named = named or frozenset(v for v in said.enum if term_set(v.replace("_", " ")) & asked)
        return said.value in named if named else said.value not in ("none", "denied")
    return bool(said.statement.text)


def _abbreviations(question: Question) -> frozenset[str]:
    """Return the terms of what a question writes in capitals amid small letters."""
    if question.text.isupper():
        return frozenset()
    return frozenset(term_of(match[0].lower()) for match in _ABBREVIATION.finditer(question.text))


def _unexplained(
    question: Question,
    match: FieldMatch,
    statement: Statement,
    phrasings: FieldPhrasings,
    weights: TermWeights,
) -> dict[str, float]:
    """Return the weights of the terms that neither the field's phrasings nor its evidence explain."""
    known = phrasings.terms_of_field(match.field_key)
    around = (
        statement.label_terms | statement.text_terms | statement.context_terms | statement.title_terms | known
    )
    left_out = light_terms() | question.asides
    return {
        term: weights.of(term)
        for term in question.terms
        if term not in left_out
        and term not in around
        and around.isdisjoint(related_terms(term))
        and around.isdisjoint(other for other, near in alike_terms(term).items() if near >= _KIN)
    }


def _residual(
    question: Question, left: Mapping[str, float], weights: TermWeights
) -> tuple[float, float, float]:
    """Return the share of the question that is not explained.

    The second number is the most telling such term's weight as a share of the most telling one's, the third
    how rare the rarest is in the language.
    """
    left_out = light_terms() | question.asides
    asked = [weights.of(term) for term in question.terms if term not in left_out]
    whole, most = math.fsum(asked) or 1.0, max(asked, default=1.0)
    return (
        math.fsum(left.values()) / whole,
        max(left.values(), default=0.0) / most,
        max(map(telling_of, left), default=0.0),
    )
