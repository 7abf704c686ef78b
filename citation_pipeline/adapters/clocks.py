"""Time, waiting and chance as the adapters of remote services see them, so that tests need none of them."""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def now_utc() -> datetime:
    """Return the time of day, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """The machine's clock, unless a part is replaced; `monotonic` seconds never go back."""

    now: Callable[[], datetime] = now_utc
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def wait(self, seconds: float, *, until: threading.Event | None = None) -> None:
        """Sleep, or return early as soon as `until` is set."""
        if until is None:
            self.sleep(max(0.0, seconds))
        else:
            until.wait(max(0.0, seconds))
