"""Which claims a night works on and why: one choice per claim, within the night's limits.

Pure: what each claim's stages would do, what that is likely to cost and which claims are busy is found out
by the pipeline and given in. Starting runs belongs to the schedule.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum

from citation_pipeline.core.planning.stages import StageDecision


@dataclass(frozen=True, slots=True)
class PredictedCost:
    """What work is likely to take: calls and tokens of paid providers, US dollars, pages, minutes of one run.

    Counts are upper bounds where replies or parses may be stored already: those cost nothing again.
    """

    calls: int = 0
    pages: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    minutes: float = 0.0

    def __add__(self, other: "PredictedCost") -> "PredictedCost":
        return PredictedCost(
            self.calls + other.calls,
            self.pages + other.pages,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            round(self.dollars + other.dollars, 6),
            round(self.minutes + other.minutes, 4),
        )


@dataclass(frozen=True, slots=True)
class ClaimPlan:
    """What a run of a claim would do and take; `problem` says why the claim cannot even be looked at."""

    claim_id: str
    decisions: tuple[StageDecision, ...] = ()
    costs: Mapping[str, PredictedCost] = field(default_factory=dict)  # by stage; free stages may be absent
    problem: str = ""

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that would run."""
        return tuple(decision.stage for decision in self.decisions if decision.action == "run")

    @property
    def held(self) -> tuple[StageDecision, ...]:
        """The stages that failed for good, and those that wait for them."""
        return tuple(decision for decision in self.decisions if decision.action == "hold")

    @property
    def cost(self) -> PredictedCost:
        """The cost of all stages that would run."""
        return self._cost_of(self.stages)

    @property
    def held_cost(self) -> PredictedCost:
        """What the held stages would cost once what held them is mended, such as a missing key."""
        return self._cost_of(tuple(decision.stage for decision in self.held))

    def _cost_of(self, stages: Sequence[str]) -> PredictedCost:
        return sum((self.costs[stage] for stage in stages if stage in self.costs), PredictedCost())

    @property
    def is_retry(self) -> bool:
        """Whether the claim would run only because a passing fault stopped its last try."""
        causes = [d.reasons for d in self.decisions if d.action == "run"]
        return bool(causes) and causes[0] == ("failed_transiently",)


@dataclass(frozen=True, slots=True)
class NightLimits:
    """The most that one night may start; None leaves something unlimited."""

    claims: int | None = 500
    calls: int | None = None
    dollars: float | None = None
    minutes: float | None = None

    def excess(self, claims: int, cost: PredictedCost) -> str:
        """Return which limit this much would break, or nothing."""
        for name, wanted, most in (
            ("claims", claims, self.claims),
            ("calls", cost.calls, self.calls),
            ("dollars", cost.dollars, self.dollars),
            ("minutes", cost.minutes, self.minutes),
        ):
            if most is not None and wanted > most:
                return name
        return ""


class Verdict(StrEnum):
    """What a night does with a claim."""

    START = "start"
    CURRENT = "current"  # nothing changed since its last run
    HELD = "held"  # its last try failed for good, and nothing changed since
    BUSY = "busy"  # a run or backfill has it
    WAITING = "waiting"  # its folder is still being copied
    POSTPONED = "postponed"  # the night's limits are reached
    PROBLEM = "problem"  # it cannot be looked at


@dataclass(frozen=True, slots=True)
class NightChoice:
    """One claim's verdict: `reasons` are changed inputs for a start, one sentence otherwise."""

    claim_id: str
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    cost: PredictedCost = PredictedCost()


def choose_claims(
    plans: Sequence[ClaimPlan],
    *,
    limits: NightLimits,
    busy: Collection[str] = (),
    unsettled: Collection[str] = (),
) -> list[NightChoice]:
    """Return one choice per claim, in the order of the plans.

    Claims with something new are started before those that only try again, so that a provider's bad week
    never keeps new claims waiting; within both, the plans' order. A claim that does not fit what is left
    of the night does not keep a smaller one behind it from starting.
    """
    choices = {plan.claim_id: _judge(plan, busy=busy, unsettled=unsettled) for plan in plans}
    started, spent = 0, PredictedCost()
    for plan in sorted(plans, key=lambda plan: plan.is_retry):
        choice = choices[plan.claim_id]
        if choice.verdict is not Verdict.START:
            continue
        broken = limits.excess(started + 1, spent + plan.cost)
        if broken:
            alone = limits.excess(1, plan.cost)
            reason = f"alone beyond the night's {alone}" if alone else f"the night's {broken} are used up"
            choices[plan.claim_id] = NightChoice(plan.claim_id, Verdict.POSTPONED, (reason,), (), plan.cost)
            continue
        started, spent = started + 1, spent + plan.cost
    return [choices[plan.claim_id] for plan in plans]


def night_of(moment: datetime) -> date:
    """Return the night that a moment belongs to: named by its evening, it lasts from noon to noon."""
    return (moment - timedelta(hours=12)).date()


def _judge(plan: ClaimPlan, *, busy: Collection[str], unsettled: Collection[str]) -> NightChoice:
    def said(verdict: Verdict, *reasons: str) -> NightChoice:
        return NightChoice(plan.claim_id, verdict, reasons)

    if plan.claim_id in busy:
        return said(Verdict.BUSY, "a run or a backfill works on it")
    if plan.claim_id in unsettled:
        return said(Verdict.WAITING, "its folder is still changing, or its marker is missing")
    if plan.problem:
        return said(Verdict.PROBLEM, plan.problem)
    if plan.stages:
        reasons = dict.fromkeys(
            reason
            for decision in plan.decisions
            if decision.action == "run"
            for reason in decision.reasons
            if reason not in plan.stages  # a stage that runs because the one before it does is no cause
        )
        return NightChoice(plan.claim_id, Verdict.START, tuple(reasons), plan.stages, plan.cost)
    if plan.held:
        first = plan.held[0]
        return said(Verdict.HELD, f"{first.stage}: {first.detail or ', '.join(first.reasons)}")
    return said(Verdict.CURRENT)
