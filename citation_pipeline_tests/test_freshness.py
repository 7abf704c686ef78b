"""The nightly batch's freshness: a missed night is red in the UI, and so is a claim that nights pass by."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.test_utils import freeze_time
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._daemon.freshness import FreshnessDaemon
from dagster._utils.schedules import cron_string_iterator
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.core.planning.nights import NightChoice, Verdict
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.core.planning.waits import Wait, count_waits
from citation_pipeline.defs.automation.freshness import freshness_after, shift_cron
from citation_pipeline.defs.automation.night_settings import NightSettings
from citation_pipeline.defs.automation.nightly import build_nightly
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.instances import open_instance
from citation_pipeline.defs.resources import read_settings
from citation_pipeline.defs.runs.processing import Processing
from citation_pipeline_tests.properties import few_examples
from citation_pipeline_tests.scenario import ANSWER, write_claim
from citation_pipeline_tests.shown_assets import open_workspace, shown_freshness
from citation_pipeline_tests.test_nightly import READERS


def at(day: int, clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-03-{day:02d}T{clock}+00:00")


class Deployment:
    """A store with its instance, its schedules ticked and its freshness judged at moments of our choice."""

    def __init__(self, processing: Processing, workspace: WorkspaceProcessContext) -> None:
        self.processing, self.store = processing, processing.store
        self.instance, self.workspace = workspace.instance, workspace
        self.definitions = build_definitions(store=self.store.root, readers=READERS)

    def run_claim(self, folder: Path) -> bool:
        """Register a claim and run it; tell whether it was made."""
        claim = claim_of_folder(folder, schema="workers_comp", parser="local", extractor="replay")
        self.store.register(claim)
        return self.processing.run(claim, STAGES).failure is None

    def run_job(self, name: str, *, now: datetime) -> dg.ExecuteInProcessResult:
        with freeze_time(now):
            return self.definitions.resolve_job_def(name).execute_in_process(instance=self.instance)

    def tick_nightly(self, moment: datetime) -> None:
        with freeze_time(moment + timedelta(seconds=20)):
            context = dg.build_schedule_context(self.instance, scheduled_execution_time=moment)
            asked = build_nightly(NightSettings())(
                context, store=self.store, settings=read_settings(self.store.root), **READERS
            )
            assert list(asked)

    def freshness(self, now: datetime) -> dict[str, str]:
        """What the UI shows after the daemon that judges freshness looked."""
        with freeze_time(now):
            assert list(FreshnessDaemon().run_iteration(self.workspace)) == [None]
            return shown_freshness(self.workspace)

    def left_behind(self, now: datetime) -> tuple[bool, dict[str, tuple[int, str, str]]]:
        """The morning's verdict: whether it passed, and nights, since and verdict of the claims it names."""
        (check,) = self.run_job("finish_nightly_batch", now=now).get_asset_check_evaluations()
        assert check.asset_key == dg.AssetKey("nightly_batches")
        named = [record.data for record in check.metadata["longest"].value.records]
        return check.passed, {row["claim_id"]: (row["nights"], row["since"], row["verdict"]) for row in named}


@pytest.fixture
def deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    processing = Processing(store=str(tmp_path / "store"), readers=READERS)
    with (
        open_instance(tmp_path / "home") as instance,
        open_workspace(instance, "citation_pipeline.defs.definitions") as workspace,
    ):
        yield Deployment(processing, workspace)
    processing.close()


def test_a_night_on_time_is_healthy_and_a_missed_one_is_red_until_the_schedule_comes_back(
    deployment: Deployment,
) -> None:
    assert FreshnessDaemon.daemon_type() in deployment.instance.get_required_daemon_types()
    assert deployment.freshness(at(1, "12:00"))["nightly_batches"] == "UNKNOWN"  # never switched on: no alarm
    deployment.tick_nightly(at(2, "01:00"))
    for moment in (at(2, "01:10"), at(2, "02:01"), at(2, "23:00"), at(3, "01:59")):
        assert deployment.freshness(moment)["nightly_batches"] == "HEALTHY"
    assert deployment.freshness(at(3, "02:01"))["nightly_batches"] == "DEGRADED"
    # somebody looks what the night would have done: that is not the night
    assert deployment.run_job("plan_claims", now=at(3, "09:00")).success
    assert deployment.freshness(at(3, "09:01"))["nightly_batches"] == "DEGRADED"
    deployment.tick_nightly(at(4, "01:00"))
    assert deployment.freshness(at(4, "02:01"))["nightly_batches"] == "HEALTHY"


def test_a_warehouse_that_the_morning_did_not_refresh_is_red(deployment: Deployment) -> None:
    assert deployment.run_job("finish_nightly_batch", now=at(2, "06:00")).success
    assert deployment.freshness(at(2, "07:01"))["claims_warehouse"] == "HEALTHY"
    assert deployment.freshness(at(3, "06:59"))["claims_warehouse"] == "HEALTHY"
    assert deployment.freshness(at(3, "07:01"))["claims_warehouse"] == "DEGRADED"
    assert deployment.run_job("refresh_warehouse", now=at(3, "08:00")).success
    assert deployment.freshness(at(3, "08:01"))["claims_warehouse"] == "HEALTHY"


def test_no_stage_of_a_claim_is_ever_called_stale_for_its_age(deployment: Deployment) -> None:
    assert set(deployment.freshness(at(1, "12:00"))) == {"nightly_batches", "claims_warehouse"}


def test_a_claim_that_nights_pass_by_is_named_until_it_is_made(
    deployment: Deployment, tmp_path: Path
) -> None:
    folders = {name: write_claim(tmp_path / "inbox" / name) for name in ("current", "mended", "archived")}
    for claim_id, folder in folders.items():
        if claim_id != "current":
            (folder / "extraction_raw.json").unlink()
        assert deployment.run_claim(folder) == (claim_id == "current")
    deployment.tick_nightly(at(2, "01:00"))
    deployment.tick_nightly(at(2, "01:00"))  # the same tick again is the same night
    assert deployment.left_behind(at(2, "06:00")) == (True, {})
    deployment.tick_nightly(at(3, "01:00"))
    both = {claim_id: (2, "2026-03-01", "held") for claim_id in ("mended", "archived")}
    assert deployment.left_behind(at(3, "06:00")) == (False, both)

    (folders["mended"] / "extraction_raw.json").write_text(json.dumps(ANSWER))
    assert deployment.run_claim(folders["mended"])
    assert deployment.left_behind(at(3, "08:00")) == (False, {"archived": both["archived"]})
    deployment.processing.archive("archived")
    assert deployment.left_behind(at(3, "09:00")) == (True, {})
    deployment.tick_nightly(at(4, "01:00"))
    assert deployment.left_behind(at(4, "06:00")) == (True, {})


def test_waits_count_nights_in_a_row_and_end_when_a_claim_is_current() -> None:
    def choices(**verdicts: Verdict) -> list[NightChoice]:
        return [NightChoice(claim_id, verdict) for claim_id, verdict in verdicts.items()]

    first, second, third = (date(2026, 3, day) for day in (6, 9, 10))  # a weekend between the first two
    waits = count_waits(
        choices(a=Verdict.START, b=Verdict.POSTPONED, c=Verdict.CURRENT), night=first, before={}
    )
    assert waits == {"a": Wait(first, first), "b": Wait(first, first)}
    waits = count_waits(choices(a=Verdict.CURRENT, b=Verdict.BUSY), night=second, before=waits)
    assert waits == {"b": Wait(first, second, 2)}
    waits = count_waits(choices(a=Verdict.WAITING, b=Verdict.PROBLEM), night=third, before=waits)
    assert waits == {"a": Wait(third, third), "b": Wait(first, third, 3)}


# --- deadlines --------------------------------------------------------------------------------------

_HOURS = st.one_of(
    st.just("*"),
    st.lists(st.integers(0, 23), min_size=1, max_size=3).map(
        lambda hours: ",".join(str(hour) for hour in sorted(set(hours)))
    ),
)


@few_examples(0.2)
@given(st.integers(0, 59), _HOURS, st.sampled_from(["* * *", "* * 1-5", "1 * *"]), st.integers(0, 180))
def test_deadlines_are_the_ticks_and_the_slack(minute: int, hours: str, days: str, slack: int) -> None:
    cron = f"{minute} {hours} {days}"
    shifted = shift_cron(cron, minutes=slack)
    if shifted is None:  # it would fall on other days
        assert days != "* * *"
        return
    start, later = at(1, "00:00"), timedelta(minutes=slack)
    ticks = islice(cron_string_iterator(start.timestamp(), cron, "UTC"), 12)
    deadlines = cron_string_iterator((start + later).timestamp(), shifted, "UTC")
    assert [tick + later for tick in ticks] == list(islice(deadlines, 12))


def test_a_schedule_whose_deadlines_are_no_cron_is_judged_by_its_longest_pause() -> None:
    workdays = freshness_after("30 23 * * 1-5", night=NightSettings())
    assert workdays == dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=73))
    every_minute = freshness_after("* * * * *", night=NightSettings())
    assert every_minute == dg.FreshnessPolicy.time_window(fail_window=timedelta(minutes=2))


def test_without_slack_nothing_is_ever_overdue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITATION_PIPELINE_NIGHT_SLACK_MINUTES", "0")
    graph = build_definitions().get_repository_def().asset_graph
    assert not [key for key in graph.get_all_asset_keys() if graph.get(key).freshness_policy]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Kolkata"])
def test_clocks_set_forward_or_back_raise_no_false_alarm(zone: str) -> None:
    night = NightSettings(timezone=zone)
    policy: Any = freshness_after(night.cron, night=night)
    ticks = cron_string_iterator(datetime(2026, 1, 1, tzinfo=UTC).timestamp(), night.cron, zone)
    deadlines = cron_string_iterator(
        datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp(), policy.deadline_cron, zone
    )
    planned = [tick for tick in islice(ticks, 400) if tick > datetime(2026, 1, 1, 12, tzinfo=UTC)]
    for tick, deadline in zip(planned, deadlines, strict=False):
        window = deadline.timestamp() - policy.lower_bound_delta.total_seconds()
        assert window <= tick.timestamp() < deadline.timestamp()
