"""How long a worker has worked: its own CPU time, and the time it slept for no reason of the machine's.

A busy machine makes every process wait. What waits for a core, or was stopped, is not stuck; what sleeps is.
"""

import os
import time
from pathlib import Path

_LONGEST_STEP = 0.5  # seconds; a gap between two looks longer than this is the parser's own delay
_SLEEPING = "SD"  # states of Linux: waiting for something else than a core


class WorkerClock:
    """Seconds that one process spent working or sleeping; `spent` is meant to be asked ten times a second.

    Where the system does not tell (no /proc), it is wall time.
    """

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/stat")
        self._tick = 1.0 / os.sysconf("SC_CLK_TCK")
        self._looked = time.monotonic()
        self._worked = self._slept = 0.0

    def spent(self) -> float:
        """Return the CPU seconds of all threads, and the seconds that the main thread slept."""
        now = time.monotonic()
        passed, self._looked = now - self._looked, now
        try:
            # the second field is the program's name, which may hold spaces and brackets
            fields = self._status.read_text().rpartition(")")[2].split()
        except OSError:
            self._slept += passed
            return self._worked + self._slept
        worked = (int(fields[11]) + int(fields[12])) * self._tick
        if fields[0] in _SLEEPING and worked == self._worked:
            self._slept += min(passed, _LONGEST_STEP)
        self._worked = worked
        return self._worked + self._slept
