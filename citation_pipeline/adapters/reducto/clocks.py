"""Time as the Reducto adapter sees it, so that tests can drive it.

Here: the clock. Not here: how long to wait (`rate_limits`, `failures`, `job_polling`).
"""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Monotonic seconds for waiting, wall time for records."""

    def monotonic(self) -> float:
        """Seconds that never go back."""
        ...

    def now(self) -> datetime:
        """The time of day, in UTC."""
        ...

    def wait(self, seconds: float, *, until: threading.Event | None = None) -> None:
        """Sleep, or return early as soon as `until` is set."""
        ...


class SystemClock:
    """The machine's clock."""

    def monotonic(self) -> float:
        return time.monotonic()

    def now(self) -> datetime:
        return datetime.now(UTC)

    def wait(self, seconds: float, *, until: threading.Event | None = None) -> None:
        if until is None:
            time.sleep(max(0.0, seconds))
        else:
            until.wait(max(0.0, seconds))
