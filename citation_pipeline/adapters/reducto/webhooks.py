"""Webhooks as hints: a payload may wake a poller early, and nothing in it is believed.

Anybody can post to a direct webhook, which is unsigned. So a payload only names a job that is asked about
at once instead of at the end of its pause; its status is not read. Not here: receiving HTTP.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any


class WebhookHints:
    """The jobs that are being waited for, and the means to wake whoever waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, threading.Event] = {}
        self.interrupted = False

    @contextlib.contextmanager
    def listen(self, job_id: str) -> Iterator[threading.Event]:
        """Yield the event that a hint about this job sets."""
        event = threading.Event()
        with self._lock:
            self._waiting[job_id] = event
        try:
            yield event
        finally:
            with self._lock:
                self._waiting.pop(job_id, None)

    def interrupt(self) -> None:
        """Wake everybody who waits and let nobody wait on: the caller wants to end."""
        with self._lock:
            self.interrupted = True
            for event in self._waiting.values():
                event.set()

    def resume(self) -> None:
        """Allow waiting again."""
        self.interrupted = False

    def accept(self, payload: bytes | str | Mapping[str, Any]) -> bool:
        """Take a webhook's payload; return whether somebody here waits for its job.

        Whatever is not such a payload, or names an unknown job, does nothing.
        """
        if not isinstance(payload, Mapping):
            try:
                payload = json.loads(payload)
            except (ValueError, RecursionError):
                return False
        job_id = payload.get("job_id") if isinstance(payload, Mapping) else None
        with self._lock:
            event = self._waiting.get(job_id) if isinstance(job_id, str) else None
            if event is not None:
                event.set()
        return event is not None
