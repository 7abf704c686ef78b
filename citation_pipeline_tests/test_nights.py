"""Which claims a night works on and why, by the plans alone."""

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.planning.nights import (
    ClaimPlan,
    NightLimits,
    PredictedCost,
    Verdict,
    choose_claims,
    night_of,
)
from citation_pipeline.core.planning.retries import RetryRules
from citation_pipeline.core.planning.stages import (
    NIGHTS_OF_THE_SAME,
    FailedTry,
    StageDecision,
    StageState,
    decide,
)


def plan_of(claim_id: str, *stages: str, reason: str = "files", dollars: float = 1.0) -> ClaimPlan:
    decisions = tuple(StageDecision(stage, "run", (reason,)) for stage in stages)
    return ClaimPlan(
        claim_id, decisions, {stages[0]: PredictedCost(calls=1, dollars=dollars)} if stages else {}
    )


def verdicts(plans: list[ClaimPlan], **given: object) -> dict[str, Verdict]:
    limits = given.pop("limits", NightLimits())
    return {c.claim_id: c.verdict for c in choose_claims(plans, limits=limits, **given)}  # type: ignore[arg-type]


def test_a_claim_with_a_changed_input_starts_with_its_stages_and_the_cause() -> None:
    decisions = (
        StageDecision("source_documents", "skip"),
        StageDecision("resolved_citations", "run", ("matcher",)),
        StageDecision("viewer_dataset", "run", ("resolved_citations",)),
    )
    (choice,) = choose_claims([ClaimPlan("a", decisions)], limits=NightLimits())
    assert choice.verdict is Verdict.START
    assert choice.stages == ("resolved_citations", "viewer_dataset")
    assert choice.reasons == ("matcher",)


def test_claims_that_are_current_busy_unsettled_or_unreadable_are_named_and_not_started() -> None:
    plans = [
        ClaimPlan("current", (StageDecision("source_documents", "skip"),)),
        plan_of("busy", "source_documents"),
        plan_of("copying", "source_documents"),
        ClaimPlan("gone", problem="gone: its folder is gone"),
    ]
    found = verdicts(plans, busy={"busy"}, unsettled={"copying"})
    assert found == {
        "current": Verdict.CURRENT,
        "busy": Verdict.BUSY,
        "copying": Verdict.WAITING,
        "gone": Verdict.PROBLEM,
    }


def test_what_failed_for_good_is_held_and_says_why() -> None:
    held = ClaimPlan("a", (StageDecision("raw_extraction", "hold", ("failed",), "the key was refused"),))
    (choice,) = choose_claims([held], limits=NightLimits())
    assert (choice.verdict, choice.reasons) == (Verdict.HELD, ("raw_extraction: the key was refused",))


def test_new_work_goes_before_what_only_tries_again() -> None:
    plans = [
        plan_of("retry", "raw_extraction", reason="failed_transiently"),
        plan_of("new-1", "source_documents"),
        plan_of("new-2", "source_documents"),
    ]
    found = verdicts(plans, limits=NightLimits(claims=2))
    assert found == {"retry": Verdict.POSTPONED, "new-1": Verdict.START, "new-2": Verdict.START}


def test_a_claim_beyond_the_budget_does_not_keep_smaller_ones_from_starting() -> None:
    plans = [plan_of("large", "raw_extraction", dollars=50), plan_of("small", "raw_extraction", dollars=1)]
    choices = choose_claims(plans, limits=NightLimits(dollars=10))
    assert [choice.verdict for choice in choices] == [Verdict.POSTPONED, Verdict.START]
    assert choices[0].reasons == ("alone beyond the night's dollars",)


@given(
    st.lists(st.floats(0, 20), max_size=30),
    st.one_of(st.none(), st.integers(0, 20)),
    st.one_of(st.none(), st.floats(0, 60)),
)
def test_no_night_starts_more_than_its_limits_allow(
    prices: list[float], claims: int | None, dollars: float | None
) -> None:
    plans = [plan_of(f"c{n}", "raw_extraction", dollars=price) for n, price in enumerate(prices)]
    choices = choose_claims(plans, limits=NightLimits(claims=claims, dollars=dollars))
    assert [choice.claim_id for choice in choices] == [plan.claim_id for plan in plans]
    started = [choice for choice in choices if choice.verdict is Verdict.START]
    assert claims is None or len(started) <= claims
    assert dollars is None or sum(choice.cost.dollars for choice in started) <= dollars + 1e-4


@pytest.mark.parametrize(
    ("moment", "night"),
    [
        ("2026-03-02T01:00", "2026-03-01"),
        ("2026-03-01T23:59", "2026-03-01"),
        ("2026-03-02T12:00", "2026-03-02"),
    ],
)
def test_a_night_is_named_by_its_evening(moment: str, night: str) -> None:
    assert night_of(datetime.fromisoformat(moment)) == date.fromisoformat(night)


# --- failed tries -----------------------------------------------------------------------------------

INPUTS = {"source_documents": "v1", "parser": "p1"}


def failed_try(*, transient: bool, nights: int = 1, inputs: dict[str, str] = INPUTS) -> FailedTry:
    return FailedTry("parsed_documents", inputs, "it failed", transient, nights)


def test_a_permanent_failure_is_held_until_an_input_changes() -> None:
    failed = failed_try(transient=False)
    same = decide("parsed_documents", kept=None, inputs=INPUTS, failed=failed)
    assert (same.action, same.reasons, same.detail) == ("hold", ("failed",), "it failed")
    mended = decide("parsed_documents", kept=None, inputs=INPUTS | {"parser": "p2"}, failed=failed)
    assert mended.action == "run"
    upstream = frozenset({"source_documents"})
    assert decide("parsed_documents", kept=None, inputs={}, failed=failed, running=upstream).action == "run"


def test_a_passing_failure_is_tried_again_for_some_nights_only() -> None:
    again = decide("parsed_documents", kept=None, inputs=INPUTS, failed=failed_try(transient=True))
    assert (again.action, again.reasons) == ("run", ("failed_transiently",))
    last = failed_try(transient=True, nights=NIGHTS_OF_THE_SAME)
    assert decide("parsed_documents", kept=None, inputs=INPUTS, failed=last).action == "hold"


def test_what_was_never_made_from_a_held_stage_waits_and_what_was_made_stays() -> None:
    held = frozenset({"parsed_documents"})
    never = decide("raw_extraction", kept=None, inputs={}, held=held)
    assert (never.action, never.reasons) == ("hold", ("parsed_documents",))
    kept = StageState({"parsed_documents": "v1"}, "x")
    assert decide("raw_extraction", kept=kept, inputs={"parsed_documents": "v1"}, held=held).action == "skip"


# --- waits in a run ---------------------------------------------------------------------------------


@given(st.integers(1, 10), st.floats(0, 1))
def test_waits_double_with_chance_and_never_pass_the_longest(tries: int, chance: float) -> None:
    rules = RetryRules(tries=20, first_wait_s=20, longest_wait_s=100)
    wait = rules.wait_before_retry(tries_done=tries, retry_after_s=None, chance=chance)
    assert wait is not None
    full = min(100.0, 20.0 * 2 ** (tries - 1))
    assert full / 2 <= wait <= full


def test_what_the_provider_asks_for_is_waited_for_unless_it_is_too_long() -> None:
    rules = RetryRules(tries=3, first_wait_s=20, longest_wait_s=100)
    assert rules.wait_before_retry(tries_done=1, retry_after_s=90, chance=0.5) == 100.0
    assert rules.wait_before_retry(tries_done=1, retry_after_s=101, chance=0) is None
    assert rules.wait_before_retry(tries_done=3, retry_after_s=1, chance=0) is None
