"""The processes that a run spreads its claims over: order, a killed one, and small runs that need none."""

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.citations import Citation
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.failures import is_transient
from citation_pipeline.defs.assets import resolved_citations
from citation_pipeline.defs.resources import read_settings
from citation_pipeline.defs.runs.claim_workers import ClaimWorkers, LostWorkerError, open_claim_workers
from citation_pipeline_tests.scenario import write_claim
from citation_pipeline_tests.stored_claims import store_claim

KEYS = [f"claim-{number:02d}" for number in range(40)]


def tell(key: str) -> tuple[str, int]:
    return key, os.getpid()


def loaded_pandas(key: str) -> bool:
    return "pandas" in sys.modules


def die_at_seventeen(key: str) -> str:
    if key == "claim-17":
        os.kill(os.getpid(), signal.SIGKILL)
    return key


def test_many_claims_go_to_other_processes_and_come_back_in_order() -> None:
    with open_claim_workers(2) as workers:
        results = [found for found in workers.map(tell, KEYS) if isinstance(found, tuple)]
        again = [found for found in workers.map(tell, KEYS) if isinstance(found, tuple)]
    assert [key for key, _ in results] == KEYS
    processes = {process for _, process in results + again}
    assert os.getpid() not in processes
    assert len(processes) <= 2  # the second round starts none of its own


@pytest.mark.parametrize(("processes", "keys"), [(1, KEYS), (8, KEYS[:5])])
def test_one_core_or_a_few_claims_need_no_process(processes: int, keys: list[str]) -> None:
    results = list(ClaimWorkers(processes).map(tell, keys))
    assert results == [(key, os.getpid()) for key in keys]


def test_a_killed_process_costs_the_claims_that_were_not_back_yet_and_the_next_ones_get_another() -> None:
    with open_claim_workers(2) as workers:
        results = list(workers.map(die_at_seventeen, KEYS))
        lost = [result for result in results if isinstance(result, LostWorkerError)]
        assert len(results) == len(KEYS)
        assert isinstance(results[17], LostWorkerError)
        assert [found for found in results if isinstance(found, str)] == KEYS[: len(KEYS) - len(lost)]
        assert is_transient(lost[0])  # the next night tries them again
        assert list(workers.map(str.upper, KEYS)) == [key.upper() for key in KEYS]


def test_neither_runs_nor_their_processes_load_pandas() -> None:
    with open_claim_workers(2, preload=["citation_pipeline.defs.assets.checks"]) as workers:
        assert not any(workers.map(loaded_pandas, KEYS))
    loaded = "import sys, citation_pipeline.defs.definitions; print('pandas' in sys.modules)"
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", loaded], capture_output=True, text=True, check=True
    )
    assert told.stdout.split()[-1] == "False"


def test_a_claim_that_was_matched_leaves_nothing_of_it_in_a_process_that_seldom_looks_for_garbage(
    tmp_path: Path,
) -> None:
    store = ClaimStore(tmp_path / "store")
    store_claim(store, write_claim(tmp_path / "claim_900"))
    settings = read_settings(str(store.root))
    gc.collect()
    others = {id(one) for one in gc.get_objects()}  # of other tests in this process
    gc.disable()
    try:
        outcome = resolved_citations._resolve(store, settings, "claim_900")
        kept = [
            type(one).__name__
            for one in gc.get_objects()
            if isinstance(one, ParsedDocument | Citation) and id(one) not in others
        ]
    finally:
        gc.enable()
    assert outcome.metadata["citations"] > 0
    assert kept == []
