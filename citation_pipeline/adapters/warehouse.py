"""The warehouse: every claim's tables in one DuckDB file, for queries over many claims.

A refresh copies the file, exchanges the rows of what changed and moves the copy over the old one, so a
reader holds one whole refresh and never meets a lock. What is in it is told by `warehouse_shapes`.
"""

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.warehouse_filling import Filling, Refresh, RunsSince, run_query

FILE_NAME = "warehouse.duckdb"


def refresh_warehouse(
    store: ClaimStore, *, ledger: Path | None = None, runs_since: RunsSince | None = None
) -> Refresh:
    """Bring the warehouse up to the store and publish it; an interrupted refresh leaves the old one.

    `ledger` is the folder of the outbound ledger, `runs_since` tells of the pipeline's runs.
    """
    place = store.local_path(FILE_NAME)
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_name(f".{FILE_NAME}.{uuid.uuid4().hex[:12]}.tmp")
    try:
        if place.exists():
            shutil.copyfile(place, draft)
        with duckdb.connect(str(draft)) as connection:
            filling = Filling(connection, store)
            refresh = filling.exchange()
            if ledger is not None:
                filling.take_ledger(ledger)
            if runs_since is not None:
                filling.take_runs(runs_since)
            filling.make_views()
            run_query(connection, "CHECKPOINT")
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)
        draft.with_name(f"{draft.name}.wal").unlink(missing_ok=True)
    return refresh


@contextmanager
def open_warehouse(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the published warehouse for reading; a refresh meanwhile does not disturb the reader."""
    connection = duckdb.connect(str(path), read_only=True)
    try:
        yield connection
    finally:
        connection.close()


def read_nights(path: Path, *, most: int) -> list[dict[str, Any]]:
    """Return the totals of the latest nights, the last one first; none while there is no warehouse."""
    if not path.exists():
        return []
    with open_warehouse(path) as warehouse:
        found = warehouse.execute("SELECT * FROM nights ORDER BY night DESC LIMIT ?", [most])
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
