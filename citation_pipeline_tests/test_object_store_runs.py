"""A run over a store in object storage: it asks once, and never overlooks another writer."""

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.object_storage.bucket import Bucket
from citation_pipeline.adapters.object_storage.objects import forget_what_runs_asked
from citation_pipeline.adapters.sql_engines import sqlite_url
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.leases import lease
from citation_pipeline.adapters.tables.store_errors import ChangedMeanwhileError
from citation_pipeline.adapters.tables.stored_files import Copies
from citation_pipeline.adapters.tables.tries import MadeMeanwhileError, trying
from citation_pipeline_tests.lease_waits import until_somebody_waits
from citation_pipeline_tests.test_object_store import fields_of

STAGE = "source_documents"


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[str], ClaimStore]:
    """The store as a host opens it, with its own copies."""
    coordination = sqlite_url(tmp_path / "decided.sqlite")
    return lambda host: ClaimStore(
        f"memory://{tmp_path.name}/store", copies=Copies(tmp_path / host), coordination_url=coordination
    )


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the storage was asked."""
    counted: Counter[str] = Counter()
    ask = Bucket.ask

    def count(bucket: Bucket, call: Any) -> Any:
        counted["requests"] += 1
        return ask(bucket, call)

    monkeypatch.setattr(Bucket, "ask", count)
    return counted


def test_a_run_asks_once_for_what_it_reads_and_not_at_all_for_what_it_wrote(
    opened: Callable[[str], ClaimStore], asked: Counter[str]
) -> None:
    run = opened("one").within_run()
    run.write_stage(STAGE, "C-1", tables=fields_of("first"), inputs={"files": "1"})
    before = asked["requests"]
    for _ in range(5):
        assert run.read_rows(STAGE, "C-1")[0]["source_id"] == "first"
        state = run.stage_state(STAGE, "C-1")
        assert state is not None
        assert state.inputs == {"files": "1"}
    assert asked["requests"] == before
    other = opened("two").within_run()
    before = asked["requests"]
    for _ in range(5):
        assert other.read_rows(STAGE, "C-1")[0]["source_id"] == "first"
        assert not other.has("part_boundaries", "C-1.json")
    assert asked["requests"] - before <= 4  # the table with its bytes, the file that there is not


def test_a_run_that_another_writer_overtook_keeps_nothing_and_then_sees_the_others(
    opened: Callable[[str], ClaimStore],
) -> None:
    run, other = opened("one").within_run(), opened("two").within_run()
    run.write_stage(STAGE, "C-1", tables=fields_of("first"), inputs={"files": "1"})
    other.write_stage(STAGE, "C-1", tables=fields_of("second"), inputs={"files": "2"})
    # what this run works from is its own earlier writing: it may not write over what it never saw
    with pytest.raises(ChangedMeanwhileError), trying(run, STAGE, "C-1", {"files": "3"}):
        run.write_stage(STAGE, "C-1", tables=fields_of("third"), inputs={"files": "3"})
    assert run.read_rows(STAGE, "C-1")[0]["source_id"] == "second"
    with trying(run, STAGE, "C-1", {"files": "3"}):  # as its next try does
        run.write_stage(STAGE, "C-1", tables=fields_of("third"), inputs={"files": "3"})
    assert opened("three").read_rows(STAGE, "C-1")[0]["source_id"] == "third"


def test_a_run_that_waited_for_a_lease_sees_what_its_holder_made(
    opened: Callable[[str], ClaimStore],
) -> None:
    run, other = opened("one").within_run(), opened("two").within_run()
    assert run.stage_state(STAGE, "C-1") is None  # and relies on that from now on
    found: list[BaseException] = []

    def try_stage() -> None:
        try:
            with trying(run, STAGE, "C-1", {"files": "1"}):
                run.write_stage(STAGE, "C-1", tables=fields_of("twice"), inputs={"files": "1"})
        except BaseException as error:
            found.append(error)

    waiting = threading.Thread(target=try_stage)
    with lease(other, STAGE, "C-1"):
        with until_somebody_waits():
            waiting.start()
        other.write_stage(STAGE, "C-1", tables=fields_of("once"), inputs={"files": "1"})
    waiting.join(60)
    assert [type(error) for error in found] == [MadeMeanwhileError]
    assert run.read_rows(STAGE, "C-1")[0]["source_id"] == "once"


def test_a_run_sees_what_its_own_processes_wrote_after_it_looked(
    opened: Callable[[str], ClaimStore],
) -> None:
    run, process = opened("one").within_run(), opened("one").within_run()
    assert not run.has(STAGE, "C-1.parquet")
    process.write_stage(STAGE, "C-1", tables=fields_of("first"), inputs={})
    forget_what_runs_asked()  # as the run does when its processes are done
    assert run.has(STAGE, "C-1.parquet")


def test_a_run_lists_anew_each_time(opened: Callable[[str], ClaimStore]) -> None:
    run, other = opened("one").within_run(), opened("two")
    assert run.claim_ids() == []
    other.write_json({}, "claims", "C-1.json")
    assert run.claim_ids() == ["C-1"]
    assert run.listed("claims").claim_ids() == ["C-1"]
    other.write_json({}, "claims", "C-2.json")
    assert run.listed("claims").claim_ids() == ["C-1", "C-2"]


def test_a_folder_of_this_machine_is_the_same_within_a_run(tmp_path: Path) -> None:
    store = ClaimStore(tmp_path / "store")
    assert store.within_run() is store
    assert not store.is_within_run
