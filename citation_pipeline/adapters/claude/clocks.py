"""Time, waiting and chance, so that tests need none of them."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def now_utc() -> datetime:
    """Return the time; the default clock."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, waiting and chance, so that tests need none of them."""

    now: Callable[[], datetime] = now_utc
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random
