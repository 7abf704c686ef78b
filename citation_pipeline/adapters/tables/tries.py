"""The last failed try of each claim and stage: the status table that decides what is tried again.

One small file per stage and claim, there only while the last try failed. What a stage made when it did not
fail is kept with its tables (`claim_store`).
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from datetime import UTC, datetime

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.leases import lease
from citation_pipeline.adapters.tables.store_errors import ChangedMeanwhileError
from citation_pipeline.core.failures import describe_failure, is_transient
from citation_pipeline.core.planning.nights import night_of
from citation_pipeline.core.planning.stages import STAGES, FailedTry, StageState

FOLDER = "failed_tries"


class MadeMeanwhileError(Exception):
    """The stage was made of the same inputs by another run: nothing is left to do."""

    def __init__(self, stage: str, claim_id: str, state: StageState) -> None:
        super().__init__(f"{stage} of {claim_id} was made by another run")
        self.state = state


_RESUMING: ContextVar[bool] = ContextVar("resuming", default=False)


@contextmanager
def resuming(is_made: bool) -> Iterator[None]:
    """Within the block, a stage that is made of the same inputs already is left as it is.

    For a run that takes the place of a killed one which had reported the stage as made.
    """
    token = _RESUMING.set(is_made)
    try:
        yield
    finally:
        _RESUMING.reset(token)


@contextmanager
def trying(store: ClaimStore, stage: str, claim_id: str, inputs: Mapping[str, str]) -> Iterator[None]:
    """Hold the stage for the block, and remember its failure or forget the last one when it succeeds.

    Raises MadeMeanwhileError when another run held the stage and made it of the same inputs, or when this
    one resumes it (`resuming`).
    """
    inputs = dict(inputs)  # as they were before the block adds to them
    with lease(store, stage, claim_id) as waited:
        if waited:  # whoever held it has written
            store.forget_asked()
        state = store.stage_state(stage, claim_id) if waited or _RESUMING.get() else None
        if state is not None and state.inputs == inputs:
            raise MadeMeanwhileError(stage, claim_id, state)
        with store.writing_over_seen(stage, claim_id), _remembering(store, stage, claim_id, inputs):
            yield


@contextmanager
def _remembering(store: ClaimStore, stage: str, claim_id: str, inputs: Mapping[str, str]) -> Iterator[None]:
    try:
        yield
    except ChangedMeanwhileError:  # the other run's outcome is the stage's
        raise
    except Exception as error:
        last = read_failed_try(store, stage, claim_id)
        now = datetime.now(UTC)
        keep_failed_try(
            store,
            claim_id,
            FailedTry(
                stage=stage,
                inputs=dict(inputs),
                reason=describe_failure(error),
                is_transient=is_transient(error),
                nights=_nights(last, inputs, now),
                at=now.isoformat(timespec="seconds"),
            ),
        )
        raise
    forget_failed_try(store, stage, claim_id)


def _nights(last: FailedTry | None, inputs: Mapping[str, str], now: datetime) -> int:
    if last is None or dict(last.inputs) != dict(inputs):
        return 1
    return last.nights + (night_of(datetime.fromisoformat(last.at)) != night_of(now))


def keep_failed_try(store: ClaimStore, claim_id: str, failed: FailedTry) -> None:
    """Write a failed try down, in place of the one before."""
    store.write_bytes(json.dumps(asdict(failed)).encode(), FOLDER, failed.stage, f"{claim_id}.json")


def forget_failed_try(store: ClaimStore, stage: str, claim_id: str) -> bool:
    """Forget a stage's failed try; tell whether there was one."""
    return store.remove(FOLDER, stage, f"{claim_id}.json")


def read_failed_try(store: ClaimStore, stage: str, claim_id: str) -> FailedTry | None:
    """Return a stage's last try if it failed, else None."""
    try:
        return FailedTry(**json.loads(store.read_bytes(FOLDER, stage, f"{claim_id}.json")))
    except (FileNotFoundError, ValueError, TypeError):  # a torn note is no note: the stage is tried again
        return None


def failed_tries(store: ClaimStore) -> dict[str, list[FailedTry]]:
    """Return every claim's failed tries, in the order of their stages."""
    found: dict[str, list[FailedTry]] = {}
    for stage in STAGES:
        for claim_id in store.names(f"{FOLDER}/{stage}", ".json"):
            failed = read_failed_try(store, stage, claim_id)
            if failed is not None:
                found.setdefault(claim_id, []).append(failed)
    return found
