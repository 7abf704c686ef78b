"""A progress bar on a terminal; silence where a machine reads."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citation_pipeline.defs.runs.progress import Watcher


@contextmanager
def watching(*, as_json: bool) -> Iterator["Watcher"]:
    """Yield a watcher that draws progress bars on stderr when a person looks at it."""
    if as_json or not sys.stderr.isatty():
        yield lambda claim_id, what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    tasks: dict[tuple[str, str], TaskID] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:

        def watch(claim_id: str, what: str, done: int, total: int) -> None:
            key = (claim_id, what)
            if key not in tasks:
                tasks[key] = progress.add_task(f"{claim_id}: {what}", total=total)
            progress.update(tasks[key], completed=done, total=total)

        yield watch
