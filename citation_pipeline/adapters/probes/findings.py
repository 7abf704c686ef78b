"""What a look at a deployment found: one finding per thing that was looked at, with what to do about it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How a look ended; what could not be looked at has not passed."""

    OK = "ok"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `remedy` is empty where there is nothing to do."""

    check: str
    state: State
    detail: str
    remedy: str = ""


def ok(check: str, detail: str) -> Finding:
    """Return the finding of something in order."""
    return Finding(check, State.OK, detail)


def failed(check: str, detail: str, remedy: str) -> Finding:
    """Return the finding of something to mend."""
    return Finding(check, State.FAILED, detail, remedy)


def not_run(check: str, because_of: str) -> Finding:
    """Return the finding of something that another fault kept from being looked at."""
    return Finding(check, State.NOT_RUN, f"not looked at: {because_of} comes first", f"mend {because_of}")


def looked(check: str, look: Callable[[], Finding], remedy: str) -> Finding:
    """Return what a look finds; one that raises has failed.

    Its message is left out: it may hold a URL with a password.
    """
    try:
        return look()
    except Exception as error:  # whatever it is, the other looks are still taken
        return failed(check, f"{type(error).__name__}", remedy)
