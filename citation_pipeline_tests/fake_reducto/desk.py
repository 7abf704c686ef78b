"""A Reducto parser set up for a test, with a clock that only moves when somebody waits."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.outbound_ledger import OutboundRequest
from citation_pipeline.adapters.reducto.clients import ReductoClient
from citation_pipeline.adapters.reducto.options import Connection, ParseOptions
from citation_pipeline.adapters.reducto.parsers import ParseReceipt, ReductoParser
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline_tests.fake_reducto.drawn_documents import DrawnDocument
from citation_pipeline_tests.fake_reducto.process import FakeReductoHandle

KEY = "test-key"
CLAIM = "WC-2023-0001"


class FakeClock:
    """A clock that only moves when somebody waits, so nothing in a test sleeps."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.waits: list[float] = []
        self._seconds = 0.0

    def monotonic(self) -> float:
        return self._seconds

    def chance(self) -> float:
        return 1.0  # the whole of each wait

    def now(self) -> datetime:
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC) + timedelta(seconds=self._seconds)

    def wait(self, seconds: float, *, until: threading.Event | None = None) -> None:
        with self._lock:
            self.waits.append(seconds)
            self._seconds += max(0.0, seconds)


@dataclass
class Desk:
    """A parser at work: everything it was given and everything it reported."""

    fake: FakeReductoHandle
    folder: Path
    document: DrawnDocument
    clock: FakeClock
    stack: ExitStack
    ledger: list[OutboundRequest] = field(default_factory=list)
    receipts: list[ParseReceipt] = field(default_factory=list)

    def client(self, **connection: Any) -> ReductoClient:
        given = {"requests_per_second": 1000.0, "concurrency": 4} | connection
        made = ReductoClient(
            Connection(api_key=given.pop("api_key", KEY), base_url=self.fake.base_url, **given),
            ledger=self.ledger.append,
            clock=self.clock,
        )
        return self.stack.enter_context(made)

    def parser(
        self,
        *,
        options: ParseOptions | None = None,
        local: bool = True,
        passwords: tuple[str, ...] = (),
        **connection: Any,
    ) -> ReductoParser:
        return ReductoParser(
            self.client(**connection),
            results_folder=self.folder / "results",
            journal_folder=self.folder / "journal",
            options=options,
            local_words=self.document.local_words if local else None,
            on_receipt=self.receipts.append,
            passwords=passwords,
        )

    def parse(self, *, options: ParseOptions | None = None, **connection: Any) -> ParsedDocument:
        parser = self.parser(options=options, **connection)
        return parser.parse(self.document.source, self.document.data, claim_id=CLAIM)

    def stored(self, suffix: str) -> Path:
        return self.folder / "results" / CLAIM / f"{self.document.source.source_id}{suffix}"
