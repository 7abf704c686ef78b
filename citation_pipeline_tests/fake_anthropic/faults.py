"""Scripted misbehaviour of the fake Claude: what to do wrong, to which operation, how often.

Here: the description of a fault and the queue that hands them out. Not here: how a fault is acted out on
the socket (`http_api`), nor how it spoils an answer (`spoiling`).
"""

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Operation = Literal["messages", "count_tokens", "batches", "batch_row", "models"]

Kind = Literal[
    # on the wire
    "status",  # answer `status` with `headers` and `body` (or an error of `error_type`, `message`)
    "reset",  # reset the socket; the operation does not happen
    "reset_after",  # the operation happens and is billed, then the socket is reset
    "stall",  # wait `seconds`, then behave
    "cut",  # the operation happens; half of the answer arrives, then the connection closes
    "stall_in_stream",  # half of the stream arrives, then nothing for `seconds`, then the rest
    "stream_error",  # half of the stream arrives, then an `error` event of `error_type`
    # in the answer
    "refusal",
    "max_tokens",  # the answer is cut after `fraction` of its text
    "model_context_window_exceeded",
    "malformed",  # the answer's JSON is broken after `fraction` of its text, but it says end_turn
    "empty",  # end_turn without any text block
    "missing_fields",  # the records of `names` (or the last `count`) are left out
    "short_lists",  # arrays of more than one item keep the first only
    "unknown_keys",  # records for fields that nobody asked for are added
    "unknown_sources",  # every first citation names a document that is not there
    "altered_quotes",  # snippets are reworded
    "wrong_types",  # values are of the wrong type
    "repeated",  # every record comes twice, the second with another value
    "text",  # the reply's text is `body` as it stands
    # in a batch's row
    "errored",
    "expired",
    "canceled",
]


class FaultSpecError(ValueError):
    """A fault names an operation or a kind that the fake does not know."""


@dataclass(frozen=True)
class Fault:
    """One scripted fault: let `skip` calls pass, then spoil the next `times` (-1: all).

    It applies to requests that show the document `source_id` and go to `model`, where these are given.
    """

    operation: Operation
    kind: Kind
    times: int = 1
    skip: int = 0
    source_id: str | None = None
    model: str | None = None
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    error_type: str = "api_error"
    message: str = "scripted"
    seconds: float = 0.0
    fraction: float = 0.5
    names: tuple[str, ...] = ()
    count: int = 3

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> "Fault":
        """Build from the admin endpoint's JSON; unknown words are refused, so a typo cannot pass a test."""
        try:
            fault = cls(**{**raw, "names": tuple(raw.get("names", ()))})
        except TypeError as error:
            raise FaultSpecError(str(error)) from error
        if fault.operation not in get_args(Operation) or fault.kind not in get_args(Kind):
            raise FaultSpecError(f"unknown operation {fault.operation!r} or kind {fault.kind!r}")
        return fault


class FaultQueue:
    """Hands out faults in the order they were scripted; safe for many server threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[Fault, int, int]] = []  # fault, calls still to skip, times left

    def add(self, fault: Fault) -> None:
        """Queue one fault behind those of the same operation."""
        with self._lock:
            self._waiting.append((fault, fault.skip, fault.times))

    def clear(self) -> None:
        """Forget every fault."""
        with self._lock:
            self._waiting.clear()

    def take(self, operation: str, *, source_ids: Collection[str] = (), model: str = "") -> Fault | None:
        """The fault for this call, or None."""
        with self._lock:
            for index, (fault, skip, times) in enumerate(self._waiting):
                if fault.operation != operation:
                    continue
                if fault.source_id is not None and fault.source_id not in source_ids:
                    continue
                if fault.model is not None and fault.model != model:
                    continue
                if skip > 0:
                    self._waiting[index] = (fault, skip - 1, times)
                    return None
                if times == 1:
                    del self._waiting[index]
                else:
                    self._waiting[index] = (fault, 0, max(-1, times - 1))
                return fault
        return None

    def pending(self) -> int:
        """How many faults have not been used up: a test that expects all of them asserts zero."""
        with self._lock:
            return sum(times for _, _, times in self._waiting if times > 0)
