"""The service's calls: analyze, result, delete; each leaves a row in the ledger however it ends."""

import json
import logging
import re
import weakref
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from citation_pipeline.adapters.azure_layout.errors import (
    AzureLayoutError,
    AzureUnavailableError,
    error_of,
)
from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.outbound_ledger import Ledger, OutboundRequest
from citation_pipeline.adapters.repeating import repeat
from citation_pipeline.core.planning.retries import RetryRules

T = TypeVar("T")

VENDOR = "azure-layout"
API_VERSION = "2024-11-30"
_MODEL = "/documentintelligence/documentModels/prebuilt-layout"
_RESULT_ID = re.compile(r"/analyzeResults/([A-Za-z0-9_-]{1,100})\Z")
_RULES = RetryRules(5, 0.5, 60.0)


class AzureLayoutClient:
    """Calls one resource; safe to share between threads. The key goes into a header and nowhere else."""

    def __init__(self, endpoint: str, key: str, *, ledger: Ledger, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self._endpoint, self._ledger = endpoint.rstrip("/"), ledger
        _keep_headers_out_of_logs()
        self._http = httpx.Client(
            headers={"Ocp-Apim-Subscription-Key": key},
            params={"api-version": API_VERSION},
            timeout=httpx.Timeout(120.0, connect=10.0),
        )
        weakref.finalize(self, self._http.close)  # a parser that nobody closes leaves no connection open

    def __repr__(self) -> str:
        return f"AzureLayoutClient({urlsplit(self._endpoint).netloc!r})"

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def analyze(self, data: bytes, *, claim_id: str, source_id: str, may_repeat: Callable[[], None]) -> str:
        """Start an analysis and return the id of its result; each start may be billed.

        `may_repeat` is told before a request is sent again whose first answer was lost.
        """
        is_first = True

        def start() -> str:
            nonlocal is_first
            if not is_first:
                may_repeat()
            is_first = False
            answer = self._send(
                "POST",
                f"{_MODEL}:analyze",
                claim_id=claim_id,
                source_id=source_id,
                content=data,
                headers={"content-type": "application/octet-stream"},
            )
            # only the id is taken: the address itself could point the key anywhere
            found = _RESULT_ID.search(urlsplit(answer.headers.get("operation-location", "")).path)
            if answer.status_code != 202 or found is None:
                raise AzureUnavailableError(
                    "Azure's answer names no result. Run the claim again later.",
                    code="unreadable",
                    status=200,
                )
            return found.group(1)

        return self._repeat(start)

    def result(self, result_id: str, *, claim_id: str, source_id: str) -> Mapping[str, Any]:
        """Return a result as it is now; raises an AzureLayoutError."""

        def ask() -> Mapping[str, Any]:
            answer = self._send(
                "GET", f"{_MODEL}/analyzeResults/{result_id}", claim_id=claim_id, source_id=source_id
            )
            value = _json(answer)
            if not isinstance(value, dict) or not isinstance(value.get("status"), str):
                raise AzureUnavailableError(
                    "Azure's answer is not whole. Run the claim again later.", code="unreadable", status=200
                )
            return value

        return self._repeat(ask)

    def delete(self, result_id: str, *, claim_id: str, source_id: str) -> None:
        """Delete a result at the service; raises an AzureLayoutError."""
        self._send("DELETE", f"{_MODEL}/analyzeResults/{result_id}", claim_id=claim_id, source_id=source_id)

    def _send(self, method: str, path: str, *, claim_id: str, source_id: str, **how: Any) -> httpx.Response:
        began, code, status, pages = self.clock.monotonic(), "ok", None, None
        content = how.get("content")
        try:
            answer = self._http.request(method, f"{self._endpoint}{path}", **how)
            status = answer.status_code
            if status >= 300:
                error = error_of(status, _json(answer), answer.headers, is_poll=method == "GET")
                code = error.code
                raise error
            pages = _pages_in(answer) if method == "GET" else None
            return answer
        except httpx.HTTPError as lost:
            code = "timed_out" if isinstance(lost, httpx.TimeoutException) else "connection_lost"
            # not `from lost`: it holds the request, and so the document
            raise AzureUnavailableError(
                "Azure could not be reached, or the connection broke. Run the claim again later.", code=code
            ) from None
        finally:
            self._ledger(
                OutboundRequest(
                    claim_id=claim_id,
                    vendor=VENDOR,
                    endpoint="analyze" if method == "POST" else "result",
                    method=method,
                    source_id=source_id,
                    at=self.clock.now(),
                    code=code,
                    status=status,
                    page_count=pages,
                    byte_count=len(content) if content is not None else 0,
                    seconds=self.clock.monotonic() - began,
                )
            )

    def _repeat(self, send: Callable[[], T]) -> T:
        return repeat(
            send,
            rules=_RULES,
            may_pass=lambda error: isinstance(error, AzureLayoutError) and error.transient,
            clock=self.clock,
        )


class _NoHeaders(logging.Filter):
    """Stops the transport's debug records: they hold headers, and so a signed address."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno > logging.DEBUG


def _keep_headers_out_of_logs() -> None:
    """Filter the transport's loggers, once a process."""
    for name in ("httpcore.http11", "httpcore.http2", "httpcore.connection", "httpcore"):
        logger = logging.getLogger(name)
        if not any(isinstance(known, _NoHeaders) for known in logger.filters):
            logger.addFilter(_NoHeaders())


def _pages_in(answer: httpx.Response) -> int | None:
    """Return how many pages a result has, which are what is paid for; None while there is none."""
    value = _json(answer)
    result = value.get("analyzeResult") if isinstance(value, dict) else None
    pages = result.get("pages") if isinstance(result, dict) else None
    return len(pages) if isinstance(pages, list) else None


def _json(answer: httpx.Response) -> Any:
    try:
        return json.loads(answer.content)
    except (ValueError, RecursionError):
        return None
