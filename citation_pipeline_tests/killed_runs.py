"""A claim's run in a process that kills itself at a chosen write, for tests of what is left behind."""

import os
import signal
from collections.abc import Sequence
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
    in_mid_write: bool = False,
) -> None:
    """Run what is stale of a claim; with `kill_at`, die at that write: halfway, or just before its move."""
    os.environ["DAGSTER_HOME"] = str(store / "dagster_home")
    if kill_at is not None:
        _plant(kill_at, in_mid_write=in_mid_write)
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


def _plant(kill_at: int, *, in_mid_write: bool) -> None:
    write, writes = ClaimStore.write_bytes, 0

    def write_or_die(self: ClaimStore, data: Any, *parts: str) -> None:
        nonlocal writes
        writes += 1
        if writes == kill_at:
            place = Path(self.path(*parts))
            place.parent.mkdir(parents=True, exist_ok=True)
            size = len(data) // 2 if in_mid_write else len(data)
            place.with_name(f".{place.name}.killed.tmp").write_bytes(bytes(data)[:size])
            os.kill(os.getpid(), signal.SIGKILL)
        write(self, data, *parts)

    ClaimStore.write_bytes = write_or_die  # type: ignore[method-assign]
