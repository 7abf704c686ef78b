"""How a job can end badly, and what becomes of its document: a row, another try, or a transient failure."""

import pytest

from citation_pipeline.adapters.reducto.errors import (
    ReductoDeadlineError,
    ReductoError,
    ReductoJobGoneError,
    ReductoRequestError,
    ReductoUnavailableError,
    ReductoUnfinishedClaimError,
)
from citation_pipeline.adapters.reducto.webhooks import WebhookHints
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline_tests.fake_reducto.desk import Desk

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]

OPERATIONS = ("upload", "parse_async", "job", "result")


def billed_once(desk: Desk) -> bool:
    counters = desk.fake.counters
    return counters["parse_jobs"] == 1 and counters["pending_faults"] == 0


@pytest.mark.parametrize(
    ("http_status", "row"),
    [(415, DocumentStatus.UNSUPPORTED), (442, DocumentStatus.ENCRYPTED)],
)
def test_a_refused_document_is_a_row(desk: Desk, http_status: int, row: DocumentStatus) -> None:
    desk.fake.script("parse_async", "status", status=http_status)
    assert desk.parse().status is row


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("DOCUMENT_CORRUPT", DocumentStatus.CORRUPT),
        ("DOCUMENT_EMPTY", DocumentStatus.EMPTY),
        ("DOCUMENT_PASSWORD_PROTECTED", DocumentStatus.ENCRYPTED),
        ("DOCUMENT_UNSUPPORTED", DocumentStatus.UNSUPPORTED),
        ("DOCUMENT_TOO_LARGE", DocumentStatus.OVERSIZED),
        ("CUSTOMER_TIMEOUT", DocumentStatus.TIMED_OUT),
        ("A_NAME_FROM_THE_FUTURE", DocumentStatus.PROVIDER_FAILED),
    ],
)
def test_a_job_that_fails_for_the_document_is_a_row_and_cleaned_up(
    desk: Desk, name: str, row: DocumentStatus
) -> None:
    desk.fake.configure(outcomes={desk.document.source.sha256: ["Pending", f"Failed:{name}"]})
    parsed = desk.parse()
    assert (parsed.status, parsed.error and parsed.error.code) == (row, name.lower())
    assert parsed.error is not None
    assert parsed.error.remedy
    counters = desk.fake.counters
    assert (counters["deleted_jobs"], counters["deleted_uploads"]) == (1, 1)


def test_a_job_that_fails_for_lack_of_capacity_is_started_again_on_the_same_upload(desk: Desk) -> None:
    failed = {"status": "Failed", "error": {"name": "GPU_POOL_SATURATED", "code": 503}, "result": None}
    desk.fake.script("job", "body", body=failed)
    assert desk.parse().status is DocumentStatus.PARSED
    assert (desk.fake.counters["uploads"], desk.fake.counters["parse_jobs"]) == (1, 2)


def test_a_job_that_keeps_failing_for_lack_of_capacity_is_raised_as_transient(desk: Desk) -> None:
    desk.fake.configure(statuses=["Failed:QUEUE_FULL"])
    with pytest.raises(ReductoUnavailableError, match="QUEUE_FULL"):
        desk.parse(job_tries=2)
    assert desk.fake.counters["uploads"] == 1


def test_a_failure_that_may_be_the_documents_is_tried_once_more_and_then_a_row(desk: Desk) -> None:
    desk.fake.configure(statuses=["Failed:PROCESSING_FAILED"])
    assert desk.parse(job_tries=5).status is DocumentStatus.PROVIDER_FAILED
    assert desk.fake.counters["parse_jobs"] == 2


def test_a_failed_job_without_an_error_object_is_a_row(desk: Desk) -> None:
    desk.fake.script("job", "body", body={"status": "Failed", "reason": "words", "error": None})
    parsed = desk.parse()
    assert parsed.error is not None
    assert (parsed.status, parsed.error.code) == (DocumentStatus.PROVIDER_FAILED, "job_failed")


def test_a_cancelled_job_is_a_row_and_the_next_run_starts_anew(desk: Desk) -> None:
    desk.fake.configure(statuses=["Pending", "Cancelled"])
    assert desk.parse().status is DocumentStatus.PROVIDER_FAILED
    desk.fake.configure(statuses=["Completed"])
    assert desk.parse().status is DocumentStatus.PARSED


@pytest.mark.parametrize("status", ["Idle", "InProgress", "Completing", "SomethingNew", None])
def test_every_status_that_ends_nothing_means_waiting(desk: Desk, status: str | None) -> None:
    desk.fake.script("job", "body", body={"status": status, "result": None}, times=3)
    assert desk.parse().status is DocumentStatus.PARSED
    assert billed_once(desk)


@pytest.mark.parametrize("http_status", [404, 409, 410])
def test_a_job_that_has_gone_is_started_anew(desk: Desk, http_status: int) -> None:
    desk.fake.script("job", "status", status=http_status)
    assert desk.parse().status is DocumentStatus.PARSED
    assert desk.fake.counters["parse_jobs"] == 2


def test_a_job_beyond_the_deadline_is_left_running_and_picked_up_by_the_next_run(desk: Desk) -> None:
    desk.fake.configure(statuses=["InProgress"] * 20 + ["Completed"])
    with pytest.raises(ReductoDeadlineError) as caught:
        desk.parse(deadline_s=60.0)
    assert 45.0 < sum(desk.clock.waits) <= 60.0  # no wait is begun that would end behind the deadline
    assert caught.value.retry_after_s == 15.0
    assert desk.parse(deadline_s=3600.0).status is DocumentStatus.PARSED
    assert desk.receipts[-1].resumed
    assert billed_once(desk)


@pytest.mark.parametrize("what", ["upload", "job"])
def test_a_failing_deletion_does_not_cost_the_result_and_is_made_up_for_later(desk: Desk, what: str) -> None:
    desk.fake.script(f"delete_{what}", "status", status=500, times=5)
    assert desk.parse().warnings[-1] == "not_deleted_yet"
    assert desk.fake.counters[f"deleted_{what}s"] == 0
    assert desk.parser().delete_leftovers() == 1
    assert (desk.fake.counters["deleted_jobs"], desk.fake.counters["deleted_uploads"]) == (1, 1)
    assert desk.parser().delete_leftovers() == 0


@pytest.mark.parametrize("http_status", [404, 410])
def test_a_job_that_is_gone_again_and_again_costs_one_new_job_at_most(desk: Desk, http_status: int) -> None:
    desk.fake.script("job", "status", status=http_status, times=9)
    with pytest.raises(ReductoJobGoneError):
        desk.parse(job_tries=3)
    assert desk.fake.counters["parse_jobs"] == 2


def test_between_two_jobs_that_failed_for_the_service_there_is_a_pause(desk: Desk) -> None:
    desk.fake.configure(statuses=["Failed:QUEUE_FULL"])
    with pytest.raises(ReductoUnavailableError):
        desk.parse(job_tries=3)
    assert desk.fake.counters["parse_jobs"] == 3
    assert sum(desk.clock.waits) > 0


def test_the_longest_wait_that_was_asked_for_is_the_claims() -> None:
    def unavailable(seconds: float | None) -> ReductoError:
        return ReductoUnavailableError(
            "busy", remedy="later", operation="job", code="http_503", retry_after_s=seconds
        )

    errors = [unavailable(5.0), unavailable(None), unavailable(60.0), unavailable(7.0)]
    found = ReductoUnfinishedClaimError.over(errors, total=9, claim_id="c")
    assert (found.retry_after_s, found.errors, found.code) == (60.0, tuple(errors), "http_503")
    assert "4 of 9 documents of claim c" in str(found)
    assert found.transient
    assert ReductoUnfinishedClaimError.over(errors[1:2], total=1, claim_id="c").retry_after_s is None


def test_a_claim_is_tried_again_only_where_that_may_help_all_that_failed() -> None:
    busy = ReductoUnavailableError("busy", remedy="later", operation="job", code="http_503")
    refused = ReductoRequestError("refused", remedy="mend it", operation="parse", code="http_422")
    for errors in ([busy, refused], [refused, busy]):
        assert not ReductoUnfinishedClaimError.over(errors, total=2, claim_id="c").transient


def test_whoever_waits_for_a_webhook_is_woken_at_an_interruption() -> None:
    hints = WebhookHints()
    with hints.listen("a") as first, hints.listen("b") as second:
        assert hints.accept({"job_id": "a"})
        assert (first.is_set(), second.is_set()) == (True, False)
        hints.interrupt()
        assert second.is_set()
        assert hints.interrupted
        hints.resume()
        assert not hints.interrupted
    assert not hints.accept({"job_id": "a"})  # nobody waits any more
