"""Killed at any write of any stage: every table stays readable, and the next run completes the claim."""

import json
import multiprocessing
import os
import shutil
import signal
from dataclasses import dataclass
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

WRITES = (  # of a claim's first run, in their order
    "claims",
    "source_ids",
    "source_documents",
    "sources_index.json",
    "similar_pages",
    "second_readings",
    "words",
    "blocks",
    "pages",
    "documents",
    "document_tries",
    "raw_extraction",
    "extraction_raw.json",
    "answer_issues",
    "conflicts",
    "pages_read",
    "unread_pages",
    "violations",
    "fields",
    "citation_changes",
    "field_confidences",
    "promotions",
    "citations",
    "field_history",
    "chunks",
    "data.json",
)

HISTORY = [name for name in SHAPES["field_history"].names if name != "recorded_at"]


@pytest.fixture(scope="module")
def processes() -> Any:
    """Processes forked from one that has run a claim before."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["citation_pipeline_tests.warm_killed_runs"])
    return context


def _run(processes: Any, *arguments: Any, **options: Any) -> int:
    process = processes.Process(target=run_claim, args=arguments, kwargs=options)
    process.start()
    process.join(timeout=600)
    if process.exitcode is None:
        process.kill()
        pytest.fail("the run did not end within 600 s")
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


@dataclass(frozen=True)
class FirstRun:
    """A run that was not disturbed: its claim, its store, what was in there, and a store as of each write."""

    folder: Path
    store: Path
    content: dict[str, Any]
    copies: Path


@pytest.fixture(scope="module")
def first_run(processes: Any, tmp_path_factory: pytest.TempPathFactory) -> FirstRun:
    root = tmp_path_factory.mktemp("undisturbed")
    folder, store, copies = write_claim(root / "tiny"), root / "store", root / "copies"
    assert _run(processes, folder, store, copies=copies) == 0
    assert [_unmoved(copies / str(number)) for number in range(1, len(WRITES) + 1)] == list(WRITES)
    assert not (copies / str(len(WRITES) + 1)).exists()
    return FirstRun(folder, store, _content(store), copies)


def _unmoved(store: Path) -> str:
    """The name of what was being written: a table's, or a file's of its own."""
    (file,) = store.rglob(".*.killed.tmp")
    name = file.name[1 : -len(".killed.tmp")]
    return file.parent.name if name.startswith("tiny.") else name


@pytest.mark.parametrize(
    ("killed_at", "in_mid_write"),
    [
        # between all stages, and inside those that put several tables in place …
        *((name, False) for name in WRITES if name not in ("source_documents", "similar_pages", "blocks")),
        *((name, True) for name in ("source_documents", "similar_pages", "data.json")),  # … or half written
    ],
)
def test_a_killed_run_leaves_whole_tables_and_the_next_one_ends_as_if_undisturbed(
    processes: Any, first_run: FirstRun, killed_at: str, in_mid_write: bool
) -> None:
    # what a SIGKILL leaves are the files of its moment; a run of its own for each would double the cost
    store = first_run.store
    shutil.rmtree(store)  # the same path: the run history knows its own
    shutil.copytree(first_run.copies / str(WRITES.index(killed_at) + 1), store)
    (unmoved,) = store.rglob(".*.killed.tmp")
    if in_mid_write:
        os.truncate(unmoved, unmoved.stat().st_size // 2)
    for path in store.rglob("*.parquet"):
        pq.read_table(path)
    assert _run(processes, first_run.folder, store) == 0
    assert _content(store) == first_run.content


def test_a_second_run_over_a_first_one_killed_between_tables_is_seen_as_torn_and_done_again(
    processes: Any, tmp_path: Path
) -> None:
    folder, store = write_claim(tmp_path / "tiny"), tmp_path / "store"
    assert _run(processes, folder, store) == 0
    (folder / "documents" / "late arrival.txt").write_text("A third letter with other words.")
    # everything up to the words; blocks are not
    assert _run(processes, folder, store, kill_at=WRITES.index("blocks") + 1) == -signal.SIGKILL
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
    assert _run(processes, folder, store, kill_at=WRITES.index("similar_pages") + 1) == -signal.SIGKILL
    with dg.DagsterInstance.from_config(str(store / "dagster_home")) as instance:
        (killed,) = instance.get_runs()
        assert killed.status is dg.DagsterRunStatus.STARTED
        assert _run(processes, folder, store) == 0
        found = instance.get_run_by_id(killed.run_id)
        assert found is not None
        assert found.status is dg.DagsterRunStatus.FAILURE
        assert instance.get_runs()[0].status is dg.DagsterRunStatus.SUCCESS
