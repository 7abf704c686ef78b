"""Starts and stops the fake: two loopback servers over one memory.

Use it in this process (`FakeReducto`) or, where the test itself reads PDFs or gets killed, as a process of
its own (`process.spawn_fake_reducto`).
"""

from __future__ import annotations

import sys
import threading
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any

from citation_pipeline_tests.fake_reducto.http_api import ApiHandler
from citation_pipeline_tests.fake_reducto.records import Records, Settings
from citation_pipeline_tests.fake_reducto.storage import StorageHandler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # many clients connect at once in the 200-document run

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is part of the game; anything else is a defect and is shown."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class FakeReducto:
    """A running fake; `base_url` is the API, `storage_url` where presigned addresses point."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        storage_port: int = 0,
    ) -> None:
        self.records = Records(settings or Settings())
        storage_handler = type("Storage", (StorageHandler,), {"records": self.records})
        self._storage = _Server((host, storage_port), storage_handler)
        self.storage_url = f"http://{host}:{self._storage.server_port}"
        api_handler = type("Api", (ApiHandler,), {"records": self.records, "storage_url": self.storage_url})
        self._api = _Server((host, port), api_handler)
        self.base_url = f"http://{host}:{self._api.server_port}"
        self._threads = [
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
            for server in (self._api, self._storage)
        ]

    def __enter__(self) -> FakeReducto:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in (self._api, self._storage):
            server.shutdown()
            server.server_close()
        for thread in self._threads:
            thread.join()
