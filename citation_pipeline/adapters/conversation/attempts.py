"""One attempt to send something: an SDK's exceptions made into ours, and a ledger row however it ends."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.conversation.errors import ProviderError
from citation_pipeline.adapters.outbound_ledger import Ledger, OutboundRequest

FailureOf = Callable[[BaseException], ProviderError | None]
"""Returns our error for an SDK's exception; None for what is nobody's answer, such as a defect of ours."""


class Attempt:
    """Turns an SDK's exceptions into ours, and writes the ledger row of the attempt however it ends."""

    def __init__(
        self,
        row: OutboundRequest,
        *,
        ledger: Ledger,
        clock: Clock,
        failure_of: FailureOf,
        others: Sequence[OutboundRequest] = (),
    ) -> None:
        self.row = row
        self._others = others  # of the same request, and so with the same end
        self._ledger = ledger
        self._clock = clock
        self._failure_of = failure_of
        self._began = clock.monotonic()

    def __enter__(self) -> "Attempt":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        failure = error if error is None or isinstance(error, ProviderError) else self._failure_of(error)
        if failure is not None:
            self.row = replace(
                self.row, code=failure.code, status=failure.status, request_id=failure.request_id
            )
        elif error is not None:
            self.row = replace(self.row, code=type(error).__name__)
        self.row = replace(self.row, seconds=self._clock.monotonic() - self._began)
        self._ledger(self.row)
        for other in self._others:
            self._ledger(
                replace(other, code=self.row.code, status=self.row.status, request_id=self.row.request_id)
            )
        if failure is not None and failure is not error:
            # the SDK's exception holds the request, its documents and its key
            raise failure from None
