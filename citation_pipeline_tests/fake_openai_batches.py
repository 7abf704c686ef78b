"""Files and batches of a fake model server: a file of requests in, files of answers and of errors out."""

import json
import re
import time
import uuid
from typing import TYPE_CHECKING, Any

from citation_pipeline_tests.fake_images import images_in

if TYPE_CHECKING:
    from citation_pipeline_tests.fake_openai import FakeChat

_NOTHING = {"error": {"message": "Not Found", "type": "invalid_request_error", "code": None}}


def answer(chat: "FakeChat", method: str, path: str, data: bytes, content_type: str) -> tuple[int, Any]:
    """Return status and body; status 0 breaks the connection."""
    parts = path.strip("/").split("/")
    at = next((number for number, part in enumerate(parts) if part in ("files", "batches")), None)
    if at is None or not chat.has_files:
        return 404, _NOTHING
    kind, name = parts[at], parts[at + 1] if len(parts) > at + 1 else ""
    chat.counters[f"{method} {kind}"] += 1
    if kind == "files":
        return _file(chat, method, name, data, content_type)
    if method == "POST":
        return _create(chat, json.loads(data))
    if not name:
        return 200, {"object": "list", "data": [_described(one) for one in chat.batches.values()]}
    if name not in chat.batches:
        return 404, _NOTHING
    _poll(chat, chat.batches[name])
    return 200, _described(chat.batches[name])


def _file(chat: "FakeChat", method: str, name: str, data: bytes, content_type: str) -> tuple[int, Any]:
    if method == "POST":
        mark = re.search(r"boundary=(\S+)", content_type)
        assert mark is not None
        parts = data.split(b"--" + mark[1].encode())
        held = next(part for part in parts if b"filename=" in part).split(b"\r\n\r\n", 1)[1]
        file_id = f"file-{uuid.uuid4().hex[:12]}"
        chat.files[file_id] = held.removesuffix(b"\r\n")
        return 200, {"id": file_id, "object": "file", "purpose": "batch"}
    if name not in chat.files:
        return 404, _NOTHING
    if method == "DELETE":
        del chat.files[name]
        return 200, {"id": name, "object": "file", "deleted": True}
    return 200, chat.files[name]


def _create(chat: "FakeChat", body: dict[str, Any]) -> tuple[int, Any]:
    batch = {
        "id": f"batch_{uuid.uuid4().hex[:12]}",
        "polls": 0,
        "created_at": int(time.time()),
        "status": "in_progress",
        **body,
    }
    chat.batches[batch["id"]] = batch
    if chat.loses_next_batch:
        chat.loses_next_batch = False
        return 0, None
    return 200, _described(batch)


def _poll(chat: "FakeChat", batch: dict[str, Any]) -> None:
    batch["polls"] += 1
    if batch["polls"] < chat.batch_polls or batch["status"] != "in_progress":
        return
    rows: dict[str, list[dict[str, Any]]] = {"output_file_id": [], "error_file_id": []}
    for line in reversed(chat.files[batch["input_file_id"]].splitlines()):
        request = json.loads(line)
        kind, row = _row(chat, request, batch["endpoint"])
        rows[kind].append({"id": f"r-{uuid.uuid4().hex[:8]}", "custom_id": request["custom_id"], **row})
    for kind, held in rows.items():
        if held:
            batch[kind] = f"file-{uuid.uuid4().hex[:12]}"
            chat.files[batch[kind]] = "\n".join(json.dumps(row) for row in held).encode() + b"\n"
    batch["status"] = "completed"


def _row(chat: "FakeChat", request: dict[str, Any], endpoint: str) -> tuple[str, dict[str, Any]]:
    from citation_pipeline_tests.fake_openai import completion, said, tokens_of

    body, fault = request["body"], chat.row_faults.pop(0) if chat.row_faults else {}
    refusal = chat.dialect.refusal(body)
    if body.get("stream"):
        refusal = said("stream is not supported in a batch")
    if request["url"] != endpoint:
        refusal = said("the url differs from the batch's endpoint")
    if fault.get("kind") == "expired":
        return "error_file_id", {"response": None, "error": {"code": "batch_expired", "message": "late"}}
    if fault.get("kind") == "errored":
        refusal = said("scripted")
    if chat.dialect.says_of_images is not None and images_in(body):
        refusal = said(chat.dialect.says_of_images[1])
    if refusal is not None:
        return "error_file_id", {"response": {"status_code": 400, "body": refusal}, "error": None}
    tokens = tokens_of(body)
    text, reason, refused, usage = chat.said(body, fault, tokens)
    chat.counters["answers"] += 1
    chat.requests.append(body)
    found = completion(body, text, reason, refused, usage)
    if fault.get("kind") == "no_choices":
        del found["choices"]
    return "output_file_id", {"response": {"status_code": 200, "body": found}, "error": None}


def _described(batch: dict[str, Any]) -> dict[str, Any]:
    shown = {"object": "batch", "output_file_id": None, "error_file_id": None, **batch}
    shown.pop("polls")
    shown["request_counts"] = {"total": 0, "completed": 0, "failed": 0}
    return shown
