"""Scripted misbehaviour of the fake Reducto: what to do wrong, to which operation, how often.

Here: the description of a fault and the queue that hands them out. Not here: how a fault is acted out on
the socket (`http_api`), nor what a document's result looks like (`results`, `oddities`).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Operation = Literal[
    "upload",  # POST /upload, direct or asking for a presigned address
    "presigned_put",  # PUT of the bytes on the second host
    "parse_async",
    "parse",
    "job",  # GET /job/{id}
    "jobs",  # GET /jobs
    "cancel",
    "result",  # GET of a result on the second host
    "delete_job",
    "delete_upload",
]

Kind = Literal[
    "status",  # answer `status` with `headers` and `body`; the operation does not happen
    "body",  # answer 200 with `body` as JSON; the operation does not happen
    "garbage",  # answer 200 with bytes that are not JSON; the operation does not happen
    "reset",  # reset the socket; the operation does not happen
    "reset_after",  # the operation happens, then the socket is reset: the answer is lost
    "stall",  # wait `seconds`, then behave
    "stall_after",  # the operation happens, then wait `seconds` before answering
    "truncate",  # the operation happens, half the answer arrives, then the socket closes
    "expire",  # result only: the address has expired (403 with XML)
]


class FaultSpecError(ValueError):
    """A fault names an operation or a kind that the fake does not know."""


@dataclass(frozen=True)
class Fault:
    """One scripted fault: let `skip` calls of `operation` pass, then spoil the next `times`."""

    operation: Operation
    kind: Kind
    times: int = 1
    skip: int = 0
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    seconds: float = 0.0

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Fault:
        """Build from the admin endpoint's JSON; unknown words are refused, so a typo cannot pass a test."""
        try:
            fault = cls(**raw)
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

    def take(self, operation: str) -> Fault | None:
        """The fault for this call of `operation`, or None."""
        with self._lock:
            for index, (fault, skip, times) in enumerate(self._waiting):
                if fault.operation != operation:
                    continue
                if skip > 0:
                    self._waiting[index] = (fault, skip - 1, times)
                    return None
                if times <= 1:
                    del self._waiting[index]
                else:
                    self._waiting[index] = (fault, 0, times - 1)
                return fault
        return None

    def pending(self) -> int:
        """How many faults have not been used up: a test that expects all of them asserts zero."""
        with self._lock:
            return sum(times for _, _, times in self._waiting)
