"""A claim's stage is made by one run at a time; a second one waits, and finds it made."""

import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import pyarrow as pa
import pytest

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.leases import lease
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.tables.tries import MadeMeanwhileError, resuming, trying
from citation_pipeline.defs.instances import open_instance
from citation_pipeline.defs.runs.claim_runs import reported_before
from citation_pipeline_tests.killed_runs import run_claim
from citation_pipeline_tests.lease_waits import until_somebody_waits
from citation_pipeline_tests.scenario import write_claim

STAGE, CLAIM = "source_documents", "claim-1"
INPUTS = {"files": "abc"}


def make(store: ClaimStore) -> None:
    store.write_stage(
        STAGE, CLAIM, tables={STAGE: pa.Table.from_pylist([], schema=SHAPES[STAGE])}, inputs=INPUTS
    )


def make_while_another_waits(store: ClaimStore, *, waiting_inputs: dict[str, str]) -> list[str]:
    """Hold the stage, let a second run come, make it; what the second one did."""
    outcome: list[str] = []

    def second() -> None:
        try:
            with trying(store, STAGE, CLAIM, waiting_inputs):
                outcome.append("made it again")
        except MadeMeanwhileError as made:
            outcome.append(f"found it made of {made.state.inputs['files']}")

    with trying(store, STAGE, CLAIM, INPUTS):
        waiter = threading.Thread(target=second)
        with until_somebody_waits():
            waiter.start()
        assert outcome == []  # it waits for the lease
        make(store)
    waiter.join(120)
    return outcome


def test_a_second_run_of_the_same_stage_waits_and_makes_nothing(tmp_path: Path) -> None:
    assert make_while_another_waits(ClaimStore(tmp_path), waiting_inputs=INPUTS) == ["found it made of abc"]


def test_a_second_run_with_other_inputs_has_its_turn(tmp_path: Path) -> None:
    outcome = make_while_another_waits(ClaimStore(tmp_path), waiting_inputs={"files": "def"})
    assert outcome == ["made it again"]


def test_a_run_that_waited_for_nobody_makes_what_it_was_asked_for(tmp_path: Path) -> None:
    store = ClaimStore(tmp_path)
    make(store)
    with trying(store, STAGE, CLAIM, INPUTS):  # no MadeMeanwhileError: somebody asked for it again
        make(store)


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_process_gives_its_lease_back(tmp_path: Path, blow: signal.Signals) -> None:
    code = (
        "import sys, time\n"
        "from citation_pipeline.adapters.tables.claim_store import ClaimStore\n"
        "from citation_pipeline.adapters.tables.leases import lease\n"
        f"with lease(ClaimStore(sys.argv[1]), {STAGE!r}, {CLAIM!r}):\n"
        "    print('held', flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        try:
            assert holder.stdout.readline() == b"held\n"
            os.kill(holder.pid, blow)
            holder.wait(120)
        finally:
            holder.kill()
    with lease(ClaimStore(tmp_path), STAGE, CLAIM) as waited:
        assert not waited


def test_what_a_killed_run_had_reported_is_left_as_it_is_by_its_retry(tmp_path: Path) -> None:
    store = tmp_path / "store"
    run_claim(write_claim(tmp_path / "tiny"), store)
    with open_instance(store / "dagster_home") as instance:
        (killed,) = instance.get_runs()
        run = SimpleNamespace(tags={"dagster/retry_number": "1"}, parent_run_id=killed.run_id)
        context: Any = SimpleNamespace(
            run=run, instance=instance, asset_key=dg.AssetKey("resolved_citations")
        )
        assert reported_before(context) == {"tiny"}
        run.tags = {}
        assert reported_before(context) == frozenset()
        # a night asked for the claim before that run made it: the night's own run comes too late
        run.tags, context.partition_keys = {"citation_pipeline/night": "2026-11-22"}, ["tiny"]
        for asked_s, left in ((-60.0, {"tiny"}), (3600.0, set())):
            asked = datetime.now(UTC) + timedelta(seconds=asked_s)
            run.run_id = "night"
            context.instance = SimpleNamespace(
                get_run_record_by_id=lambda _, asked=asked: SimpleNamespace(create_timestamp=asked),
                fetch_materializations=instance.fetch_materializations,
            )
            assert reported_before(context) == left
    kept = ClaimStore(store)
    inputs = kept.stage_state("resolved_citations", "tiny").inputs  # type: ignore[union-attr]
    with (
        resuming(True),
        pytest.raises(MadeMeanwhileError),
        trying(kept, "resolved_citations", "tiny", inputs),
    ):
        pytest.fail("it was made again")
    with resuming(True), trying(kept, "resolved_citations", "tiny", {**inputs, "matcher": "a newer one"}):
        pass
