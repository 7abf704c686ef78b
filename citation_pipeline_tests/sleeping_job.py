"""A job that sleeps, for tests of what becomes of a run whose process is killed."""

import time

import dagster as dg


@dg.op
def sleep_long() -> None:
    """Sleep for longer than any test waits."""
    time.sleep(600)


@dg.op
def end_at_once() -> None:
    """Do nothing."""


@dg.job(executor_def=dg.in_process_executor)
def sleeping() -> None:
    """Sleep."""
    sleep_long()


@dg.job(executor_def=dg.in_process_executor)
def ending() -> None:
    """End."""
    end_at_once()
