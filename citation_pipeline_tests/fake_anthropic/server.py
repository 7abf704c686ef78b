"""The fake Claude as a running server: `with FakeAnthropic() as claude: … claude.url`."""

import threading
from contextlib import ExitStack
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any

from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.faults import Fault
from citation_pipeline_tests.fake_anthropic.http_api import Handler
from citation_pipeline_tests.fake_anthropic.records import Records, Settings


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], records: Records) -> None:
        super().__init__(address, Handler)
        self.records = records
        self.base_url = f"http://{address[0]}:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of the game."""
        self.records.counters["broken_connections"] += 1


class FakeAnthropic:
    """A loopback Claude; `records` holds counters and the log, `add` scripts a fault."""

    def __init__(
        self,
        answers: ReferenceAnswers | None = None,
        *,
        settings: Settings | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.records = Records(settings, answers)
        self._server = _Server((host, port), self.records)
        self.url = self._server.base_url
        self.callers = ExitStack()  # whose connections are closed before the server is

    def add(self, operation: str, kind: str, **details: Any) -> None:
        """Script one fault."""
        self.records.faults.add(Fault.read({"operation": operation, "kind": kind, **details}))

    def __enter__(self) -> "FakeAnthropic":
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.callers.close()
        self._server.shutdown()
        self._server.server_close()

    def serve(self) -> None:
        """Serve until interrupted."""
        self._server.serve_forever()
