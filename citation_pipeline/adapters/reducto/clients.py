"""Reducto's API: one method per call.

Not here: how a request is sent and repeated (`transport`), and which calls make up the parsing of a
document (`document_steps`). A client is safe to share between threads.
"""

from __future__ import annotations

import contextlib
import json
import urllib.parse
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import httpx

from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.outbound_ledger import Ledger, keep_no_ledger
from citation_pipeline.adapters.reducto.errors import ReductoJobGoneError, ReductoRequestError
from citation_pipeline.adapters.reducto.options import Connection
from citation_pipeline.adapters.reducto.transport import (
    Call,
    Errand,
    Transport,
    garbled_answer,
    json_object,
)

_JOBS_A_PAGE, _JOB_PAGES = 500, 4  # looking for a lost job: the newest 2,000 are far more than one night's


class ReductoClient:
    """Calls Reducto; close it, or use it in a `with`."""

    def __init__(
        self, connection: Connection, *, ledger: Ledger = keep_no_ledger, clock: Clock | None = None
    ) -> None:
        self.connection = connection
        self.clock: Clock = clock or Clock()
        self._transport = Transport(connection, ledger=ledger, clock=self.clock)

    def __enter__(self) -> ReductoClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ReductoClient(base_url={self.connection.base_url!r})"

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def upload(self, data: bytes, *, file_name: str, media_type: str, errand: Errand) -> str:
        """Send the bytes directly; return the file id. `file_name` must not tell anything of the claim."""
        call = Call(
            "upload",
            "POST",
            "/upload",
            "/upload",
            errand,
            files={"file": (file_name, data, media_type)},
            document_bytes=len(data),
        )
        return _text(self._json(call), "file_id", call)

    def promise_upload(self, *, errand: Errand) -> tuple[str, str]:
        """Ask for a place to put a large file; return the file id and the presigned address."""
        call = Call("upload", "POST", "/upload", "/upload", errand, json={})
        answer = self._json(call)
        return _text(answer, "file_id", call), self._storage_url(_text(answer, "presigned_url", call), call)

    def put_bytes(self, presigned_url: str, data: bytes, *, errand: Errand) -> None:
        """Put the bytes at a presigned address; sending them twice is the same as once."""
        self._transport.send(
            Call(
                "presigned_put",
                "PUT",
                "presigned PUT",
                presigned_url,
                errand,
                content=data,
                document_bytes=len(data),
                to_storage=True,
            )
        )

    def start_job(self, body: Mapping[str, Any], *, errand: Errand) -> str:
        """Start a parse job; return its id.

        The request creates and bills a job, and there is no idempotency key: where the answer is lost, a
        `ReductoTransientError` with `may_have_happened` is raised at once instead of sending it again.
        """
        call = Call(
            "parse_async", "POST", "/parse_async", "/parse_async", errand, json=dict(body), repeat_lost=False
        )
        return _text(self._json(call), "job_id", call)

    def find_job(self, file_id: str, *, errand: Errand) -> tuple[str | None, bool]:
        """Look through the listed jobs for one that parses `file_id` and has not failed.

        Returns its id or None, and whether the list says what each job parses: without that, None proves
        nothing.
        """
        cursor, telling = None, True
        for _ in range(_JOB_PAGES):
            params = {"limit": str(_JOBS_A_PAGE), "exclude_configs": "false"}
            if cursor is not None:
                params["cursor"] = cursor
            call = Call("jobs", "GET", "/jobs", "/jobs", errand, params=params)
            answer = self._json(call)
            jobs = answer.get("jobs")
            if not isinstance(jobs, list):
                raise garbled_answer(call, "the list of jobs has no list")
            for job in jobs:
                if not isinstance(job, Mapping) or job.get("status") in ("Failed", "Cancelled"):
                    continue  # such a job is not worth picking up
                config = job.get("raw_config")
                if not config:
                    telling = False
                elif file_id in (config if isinstance(config, str) else json.dumps(config)):
                    return _text(job, "job_id", call), True
            cursor = answer.get("next_cursor")
            if not isinstance(cursor, str):
                break
        return None, telling

    def read_job(self, job_id: str, *, errand: Errand) -> tuple[Mapping[str, Any], bytes]:
        """Ask for a job; return its JSON object and the very bytes it came in."""
        path = f"/job/{urllib.parse.quote(job_id, safe='')}"
        call = Call("job", "GET", "/job/{job_id}", path, errand, job_id=job_id)
        raw = self._transport.send(call, check=json_object)
        return json_object(raw), raw

    def download_result(self, url: str, *, errand: Errand, job_id: str) -> bytes:
        """Fetch a result from its presigned address, checked to be a whole JSON object."""
        call = Call("result", "GET", "presigned GET", url, errand, job_id=job_id, to_storage=True)
        self._storage_url(url, call)
        return self._transport.send(call, check=json_object)

    def delete_job(self, job_id: str, *, errand: Errand) -> None:
        """Delete a job and its results; one that is already gone is fine."""
        path = f"/job/{urllib.parse.quote(job_id, safe='')}"
        with contextlib.suppress(ReductoJobGoneError):
            self._transport.send(Call("delete_job", "DELETE", "/job/{job_id}", path, errand, job_id=job_id))

    def delete_upload(self, file_id: str, *, errand: Errand) -> None:
        """Delete an uploaded file; one that is already gone is fine."""
        # The service's own SDK percent-encodes the slashes of the whole reducto:// id.
        path = f"/upload/{urllib.parse.quote(file_id, safe=':')}"
        try:
            self._transport.send(Call("delete_upload", "DELETE", "/upload/{file_id}", path, errand))
        except ReductoRequestError as error:
            if error.http_status not in (404, 409, 410):
                raise

    def _storage_url(self, url: str, call: Call) -> str:
        """Refuse an address that would send document bytes in the clear, or anywhere but over HTTP."""
        allowed = {"https"} | ({"http"} if self.connection.base_url.startswith("http://") else set())
        try:
            parsed = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise garbled_answer(call, "an address is not a URL") from error
        if parsed.scheme not in allowed or not parsed.host:
            raise garbled_answer(call, "an address is not an https URL")
        return url

    def _json(self, call: Call) -> Mapping[str, Any]:
        return json_object(self._transport.send(call, check=json_object))


def _text(answer: Mapping[str, Any], key: str, call: Call) -> str:
    value = answer.get(key)
    if not isinstance(value, str) or not value:
        raise garbled_answer(call, f"the answer has no {key}")
    return value
