"""Batches of the Chat Completions API: a file of requests, a batch made of it, files of its results.

Files hold documents and answers: each is deleted at the server once its batch is collected, or was never
made. Every call leaves a row in the ledger.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from citation_pipeline.adapters.chat_completions.transport import ChatTransport
from citation_pipeline.adapters.conversation.asks import Request
from citation_pipeline.adapters.conversation.batch_wires import (
    BatchResult,
    ListedBatch,
    NoBatchesError,
    UnsentBatchError,
)
from citation_pipeline.adapters.conversation.batches import SUCCEEDED
from citation_pipeline.adapters.conversation.client import ProviderClient
from citation_pipeline.adapters.conversation.errors import (
    ProviderAccessError,
    ProviderError,
    ProviderUnavailableError,
)
from citation_pipeline.adapters.outbound_ledger import OutboundRequest

_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_FILES = ("input_file_id", "output_file_id", "error_file_id")


class ChatBatchWire:
    """OpenAI's batches; `url` is what each request of a file names."""

    endpoint = "/batches"

    def __init__(self, url: str = "/v1/chat/completions") -> None:
        self._url = url

    def create(
        self,
        client: ProviderClient,
        requests: Sequence[Request],
        *,
        entry_id: str,
        rows: Sequence[OutboundRequest],
    ) -> str:
        """Return the id of a new batch, which bears our entry's id; raises a ProviderError."""
        transport = _transport(client)
        lines = [
            {
                "custom_id": request.fingerprint,
                "method": "POST",
                "url": self._url,
                "body": transport.batched_body(request),
            }
            for request in requests
        ]
        data = "\n".join(json.dumps(line) for line in lines).encode()
        file_id = self._upload(client, f"{entry_id}.jsonl", data, rows)
        try:
            made = client.call(
                [_row(client, self.endpoint)],
                _bytes(
                    transport.sdk.batches.with_raw_response.create,
                    input_file_id=file_id,
                    endpoint=self._url,
                    completion_window="24h",
                    metadata={"entry": entry_id},
                    extra_headers=transport.headers,
                ),
                repeats=False,
            )
        except ProviderError as error:
            if not isinstance(error, ProviderUnavailableError):
                self._delete(client, file_id)
            raise
        if not isinstance(batch_id := _object(made).get("id"), str):
            raise ProviderUnavailableError("the model server gave a batch no id", code="unreadable")
        return batch_id

    def has_ended(self, client: ProviderClient, batch_id: str) -> bool:
        """Tell whether a batch has all results that it will have; raises a ProviderError."""
        return self._batch(client, batch_id).get("status") in _ENDED

    def listed(self, client: ProviderClient) -> Sequence[ListedBatch]:
        """Return the newest batches; raises a ProviderError."""
        transport = _transport(client)
        answer = client.call(
            [_row(client, self.endpoint)],
            _bytes(transport.sdk.batches.with_raw_response.list, limit=100, extra_headers=transport.headers),
        )
        found = []
        for batch in _object(answer).get("data", []):
            counts, marks = batch.get("request_counts") or {}, batch.get("metadata") or {}
            at = datetime.fromtimestamp(batch.get("created_at") or 0, UTC)
            found.append(
                ListedBatch(
                    str(batch["id"]), int(counts.get("total") or 0), at, str(marks.get("entry") or "")
                )
            )
        return found

    def results(self, client: ProviderClient, batch_id: str) -> Iterator[BatchResult]:
        """Yield the answers, then the errors; a batch that failed as a whole has neither."""
        batch = self._batch(client, batch_id)
        transport = _transport(client)
        for kind in _FILES[1:]:
            if not (file_id := batch.get(kind)):
                continue
            fetch = _bytes(
                transport.sdk.files.with_raw_response.content, str(file_id), extra_headers=transport.headers
            )
            for line in client.call([_row(client, "/files/content")], fetch).split(b"\n"):
                if line.strip():
                    row = _object(line)
                    yield BatchResult(str(row.get("custom_id")), _outcome(row), line)

    def forget(self, client: ProviderClient, batch_id: str) -> None:
        """Delete the batch's files at the server."""
        with suppress(ProviderError):
            batch = self._batch(client, batch_id)
            for kind in _FILES:
                if file_id := batch.get(kind):
                    self._delete(client, str(file_id))

    def _upload(self, client: ProviderClient, name: str, data: bytes, rows: Sequence[OutboundRequest]) -> str:
        """Return the id of a new file; where that fails, no batch can have been made of it."""
        transport = _transport(client)
        upload = _bytes(
            transport.sdk.files.with_raw_response.create,
            file=(name, data, "application/jsonl"),
            purpose="batch",
            extra_headers=transport.headers,
        )
        try:
            file_id = _object(client.call(rows, upload, repeats=False)).get("id")
        except ProviderUnavailableError as error:
            raise UnsentBatchError(
                str(error), code=error.code, status=error.status, retry_after_s=error.retry_after_s
            ) from None
        except ProviderAccessError as error:
            if error.code != "no_api":
                raise
            raise NoBatchesError(
                "the model server takes no files, and so has no batches: its claims are asked at once",
                code="no_batches",
                status=error.status,
            ) from None
        if not isinstance(file_id, str):
            raise UnsentBatchError("the model server gave an uploaded file no id", code="unreadable")
        return file_id

    def _batch(self, client: ProviderClient, batch_id: str) -> Mapping[str, Any]:
        transport = _transport(client)
        retrieve = transport.sdk.batches.with_raw_response.retrieve
        call = _bytes(retrieve, batch_id, extra_headers=transport.headers)
        return _object(client.call([_row(client, self.endpoint)], call))

    def _delete(self, client: ProviderClient, file_id: str) -> None:
        transport = _transport(client)
        delete = transport.sdk.files.with_raw_response.delete
        with suppress(ProviderError):  # the server forgets it by itself, later
            call = _bytes(delete, file_id, extra_headers=transport.headers)
            client.call([_row(client, "/files/delete")], call)


def _outcome(row: Mapping[str, Any]) -> str:
    """Return how a row's request ended, in the words of all providers."""
    response, error = row.get("response"), row.get("error")
    if isinstance(response, dict) and response.get("status_code") == 200:
        return SUCCEEDED
    code = error.get("code") if isinstance(error, dict) else None
    return "expired" if code == "batch_expired" else "canceled" if code == "batch_cancelled" else "errored"


def _transport(client: ProviderClient) -> ChatTransport:
    transport = client.transport
    assert isinstance(transport, ChatTransport)
    return transport


def _bytes(call: Callable[..., Any], *arguments: Any, **named: Any) -> Callable[[], bytes]:
    def send() -> bytes:
        content: bytes = call(*arguments, **named).http_response.content
        return content

    return send


def _row(client: ProviderClient, endpoint: str) -> OutboundRequest:
    return OutboundRequest(
        claim_id="",
        vendor=client.transport.vendor,
        endpoint=endpoint,
        at=client.clock.now(),
        document_count=0,
        page_count=0,
        character_count=0,
    )


def _object(data: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ProviderUnavailableError(
            "the model server's answer about a batch is not JSON. Collect again later.", code="unreadable"
        )
    return value
