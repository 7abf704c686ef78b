"""The outbound ledger: one row per request that left a machine, appended as it happens by any host.

Ids, counts and times only. The rows lie in the database of what is decided once. A folder of JSON-lines
files, one a day, holds those of earlier versions, and those for which the database was away.
"""

import json
import os
import uuid
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from sqlalchemy import func, select

from citation_pipeline.adapters.coordination.database import (
    FILE_NAME,
    Coordination,
    CoordinationError,
    insertion,
    open_at,
)
from citation_pipeline.adapters.coordination.shapes import OUTBOUND_REQUESTS
from citation_pipeline.adapters.sql_engines import sqlite_url

SHAPE = pa.schema(
    [
        ("at", pa.string()),
        ("claim_id", pa.string()),
        ("vendor", pa.string()),
        ("endpoint", pa.string()),
        ("model", pa.string()),
        ("request_fingerprint", pa.string()),
        ("code", pa.string()),
        ("status", pa.int32()),
        ("document_count", pa.int64()),
        ("page_count", pa.int64()),
        ("character_count", pa.int64()),
        ("image_count", pa.int64()),
        ("byte_count", pa.int64()),
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("cost_usd", pa.float64()),
        ("credits", pa.float64()),
        ("seconds", pa.float64()),
    ]
)
"""The columns that tables have; a row's others stay in the files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundRequest:
    """One request: what of the claim left the machine with it and how it ended; a retry is a request too.

    Ids, counts, fingerprints and times: never text, an address or a key. `status` is the HTTP status, None
    when no answer came; `code` is "ok", the error's code, or "lost" for a request whose process died before
    its answer came (it may have been billed). Counts are None where a vendor's requests have no such thing.
    """

    claim_id: str
    vendor: str
    endpoint: str
    at: datetime
    code: str = "ok"
    status: int | None = None
    method: str | None = None
    source_id: str | None = None
    job_id: str | None = None
    request_id: str | None = None
    model: str | None = None
    purpose: str | None = (
        None  # "question" of a model-written answer; of an extraction, what a later request is for
    )
    request_fingerprint: str | None = None
    document_count: int | None = None
    page_count: int | None = None
    text_count: int | None = None
    character_count: int | None = None
    image_count: int | None = None  # pictures of pages; `byte_count` is theirs
    byte_count: int | None = None
    likely_tokens: int | None = None  # by our own measure of the text, before anybody was asked
    text_shape: tuple[int, ...] | None = None  # what the prompt consists of (`core.prompts.lengths.Shape`)
    may_follow: tuple[str, ...] | None = None  # purposes of later requests that the settings allow
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    credits: float | None = None
    seconds: float = 0.0


_OF_FILES, _OF_ROWS = ".jsonl", ".rows"

Ledger = Callable[[OutboundRequest], None]
"""Takes each row as it happens; called from worker threads, so it must be safe for several."""


def keep_no_ledger(row: OutboundRequest) -> None:
    """Drop the row: for tools and tests that have nowhere to keep it."""


def append_to(folder: Path) -> Ledger:
    """Return a ledger in a folder's files.

    A line is written in one call to a file opened for appending, so several processes share a day's file.
    """

    def append(row: OutboundRequest) -> None:
        line = _as_text(row) + "\n"
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(
            folder / f"{row.at.date()}{_OF_FILES}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600
        )
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)

    return append


def append_rows(coordination: Coordination, folder: Path) -> Ledger:
    """Return a ledger in a database; what that does not take in time goes to the folder's files.

    A request that left is never lost to the ledger because its database was away, nor fails because of it.
    """

    def append(row: OutboundRequest) -> None:
        facts = {
            "nonce": uuid.uuid4().hex,
            "day": str(row.at.date()),
            "claim_id": row.claim_id,
            "facts": _as_text(row),
        }

        def insert(connection: Any) -> None:
            one = insertion(connection.dialect.name, OUTBOUND_REQUESTS).values(facts)
            connection.execute(one.on_conflict_do_nothing(index_elements=["nonce"]))

        try:
            coordination.write(insert)
        except CoordinationError:
            append_to(folder)(row)

    return append


class SentRequests:
    """The ledger as it is read: a part for each day of rows and for each file, by name.

    Without a coordination, that of a database file in the folder or beside it, as a machine has by default.
    """

    def __init__(self, folder: Path, coordination: Coordination | None = None) -> None:
        self._folder, self._given = folder, coordination

    @property
    def _coordination(self) -> Coordination | None:
        beside = (self._folder / FILE_NAME, self._folder.parent / FILE_NAME)
        found = next((path for path in beside if path.is_file()), None)
        return self._given or (open_at(sqlite_url(found)) if found else None)

    def marks(self) -> dict[str, str]:
        """Return the parts by name, in order, each with a mark that changes when rows are added."""
        files = {path.name: str(path.stat().st_size) for path in sorted(self._folder.glob(f"*{_OF_FILES}"))}
        coordination = self._coordination
        if coordination is None or coordination.is_unused:
            return files
        of = OUTBOUND_REQUESTS.c
        days = select(of.day, func.count(), func.max(of.id)).group_by(of.day)
        rows = coordination.read(lambda connection: connection.execute(days).all())
        return dict(sorted({**files, **{f"{day}{_OF_ROWS}": f"{n}-{last}" for day, n, last in rows}}.items()))

    def lines(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a part, oldest first, without a line that a killed process left unfinished."""
        if not name.endswith(_OF_ROWS):
            texts = (self._folder / name).read_text(encoding="utf-8").split("\n")
        elif (coordination := self._coordination) is not None:
            of = OUTBOUND_REQUESTS.c
            day = select(of.facts).where(of.day == name.removesuffix(_OF_ROWS)).order_by(of.id)
            texts = list(coordination.read(lambda connection: connection.execute(day).scalars().all()))
        else:
            texts = []
        for text in texts:
            try:
                row = json.loads(text)
            except ValueError:
                continue
            if isinstance(row, dict):
                yield row

    def table(self, name: str) -> pa.Table:
        """Return the rows of a part."""
        rows = [{column: row.get(column) for column in SHAPE.names} for row in self.lines(name)]
        return pa.Table.from_pylist(rows, schema=SHAPE)


def sent_requests(ledger: "SentRequests | Path") -> SentRequests:
    """Return a ledger that is given as its folder or as itself."""
    return ledger if isinstance(ledger, SentRequests) else SentRequests(ledger)


def read_ledger(ledger: SentRequests | Path) -> pa.Table:
    """Return all rows, oldest first."""
    sent = sent_requests(ledger)
    days = [sent.table(name) for name in sent.marks()]
    return pa.concat_tables(days) if days else SHAPE.empty_table()


def _as_text(row: OutboundRequest) -> str:
    said = {name: value for name, value in asdict(row).items() if value is not None}
    return json.dumps(said | {"at": row.at.isoformat()}, sort_keys=True)
