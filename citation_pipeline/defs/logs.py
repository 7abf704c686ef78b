"""Structured logs: one JSON object a line with run, stage and claim ids, and no document text.

`dagster.yaml` (written by `instances`) names the formatter for a file beside the runs' history.

Dagster's own console lines carry whole stack traces, and a defect's message may quote a document. Here an
error is determined by its type; where it happened is in the run's event log.
"""

import json
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


class JsonLines(logging.Formatter):
    """Formats Dagster's records; ours are shown whole, an engine's error only by its type."""

    def format(self, record: logging.LogRecord) -> str:
        meta: dict[str, Any] = getattr(record, "dagster_meta", None) or {}
        event = meta.get("dagster_event")
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "run_id": meta.get("run_id"),
            "job": meta.get("job_name"),
            "stage": meta.get("step_key") or meta.get("op_name"),
            "claim": (meta.get("job_tags") or {}).get("dagster/partition"),
        }
        if event is None:
            line["message"] = meta.get("orig_message") or record.getMessage()
        else:
            line["event"] = event.event_type_value
            error = getattr(event.event_specific_data, "error", None)
            if error is not None:
                line["error"] = _kind_of(error)
            if getattr(event, "partition", None):
                line["claim"] = event.partition
        return json.dumps({key: value for key, value in line.items() if value is not None})


class AppendingFile(logging.Handler):
    """Appends each line to a file that is opened for it alone.

    Dagster makes new handlers for every run and closes none, so a night would run out of open files; and a
    rotated file is simply begun anew.
    """

    def __init__(self, filename: str) -> None:
        super().__init__()
        self._path = Path(filename)

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        try:
            line = self.format(record)
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(f"{line}\n")
        except Exception:  # as every handler: a log that cannot be written stops nobody's work
            self.handleError(record)


def _kind_of(error: Any) -> str:
    """Return the innermost error's type."""
    while getattr(error, "cause", None) is not None:
        error = error.cause
    return str(error.cls_name or "unknown")
