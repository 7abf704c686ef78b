"""A claim's run in a process that kills itself at a chosen write, for tests of what is left behind."""

import os
import shutil
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.readers import Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.defs.runs.processing import Processing
from citation_pipeline_tests.scenario import LineParser


def run_claim(
    folder: Path,
    store: Path,
    stages: Sequence[str] | None = None,
    *,
    kill_at: int | None = None,
    copies: Path | None = None,
) -> None:
    """Run what is stale of a claim; with `kill_at`, die at that write, just before its move.

    With `copies`, go on, but leave there what a kill at each of the writes would have left: a store by the
    write's number.
    """
    os.environ["DAGSTER_HOME"] = str(store / "dagster_home")

    def before_write(number: int, data: bytes, place: Path) -> None:
        if copies is not None:
            if store.exists():  # the first write makes it
                shutil.copytree(store, copies / str(number))
            _leave_unmoved(copies / str(number) / place.relative_to(store), data)
        if number == kill_at:
            _leave_unmoved(place, data)
            os.kill(os.getpid(), signal.SIGKILL)

    if kill_at is not None or copies is not None:
        _plant(before_write)
    processing = Processing(
        store=str(store),
        readers={
            "parsers": Readers("parser", {"local": LineParser}),
            "extractors": Readers("extractor", {"replay": ReplayExtractor}),
        },
    )
    claim = claim_of_folder(folder, schema="workers_comp", parser="local", extractor="replay")
    processing.store.register(claim)
    wanted = stages or [d.stage for d in processing.plan(claim) if d.action == "run"]
    outcome = processing.run(claim, [stage for stage in STAGES if stage in wanted])
    assert outcome.failure is None, outcome.failure
    processing.close()


def _leave_unmoved(place: Path, data: bytes) -> None:
    """Leave the file that a write makes before it moves it into place."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.with_name(f".{place.name}.killed.tmp").write_bytes(data)


def _plant(before_write: Callable[[int, bytes, Path], None]) -> None:
    write, writes = ClaimStore.write_bytes, 0

    def write_after(self: ClaimStore, data: Any, *parts: str, **how: Any) -> str:
        nonlocal writes
        writes += 1
        before_write(writes, bytes(data), Path(self.path(*parts)))
        return write(self, data, *parts, **how)

    ClaimStore.write_bytes = write_after  # type: ignore[method-assign]
