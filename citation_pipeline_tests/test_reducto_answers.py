"""What an answer of Reducto means: which error it is, whether it is tried again, and when."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from citation_pipeline.adapters.reducto.errors import (
    ReductoAddressExpiredError,
    ReductoCredentialsError,
    ReductoDocumentError,
    ReductoError,
    ReductoJobGoneError,
    ReductoRateLimitError,
    ReductoRequestError,
    ReductoTransientError,
    ReductoUnavailableError,
)
from citation_pipeline.adapters.reducto.failures import (
    DOCUMENT_FAULTS,
    RETRY_LATER,
    RETRY_ONCE,
    error_from_answer,
    error_from_failed_job,
    retry_after,
)
from citation_pipeline.core.documents.parsed import DocumentStatus

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def answer(status: int, body: Any = b"", *, operation: str = "upload", **headers: str) -> ReductoError:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return error_from_answer(status, named, data, operation=operation, now=NOW)


@pytest.mark.parametrize(
    ("status", "operation", "error"),
    [
        (400, "upload", ReductoRequestError),
        (401, "upload", ReductoCredentialsError),
        (402, "upload", ReductoRequestError),
        (403, "job", ReductoCredentialsError),
        (404, "job", ReductoJobGoneError),
        (404, "upload", ReductoRequestError),
        (407, "upload", ReductoRequestError),
        (408, "upload", ReductoUnavailableError),
        (409, "job", ReductoJobGoneError),
        (409, "delete_job", ReductoJobGoneError),
        (409, "upload", ReductoRequestError),
        (410, "delete_job", ReductoJobGoneError),
        (411, "job", ReductoRequestError),
        (413, "upload", ReductoDocumentError),
        (422, "parse", ReductoRequestError),
        (429, "job", ReductoRateLimitError),
        (499, "job", ReductoRequestError),
        (500, "job", ReductoUnavailableError),
        (599, "result", ReductoUnavailableError),
        (403, "result", ReductoAddressExpiredError),
        (400, "presigned_put", ReductoAddressExpiredError),
    ],
)
def test_a_status_is_one_kind_of_error(status: int, operation: str, error: type[ReductoError]) -> None:
    found = answer(status, operation=operation)
    assert type(found) is error
    assert (found.http_status, found.operation) == (status, operation)
    assert found.remedy


@pytest.mark.parametrize(
    ("status", "forced", "is_retried"),
    [
        (400, "true", True),
        (400, "false", False),
        (503, "false", False),
        (503, "true", True),
        (503, "x", True),
    ],
)
def test_the_service_may_say_itself_whether_to_try_again(status: int, forced: str, is_retried: bool) -> None:
    found = answer(status, x_should_retry=forced)
    assert isinstance(found, ReductoTransientError) == is_retried


@pytest.mark.parametrize(
    ("status", "row"),
    [
        (413, DocumentStatus.OVERSIZED),
        (415, DocumentStatus.UNSUPPORTED),
        (442, DocumentStatus.ENCRYPTED),
    ],
)
def test_a_status_about_the_document_is_its_row(status: int, row: DocumentStatus) -> None:
    found = answer(status)
    assert isinstance(found, ReductoDocumentError)
    assert found.status is row


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"name": "INVALID_CONFIG", "type": "other"}}, "INVALID_CONFIG"),
        ({"error": {"name": 5, "type": "bad_option"}}, "bad_option"),
        ({"error": {"name": "a sentence that quotes the document"}}, "http_400"),
        ({"error": {"name": "X" * 61}}, "http_400"),
        ({"error": {"name": "X" * 60}}, "X" * 60),
        ({"error": "text"}, "http_400"),
        (["error"], "http_400"),
        (b"<html>", "http_400"),
    ],
)
def test_only_a_short_code_of_an_answer_is_repeated(body: Any, code: str) -> None:
    found = answer(400, body)
    assert found.code == code
    assert "sentence" not in str(found)


def test_a_refused_request_names_the_options_and_nothing_else() -> None:
    detail = [
        {"loc": ["body", "settings", "ocr-mode"]},
        {"loc": ["body", "the applicant's own words"]},
        {"loc": "body"},
        "no mapping",
        {"loc": ["body", 7]},
        {"loc": ["body", "sixth"]},
    ]
    text = str(answer(422, {"detail": detail}))
    assert "at body.settings.ocr-mode, body.7" in text
    assert "applicant" not in text
    assert "sixth" not in text  # five tell enough
    assert " at " not in str(answer(422, {"detail": "no list"})).partition("refused the request")[2][:4]


@pytest.mark.parametrize("name", sorted(RETRY_LATER | RETRY_ONCE))
def test_a_job_that_failed_for_the_services_own_reasons_may_be_tried_again(name: str) -> None:
    found = error_from_failed_job({"name": name}, job_id="j")
    assert (type(found), found.code, found.job_id) == (ReductoUnavailableError, name, "j")


@pytest.mark.parametrize("name", sorted(DOCUMENT_FAULTS))
def test_a_job_that_failed_for_its_document_is_the_documents_row(name: str) -> None:
    found = error_from_failed_job({"name": name}, job_id="j")
    assert isinstance(found, ReductoDocumentError)
    assert (found.status, found.remedy, found.code) == (*DOCUMENT_FAULTS[name], name)


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        ({"name": "AUTH_ERROR"}, ReductoCredentialsError, "AUTH_ERROR"),
        ({"name": "JOB_DELETED"}, ReductoJobGoneError, "JOB_DELETED"),
        ({"name": "INVALID_SCHEMA"}, ReductoRequestError, "INVALID_SCHEMA"),
        ({"name": "SOMETHING_NEW"}, ReductoDocumentError, "SOMETHING_NEW"),
        ({"name": "words of the document"}, ReductoDocumentError, "JOB_FAILED"),
        ({"name": 5}, ReductoDocumentError, "JOB_FAILED"),
        (None, ReductoDocumentError, "JOB_FAILED"),
    ],
)
def test_a_failed_jobs_name_tells_whose_fault_it_was(error: Any, kind: type[ReductoError], code: str) -> None:
    found = error_from_failed_job(error, job_id="j")
    assert (type(found), found.code) == (kind, code)
    if kind is ReductoDocumentError:
        assert found.status is DocumentStatus.PROVIDER_FAILED  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=90), usegmt=True)}, 90.0),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=90), usegmt=True)}, 0.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:05:05 -0000"}, None),  # of no known zone
        ({"retry-after": "soon"}, None),
    ],
)
def test_the_wait_is_read_in_every_form_it_is_asked_for(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers, now=NOW) == seconds


def test_both_kinds_of_transient_answers_carry_the_wait_that_was_asked_for() -> None:
    for status in (429, 503):
        found = answer(status, retry_after="7")
        assert isinstance(found, ReductoTransientError)
        assert found.retry_after_s == 7.0
