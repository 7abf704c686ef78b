"""Structured logs: one JSON object a line with run, step and claim ids, and no document text.

Dagster's own console lines carry whole stack traces, and a defect's message may quote a document. Here an
error is told by its type; where it happened stands in the run's event log.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

import dagster as dg


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


@dg.logger(
    {
        "log_level": dg.Field(str, is_required=False, default_value="INFO"),
        "name": dg.Field(str, is_required=False, default_value="citation_pipeline"),
    },
    description="JSON lines on stderr: ids, stages and counts, no document text.",
)
def json_lines(context: dg.InitLoggerContext) -> logging.Logger:
    """Return the logger of a run's console."""
    logger = logging.Logger(context.logger_config["name"])
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logger.addHandler(handler)
    logger.setLevel(context.logger_config["log_level"].upper())
    return logger


def _kind_of(error: Any) -> str:
    """Return the innermost error's type."""
    while getattr(error, "cause", None) is not None:
        error = error.cause
    return str(error.cls_name or "unknown")
