"""An instance whose runs write to the terminal as they are: for runs in the caller's own process.

Dagster copies what each step prints by two `tail` processes and two that watch these, and points the output
of the process elsewhere meanwhile. A run in a server's thread that failed left them behind until the garbage
collector came. What is captured is a setting of `dagster.yaml`; the public way to open an instance takes no
other for one process.
"""

from pathlib import Path

import dagster as dg
from dagster._core.instance.ref import InstanceRef

_NONE = {
    "module": "dagster._core.storage.noop_compute_log_manager",
    "class": "NoOpComputeLogManager",
    "config": {},
}


def open_without_capture(home: Path) -> dg.DagsterInstance:
    """Open the instance in a folder, as its `dagster.yaml` says but for the capture of what steps print."""
    return dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(home), overrides={"compute_logs": _NONE}))
