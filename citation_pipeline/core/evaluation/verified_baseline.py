"""Every verification as a regression test: what people signed for, and whether the pipeline still finds it.

A baseline is a committed JSON file: claim → field → outcome. A run is judged against it field by field; a
field that was right and is not any more is a regression, whatever the averages say.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from citation_pipeline.core.evaluation.evaluation import ABSENT, Evaluation, FieldEvaluation

_RIGHT_PLACE = 0.5  # of the words; as `evaluation` judges one citation


class Outcome(StrEnum):
    """What became of a verified field, the best first."""

    RIGHT = "right"  # the value, and a place that was signed for, where one was
    MISPLACED = "misplaced"  # the value, at other words
    WRONG = "wrong"  # another value, or none


Outcomes = Mapping[str, Mapping[str, Outcome]]
"""Outcomes by claim and field key."""


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """(claim, field) pairs: worse or better than in the baseline, not in it, and in it alone."""

    worse: Sequence[tuple[str, str]] = field(default_factory=tuple)
    better: Sequence[tuple[str, str]] = field(default_factory=tuple)
    new: Sequence[tuple[str, str]] = field(default_factory=tuple)
    gone: Sequence[tuple[str, str]] = field(default_factory=tuple)


class BaselineError(ValueError):
    """A baseline file that is none; the message says what is wrong with it and how to write one."""


def outcomes_of(evaluations: Iterable[Evaluation], absent: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the outcomes of evaluations against what was signed; `absent` are, by claim, the fields that a
    person marked as not stated."""
    found: dict[str, Any] = {}
    for evaluation in evaluations:
        rows = {row.field_key: _outcome(row) for row in evaluation.fields if row.value_type != ABSENT}
        wrongly = {row.field_key for row in evaluation.fields if row.value_type == ABSENT}
        for key in absent.get(evaluation.claim_id, ()):
            rows[key] = Outcome.WRONG if key in wrongly else Outcome.RIGHT
        found[evaluation.claim_id] = dict(sorted(rows.items()))
    return dict(sorted(found.items()))


def compare_with_baseline(baseline: Outcomes, now: Outcomes) -> BaselineComparison:
    """Compare field by field; a field that nobody signs for any more is gone, not worse."""
    before = {(claim, key): one for claim, keys in baseline.items() for key, one in keys.items()}
    after = {(claim, key): one for claim, keys in now.items() for key, one in keys.items()}
    order = list(Outcome)
    both = [(pair, order.index(before[pair]), order.index(after[pair])) for pair in after if pair in before]
    return BaselineComparison(
        worse=[pair for pair, was, is_now in both if is_now > was],
        better=[pair for pair, was, is_now in both if is_now < was],
        new=[pair for pair in after if pair not in before],
        gone=[pair for pair in before if pair not in after],
    )


def read_baseline(value: Any) -> dict[str, dict[str, Outcome]]:
    """Return a baseline file's content as outcomes; raises BaselineError."""
    claims = value.get("claims") if isinstance(value, Mapping) else None
    if not isinstance(claims, Mapping) or not all(isinstance(keys, Mapping) for keys in claims.values()):
        raise BaselineError("the baseline has no object `claims`: write one with --write-baseline")
    known = {outcome.value for outcome in Outcome}
    for claim_id, keys in claims.items():
        for key, outcome in keys.items():
            if outcome not in known:
                raise BaselineError(
                    f"the baseline says {outcome!r} of {claim_id} {key}: choose of {', '.join(sorted(known))}"
                )
    return {claim: {key: Outcome(one) for key, one in keys.items()} for claim, keys in claims.items()}


def _outcome(row: FieldEvaluation) -> Outcome:
    if not row.is_right:
        return Outcome.WRONG
    if row.word_box_f1 is not None and row.word_box_f1 < _RIGHT_PLACE:
        return Outcome.MISPLACED
    return Outcome.RIGHT
