"""The rate at which we may call Reducto, shared by all threads of one client.

Not here: how many documents are under way at once (`parsers`), and what a 429 means (`failures`).
"""

from __future__ import annotations

import threading

from citation_pipeline.adapters.clocks import Clock


class RateLimit:
    """A token bucket that hands out times: first come, first served, nobody polls for a token.

    `requests_per_second` is the steady rate, `burst` how many requests may go at once after a quiet time.
    """

    def __init__(self, requests_per_second: float, *, burst: int = 1, clock: Clock) -> None:
        if requests_per_second <= 0 or burst < 1:
            raise ValueError(
                f"requests_per_second={requests_per_second} and burst={burst} allow no request; "
                "give a rate above 0 and a burst of at least 1"
            )
        self._interval = 1.0 / requests_per_second
        self._slack = (burst - 1) * self._interval
        self._clock = clock
        self._lock = threading.Lock()
        # The time at which the bucket would be full again, were no more tokens taken.
        self._full_at = clock.monotonic() - self._slack

    def acquire(self) -> float:
        """Wait for this request's turn; return how many seconds that took."""
        with self._lock:
            now = self._clock.monotonic()
            turn = max(now, self._full_at)
            self._full_at = max(self._full_at, now - self._slack) + self._interval
        if turn > now:
            self._clock.wait(turn - now)
        return turn - now

    def pause(self, seconds: float) -> None:
        """Let nobody start a request for so long: the service has asked for it."""
        with self._lock:
            self._full_at = max(self._full_at, self._clock.monotonic() + seconds)
