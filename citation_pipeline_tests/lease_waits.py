"""Tests of leases that one holds and another waits for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from citation_pipeline.adapters.coordination import leases


@contextmanager
def until_somebody_waits() -> Iterator[None]:
    """A block that ends when somebody has found a lease held and waits for its holder."""
    waiting, is_kept = threading.Event(), leases._is_kept

    def look(*arguments: Any) -> bool:
        waiting.set()
        return is_kept(*arguments)

    with mock.patch.object(leases, "_is_kept", look):
        yield
        assert waiting.wait(120)
