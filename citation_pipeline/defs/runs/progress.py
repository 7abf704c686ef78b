"""Progress inside a claim: into the run's log every few seconds, or to whoever watches the command line."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import dagster as dg

LOG_EVERY_S = 5.0  # often enough to see life, rare enough to keep a night's event log small

Watcher = Callable[[str, str, int, int], None]
"""Called with claim id, what is counted, how many are done, and of how many."""


class Progress:
    """Counts work within a claim and tells a watcher, or the run's log when there is none."""

    def __init__(self, watcher: Watcher | None = None) -> None:
        self._watcher = watcher

    @contextmanager
    def counting(
        self, context: dg.AssetExecutionContext, claim_id: str, what: str, total: int
    ) -> Iterator[Callable[..., None]]:
        """Yield a function to call once per piece of work; its arguments are ignored."""
        done, told_at = 0, time.monotonic()

        def advance(*_: Any) -> None:
            nonlocal done, told_at
            done += 1
            if self._watcher is not None:
                self._watcher(claim_id, what, done, total)
            elif time.monotonic() - told_at >= LOG_EVERY_S:
                told_at = time.monotonic()
                context.log.info(f"claim {claim_id}: {done} of {total} {what}")

        if self._watcher is not None:
            self._watcher(claim_id, what, 0, total)
        yield advance
