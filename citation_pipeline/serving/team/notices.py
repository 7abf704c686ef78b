"""Telling the configured webhook what waits for people: ids, names and counts, never what a document says.

Messages are posted by one thread, so that nobody's request waits for somebody else's server.
"""

import logging
import queue
import threading
from collections.abc import Mapping
from typing import Any

from citation_pipeline.adapters.webhooks import WebhookError, post_json

_MOST_WAITING = 500  # of a webhook that does not answer; then messages are dropped, and counted
_LAST_WAIT_S = 5.0  # for what is still waiting when the server stops

_log = logging.getLogger(__name__)


class Notices:
    """Posts messages to one address; does nothing without one."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._waiting: queue.Queue[Mapping[str, Any] | None] = queue.Queue(_MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.dropped = 0

    def tell(self, event: str, **about: Any) -> None:
        """Post an event soon; `about` holds what a webhook may know."""
        if not self._url:
            return
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._post_all, name="notices", daemon=True)
                self._thread.start()
        try:
            self._waiting.put_nowait({"event": event, **about})
        except queue.Full:
            self.dropped += 1

    def close(self) -> None:
        """Post what waits, for a few seconds at most."""
        if self._thread is None:
            return
        try:
            self._waiting.put_nowait(None)
        except queue.Full:
            return
        self._thread.join(_LAST_WAIT_S)

    def _post_all(self) -> None:
        while (message := self._waiting.get()) is not None:
            try:
                post_json(self._url, message)
            except WebhookError as error:  # it names neither address nor content
                _log.warning("%s", error)
