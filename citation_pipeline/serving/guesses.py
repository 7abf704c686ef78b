"""How often secrets may be guessed: by the beginning of a secret, and by the address guesses come from."""

import hashlib
import threading
from collections import OrderedDict

from citation_pipeline.serving.rates import RateLimit

_PREFIX = 6  # characters; people who mistype one token share them, people with other tokens do not
_MOST_KNOWN = 10_000


class Guesses:
    """Counts wrong secrets only.

    Ten of one beginning, or fifty of one address, and then a few a minute. An address that guessed too often
    still signs in the people whose secrets were right there before: behind a proxy all share one address.
    """

    def __init__(self) -> None:
        self._prefixes = RateLimit(per_second=0.2, burst=10)
        self._addresses = RateLimit(per_second=0.5, burst=50)
        self._right: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, address: str, secret: str) -> float:
        """Return for how many seconds no secret of this beginning is tried from the address; 0 for none."""
        prefix = _prefix_of(secret)
        wait = self._prefixes.wait(f"{address} {prefix}")
        with self._lock:
            is_known = f"{address} {prefix}" in self._right
        return wait if is_known else max(wait, self._addresses.wait(address))

    def note_wrong(self, address: str, secret: str) -> None:
        """Count a wrong secret."""
        self._prefixes.take(f"{address} {_prefix_of(secret)}")
        self._addresses.take(address)

    def note_right(self, address: str, secret: str) -> None:
        """Remember that secrets of this beginning belong to somebody at the address."""
        key = f"{address} {_prefix_of(secret)}"
        with self._lock:
            self._right.pop(key, None)
            self._right[key] = None
            while len(self._right) > _MOST_KNOWN:
                self._right.popitem(last=False)


def _prefix_of(secret: str) -> str:
    return hashlib.sha256(secret[:_PREFIX].encode()).hexdigest()[:16]
