"""Waiting for a job to end, and fetching its result inline or from its address.

Not here: starting jobs and remembering them (`document_steps`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citation_pipeline.adapters.reducto.addresses import without_addresses
from citation_pipeline.adapters.reducto.clients import ReductoClient
from citation_pipeline.adapters.reducto.errors import (
    ReductoAddressExpiredError,
    ReductoDeadlineError,
    ReductoJobCancelledError,
)
from citation_pipeline.adapters.reducto.failures import error_from_failed_job
from citation_pipeline.adapters.reducto.parse_results import result_link
from citation_pipeline.adapters.reducto.stored_results import RawResult
from citation_pipeline.adapters.reducto.transport import Errand
from citation_pipeline.adapters.reducto.webhooks import WebhookHints

_FRESH_ADDRESSES = 3  # times to ask for a new address when one was refused
_POLL_GROWTH = 1.5


def await_result(client: ReductoClient, job_id: str, *, errand: Errand, hints: WebhookHints) -> RawResult:
    """Poll until the job ends; return its result.

    Completed, Failed and Cancelled end a job; every other status, known or not, means waiting. Raises a
    `ReductoError`: that of the failed job, or `ReductoDeadlineError` when it takes too long.
    """
    connection, clock = client.connection, client.clock
    deadline = clock.monotonic() + connection.deadline_s
    pause, expired = connection.poll_first_s, 0
    with hints.listen(job_id) as hinted:
        while True:
            job, raw = client.read_job(job_id, errand=errand)
            status = job.get("status")
            if status == "Completed":
                try:
                    return _result(client, job, raw, job_id, errand)
                except ReductoAddressExpiredError:
                    expired += 1
                    if expired == _FRESH_ADDRESSES:
                        raise
                    continue
            if status == "Failed":
                error = error_from_failed_job(job.get("error"), job_id=job_id)
                error.source_id = errand.source_id
                raise error
            if status == "Cancelled":
                raise ReductoJobCancelledError(
                    "the job was cancelled",
                    remedy="Run it again to start a new one.",
                    operation="job",
                    code="JOB_CANCELLED",
                    job_id=job_id,
                    source_id=errand.source_id,
                )
            if hints.interrupted or clock.monotonic() + pause > deadline:
                raise ReductoDeadlineError(
                    "the wait was interrupted"
                    if hints.interrupted
                    else f"the job did not end within {connection.deadline_s:.0f} s",
                    remedy="Run it again: the same job is waited for, and not paid twice.",
                    operation="job",
                    code="job_deadline",
                    job_id=job_id,
                    source_id=errand.source_id,
                    retry_after_s=connection.poll_most_s,
                )
            clock.wait(pause, until=hinted)
            hinted.clear()
            pause = min(connection.poll_most_s, pause * _POLL_GROWTH)


def _result(
    client: ReductoClient, job: Mapping[str, Any], raw: bytes, job_id: str, errand: Errand
) -> RawResult:
    response = job.get("result")
    link = result_link(response) if isinstance(response, Mapping) else None
    if link is None:
        return RawResult(without_addresses(raw), None)
    result = client.download_result(link, errand=errand, job_id=job_id)
    return RawResult(without_addresses(result), without_addresses(raw))
