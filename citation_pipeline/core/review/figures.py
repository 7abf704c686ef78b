"""How a team reviews: how much, how fast, how often people agree, and how often a first word was wrong.

Counted from the events alone. A verdict is a confirmed, corrected or absent field; what was undone does not
count. Small numbers say little: every share comes with what it was counted from.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from statistics import median

from citation_pipeline.core.review.people import person_key, same_person
from citation_pipeline.core.review.same_values import same_json
from citation_pipeline.core.review.verifications import Action, Verification

_PAUSE_S = 600.0  # who decides nothing for so long does something else
_LEAST_S = 60.0  # of less time at work an hourly rate says nothing
_VERDICTS = frozenset({Action.CONFIRM, Action.CORRECT, Action.ABSENT})


@dataclass(frozen=True, slots=True)
class ReviewerFigures:
    """One reviewer's span.

    `hours` are the times between decisions that are no pause, so `per_hour` is of the time at work; 0 of less
    than a minute. `judged` of their verdicts another person looked at later: `overturned` of
    these had another value afterwards.
    """

    reviewer: str
    verdicts: int = 0
    claims: int = 0
    days: int = 0
    hours: float = 0.0
    per_hour: float = 0.0
    median_seconds: float = 0.0
    undone: int = 0
    judged: int = 0
    overturned: int = 0


@dataclass(frozen=True, slots=True)
class FieldFigures:
    """One field over all claims.

    `corrected` and `marked_absent` of the `verdicts` say that the pipeline was wrong. `judged` verdicts were
    looked at by a second person, who left `agreed` of them as they were.
    """

    field_key: str
    verdicts: int = 0
    confirmed: int = 0
    corrected: int = 0
    marked_absent: int = 0
    judged: int = 0
    agreed: int = 0


@dataclass
class _Counting:
    name: str
    verdicts: list[Verification] = field(default_factory=list)
    moments: list[datetime] = field(default_factory=list)
    undone: int = 0
    judged: int = 0
    overturned: int = 0


@dataclass(frozen=True, slots=True)
class _Judgement:
    first: Verification
    agrees: bool


def figures_of(
    events: Iterable[Verification],
) -> tuple[list[ReviewerFigures], list[FieldFigures]]:
    """Return the figures by reviewer (most verdicts first) and by field (most often wrong first)."""
    people: dict[str, _Counting] = {}  # by what names are compared by
    fields: dict[str, FieldFigures] = {}
    histories: dict[tuple[str, str], list[Verification]] = defaultdict(list)
    for event in events:
        histories[(event.claim_id, event.field_key)].append(event)
        counted_for = people.setdefault(person_key(event.reviewer), _Counting(event.reviewer))
        counted_for.moments.append(datetime.fromisoformat(event.made_at))
        counted_for.undone += event.action is Action.UNDO
    for (_, key), history in histories.items():
        verdicts = _standing_verdicts(history)
        counted = fields.get(key, FieldFigures(key))
        for verdict in verdicts:
            people[person_key(verdict.reviewer)].verdicts.append(verdict)
            counted = _with_verdict(counted, verdict)
        for judgement in _judgements(verdicts):
            counted_for = people[person_key(judgement.first.reviewer)]
            counted_for.judged += 1
            counted_for.overturned += not judgement.agrees
            counted = replace(counted, judged=counted.judged + 1, agreed=counted.agreed + judgement.agrees)
        fields[key] = counted
    found = [_reviewer(counted) for counted in people.values()]
    return (
        sorted(found, key=lambda one: (-one.verdicts, one.reviewer)),
        sorted(
            (one for one in fields.values() if one.verdicts),
            key=lambda one: (
                -(one.corrected + one.marked_absent) / one.verdicts,
                -one.verdicts,
                one.field_key,
            ),
        ),
    )


def _standing_verdicts(history: Sequence[Verification]) -> list[Verification]:
    """Return a field's verdicts without those that were undone or taken back by reopening."""
    kept: list[Verification] = []
    for event in sorted(history, key=lambda event: event.verification_id):
        if event.action in _VERDICTS:
            kept.append(event)
        elif event.action is Action.UNDO and kept:
            kept.pop()
        elif event.action is Action.REOPEN:
            kept.clear()
    return kept


def _judgements(verdicts: Sequence[Verification]) -> Iterable[_Judgement]:
    """Yield each verdict that the next different person looked at."""
    for number, first in enumerate(verdicts):
        later = next((v for v in verdicts[number + 1 :] if not same_person(v.reviewer, first.reviewer)), None)
        if later is not None and same_json(first.seen_value, later.seen_value):
            # where the pipeline says something else by then, another value is no error of the first
            yield _Judgement(first, _value_of(first) == _value_of(later))


def _value_of(verdict: Verification) -> str:
    if verdict.action is Action.ABSENT:
        return "absent"
    value = verdict.value if verdict.action is Action.CORRECT else verdict.seen_value
    return repr(float(value)) if isinstance(value, int | float) else repr(value)


def _with_verdict(counted: FieldFigures, verdict: Verification) -> FieldFigures:
    # who signs for the value that the pipeline has confirms it, whatever key was pressed
    is_right = verdict.action is Action.CONFIRM or (
        verdict.action is Action.CORRECT and same_json(verdict.value, verdict.seen_value)
    )
    return replace(
        counted,
        verdicts=counted.verdicts + 1,
        confirmed=counted.confirmed + is_right,
        corrected=counted.corrected + (verdict.action is Action.CORRECT and not is_right),
        marked_absent=counted.marked_absent + (verdict.action is Action.ABSENT),
    )


def _reviewer(counted: _Counting) -> ReviewerFigures:
    moments = sorted(counted.moments)
    gaps = [(b - a).total_seconds() for a, b in zip(moments, moments[1:], strict=False)]
    working = [gap for gap in gaps if gap <= _PAUSE_S]
    hours = sum(working) / 3600
    return ReviewerFigures(
        reviewer=counted.name,
        verdicts=len(counted.verdicts),
        claims=len({verdict.claim_id for verdict in counted.verdicts}),
        days=len({moment.date() for moment in moments}),
        hours=round(hours, 3),
        per_hour=round(len(working) / hours, 1) if sum(working) >= _LEAST_S else 0.0,
        median_seconds=round(median(working), 1) if working else 0.0,
        undone=counted.undone,
        judged=counted.judged,
        overturned=counted.overturned,
    )
