"""How long a run waits before it tries a stage again, and when it gives the claim back instead."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryRules:
    """`tries` in all within one run; waits double from `first_wait_s`, none is longer than `longest_wait_s`.

    A provider that asks for more than the longest wait is not slept through: the run ends, the claim stays
    transient and the next night tries it again.
    """

    tries: int = 3
    first_wait_s: float = 20.0  # the adapters have waited and repeated by themselves before
    longest_wait_s: float = 600.0

    def wait_before_retry(
        self, *, tries_done: int, retry_after_s: float | None, chance: float
    ) -> float | None:
        """Return the seconds to wait after so many tries, None to give up; `chance` in 0–1 spreads claims."""
        if tries_done >= self.tries:
            return None
        if retry_after_s is not None:
            if retry_after_s > self.longest_wait_s:
                return None
            # never earlier than asked for, and not all at the same moment
            return retry_after_s + chance * self.first_wait_s
        doubled = min(self.longest_wait_s, self.first_wait_s * 2.0 ** (tries_done - 1))
        return doubled * (0.5 + chance / 2)
