"""Weights of the ranking and of the confidence, fitted on labelled questions and cross-validated by claim.

The ranking is a softmax over each question's candidates, the confidence two logistic regressions over what
`certainty_features` measures. Everything that is reported of a question comes from weights that saw neither
its claim nor its author's file.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.question_files import Asked, auroc, is_right
from benchmarks.question_runs import Row
from citation_pipeline.core.retrieval.answering import answer_from, say
from citation_pipeline.core.retrieval.candidates import Candidates, rank_again
from citation_pipeline.core.retrieval.confidence import (
    AnswerModel,
    answer_model,
    certainty_features,
    probability_of,
)

RANKING_PULL = 30.0
CONFIDENCE_PULL = 80.0
"""How strongly weights are held to those that are shipped, which earlier questions of other claims gave.

Of two strangers' claims that no fit had seen 0.75 are right at 0.92 refused, 0.68 where a fit forgets them.
"""
STEPS = 60
RATE = 0.04
FOLDS = 6  # of claims and authors: each is left out with a sixth of the others
REFUSED = 0.95
"""Share of the unanswerable questions that the threshold has to refuse: of those by strangers among them 0.05
fewer are refused."""
REFUSED_ALONE = 0.9
"""And of those about a document by itself."""
REFUSED_SHARES = (0.8, 0.85, 0.88, 0.9, 0.92, 0.94, 0.96, 0.98)
"""Shares of the unanswerable questions at which the printed curve gives what is answered right."""
MOST_WRONG = 0.0125
"""Share of wrong answers among those that are shown with 0.8 or more: at 0.025 more were wrong on questions
of new hands."""

LEAST_SURE = 0.96
"""And never from less: of 205 above it 2 are wrong in cross-validation, of 330 above 0.94 8."""


def _signs(more: str, less: str, either: str = "") -> dict[str, int]:
    return dict.fromkeys(more.split(), 1) | dict.fromkeys(less.split(), -1) | dict.fromkeys(either.split(), 0)


# whether more of it makes an answer surer or less sure: some hundred questions do not tell for every feature
FIELD_SIGNS = _signs(
    "field_similarity field_similar_twice field_margin field_first field_fits field_sure field_cited "
    "field_high documents share field_subject_found field_earlier "
    "field_ahead_fits field_past_fits "
    "field_believed field_meant_and_believed field_nearest field_share field_share_margin",
    "field_other field_lacks field_boolean_other field_text_boolean field_residual field_worst field_low "
    "field_flagged field_contradicts field_other_state field_empty claim_unknown compound "
    "field_subject_missing outdated outdated_label field_doubted field_unbelieved field_conflicting "
    "field_superseded field_year_missing field_item_other field_other_share field_plain_worst "
    "field_ahead_not field_past_not field_month_missing",
    "field_only_doubted",
)
STATEMENT_SIGNS = _signs(
    "coverage quoted tight least_coverage related title context one_value is_whole_value focus share gap "
    "documents agrees named named_whole named_absent counts boolean_own recency place_value subject_found "
    "field_words agrees_doubted lasts alike name_titled finding name_printed "
    "year_found month_found visit_fits unit_fits plain laid_out label_fit label_fit_laid_out label_near "
    "label_whole label_sure label_agreed totals ahead_fits past_fits recency_now author_found field_older "
    "reason",
    "label_rivalled label_beside_field label_older_rival "
    "plain_missed missed lacks_kind denies repeats only_asks torn_label greets is_heading "
    "supposes predicate_missing "
    "predicate_denied subject_missing subject_near name_missing claim_unknown absent_similarity outdated "
    "outdated_label counts_other is_worker compound field_present of_other_field lasts_not name_plain "
    "finding_missing year_missing month_missing visit_other unit_other is_asked_about "
    "totals_not ahead_not past_not field_differs reason_missing",
    "other_similarity other_share best_share score is_signature is_pair is_cell is_sentence is_exchange "
    "asks_text asks_boolean asks_person asks_number asks_date asks_money terms words",
)
_Told = tuple[Mapping[str, float], bool, float]
"""The best candidate's features, whether it is right, and what its question counts."""

PAGE_SIGNS = _signs(
    "best together rank near field field_first covered covered_best hinted titled rarest bm25 field_words "
    "field_titled typed named part_found year_found recency_now hit",
    "near_miss part_missing",
    "recency",
)
RANKING_SIGNS = STATEMENT_SIGNS | FIELD_SIGNS | _signs("", "is_worker unknown", "share gap")


@dataclass(frozen=True)
class Prepared:
    """A question's candidates as numbers: features by name, which are right, which pages are labelled."""

    row: Row
    right: np.ndarray
    placed: np.ndarray
    weight: float = 1.0


@dataclass(frozen=True)
class Held:
    """A question ranked and weighed by weights that saw neither its claim nor its author's file."""

    row: Row
    probability: float
    is_right: bool
    is_placed: bool


def prepare(rows: Sequence[Row], weight: float = 1.0) -> list[Prepared]:
    """Label every candidate of every question; `weight` is what a question counts in a fit."""
    return [
        Prepared(
            row,
            np.array([_is_right(row, n) for n in range(len(row.candidates.ranked))]),
            np.array([row.has_label(page.place) for page in row.candidates.pages]),
            weight,
        )
        for row in rows
    ]


def _is_right(row: Row, number: int) -> bool:
    if not row.asked.is_answerable:
        return False
    text, value = say(row.candidates.question, row.candidates.ranked[number])
    return is_right(row.asked, text, value)


def fit(prepared: Sequence[Prepared]) -> AnswerModel:
    """Return the shipped weights moved towards questions; thresholds are chosen by `choose_thresholds`."""
    before = answer_model()
    ranking = _fit_softmax(
        [
            _Choice([e.features for e in q.row.candidates.ranked], q.right, _missed(q), q.weight)
            for q in prepared
        ],
        RANKING_SIGNS,
        before.ranking,
    )
    pages = _fit_softmax(
        [_Choice([p.features for p in q.row.candidates.pages], q.placed, (), q.weight) for q in prepared],
        PAGE_SIGNS,
        before.pages,
    )
    rows: dict[bool, list[_Told]] = {True: [], False: []}
    for question in prepared:
        candidates = rank_again(question.row.candidates, ranking)
        if candidates.ranked:
            rows[bool(candidates.ranked[0].field_key)].append(
                (
                    certainty_features(candidates),
                    top_is_right(question.row.asked, candidates),
                    question.weight,
                )
            )
    field = _fit_logistic(rows[True], FIELD_SIGNS, before.field)
    statement = _fit_logistic(rows[False], STATEMENT_SIGNS, before.statement)
    return AnswerModel(ranking, field, statement, 0.5, 0.9, pages, 0.5)


def top_is_right(asked: Asked, candidates: Candidates) -> bool:
    """Tell whether the first candidate answers the question."""
    if not asked.is_answerable or not candidates.ranked:
        return False
    return is_right(asked, *say(candidates.question, candidates.ranked[0]))


def cross_validate(judged: Sequence[Row], prepared: Sequence[Prepared]) -> list[Held]:
    """Return every judged question ranked and weighed by a fit without its claim and its author's file."""
    held: list[Held] = []
    groups = sorted({group_of(row.asked) for row in judged})
    for fold in range(FOLDS):
        own = set(groups[fold::FOLDS])
        model = fit([q for q in prepared if group_of(q.row.asked) not in own])
        held += [_held(row, model) for row in judged if group_of(row.asked) in own]
    return held


def _held(row: Row, model: AnswerModel) -> Held:
    row = replace(row, candidates=rank_again(row.candidates, model.ranking))
    return Held(
        row,
        probability_of(row.candidates, model),
        top_is_right(row.asked, row.candidates),
        row.is_placed(answer_from(row.candidates, model, threshold=-1.0)),
    )


def group_of(asked: Asked) -> str:
    """Return what is left out together: a claim with every file about it, or an author's public files."""
    return asked.author if asked.document else asked.claim


def choose_thresholds(held: Sequence[Held]) -> tuple[float, float, float]:
    """Return the probabilities that refuse enough, of claims and of one document, and where few are wrong."""
    unanswerable = [entry.probability for entry in held if not entry.row.asked.is_answerable]
    threshold = float(np.quantile(unanswerable, REFUSED))
    alone = [e.probability for e in held if e.row.candidates.is_alone and not e.row.asked.is_answerable]
    least = float(np.quantile(alone, REFUSED_ALONE)) if alone else threshold
    ordered = sorted(((entry.probability, entry.is_right) for entry in held), reverse=True)
    sure, wrong = 0.99, 0
    for number, (probability, right) in enumerate(ordered, start=1):
        wrong += not right
        if wrong <= MOST_WRONG * number:
            sure = probability
    return threshold, least, max(min(sure, 0.999), LEAST_SURE, threshold + 0.01)


def report(held: Sequence[Held], threshold: float, sure: float) -> dict[str, float]:
    """Return the figures of cross-validated questions."""
    answerable = [entry for entry in held if entry.row.asked.is_answerable]
    fields = [entry for entry in answerable if entry.row.asked.kind == "field"]
    none = [entry for entry in held if not entry.row.asked.is_answerable]
    high = [entry for entry in held if entry.probability >= sure]
    return {
        "questions": len(held),
        "right": _share(entry.is_right and entry.probability >= threshold for entry in answerable),
        "fields": _share(entry.is_right and entry.probability >= threshold for entry in fields),
        "refused": _share(entry.probability < threshold for entry in none),
        "sure": len(high),
        "wrong_of_sure": _share(not entry.is_right for entry in high),
        "auroc": auroc([entry.probability for entry in held], [entry.is_right for entry in held]),
        "first_is_right": _share(entry.is_right for entry in answerable),
        "page": _share(entry.is_placed for entry in answerable if entry.row.asked.places),
    }


def curve(held: Sequence[Held]) -> list[tuple[float, float, float]]:
    """Return shares of refused unanswerable questions, each with what is right then and the threshold."""
    unanswerable = [entry.probability for entry in held if not entry.row.asked.is_answerable]
    answerable = [entry for entry in held if entry.row.asked.is_answerable]
    found = []
    for refused in REFUSED_SHARES:
        least = float(np.quantile(unanswerable, refused))
        found.append((refused, _share(e.is_right and e.probability >= least for e in answerable), least))
    return found


def _share(found: object) -> float:
    listed = list(found)  # type: ignore[call-overload]
    return round(sum(listed) / len(listed), 3) if listed else math.nan


@dataclass(frozen=True)
class _Choice:
    """What one question chooses among: features of each, which are right, and what each loses before."""

    features: Sequence[Mapping[str, float]]
    right: np.ndarray
    missed: Sequence[float] = ()
    weight: float = 1.0


def _missed(question: Prepared) -> list[float]:
    return [-4.0 * bool(evidence.near_miss) for evidence in question.row.candidates.ranked]


def _fit_softmax(
    choices: Sequence[_Choice], signs: Mapping[str, int], before: Mapping[str, float]
) -> dict[str, float]:
    """Fit a softmax over each question's candidates, all questions in one table, by Adam."""
    used = [choice for choice in choices if choice.right.any() and not choice.right.all()]
    if not used:
        return dict(before)
    names = sorted({name for choice in used for found in choice.features for name in found} | set(before))
    table, missed = _table(used, names)
    right = np.concatenate([choice.right for choice in used]).astype(float)
    counts = np.array([len(choice.right) for choice in used])
    starts = np.r_[0, np.cumsum(counts)[:-1]]
    counted = np.array([choice.weight for choice in used])
    shared = np.repeat(counted / counted.sum(), counts)

    def shares(values: np.ndarray) -> np.ndarray:
        return values / (np.repeat(np.add.reduceat(values, starts), counts) + 1e-12)

    directions = np.array([signs.get(name, 0) for name in names])
    old = np.array([before.get(name, 0.0) for name in names])
    weights, speed, size = old.copy(), np.zeros(len(names)), np.zeros(len(names))
    for step in range(1, STEPS + 1):
        scores = table @ weights + missed
        p = shares(np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), counts)))
        pull = RANKING_PULL / counted.sum() * (weights - old)
        gradient = pull - table.T @ (shared * (shares(p * right) - p))
        speed, size = 0.9 * speed + 0.1 * gradient, 0.99 * size + 0.01 * gradient**2
        rate = RATE if step < 0.8 * STEPS else RATE / 4
        weights -= rate * (speed / (1 - 0.9**step)) / (np.sqrt(size / (1 - 0.99**step)) + 1e-6)
        weights[weights * directions < 0] = 0.0
    return {name: round(float(w), 4) for name, w in zip(names, weights, strict=True) if w}


def _table(used: Sequence[_Choice], names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return all candidates' features, a row each, and what each loses before."""
    place = {name: number for number, name in enumerate(names)}
    rows = [found for choice in used for found in choice.features]
    table = np.zeros((len(rows), len(names)), np.float32)
    for number, found in enumerate(rows):
        for name, value in found.items():
            table[number, place[name]] = value
    missed = [choice.missed or [0.0] * len(choice.right) for choice in used]
    return table, np.concatenate([np.array(found) for found in missed])


def _fit_logistic(
    rows: Sequence[_Told], signs: Mapping[str, int], before: Mapping[str, float]
) -> dict[str, float]:
    """Fit the named features alone; a weight against its sign is set to nothing and the rest fitted again."""
    names = sorted(signs)
    while True:
        found = _fit_plain(rows, names, before)
        against = {name for name in names if found.get(name, 0.0) * signs[name] < 0}
        if not against:
            return found
        names = [name for name in names if name not in against]


def _fit_plain(rows: Sequence[_Told], names: Sequence[str], before: Mapping[str, float]) -> dict[str, float]:
    table = np.array([[features.get(name, 0.0) for name in names] for features, _, _ in rows])
    right = np.array([float(is_so) for _, is_so, _ in rows])
    counted = np.array([weight for _, _, weight in rows])
    spread = table.std(0)
    spread[spread < 1e-3] = 1.0  # a constant tells nothing
    z = np.c_[np.ones(len(table)), table / spread]
    old = np.array([before.get(name, 0.0) for name in ("intercept", *names)]) * np.r_[1.0, spread]
    weights, pull = old.copy(), np.eye(z.shape[1]) * CONFIDENCE_PULL
    pull[0, 0] = 1.0
    for _ in range(40):
        p = 1 / (1 + np.exp(-np.clip(z @ weights, -30, 30)))
        hessian = (z * (counted * (p * (1 - p) + 1e-4))[:, None]).T @ z + pull
        step = np.linalg.solve(hessian, z.T @ (counted * (right - p)) - pull @ (weights - old))
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    plain = weights / np.r_[1.0, spread]
    return {
        name: round(float(weight), 5)
        for name, weight in zip(("intercept", *names), plain, strict=True)
        if weight or name == "intercept"
    }
