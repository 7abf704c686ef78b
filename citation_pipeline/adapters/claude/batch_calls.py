"""The endpoints of message batches: create, state, list, results. Every call leaves a row in the ledger."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from citation_pipeline.adapters.claude.client import ClaudeClient
from citation_pipeline.adapters.claude.errors import ClaudeUnavailableError
from citation_pipeline.adapters.claude.settings import VENDOR
from citation_pipeline.adapters.outbound_ledger import OutboundRequest

BATCHES = "/v1/messages/batches"


def create_batch(
    client: ClaudeClient, requests: Sequence[Mapping[str, Any]], *, rows: Sequence[OutboundRequest]
) -> str:
    """Return the id of a new batch; `rows` are the ledger's, one a request. Raises a ClaudeError."""
    create = client.sdk.messages.batches.with_raw_response.create
    answer = client.call(
        rows, lambda: create(requests=cast(Any, requests)).http_response.content, repeats=False
    )
    return str(_object(answer)["id"])


def has_ended(client: ClaudeClient, batch_id: str) -> bool:
    """Tell whether a batch has its results; raises a ClaudeError."""
    return bool(_object(_get(client, f"{BATCHES}/{batch_id}")).get("processing_status") == "ended")


def list_batches(client: ClaudeClient) -> Sequence[Mapping[str, Any]]:
    """Return the newest batches as the service describes them; raises a ClaudeError."""
    listed: Sequence[Mapping[str, Any]] = _object(_get(client, f"{BATCHES}?limit=100")).get("data", [])
    return listed


def read_results(client: ClaudeClient, batch_id: str) -> Iterator[tuple[bytes, Mapping[str, Any]]]:
    """Return each result as its line and what it holds; raises a ClaudeError."""
    # asked of our own address, whatever `results_url` says: the SDK would send the key anywhere
    for line in _get(client, f"{BATCHES}/{batch_id}/results").split(b"\n"):
        if line.strip():
            yield line, _object(line)


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


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ClaudeUnavailableError(
            "Claude's answer about a batch is not JSON. Collect again later.", code="unreadable"
        )
    return value
