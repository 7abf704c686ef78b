"""What leaves the machine is on record, and no secret or document text gets into logs or errors."""

import logging
from datetime import UTC, datetime

import pytest

from citation_pipeline.adapters.reducto.errors import ReductoError
from citation_pipeline.core.failures import PipelineError, describe_failure
from citation_pipeline_tests.fake_reducto.desk import CLAIM, KEY, Desk

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]


def test_every_request_has_a_ledger_row_with_counts_and_a_time(desk: Desk) -> None:
    desk.parse()
    assert [row.endpoint for row in desk.ledger] == [
        "/upload", "/parse_async", "/job/{job_id}", "/job/{job_id}", "presigned GET",
        "/job/{job_id}", "/upload/{file_id}",
    ]  # fmt: skip
    upload, done = desk.ledger[0], desk.ledger[3]
    assert (upload.claim_id, upload.source_id, upload.vendor) == (CLAIM, "notice", "reducto")
    assert (upload.document_count, upload.byte_count) == (1, len(desk.document.data))
    assert upload.at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert (done.page_count, done.credits, done.status) == (2, 4.0, 200)
    assert sum(row.document_count for row in desk.ledger) == 1
    assert sum(row.credits or 0 for row in desk.ledger) == desk.receipts[0].credits == 4.0


def test_failed_and_repeated_requests_have_rows_too(desk: Desk) -> None:
    desk.fake.script("upload", "status", status=500)
    desk.fake.script("parse_async", "reset")
    desk.parse()
    uploads = [(row.status, row.code) for row in desk.ledger if row.endpoint == "/upload"]
    assert uploads == [(500, "internal_error"), (200, "ok")]
    starts = [(row.status, row.code) for row in desk.ledger if row.endpoint == "/parse_async"]
    assert starts == [(None, "unreachable"), (200, "ok")]


def test_the_key_shows_in_no_repr_error_or_log(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    desk.fake.script("upload", "status", status=401)
    client = desk.client()
    with pytest.raises(ReductoError) as caught:
        desk.parse()
    shown = [repr(client), repr(client.connection), repr(caught.value), str(caught.value), caplog.text]
    assert not any(KEY in text for text in shown)


def test_presigned_addresses_show_in_no_log(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    desk.parse(direct_upload_limit=10)
    assert "/results/" in caplog.text  # httpx does log the request …
    assert "X-Amz" not in caplog.text  # … without what opens it


def test_document_text_shows_in_no_log_even_when_everything_fails(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    words = {"error": {"message": "Okwuosa-Lindqvist on page 1", "type": "Ignatius said so", "code": 400}}
    desk.fake.script("parse_async", "status", status=400, body=words)
    with pytest.raises(PipelineError) as caught:
        desk.parse()
    shown = describe_failure(caught.value) + caplog.text
    assert "Okwuosa" not in shown
    assert "Ignatius" not in shown


def test_the_name_of_the_file_is_not_sent(desk: Desk) -> None:
    desk.parse()
    [job] = desk.fake.jobs
    assert desk.document.source.source_id not in job["file_id"]
    digest = desk.document.source.sha256[:16]
    assert desk.fake.counters["direct_uploads"] == 1
    assert [r["file_name"] for r in desk.fake.requests if r["operation"] == "upload"] == [f"{digest}.pdf"]
