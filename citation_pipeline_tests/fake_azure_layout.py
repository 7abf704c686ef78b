"""Azure Document Intelligence on loopback: analyze, result, delete, with scripted faults."""

import hashlib
import json
import socket
import threading
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlsplit

MODEL = "/documentintelligence/documentModels/prebuilt-layout"


def layout_of(pages: Sequence[Sequence[str]], *, table: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
    """An `analyzeResult` of pages of lines (the first a title), and a table on the last page; inches."""
    content, found, paragraphs, tables = "", [], [], []
    for number, lines in enumerate(pages, start=1):
        words, spans = [], []
        rows = [*lines, *(" ".join(row) for row in table)] if number == len(pages) else list(lines)
        for y, line in enumerate(rows, start=1):
            start = len(content)
            for x, word in enumerate(line.split()):
                left, top = 1 + 0.8 * x, 0.4 * y
                words.append(
                    {
                        "content": word,
                        "polygon": [left, top, left + 0.7, top, left + 0.7, top + 0.2, left, top + 0.2],
                        "confidence": 0.97,
                        "span": {"offset": len(content), "length": len(word)},
                    }
                )
                content += word + " "
            spans.append({"content": line, "spans": [{"offset": start, "length": len(line)}]})
            region = {
                "pageNumber": number,
                "polygon": [1, 0.4 * y, 5, 0.4 * y, 5, 0.4 * y + 0.2, 1, 0.4 * y + 0.2],
            }
            if y <= len(lines):
                role = {"role": "title"} if y == 1 else {}
                paragraphs.append(
                    {"content": line, "boundingRegions": [region], "spans": spans[-1]["spans"], **role}
                )
        if number == len(pages) and table:
            first = spans[len(lines)]["spans"][0]["offset"]
            cells = [
                {
                    "rowIndex": r,
                    "columnIndex": c,
                    "content": text,
                    **({"kind": "columnHeader"} if r == 0 else {}),
                }
                for r, row in enumerate(table)
                for c, text in enumerate(row)
            ]
            tables.append(
                {
                    "rowCount": len(table),
                    "columnCount": len(table[0]),
                    "cells": cells,
                    "boundingRegions": [{"pageNumber": number, "polygon": [1, 1, 5, 1, 5, 3, 1, 3]}],
                    "spans": [{"offset": first, "length": len(content) - first}],
                }
            )
        found.append(
            {"pageNumber": number, "width": 8.5, "height": 11, "unit": "inch", "words": words, "lines": spans}
        )
    return {
        "apiVersion": "2024-11-30",
        "modelId": "prebuilt-layout",
        "content": content,
        "pages": found,
        "paragraphs": paragraphs,
        "tables": tables,
    }


@dataclass
class FakeAzureLayout:
    """A resource; `results` by the content's SHA-256, `faults` per operation, used up one a call."""

    key: str = "azure-key"
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    statuses: tuple[str, ...] = ("notStarted", "running")
    faults: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    always: dict[str, dict[str, Any]] = field(default_factory=dict)  # by the content's SHA-256
    counters: Counter[str] = field(default_factory=Counter)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __enter__(self) -> "FakeAzureLayout":
        fake = self

        class Handler(_Handler):
            azure = fake

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *arguments: None  # type: ignore[method-assign]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    azure: FakeAzureLayout

    def log_message(self, *arguments: Any) -> None: ...

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["content-length"]))
        digest = hashlib.sha256(data).hexdigest()
        if self._is_spoilt("analyze", self.azure.always.get(digest)):
            return None
        if urlsplit(self.path).path != f"{MODEL}:analyze":
            return self._send(404, {"error": {"code": "NotFound"}})
        job = uuid.uuid4().hex
        self.azure.counters["analyzed"] += 1
        self.azure.jobs[job] = {"digest": digest, "statuses": list(self.azure.statuses)}
        if self.azure.faults.get("lost"):
            self.azure.faults["lost"].pop()
            return self.connection.shutdown(socket.SHUT_RDWR)
        where = f"https://another.example{MODEL}/analyzeResults/{job}?api-version=2024-11-30&sig=secret"
        return self._send(202, None, {"operation-location": where})

    def do_GET(self) -> None:
        job = self.azure.jobs.get(urlsplit(self.path).path.rpartition("/")[2])
        if self._is_spoilt("result", None):
            return None
        if job is None:
            return self._send(404, {"error": {"code": "NotFound"}})
        if job["statuses"]:
            return self._send(200, {"status": job["statuses"].pop(0)})
        if "error" in job:
            return self._send(200, {"status": "failed", "error": job["error"]})
        return self._send(200, {"status": "succeeded", "analyzeResult": self.azure.results[job["digest"]]})

    def do_DELETE(self) -> None:
        self.azure.counters["deleted"] += 1
        self.azure.jobs.pop(urlsplit(self.path).path.rpartition("/")[2], None)
        self._send(204, None)

    def _is_spoilt(self, operation: str, always: Mapping[str, Any] | None) -> bool:
        waiting = self.azure.faults.get(operation)
        fault = waiting.pop(0) if waiting else always
        if self.headers.get("ocp-apim-subscription-key") != self.azure.key:
            fault = {"status": 401, "body": {"error": {"code": "401", "message": self.azure.key}}}
        if parse_qs(urlsplit(self.path).query).get("api-version") != ["2024-11-30"]:
            fault = {"status": 400}
        if fault is None:
            return False
        if fault.get("kind") == "reset":
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self._send(fault["status"], fault.get("body"), fault.get("headers", {}))
        return True

    def _send(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        data = b"" if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
