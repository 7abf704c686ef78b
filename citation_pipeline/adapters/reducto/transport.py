"""Sending one request to Reducto or its storage: rate limit, retries, and a ledger row for every try.

Knows HTTP, not what the calls mean (`clients`), nor which answer is which error (`failures`).
"""

from __future__ import annotations

import contextlib
import json
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import httpx

from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.outbound_ledger import Ledger, OutboundRequest
from citation_pipeline.adapters.reducto.errors import (
    ReductoAddressExpiredError,
    ReductoError,
    ReductoGarbledAnswerError,
    ReductoRequestError,
    ReductoTransientError,
    ReductoUnreachableError,
)
from citation_pipeline.adapters.reducto.failures import error_from_answer
from citation_pipeline.adapters.reducto.log_redaction import redact_queries_in_httpx_logs
from citation_pipeline.adapters.reducto.options import Connection
from citation_pipeline.adapters.reducto.rate_limits import RateLimit
from citation_pipeline.adapters.repeating import repeat

VENDOR = "reducto"


@dataclass(frozen=True, slots=True)
class Errand:
    """For whom a request is made: it goes into the ledger row and into errors."""

    claim_id: str
    source_id: str


@dataclass(frozen=True, slots=True)
class Call:
    """One request: what it is called in errors and ledger rows, and what is sent."""

    operation: str
    method: str
    endpoint: str  # as in the contract, with {job_id} for ids
    url: str
    errand: Errand
    job_id: str | None = None
    json: Any = None
    files: Mapping[str, tuple[str, bytes, str]] | None = None
    content: bytes | None = None
    params: Mapping[str, str] | None = None
    document_bytes: int = 0
    to_storage: bool = False  # presigned: no key, no rate limit
    repeat_lost: bool = True  # may be sent again although the first may have been carried out


class Transport:
    """Sends calls; safe to share between threads."""

    def __init__(self, connection: Connection, *, ledger: Ledger, clock: Clock) -> None:
        redact_queries_in_httpx_logs()
        self._connection = connection
        self._clock = clock
        self._rate_limit = RateLimit(
            connection.requests_per_second, burst=connection.burst, clock=self._clock
        )
        self._ledger = ledger
        timeout = httpx.Timeout(connection.answer_timeout_s, connect=connection.connect_timeout_s)
        # The pool never makes a thread wait: there are at most `concurrency` of them.
        limits = httpx.Limits(max_connections=2 * connection.concurrency)
        self._api = httpx.Client(
            base_url=connection.base_url,
            headers={"Authorization": f"Bearer {connection.api_key}", "Accept": "application/json"},
            timeout=timeout,
            limits=limits,
        )
        self._storage = httpx.Client(timeout=timeout, limits=limits)
        for client in (self._api, self._storage):  # a parser that nobody closes leaves no connection open
            weakref.finalize(self, client.close)

    def close(self) -> None:
        """Close all connections."""
        self._api.close()
        self._storage.close()

    def send(self, call: Call, *, check: Callable[[bytes], object] | None = None) -> bytes:
        """Send a call until it succeeds, fails for good, or the tries are used up."""

        def may_pass(error: Exception) -> bool:
            if isinstance(error, ReductoAddressExpiredError) or not isinstance(error, ReductoTransientError):
                return False  # an address that has expired will be refused again
            return call.repeat_lost or not error.may_have_happened

        def pause(error: Exception, wait: float) -> None:
            asked = getattr(error, "retry_after_s", None)
            if asked is not None and not call.to_storage:
                self._rate_limit.pause(asked)  # the whole account was asked to wait, not this thread
            else:
                self._clock.wait(wait)

        return repeat(
            lambda: self._send_once(call, check),
            rules=self._connection.retries,
            may_pass=may_pass,
            clock=self._clock,
            pause=pause,
        )

    def _send_once(self, call: Call, check: Callable[[bytes], object] | None) -> bytes:
        if not call.to_storage:
            self._rate_limit.acquire()
        at, began = self._clock.now(), self._clock.monotonic()
        row = OutboundRequest(
            claim_id=call.errand.claim_id,
            source_id=call.errand.source_id,
            vendor=VENDOR,
            method=call.method,
            endpoint=call.endpoint,
            at=at,
            document_count=1 if call.document_bytes else 0,
            byte_count=call.document_bytes,
            job_id=call.job_id,
        )
        try:
            status, headers, body = self._exchange(call)
            row = replace(row, status=status)
            if status >= 300:
                raise error_from_answer(status, headers, body, operation=call.operation, now=at)
            if check is not None:
                try:
                    check(body)
                except ValueError as error:
                    raise garbled_answer(call, "the answer is not a JSON object") from error
            row = _with_usage(row, call, body)
            return body
        except ReductoError as error:
            error.source_id, error.job_id = call.errand.source_id, error.job_id or call.job_id
            row = replace(row, code=error.code)
            raise
        finally:
            self._ledger(replace(row, seconds=self._clock.monotonic() - began))

    def _exchange(self, call: Call) -> tuple[int, Mapping[str, str], bytes]:
        client = self._storage if call.to_storage else self._api
        arguments = {
            "json": call.json,
            "files": call.files,
            "content": call.content,
            "params": call.params,
        }
        given = {name: value for name, value in arguments.items() if value is not None}
        with _broken_connections(call), client.stream(call.method, call.url, **given) as response:
            parts, size = [], 0
            for part in response.iter_bytes():
                size += len(part)
                if size > self._connection.largest_result:
                    raise ReductoRequestError(
                        f"the answer is larger than {self._connection.largest_result} bytes",
                        remedy="Split the document, or raise largest_result.",
                        operation=call.operation,
                        code="answer_too_large",
                    )
                parts.append(part)
            return response.status_code, response.headers, b"".join(parts)


@contextlib.contextmanager
def _broken_connections(call: Call) -> Iterator[None]:
    try:
        yield
    except httpx.HTTPError as error:
        made = ReductoUnreachableError(
            f"no usable answer ({type(error).__name__})",
            remedy="Check the network and the service's status; then run it again.",
            operation=call.operation,
            code="unreachable",
        )
        made.may_have_happened = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
        raise made from error


def json_object(body: bytes) -> Mapping[str, Any]:
    """Return the JSON object that the bytes are; raises ValueError when they are none."""
    try:
        value = json.loads(body)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def garbled_answer(call: Call, message: str) -> ReductoGarbledAnswerError:
    """Return the error for a success that is not what the contract says."""
    return ReductoGarbledAnswerError(
        message,
        remedy="Run it again; if it stays, something between us and the service answers in its place.",
        operation=call.operation,
        code="garbled_answer",
        job_id=call.job_id,
        source_id=call.errand.source_id,
    )


def _with_usage(row: OutboundRequest, call: Call, body: bytes) -> OutboundRequest:
    """Put pages and credits on the row of the request that reported them."""
    if call.operation != "job":
        return row
    result = json_object(body).get("result")
    usage = result.get("usage") if isinstance(result, Mapping) else None
    if not isinstance(usage, Mapping):
        return row
    pages, credits = usage.get("num_pages"), usage.get("credits")
    return replace(
        row,
        page_count=pages if isinstance(pages, int) else None,
        credits=float(credits) if isinstance(credits, int | float) else None,
    )
