"""A job whose run spreads its work over processes of its own, as a re-match of many claims does."""

import os
import time

import dagster as dg

from citation_pipeline.defs.runs.claim_workers import open_claim_workers


def process_of(key: str) -> int:
    return os.getpid()


def wait_long(key: str) -> int:
    time.sleep(600)
    return 0


@dg.op
def spread() -> None:
    with open_claim_workers(2) as workers:
        pids = set(workers.map(process_of, [str(number) for number in range(200)]))
    assert os.getpid() not in pids, "it had no processes of its own"


@dg.op
def spread_and_wait() -> None:
    with open_claim_workers(2) as workers:
        list(workers.map(wait_long, [str(number) for number in range(200)]))


@dg.job(executor_def=dg.in_process_executor)
def spreading() -> None:
    spread()


@dg.job(executor_def=dg.in_process_executor)
def spreading_long() -> None:
    spread_and_wait()
