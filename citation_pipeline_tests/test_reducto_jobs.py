"""Jobs and their journal: lost answers, expired uploads, equal files and webhooks, each job paid once."""

import json
import threading

import pytest

from citation_pipeline.adapters.coordination.database import coordination_of
from citation_pipeline.adapters.coordination.notes import Kind, Notes
from citation_pipeline.adapters.reducto.errors import (
    ReductoCredentialsError,
    ReductoJournalError,
    ReductoUnreachableError,
)
from citation_pipeline.adapters.reducto.options import ParseOptions
from citation_pipeline.adapters.reducto.transport import Errand
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline_tests.fake_reducto.desk import CLAIM, KEY, Desk

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]


def test_where_the_list_of_jobs_tells_nothing_a_lost_answer_is_repeated_with_a_warning(desk: Desk) -> None:
    desk.fake.configure(list_configs=False)
    desk.fake.script("parse_async", "reset_after")
    assert "possible_second_job" in desk.parse().warnings
    assert desk.fake.counters["parse_jobs"] == 2


def test_a_lost_answer_after_a_failed_job_is_not_mistaken_for_the_failed_one(desk: Desk) -> None:
    failed = {"status": "Failed", "error": {"name": "QUEUE_FULL"}, "result": None}
    desk.fake.script("job", "body", body=failed)
    desk.fake.script("parse_async", "reset_after", skip=1)
    assert desk.parse().status is DocumentStatus.PARSED
    counters = desk.fake.counters
    assert (counters["uploads"], counters["parse_jobs"], counters["deleted_jobs"]) == (1, 2, 2)


def test_an_upload_that_was_only_promised_is_deleted_and_made_again(desk: Desk) -> None:
    desk.fake.script("presigned_put", "reset", times=5)
    with pytest.raises(ReductoUnreachableError):
        desk.parse(direct_upload_limit=10)
    assert desk.parse(direct_upload_limit=10).status is DocumentStatus.PARSED
    counters = desk.fake.counters
    assert (counters["uploads"], counters["deleted_uploads"], counters["parse_jobs"]) == (2, 2, 1)


def test_an_upload_survives_a_key_that_was_refused_meanwhile(desk: Desk) -> None:
    desk.fake.script("parse_async", "status", status=401)
    with pytest.raises(ReductoCredentialsError):
        desk.parse()
    assert desk.parse().status is DocumentStatus.PARSED
    assert (desk.fake.counters["uploads"], desk.fake.counters["deleted_uploads"]) == (1, 1)


def test_a_job_list_of_several_pages_is_searched(desk: Desk) -> None:
    client = desk.client()
    file_ids = []
    errand = Errand(CLAIM, "notice")
    for _ in range(3):
        file_id = client.upload(b"hello", file_name="a.txt", media_type="text/plain", errand=errand)
        file_ids.append(file_id)
        client.start_job(ParseOptions().request_body(file_id), errand=errand)
    for file_id in file_ids:
        job_id, _ = client.find_job(file_id, errand=errand)
        [known] = [job["job_id"] for job in desk.fake.jobs if job["file_id"] == file_id]
        assert job_id == known
    assert client.find_job("reducto://unknown.pdf", errand=errand) == (None, True)


def test_a_finished_document_is_never_asked_for_again(desk: Desk) -> None:
    first = desk.parse()
    before = desk.fake.counters["requests:upload"]
    second = desk.parse()
    assert desk.fake.counters["requests:upload"] == before == 1
    assert desk.receipts[-1].reused
    assert (second.text, len(second.words)) == (first.text, len(first.words))


def test_the_same_bytes_in_another_claim_are_not_paid_again(desk: Desk) -> None:
    desk.parse()
    desk.parser().parse(desk.document.source, desk.document.data, claim_id="OTHER-1")
    assert desk.fake.counters["parse_jobs"] == 1
    assert (desk.folder / "results" / "OTHER-1" / "notice.reducto.json").is_file()


def test_the_same_bytes_at_the_same_time_are_paid_once(desk: Desk) -> None:
    parser = desk.parser()
    threads = [
        threading.Thread(
            target=parser.parse, args=(desk.document.source, desk.document.data), kwargs={"claim_id": CLAIM}
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (desk.fake.counters["uploads"], desk.fake.counters["parse_jobs"]) == (1, 1)
    assert sorted(receipt.reused for receipt in desk.receipts) == [False, True, True, True]


def test_other_options_are_another_job(desk: Desk) -> None:
    desk.parse()
    desk.parse(options=ParseOptions(profile="r-1"))
    assert desk.fake.counters["parse_jobs"] == 2


def test_a_stored_result_that_was_changed_is_not_trusted(desk: Desk) -> None:
    desk.parse()
    desk.stored(".reducto.json").write_text("{}")
    assert desk.parse().status is DocumentStatus.PARSED
    assert desk.fake.counters["parse_jobs"] == 2


def test_a_job_that_expired_before_the_next_run_is_done_anew(desk: Desk) -> None:
    desk.fake.script("job", "reset", times=5)
    with pytest.raises(ReductoUnreachableError):
        desk.parse()
    desk.fake.reset()  # the service has forgotten upload and job
    assert desk.parse().status is DocumentStatus.PARSED
    assert not desk.receipts[-1].resumed


def test_an_upload_that_expired_before_its_job_was_started_is_sent_again(desk: Desk) -> None:
    desk.fake.script("parse_async", "status", status=503, times=5)
    desk.fake.script("jobs", "status", status=503, times=50)
    with pytest.raises(Exception, match="Run it again"):
        desk.parse()
    desk.fake.reset()
    assert desk.parse().status is DocumentStatus.PARSED
    assert desk.fake.counters["uploads"] == 1


def test_a_torn_journal_file_of_an_earlier_version_is_named_with_its_remedy(desk: Desk) -> None:
    fingerprint = ParseOptions().job_fingerprint()
    entry = desk.folder / "journal" / f"{desk.document.source.sha256}-{fingerprint}.json"
    entry.parent.mkdir()
    entry.write_text('{"state": "run')
    with pytest.raises(ReductoJournalError, match="Delete it") as caught:
        desk.parse()
    assert entry.name in str(caught.value)


def test_a_job_that_an_earlier_version_wrote_into_a_file_is_not_paid_again(desk: Desk) -> None:
    desk.parse()
    notes = Notes(coordination_of(desk.folder / "journal"), Kind.PAID_JOB)
    ((key, facts),) = notes.items().items()
    notes.forget(key)
    (desk.folder / "journal" / f"{key}.json").write_text(json.dumps(facts))
    assert desk.parse().status is DocumentStatus.PARSED
    assert desk.fake.counters["parse_jobs"] == 1


def test_the_journal_holds_ids_and_hashes_only(desk: Desk) -> None:
    desk.parse()
    [written] = Notes(coordination_of(desk.folder / "journal"), Kind.PAID_JOB).items().values()
    assert written["state"] == "done"
    assert set(written) == {
        "sha256", "fingerprint", "state", "started_at", "file_id", "job_id", "stored_path", "result_sha256",
    }  # fmt: skip
    for path in (desk.folder / "journal").rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()


def test_a_webhook_is_a_hint_that_wakes_the_poller_and_is_not_believed(desk: Desk) -> None:
    parser = desk.parser()
    heard: list[bool] = []
    wait = desk.clock.wait

    def wait_and_hint(seconds: float, *, until: threading.Event | None = None) -> None:
        if until is not None:
            [job] = desk.fake.jobs
            heard.append(parser.accept_webhook({"status": "Failed", "job_id": job["job_id"]}))
            assert until.is_set()
        wait(seconds, until=until)

    desk.clock.wait = wait_and_hint  # type: ignore[method-assign]
    parsed = parser.parse(desk.document.source, desk.document.data, claim_id=CLAIM)
    assert parsed.status is DocumentStatus.PARSED
    assert heard == [True]
    assert desk.fake.counters["job_polls"] == 2


@pytest.mark.parametrize(
    "payload", [b"", b"[1]", b"\xff", '{"job_id": 7}', {"job_id": "unknown"}, "[" * 9999]
)
def test_a_payload_that_means_nothing_does_nothing(desk: Desk, payload: object) -> None:
    assert desk.parser().accept_webhook(payload) is False  # type: ignore[arg-type]
