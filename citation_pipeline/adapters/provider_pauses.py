"""Backpressure across runs: a provider that says stop gets no calls from any run until the time it named.

One small file per provider on this machine. Waiting within a call is for the provider's adapter to decide.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from citation_pipeline.adapters.whole_files import write_whole
from citation_pipeline.core.failures import PipelineError, is_transient

# a header that says a year must not stop a year's nights
LONGEST_PAUSE_S = 3600.0


class ProviderPausedError(PipelineError):
    """A provider asked us to wait, and the time is not over; nothing was sent."""

    transient = True

    def __init__(self, provider: str, seconds: float) -> None:
        super().__init__(f"{provider} asked to be left alone for another {seconds:.0f} s; nothing was sent")
        self.provider = provider
        self.retry_after_s = seconds


@contextmanager
def respecting_pause(folder: Path, provider: str) -> Iterator[None]:
    """Raise ProviderPausedError while a pause lasts; note the pause that an error of the block asks for."""
    remaining = read_pause(folder, provider) - time.time()
    if remaining > 0:
        raise ProviderPausedError(provider, remaining)
    try:
        yield
    except Exception as error:
        asked = getattr(error, "retry_after_s", None)
        if is_transient(error) and asked is not None:
            keep_pause(folder, provider, until=time.time() + min(float(asked), LONGEST_PAUSE_S))
        raise


def read_pause(folder: Path, provider: str) -> float:
    """Return until when a provider wants no calls, in seconds since 1970; 0 when it does not."""
    try:
        return float((folder / f"{provider}.until").read_text())
    except (FileNotFoundError, ValueError):
        return 0.0


def keep_pause(folder: Path, provider: str, *, until: float) -> None:
    """Write a pause down; a longer one stays."""
    if until <= read_pause(folder, provider):
        return
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / f"{provider}.until", str(until).encode())
