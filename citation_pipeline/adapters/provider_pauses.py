"""Backpressure across runs: a provider that says stop gets no calls from any run until the time it named.

One note per provider, for all hosts. Waiting within a call is for the provider's adapter to decide. `place`
is the coordination of a deployment, or a folder of this machine.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, select

from citation_pipeline.adapters.coordination.database import Coordination, coordination_of
from citation_pipeline.adapters.coordination.notes import Kind, Notes, put
from citation_pipeline.adapters.coordination.shapes import NOTES
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
def respecting_pause(place: Coordination | Path, provider: str) -> Iterator[None]:
    """Raise ProviderPausedError while a pause lasts; note the pause that an error of the block asks for."""
    remaining = read_pause(place, provider) - time.time()
    if remaining > 0:
        raise ProviderPausedError(provider, remaining)
    try:
        yield
    except Exception as error:
        asked = getattr(error, "retry_after_s", None)
        if is_transient(error) and asked is not None:
            keep_pause(place, provider, until=time.time() + min(float(asked), LONGEST_PAUSE_S))
        raise


def read_pause(place: Coordination | Path, provider: str) -> float:
    """Return until when a provider wants no calls, in seconds since 1970; 0 when it does not."""
    kept = Notes(coordination_of(place), Kind.PAUSE).read(provider)
    return float(kept["until"]) if kept is not None else 0.0


def keep_pause(place: Coordination | Path, provider: str, *, until: float) -> None:
    """Write a pause down; a longer one stays."""

    def lengthen(connection: Connection) -> None:
        of = NOTES.c
        query = select(of.facts).where(of.kind == Kind.PAUSE.value, of.key == provider).with_for_update()
        known = connection.execute(query).scalar_one_or_none()
        if known is None or json.loads(known)["until"] < until:
            put(connection, Kind.PAUSE, {provider: {"until": until}})

    coordination_of(place).write(lengthen)
