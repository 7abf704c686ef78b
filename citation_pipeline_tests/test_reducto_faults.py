"""Every way in which the wire can fail, played by the loopback server over real sockets, one test each."""

import pytest

from citation_pipeline.adapters.reducto.errors import (
    RETRY_AFTER_CAP_S,
    ReductoCredentialsError,
    ReductoError,
    ReductoGarbledAnswerError,
    ReductoRateLimitError,
    ReductoRequestError,
    ReductoTransientError,
    ReductoUnavailableError,
    ReductoUnreachableError,
)
from citation_pipeline.adapters.reducto.transport import Errand
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline_tests.fake_reducto.desk import CLAIM, Desk

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]

OPERATIONS = ("upload", "parse_async", "job", "result")


def billed_once(desk: Desk) -> bool:
    counters = desk.fake.counters
    return counters["parse_jobs"] == 1 and counters["pending_faults"] == 0


def test_a_wrong_key_is_refused_at_once_and_the_remedy_names_the_setting(desk: Desk) -> None:
    with pytest.raises(ReductoCredentialsError, match="REDUCTO_API_KEY") as caught:
        desk.parse(api_key="another-key")
    assert (caught.value.http_status, caught.value.transient) == (401, False)
    assert desk.fake.counters["requests:upload"] == 1


def test_a_key_without_rights_is_refused_at_once(desk: Desk) -> None:
    desk.fake.script("parse_async", "status", status=403)
    with pytest.raises(ReductoCredentialsError) as caught:
        desk.parse()
    assert caught.value.http_status == 403


def test_a_missing_key_is_refused_before_anything_is_sent(desk: Desk) -> None:
    with pytest.raises(ValueError, match="REDUCTO_API_KEY"):
        desk.parse(api_key="")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_server_error_is_tried_again(desk: Desk, operation: str) -> None:
    desk.fake.script(operation, "status", status=500)
    assert desk.parse().status is DocumentStatus.PARSED
    assert billed_once(desk)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_reset_connection_is_tried_again(desk: Desk, operation: str) -> None:
    desk.fake.script(operation, "reset")
    assert desk.parse().status is DocumentStatus.PARSED
    assert billed_once(desk)


@pytest.mark.parametrize("operation", ["parse_async", "job", "result"])
def test_an_answer_lost_to_a_reset_never_makes_a_second_job(desk: Desk, operation: str) -> None:
    desk.fake.script(operation, "reset_after")
    assert desk.parse().status is DocumentStatus.PARSED
    assert billed_once(desk)


@pytest.mark.parametrize("operation", ["upload", "job", "result"])
def test_an_answer_cut_in_half_is_fetched_again(desk: Desk, operation: str) -> None:
    desk.fake.script(operation, "truncate")
    assert desk.parse().status is DocumentStatus.PARSED
    assert billed_once(desk)


@pytest.mark.parametrize("operation", ["upload", "job", "result"])
def test_a_page_of_html_in_place_of_json_is_fetched_again(desk: Desk, operation: str) -> None:
    desk.fake.script(operation, "garbage")
    assert desk.parse().status is DocumentStatus.PARSED
    assert billed_once(desk)


def test_html_for_ever_is_a_transient_failure_that_says_so(desk: Desk) -> None:
    desk.fake.script("job", "garbage", times=20)
    with pytest.raises(ReductoGarbledAnswerError, match="between us and the service"):
        desk.parse()


@pytest.mark.parametrize("operation", ["upload", "job", "result"])
def test_a_stalled_answer_is_given_up_and_asked_for_again(desk: Desk, operation: str) -> None:
    desk.fake.script(operation, "stall", seconds=60.0)
    assert desk.parse(answer_timeout_s=2.0).status is DocumentStatus.PARSED
    assert billed_once(desk)


def test_a_stall_after_the_job_was_created_does_not_create_another(desk: Desk) -> None:
    desk.fake.script("parse_async", "stall_after", seconds=60.0)
    assert desk.parse(answer_timeout_s=2.0).status is DocumentStatus.PARSED
    assert billed_once(desk)


def test_a_server_error_after_five_tries_is_raised_as_transient(desk: Desk) -> None:
    desk.fake.script("upload", "status", status=503, times=5)
    with pytest.raises(ReductoUnavailableError) as caught:
        desk.parse()
    assert caught.value.transient
    assert desk.fake.counters["requests:upload"] == 5
    assert desk.clock.waits == [0.5, 1.0, 2.0, 4.0]


def test_nobody_listening_is_a_transient_failure(desk: Desk) -> None:
    desk.fake = type(desk.fake)("http://127.0.0.1:9")
    with pytest.raises(ReductoUnreachableError) as caught:
        desk.parse()
    assert not caught.value.may_have_happened


def test_a_429_waits_as_long_as_it_asks(desk: Desk) -> None:
    desk.fake.script("parse_async", "status", status=429, headers={"Retry-After": "7"})
    assert desk.parse().status is DocumentStatus.PARSED
    assert any(6.9 < wait <= 7.0 for wait in desk.clock.waits)
    assert billed_once(desk)


def test_a_429_without_advice_backs_off(desk: Desk) -> None:
    desk.fake.script("upload", "status", status=429)
    assert desk.parse().status is DocumentStatus.PARSED
    assert 0.5 in desk.clock.waits


def test_a_429_may_give_a_date(desk: Desk) -> None:
    desk.fake.script("upload", "status", status=429, headers={"Retry-After": "Fri, 02 Jan 2026 03:04:25 GMT"})
    assert desk.parse().status is DocumentStatus.PARSED
    assert max(desk.clock.waits) == pytest.approx(20.0, abs=0.1)


def test_advice_to_wait_long_is_raised_as_data_and_capped(desk: Desk) -> None:
    desk.fake.script("upload", "status", status=429, headers={"Retry-After": "999999"})
    with pytest.raises(ReductoRateLimitError) as caught:
        desk.parse()
    assert caught.value.retry_after_s == RETRY_AFTER_CAP_S
    assert desk.clock.waits == []


def test_a_refused_option_names_the_key_and_leaves_nothing_behind(desk: Desk) -> None:
    detail = [{"loc": ["body", "settings", "model"], "msg": "quoted text", "type": "literal_error"}]
    desk.fake.script("parse_async", "status", status=422, body={"detail": detail})
    with pytest.raises(ReductoRequestError, match=r"body\.settings\.model") as caught:
        desk.parse()
    assert "quoted text" not in str(caught.value)
    assert desk.fake.counters["deleted_uploads"] == 1


def test_an_expired_result_address_is_asked_for_again(desk: Desk) -> None:
    desk.fake.script("result", "expire", times=2)
    assert desk.parse().status is DocumentStatus.PARSED
    assert billed_once(desk)


def test_addresses_that_always_expire_are_a_transient_failure_without_the_address(desk: Desk) -> None:
    desk.fake.configure(result_ttl=-1.0)
    with pytest.raises(ReductoTransientError) as caught:
        desk.parse()
    assert "X-Amz" not in str(caught.value)
    assert desk.fake.counters["expired_results"] == 3


def test_a_link_that_is_not_https_is_refused_when_the_service_is(desk: Desk) -> None:
    client = desk.client()
    object.__setattr__(client.connection, "base_url", "https://platform.invalid")
    with pytest.raises(ReductoGarbledAnswerError, match="https"):
        client.download_result("file:///etc/passwd", errand=Errand(CLAIM, "notice"), job_id="j")


def test_a_result_larger_than_allowed_is_refused(desk: Desk) -> None:
    with pytest.raises(ReductoRequestError, match="larger than 2000 bytes"):
        desk.parse(largest_result=2000)


@pytest.mark.parametrize("number", range(6))
def test_a_file_that_changed_since_it_was_listed_is_not_sent(desk: Desk, number: int) -> None:
    with pytest.raises(ReductoRequestError, match="changed since"):
        desk.parser().parse(desk.document.source, b"%%PDF-other %d" % number, claim_id=CLAIM)
    assert desk.fake.counters["uploads"] == 0


def test_every_error_of_the_family_says_what_to_do() -> None:
    error = ReductoError("it broke", remedy="Mend it.", operation="job", code="broken", job_id="j1")
    assert str(error) == "broken: it broke (job, job_id=j1). Mend it."
