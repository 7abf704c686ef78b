"""Sending a request again when it failed for a reason that may pass.

Ours rather than a library's: adapters wait by the same `RetryRules` as Dagster's runs, with a service's
wishes (`retry_after_s`) and the limit beyond which the claim is given back.
"""

from collections.abc import Callable
from itertools import count
from typing import TypeVar

from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.core.planning.retries import RetryRules

T = TypeVar("T")


def repeat(
    send: Callable[[], T],
    *,
    rules: RetryRules,
    may_pass: Callable[[Exception], bool],
    clock: Clock,
    pause: Callable[[Exception, float], None] | None = None,
) -> T:
    """Return what `send` returns at last; raises its error when that cannot pass or the tries are used up.

    `pause` waits between two tries, after an error and for so many seconds; by default this thread sleeps.
    """
    for tries_done in count(1):
        try:
            return send()
        except Exception as error:
            wait = rules.wait_before_retry(
                tries_done=tries_done,
                retry_after_s=getattr(error, "retry_after_s", None),
                chance=clock.chance(),
            )
            if wait is None or not may_pass(error):
                raise
            if pause is None:
                clock.wait(wait)
            else:
                pause(error, wait)
    raise AssertionError("counting does not end")
