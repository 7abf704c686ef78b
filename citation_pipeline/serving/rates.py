"""How often a person may ask for costly things: a token bucket each, bounded in number."""

import threading
import time
from collections import OrderedDict

_MAX_PEOPLE = 10_000  # the longest silent are forgotten; their bucket would be full again anyway


class RateLimit:
    """`per_second` in the long run, `burst` at once."""

    def __init__(self, *, per_second: float, burst: int) -> None:
        self._rate, self._burst = per_second, float(burst)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str, *, cost: float = 1.0) -> float:
        """Take from a person's bucket; returns 0, or the seconds until there is enough."""
        now = time.monotonic()
        with self._lock:
            level = self._level(key, now)
            self._buckets.pop(key, None)
            wait = 0.0 if level >= cost else (cost - level) / self._rate
            self._buckets[key] = (level if wait else level - cost, now)
            while len(self._buckets) > _MAX_PEOPLE:
                self._buckets.popitem(last=False)
        return wait

    def wait(self, key: str, *, cost: float = 1.0) -> float:
        """Return the seconds until there is enough in a person's bucket, without taking any."""
        with self._lock:
            level = self._level(key, time.monotonic())
        return 0.0 if level >= cost else (cost - level) / self._rate

    def _level(self, key: str, now: float) -> float:
        level, then = self._buckets.get(key, (self._burst, now))
        return min(self._burst, level + (now - then) * self._rate)
