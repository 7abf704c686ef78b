"""A running viewer for tests: the application in a thread on a loopback port."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import uvicorn
from starlette.testclient import TestClient

from citation_pipeline.serving.app import create_app
from citation_pipeline.serving.entry import server_config
from citation_pipeline.serving.settings import ServingSettings

INTENT = {"X-Citation-Viewer": "1"}


@contextmanager
def client_of(
    settings: ServingSettings, *, host: str = "127.0.0.1", peer: str = "127.0.0.1"
) -> Iterator[TestClient]:
    """The application without a socket; server errors come back as answers, as a browser would see them."""
    with TestClient(
        create_app(settings),
        base_url=f"http://{host}",
        client=(peer, 50000),
        raise_server_exceptions=False,
        headers=INTENT,
    ) as client:
        yield client


@contextmanager
def running(settings: ServingSettings) -> Iterator[str]:
    """The application on a loopback port; gives its address."""
    server = uvicorn.Server(server_config(replace(settings, host="127.0.0.1", port=0)))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


def decide(client: TestClient, claim_id: str, field_key: str, action: str, **given: Any) -> Any:
    """Post a decision on the field as it is now, all its places seen."""
    fields = client.get(f"/api/claims/{claim_id}").json()
    field = next(
        f
        for f in (*fields["fields"], *fields["absentFields"], *fields["unreadFields"])
        if f["fieldKey"] == field_key
    )
    decision = {
        "fieldKey": field_key,
        "action": action,
        "seenId": field["review"]["lastId"],
        "seenDigest": field["seenDigest"],
        "seenCitations": list(range(len(field["citations"]))),
        "requestId": f"test-{time.monotonic_ns()}",
        **given,
    }
    return client.post(f"/api/claims/{claim_id}/verifications", json=decision)
