"""A worker as `citation-pipeline fleet worker` starts it, under a host name of a test's choosing."""

import socket
import sys

import dagster as dg

from citation_pipeline.defs.fleet.workers import run_worker

if __name__ == "__main__":
    name, slots, *queues = sys.argv[1:]
    socket.gethostname = lambda: name  # type: ignore[assignment]
    with dg.DagsterInstance.get() as instance:
        run_worker(instance, slots=int(slots), queues=queues)
