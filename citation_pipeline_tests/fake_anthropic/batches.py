"""Message Batches of the fake: states, rows in any order, each with an outcome of its own."""

import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from citation_pipeline_tests.fake_anthropic.messages import error_body
from citation_pipeline_tests.fake_anthropic.prompts import read_prompt
from citation_pipeline_tests.fake_anthropic.records import Batch, Records
from citation_pipeline_tests.fake_anthropic.validation import fault_of

_CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def fault_of_batch(body: Mapping[str, Any]) -> str | None:
    """What is wrong with a batch as a whole; its requests are only looked at later."""
    requests = body.get("requests")
    if not isinstance(requests, list) or not requests:
        return "requests: at least one is required"
    ids = [str(request.get("custom_id", "")) for request in requests]
    if any(not _CUSTOM_ID.fullmatch(one) for one in ids) or len(set(ids)) < len(ids):
        return "custom_id: must be unique and match ^[a-zA-Z0-9_-]{1,64}$"
    return None


def poll(batch: Batch, records: Records) -> None:
    """Count a retrieval; after enough of them the batch ends and its rows exist."""
    with records.lock:
        batch.polls += 1
        if batch.rows is None and (batch.polls >= records.settings.batch_polls or batch.canceled):
            batch.rows = [_row(request, batch, records) for request in batch.requests]
            random.Random(batch.batch_id).shuffle(batch.rows)


def describe(batch: Batch, base_url: str) -> dict[str, Any]:
    """The API's batch object; counts stay at processing until the whole batch has ended."""
    counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
    for row in batch.rows or ():
        counts[row["result"]["type"]] += 1
    if batch.rows is None:
        counts["processing"] = len(batch.requests)
    ended = batch.rows is not None
    created = datetime.fromtimestamp(batch.created, UTC)
    return {
        "id": batch.batch_id,
        "type": "message_batch",
        "processing_status": "ended" if ended else ("canceling" if batch.canceled else "in_progress"),
        "request_counts": counts,
        "created_at": created.isoformat().replace("+00:00", "Z"),
        "expires_at": created.replace(year=created.year + 1).isoformat().replace("+00:00", "Z"),
        "ended_at": datetime.now(UTC).isoformat().replace("+00:00", "Z") if ended else None,
        "cancel_initiated_at": None,
        "archived_at": None,
        "results_url": f"{base_url}/v1/messages/batches/{batch.batch_id}/results" if ended else None,
    }


def _row(request: Mapping[str, Any], batch: Batch, records: Records) -> dict[str, Any]:
    params = request.get("params", {})
    fault = records.faults.take(
        "batch_row", source_ids=read_prompt(params).sources, model=str(params.get("model"))
    )
    result: dict[str, Any]
    message = fault_of(params)
    if params.get("stream"):
        message = "stream: not allowed in a batch"
    if batch.canceled:
        result = {"type": "canceled"}
    elif fault is not None and fault.kind in ("expired", "canceled"):
        result = {"type": fault.kind}
    elif fault is not None and fault.kind == "errored":
        result = {
            "type": "errored",
            "error": {**error_body(fault.error_type, fault.message, ""), "request_id": None},
        }
    elif message is not None:
        error = {**error_body("invalid_request_error", message, ""), "request_id": None}
        result = {"type": "errored", "error": error}
    else:
        result = {"type": "succeeded", "message": records.complete(params, fault)}
    return {"custom_id": request["custom_id"], "result": result}
