"""The outbound ledger: one line per request that left the machine, appended as it happens.

One JSON-lines file a day below `<folder>`; ids, counts and times only. A line is written in one call to a
file opened for appending, so several processes share a day's file.
"""

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

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
"""What every vendor's rows have in common; a vendor's further columns stay in the files."""


def append_to(folder: Path) -> Callable[[Any], None]:
    """Return a function that appends a vendor's ledger row (a dataclass with a datetime `at`)."""

    def append(row: Any) -> None:
        at: datetime = row.at
        line = json.dumps(asdict(row) | {"at": at.isoformat()}, sort_keys=True) + "\n"
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / f"{at.date()}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
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
