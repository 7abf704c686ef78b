"""The outbound ledger: one line per request that left the machine, appended as it happens.

One JSON-lines file a day below `<folder>`; ids, counts and times only. A line is written in one call to a
file opened for appending, so several processes share a day's file.
"""

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import pyarrow as pa

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
    byte_count: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    credits: float | None = None
    seconds: float = 0.0


Ledger = Callable[[OutboundRequest], None]
"""Takes each row as it happens; called from worker threads, so it must be safe for several."""


def keep_no_ledger(row: OutboundRequest) -> None:
    """Drop the row: for tools and tests that have nowhere to keep it."""


def append_to(folder: Path) -> Ledger:
    """Return a ledger in a folder's files."""

    def append(row: OutboundRequest) -> None:
        said = {name: value for name, value in asdict(row).items() if value is not None}
        line = json.dumps(said | {"at": row.at.isoformat()}, sort_keys=True) + "\n"
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / f"{row.at.date()}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)

    return append


def read_ledger(folder: Path) -> pa.Table:
    """Return all rows, oldest first; a last line that a killed process left unfinished is passed over."""
    days = [read_ledger_file(path) for path in sorted(folder.glob("*.jsonl"))]
    return pa.concat_tables(days) if days else SHAPE.empty_table()


def read_ledger_file(path: Path) -> pa.Table:
    """Return the rows of one day's file."""
    rows = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        rows.append({name: row.get(name) for name in SHAPE.names})
    return pa.Table.from_pylist(rows, schema=SHAPE)
