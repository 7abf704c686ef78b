"""How sure an answer is, in 0-1, and of what the number is made.

Two logistic regressions, one for field values and one for statements, over what was measured of the best
candidate and of its rivals. `benchmarks/questions.py --fit` fits and cross-validates them.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from citation_pipeline.core.retrieval.candidates import Candidates
from citation_pipeline.core.retrieval.evidence import Evidence, weigh
from citation_pipeline.core.retrieval.label_match import is_mere_value, is_unmistakable
from citation_pipeline.core.retrieval.terms import fold_text

_RIVALS = 40  # candidates that are compared with the best
_NEAR = 4.0  # scores: what is that close is worth a look
_WIDEST_GAP = 6.0
_DOUBTED = 0.3  # what is left of the doubt about a value that a person has confirmed
_MISSED = 0.2  # what a near miss keeps of its confidence
_FLAGGED = 0.5  # of a field whose quotation is flagged: no more than is said of its place

UNSURE = 0.79
"""The most that is said of a model's answer that the answer without a model does not repeat."""

_UNMISTAKABLE = 0.85
"""The least that is said of a value whose label says what is asked, with nothing against it."""

REFUSED = 0.4
"""The confidence at which the fitted threshold lies."""


@dataclass(frozen=True, slots=True)
class ConfidenceBreakdown:
    """What a confidence is made of, each in 0-1.

    `top_match` is the share of the ranking's weight that the answer has; `agreement` how many documents say
    the same, of three; `coverage` the share of the question that the evidence covers; `keyword_signal` what
    of its most telling word was found.
    """

    top_match: float
    agreement: float
    coverage: float
    keyword_signal: float


@dataclass(frozen=True, slots=True)
class AnswerModel:
    """The fitted weights: of the rankings, of the two confidences, and the thresholds chosen with them.

    Both are probabilities: below `threshold` an answer is refused, below `sure` never shown with 0.8 or more.
    `threshold_alone` is that of a document by itself, of which less is asked that it does not say.
    """

    ranking: Mapping[str, float]
    field: Mapping[str, float]
    statement: Mapping[str, float]
    threshold: float
    sure: float
    pages: Mapping[str, float]
    threshold_alone: float


@cache
def answer_model() -> AnswerModel:
    """Return the fitted weights; read from the package once."""
    path = resources.files("citation_pipeline.schemas") / "questions" / "answer_weights.json"
    read = json.loads(path.read_text(encoding="utf-8"))
    return AnswerModel(
        read["ranking"],
        read["field"],
        read["statement"],
        read["threshold"],
        read["sure"],
        read["pages"],
        read["threshold_alone"],
    )


def certainty_features(candidates: Candidates) -> dict[str, float]:
    """Measure the best candidate, what agrees with it and what rivals it; without candidates nothing."""
    if not candidates.ranked:
        return {}
    top = candidates.ranked[0]
    question, matched = candidates.question, candidates.matched
    is_field = bool(top.field_key)
    share, documents, gap = _rivalry(candidates.ranked)
    best = matched.best.similarity if matched.best is not None else 0.0
    found = dict(top.features)
    own = found.get("field_subject_missing" if is_field else "subject_missing", 0.0)
    return found | {
        "share": share,
        "gap": gap,
        "score": top.score,
        "documents": documents,
        "best_similarity": best,
        "other_similarity": matched.other,
        "other_share": matched.other_share,
        "best_share": matched.best.share if matched.best is not None else 0.0,
        "absent_similarity": best * candidates.is_field_absent,
        "claim_unknown": candidates.unknown,
        "compound": float(question.is_compound),
        "terms": min(1.0, len(question.terms) / 8),
        "has_subject": float(_has_subject(candidates)),
        "subject_bad": own,
        "least_coverage": 0.0 if is_field else min(top.coverage, found.get("tight", 0.0)),
        f"asks_{question.kind}": 1.0,
    }


def _has_subject(candidates: Candidates) -> bool:
    subjects = candidates.question.subjects
    return bool(subjects.names or subjects.body_parts or subjects.identifiers or subjects.dates)


def _rivalry(ranked: Sequence[Evidence]) -> tuple[float, float, float]:
    """Return the answer's share of the weight, its documents of three, and the lead over another answer."""
    top = ranked[0]
    is_doubted = bool(top.features.get("field_doubted"))
    agreeing = everything = 0.0
    gap: float | None = None
    documents = set()
    for evidence in ranked[:_RIVALS]:
        if evidence.features.get("field_doubted") and top.field_key == evidence.field_key and not is_doubted:
            continue  # what lost against the shown value was weighed by the extractor
        weight = math.exp(evidence.score - top.score)
        everything += weight
        if says_same(top, evidence):
            agreeing += weight
            if evidence.score > top.score - _NEAR:
                documents.add(evidence.statement.source_id)
        elif gap is None:
            gap = top.score - evidence.score
    shown = min(3, len(documents) - 1) / 3
    return agreeing / everything, shown, min(_WIDEST_GAP, _WIDEST_GAP if gap is None else gap)


def probability_of(candidates: Candidates, model: AnswerModel) -> float:
    """Return how probable it is that the best candidate is right; 0 without one.

    A sentence that says what the field that is asked for says is as probable as the field.
    """
    found = _probability_of_first(candidates, model)
    ranked = candidates.ranked
    if not ranked or ranked[0].field_key or ranked[0].near_miss:
        return found
    for number, evidence in enumerate(ranked[:_RIVALS]):
        if _is_own_value(evidence) and says_same(ranked[0], evidence):
            first = [evidence, *ranked[:number], *ranked[number + 1 :]]
            return max(found, _probability_of_first(replace(candidates, ranked=first), model))
    return found


def _is_own_value(evidence: Evidence) -> bool:
    """Tell whether evidence is the shown value of the nearest field."""
    measured = evidence.features.get
    return bool(measured("field_first")) and not measured("field_doubted") and not evidence.near_miss


def _probability_of_first(candidates: Candidates, model: AnswerModel) -> float:
    features = certainty_features(candidates)
    if not features:
        return 0.0
    top = candidates.ranked[0]
    weights = model.field if top.field_key else model.statement
    total = weights["intercept"] + weigh(features, weights)
    probability = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
    if top.features.get("field_verified") and not top.near_miss:
        probability = 1.0 - _DOUBTED * (1.0 - probability)
    return probability * (_MISSED if top.near_miss else 1.0)


def confidence_of(candidates: Candidates, model: AnswerModel) -> float:
    """Return the confidence that is shown: the probability, bent so that its marks are the same in each fit.

    0.4 is where enough of the unanswerable questions are refused, 0.8 where at most one in forty is wrong.
    A printed label that says what is asked is as sure, alone or beside the field that says the same.
    """
    probability = probability_of(candidates, model)
    least = _UNMISTAKABLE if _is_labelled(candidates) else 0.0
    threshold = model.threshold_alone if candidates.is_alone else model.threshold
    return min(_most(candidates), max(least, _bent(probability, threshold, model.sure)))


def _most(candidates: Candidates) -> float:
    """Return the most that may be said of the best candidate: a contradicted one is never sure.

    It is contradicted by another value of the field that is meant, or by a newer print of the same
    thing. Whose it is has to be known: a name that stands all over the claim tells no place, and may be
    somebody else's than the worker's. Yes and no need words that say so:
    "Injured worker: Ana Ruiz" does not tell whether others were.
    """
    if not candidates.ranked or candidates.ranked[0].features.get("field_verified"):
        return 1.0
    if candidates.question.kind == "boolean" and is_mere_value(candidates.ranked[0]):
        return UNSURE
    measured = candidates.ranked[0].features.get
    if measured("field_flagged"):
        return _FLAGGED
    # a clause that prints a field's name where the extractor read no value for it is a guess
    doubtful = (
        "field_differs",
        "field_older",
        "outdated_label",
        "label_told_anew",
        "field_conflicting",
        "owner_dropped",
        "name_printed",
    )
    return UNSURE if any(measured(name) for name in doubtful) else 1.0


def _is_labelled(candidates: Candidates) -> bool:
    """Tell whether the best candidate, or a print that says the same, has an unmistakable label."""
    if not candidates.ranked or candidates.ranked[0].near_miss:
        return False
    top, question = candidates.ranked[0], candidates.question
    return any(
        is_unmistakable(question, evidence) and (evidence is top or says_same(top, evidence))
        for evidence in candidates.ranked[:_RIVALS]
        if evidence.features.get("label_sure")
    )


def _bent(probability: float, threshold: float, sure: float) -> float:
    marks = ((0.0, 0.0), (threshold, REFUSED), (sure, 0.8), (1.0, 1.0))
    for (low, below), (high, above) in zip(marks, marks[1:], strict=False):
        if probability <= high:
            return below + (above - below) * (probability - low) / max(1e-9, high - low)
    return 1.0


def break_down(ranked: Sequence[Evidence]) -> ConfidenceBreakdown:
    """Return the parts for ranked evidence; without any they are 0."""
    if not ranked:
        return ConfidenceBreakdown(0.0, 0.0, 0.0, 0.0)
    share, documents, _ = _rivalry(ranked)
    top = ranked[0]
    return ConfidenceBreakdown(
        top_match=round(share, 4),
        agreement=round((1 + 2 * documents) / 3, 4),
        coverage=round(min(1.0, top.coverage), 4),
        keyword_signal=round(max(0.0, 1.0 - top.missed), 4),
    )


def says_same(one: Evidence, other: Evidence) -> bool:
    """Tell whether two pieces of evidence answer alike: the same value, or one text inside the other."""
    a, b = said_by(one), said_by(other)
    if not a or not b:
        return False
    return a == b or (min(len(a), len(b)) > 3 and (a in b or b in a))


def said_by(evidence: Evidence) -> str:
    """Return what a piece of evidence answers, folded."""
    if evidence.field_key:
        return fold_text(str(evidence.value if evidence.value is not None else evidence.answer)).strip(" .")
    if evidence.typed is not None:
        return fold_text(str(evidence.typed.value)).strip(" .")
    return fold_text(evidence.statement.text).strip(" .")
