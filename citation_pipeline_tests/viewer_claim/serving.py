"""A running viewer for tests: the application in a thread on a loopback port."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import uvicorn
from fastapi.routing import APIRoute, _EffectiveRouteContext
from starlette.testclient import TestClient

from citation_pipeline.serving import app
from citation_pipeline.serving.entry import server_config
from citation_pipeline.serving.mcp.strict import StrictTool
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline.serving.static_folder import StaticFolder

INTENT = {"X-Citation-Viewer": "1"}

_STATIC = cache(StaticFolder)
_TOOL_OF = StrictTool.from_function
_TOOLS: dict[str, Any] = {}
_ROUTE_OF = _EffectiveRouteContext.from_api_route
_ROUTES: dict[tuple[int, str], Any] = {}


def _tool_of(function: Callable[..., Any], **given: Any) -> Any:
    """Return a function as a tool; the signature is read once for all applications that define it."""
    said = (function.__annotations__, function.__defaults__, function.__kwdefaults__, function.__doc__)
    key = repr((function.__code__, said, given))
    if key not in _TOOLS:
        _TOOLS[key] = _TOOL_OF(function, **given)
    return _TOOLS[key].model_copy(update={"fn": function})


def _route_of(*, original_route: APIRoute, include_context: Any) -> Any:
    """Return a route as it is included in an application; its models are built once for all of them."""
    key = (id(original_route), include_context.path_for(original_route))
    if key not in _ROUTES:  # with the route, so that no other is ever given its id
        made = _ROUTE_OF(original_route=original_route, include_context=include_context)
        _ROUTES[key] = (made, original_route)
    return _ROUTES[key][0]


@contextmanager
def _read_once() -> Iterator[None]:
    """Make applications of files, signatures and models that were read before: nine tenths of their time."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(app, "StaticFolder", _STATIC)
        patched.setattr(StrictTool, "from_function", _tool_of)
        patched.setattr(_EffectiveRouteContext, "from_api_route", _route_of)
        yield


@contextmanager
def client_of(
    settings: ServingSettings, *, host: str = "127.0.0.1", peer: str = "127.0.0.1"
) -> Iterator[TestClient]:
    """The application without a socket; server errors come back as answers, as a browser would see them."""
    with ExitStack() as opened:
        with _read_once():
            client = TestClient(
                app.create_app(settings),
                base_url=f"http://{host}",
                client=(peer, 50000),
                raise_server_exceptions=False,
                headers=INTENT,
            )
            opened.enter_context(client)
        yield client


@contextmanager
def running(settings: ServingSettings) -> Iterator[str]:
    """The application on a loopback port; gives its address."""
    with _read_once():
        server = uvicorn.Server(server_config(replace(settings, host="127.0.0.1", port=0)))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
    try:
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
