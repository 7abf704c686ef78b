"""The warehouse: every claim's tables in one DuckDB file, for queries over many claims.

A refresh copies the file, exchanges the rows of what changed and moves the copy over the old one, so a
reader holds one whole refresh and never meets a lock. What goes in is determined by `filling`.
"""

import errno
import fcntl
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from citation_pipeline.adapters.outbound_ledger import SentRequests
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.store_errors import ChangedMeanwhileError
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.adapters.warehouse.filling import (
    News,
    RunsSince,
    fill,
    find_news,
    prepare,
    row_counts,
    unreadable_names,
)
from citation_pipeline.adapters.warehouse.places import FILE_NAME, publish, published_warehouse
from citation_pipeline.adapters.warehouse.reading import Source, failed_rows, sources_of
from citation_pipeline.adapters.warehouse.rows import run_query
from citation_pipeline.adapters.warehouse.shapes import TABLES
from citation_pipeline.adapters.whole_files import draft_of
from citation_pipeline.core.failures import PipelineError

_QUIET = "SET enable_progress_bar = false"  # it would be drawn into the output of a command
_MOST_PUBLISHINGS = 5  # of machines that refresh at the same time, each beginning with the other's
_MOST_OPENINGS = 100  # refreshes are seconds apart, openings milliseconds long
_OF_THE_STORE = {"registrations", *TABLES}


class WarehouseError(PipelineError):
    """A refresh that came to nothing; the earlier warehouse, if there is one, stays as it was."""

    def __init__(self, place: Path, *, reason: str) -> None:
        free = shutil.disk_usage(place.parent).free // 1_000_000
        super().__init__(
            f"{place.name} was not refreshed, the earlier one stays ({reason}; {free} MB are free in its "
            "folder): make room if that is little, and materialize claims_warehouse again"
        )
        self.place, self.reason = place, reason


@dataclass(frozen=True, slots=True)
class Refresh:
    """What one refresh did: claims whose rows were exchanged, removed, or left; rows by table.

    `unreadable` are tables that cannot be read, as `table/claim`: what was loaded of them before stays.
    `is_published` is false where nothing had changed and the file was kept, `is_rebuilt` true where the
    file that was there could not be used.
    """

    refreshed: int
    removed: int
    unchanged: int
    rows: Mapping[str, int]
    unreadable: tuple[str, ...] = ()
    is_published: bool = True
    is_rebuilt: bool = False


def refresh_warehouse(
    store: ClaimStore,
    *,
    ledger: SentRequests | Path | None = None,
    runs_since: RunsSince | None = None,
    verifications_url: str | None = None,
) -> Refresh:
    """Bring the warehouse up to the store and publish it; an interrupted refresh leaves the old one.

    `ledger` is the outbound ledger, or its folder, `runs_since` tells of the pipeline's runs. Raises
    WarehouseError when the file cannot be written.
    """
    place = store.host_path(FILE_NAME)
    place.parent.mkdir(parents=True, exist_ok=True)
    with _alone(place), _opened(verifications_url) as verifications:
        for tries_left in reversed(range(_MOST_PUBLISHINGS)):
            published = published_warehouse(store)
            sources = list(sources_of(store, ledger=ledger, verifications=verifications))
            refresh = _refresh_from(published.file, place, store, sources, runs_since)
            try:
                if refresh.is_published:
                    publish(store, place, over=published)
            except ChangedMeanwhileError:  # another machine's refresh was published: begin with that
                if not tries_left:
                    raise
                continue
            if refresh.removed:  # erased, perhaps by another host
                store.forget_vanished()
            return refresh
    raise AssertionError("every way out of the loop is above")


def _refresh_from(
    published: Path, place: Path, store: ClaimStore, sources: Sequence[Source], runs_since: RunsSince | None
) -> Refresh:
    starts = [published, None] if published.exists() else [None]
    for start in starts:
        try:
            return _refresh(
                place, start, store, sources, runs_since, is_rebuilt=len(starts) > 1 and not start
            )
        except (duckdb.Error, OSError) as error:
            # a file of an older version, or a damaged one, is no reason to have none: make it anew
            if start is None:
                # the message of a failed query may quote a document
                raise WarehouseError(place, reason=type(error).__name__) from None
    raise AssertionError("every way out of the loop is above")


@contextmanager
def open_warehouse(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the published warehouse for reading; a refresh meanwhile does not disturb the reader."""
    # attached and not connected to: a second connection in one process is handed the file of the first
    with duckdb.connect() as connection:
        run_query(connection, _QUIET)
        _attach(connection, path)
        run_query(connection, "USE warehouse")
        yield connection


def _attach(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Attach the file for reading, again when a refresh put another in its place meanwhile.

    DuckDB resolves a path (a link or a descriptor's name does not hold it), opens the file twice and takes
    the header from the first and the blocks from the second: a refresh in between makes half of each.
    """
    quoted = str(path).replace("'", "''")
    for tries_left in reversed(range(_MOST_OPENINGS)):
        before = _identity(path)
        try:
            run_query(connection, f"ATTACH '{quoted}' AS warehouse (READ_ONLY)")
        except duckdb.Error:
            if _identity(path) == before or not tries_left:
                raise
            continue
        if _identity(path) == before:
            return
        run_query(connection, "DETACH warehouse")
    raise OSError(errno.EBUSY, "replaced each time it was opened: open it again", str(path))


def _identity(path: Path) -> tuple[int, int, int]:
    """Return what tells a published file from the one before it, which may have had the same inode."""
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, status.st_size


def read_nights(path: Path, *, most: int) -> list[dict[str, Any]]:
    """Return the totals of the latest nights, the last one first; none while there is no warehouse."""
    if not path.exists():
        return []
    with open_warehouse(path) as warehouse:
        found = warehouse.execute("SELECT * FROM nights ORDER BY night DESC LIMIT ?", [most])
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _refresh(
    place: Path,
    start: Path | None,
    store: ClaimStore,
    sources: Sequence[Source],
    runs_since: RunsSince | None,
    *,
    is_rebuilt: bool,
) -> Refresh:
    failed = failed_rows(store)
    news: News | None = None
    if start is not None:
        with open_warehouse(start) as published:
            news = find_news(published, sources, failed=failed, runs_since=runs_since)
            if not news.is_any:
                return _told(published, sources, set(), is_published=False)
    draft = draft_of(place)
    try:
        if start is not None:
            shutil.copyfile(start, draft)
        with duckdb.connect(str(draft)) as connection:
            run_query(connection, _QUIET)
            if news is None:
                prepare(connection)
                news = find_news(connection, sources, failed=failed, runs_since=runs_since)
            # one transaction: each of its own would go through the log on the disk first
            run_query(connection, "BEGIN")
            touched = fill(connection, news)
            run_query(connection, "COMMIT")
            run_query(connection, "CHECKPOINT")
            refresh = _told(connection, sources, touched, is_rebuilt=is_rebuilt)
        draft.replace(place)
    finally:
        _remove_drafts(place)
    return refresh


def _told(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], touched: set[str], **how: bool
) -> Refresh:
    present = {name for source in sources if source.name in _OF_THE_STORE for name in source.marks or ()}
    faults = [source.name for source in sources if source.fault]
    return Refresh(
        refreshed=len(touched & present),
        removed=len(touched - present),
        unchanged=len(present - touched),
        rows=row_counts(connection),
        unreadable=(*unreadable_names(connection), *faults),
        **how,
    )


@contextmanager
def _opened(url: str | None) -> Iterator[VerificationStore | None]:
    """Open the reviewers' database; None, and no new file, where nobody has reviewed anything yet."""
    if url is None or (url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).is_file()):
        yield None
        return
    verifications = VerificationStore(url)
    try:
        yield verifications
    finally:
        verifications.close()


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Keep every other refresh of this file waiting, in other processes too; a killed one lets go."""
    with place.with_name(f".{FILE_NAME}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _remove_drafts(place)
        yield


def _remove_drafts(place: Path) -> None:
    """Remove what refreshes left behind: the drafts themselves, their logs and what was spilled."""
    for left in place.parent.glob(f".{FILE_NAME}.*.tmp*"):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)
