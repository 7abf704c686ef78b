"""The endpoints of message batches: create, state, list, results. Every call leaves a row in the ledger."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from citation_pipeline.adapters.claude.client import ClaudeClient
from citation_pipeline.adapters.claude.errors import ClaudeUnavailableError
from citation_pipeline.adapters.claude.settings import VENDOR
from citation_pipeline.adapters.conversation.asks import Request
from citation_pipeline.adapters.conversation.batch_wires import BatchResult, ListedBatch
from citation_pipeline.adapters.outbound_ledger import OutboundRequest

BATCHES = "/v1/messages/batches"


class ClaudeBatchWire:
    """Message batches: their requests are in the call that creates one, and no file is left behind."""

    endpoint = BATCHES

    def create(
        self,
        client: ClaudeClient,
        requests: Sequence[Request],
        *,
        entry_id: str,
        rows: Sequence[OutboundRequest],
    ) -> str:
        """Return the id of a new batch; raises a ClaudeError. A batch cannot bear our entry's id."""
        create = client.sdk.messages.batches.with_raw_response.create
        given = [{"custom_id": one.fingerprint, "params": dict(one.body)} for one in requests]
        answer = client.call(
            rows, lambda: create(requests=cast(Any, given)).http_response.content, repeats=False
        )
        return str(_object(answer)["id"])

    def has_ended(self, client: ClaudeClient, batch_id: str) -> bool:
        """Tell whether a batch has its results; raises a ClaudeError."""
        return bool(_object(_get(client, f"{BATCHES}/{batch_id}")).get("processing_status") == "ended")

    def listed(self, client: ClaudeClient) -> Sequence[ListedBatch]:
        """Return the newest batches; raises a ClaudeError."""
        return [
            ListedBatch(
                batch["id"],
                sum(batch["request_counts"].values()),
                datetime.fromisoformat(batch["created_at"]),
            )
            for batch in _object(_get(client, f"{BATCHES}?limit=100")).get("data", [])
        ]

    def results(self, client: ClaudeClient, batch_id: str) -> Iterator[BatchResult]:
        """Yield each result; raises a ClaudeError."""
        # asked of our own address, whatever `results_url` says: the SDK would send the key anywhere
        for line in _get(client, f"{BATCHES}/{batch_id}/results").split(b"\n"):
            if line.strip():
                row = _object(line)
                result = row.get("result")
                outcome = result.get("type") if isinstance(result, dict) else None
                yield BatchResult(str(row.get("custom_id")), str(outcome), line)

    def forget(self, client: ClaudeClient, batch_id: str) -> None:
        """Do nothing: the provider deletes results by itself, and what it has of them is not asked for."""


def _get(client: ClaudeClient, path: str) -> bytes:
    row = OutboundRequest(
        claim_id="",
        vendor=VENDOR,
        endpoint=path,
        at=client.clock.now(),
        document_count=0,
        page_count=0,
        character_count=0,
    )
    import httpx2  # with the SDK, which the client has loaded

    return client.call([row], lambda: client.sdk.get(path, cast_to=httpx2.Response).content)


def _object(data: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ClaudeUnavailableError(
            "Claude's answer about a batch is not JSON. Collect again later.", code="unreadable"
        )
    return value
