"""Killed at any write of any stage: every table stays readable, and the next run completes the claim."""

import json
import multiprocessing
import signal
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow.parquet as pq
import pytest

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline_tests.killed_runs import run_claim
from citation_pipeline_tests.scenario import write_claim

WRITES = {
    1: "registration",
    2: "source_documents",
    3: "sources_index.json",
    4: "similar_pages",
    5: "words",
    6: "blocks",
    7: "pages",
    8: "documents",
    9: "document_tries",
    10: "raw_extraction",
    11: "extraction_raw.json",
    12: "answer_issues",
    13: "conflicts",
    14: "pages_read",
    15: "unread_pages",
    16: "violations",
    17: "fields",
    18: "citation_changes",
    19: "promotions",
    20: "citations",
    21: "field_history",
    22: "chunks",
    23: "data.json",
}

HISTORY = [name for name in SHAPES["field_history"].names if name != "recorded_at"]


@pytest.fixture(scope="module")
def processes() -> Any:
    """Processes forked from one that has everything imported."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["citation_pipeline_tests.killed_runs"])
    return context


def _run(processes: Any, *arguments: Any, **options: Any) -> int:
    process = processes.Process(target=run_claim, args=arguments, kwargs=options)
    process.start()
    process.join(timeout=600)
    if process.exitcode is None:
        process.kill()
        pytest.fail("the run did not end within 120 s")
    return int(process.exitcode)


def _content(store: Path) -> dict[str, Any]:
    """Everything a reader sees of the claim, bytes for tables, the dataset without its folder.

    Of the fields' history the moments of recording are left out: they differ from run to run.
    """
    tables: dict[str, Any] = {
        path.relative_to(store).as_posix(): path.read_bytes()
        for path in sorted(store.rglob("*.parquet"))
        if not {"dagster_home", "field_history"} & set(path.parts)
    }
    tables["history"] = pq.read_table(store / "field_history/tiny.parquet", columns=HISTORY).to_pylist()
    for name in ("sources_index.json", "extraction_raw.json"):
        tables[name] = json.loads((store / "published" / "tiny" / name).read_text())
    return tables | {"data.json": json.loads((store / "viewer_dataset/tiny/data.json").read_text())}


@pytest.fixture(scope="module")
def undisturbed(processes: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    root = tmp_path_factory.mktemp("undisturbed")
    folder = write_claim(root / "tiny")
    assert _run(processes, folder, root / "store") == 0
    return _content(root / "store")


@pytest.mark.parametrize(
    ("kill_at", "in_mid_write"),
    [
        # between all stages, and inside those that put several tables in place …
        *((write, False) for write in (1, 3, 5, 7, 9, 10, 11, 12, 16, 17, 18, 20, 21, 22, 23)),
        *((write, True) for write in (2, 4, 23)),  # … and with a file half written
    ],
    ids=lambda value: WRITES.get(value, "") if value is not True else "halfway",
)
def test_a_killed_run_leaves_whole_tables_and_the_next_one_ends_as_if_undisturbed(
    processes: Any, tmp_path: Path, undisturbed: dict[str, Any], kill_at: int, in_mid_write: bool
) -> None:
    folder, store = write_claim(tmp_path / "tiny"), tmp_path / "store"
    assert _run(processes, folder, store, kill_at=kill_at, in_mid_write=in_mid_write) == -signal.SIGKILL
    for path in store.rglob("*.parquet"):
        pq.read_table(path)
    assert _run(processes, folder, store) == 0
    assert _content(store) == undisturbed


def test_a_second_run_over_a_first_one_killed_between_tables_is_seen_as_torn_and_done_again(
    processes: Any, tmp_path: Path
) -> None:
    folder, store = write_claim(tmp_path / "tiny"), tmp_path / "store"
    assert _run(processes, folder, store) == 0
    (folder / "documents" / "late arrival.txt").write_text("A third letter with other words.")
    # registration, source documents, the register, similar pages, then words; blocks are not
    assert _run(processes, folder, store, kill_at=6) == -signal.SIGKILL
    assert ClaimStore(store).stage_state("parsed_documents", "tiny") is None
    assert _run(processes, folder, store) == 0
    states = ClaimStore(store).stage_states("tiny")
    assert all(states[stage] is not None for stage in STAGES)
    sources = json.loads((store / "viewer_dataset/tiny/data.json").read_text())["sources"]
    assert "late-arrival" in {source["id"] for source in sources}


def test_a_killed_run_is_marked_failed_by_the_next_one_and_holds_up_nobody(
    processes: Any, tmp_path: Path
) -> None:
    folder, store = write_claim(tmp_path / "tiny"), tmp_path / "store"
    # in the middle of parsing, which takes one claim at a time
    assert _run(processes, folder, store, kill_at=4) == -signal.SIGKILL
    with dg.DagsterInstance.from_config(str(store / "dagster_home")) as instance:
        (killed,) = instance.get_runs()
        assert killed.status is dg.DagsterRunStatus.STARTED
        assert _run(processes, folder, store) == 0
        found = instance.get_run_by_id(killed.run_id)
        assert found is not None
        assert found.status is dg.DagsterRunStatus.FAILURE
        assert instance.get_runs()[0].status is dg.DagsterRunStatus.SUCCESS
