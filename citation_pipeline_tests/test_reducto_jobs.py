"""Uploads, results and jobs that outlive the process: nothing is sent or paid twice."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from citation_pipeline.adapters.reducto.errors import (
    ReductoCredentialsError,
    ReductoJournalError,
    ReductoUnreachableError,
)
from citation_pipeline.adapters.reducto.options import ParseOptions
from citation_pipeline.adapters.reducto.transport import Errand
from citation_pipeline.core.documents import DocumentStatus, SourceDocument
from citation_pipeline_tests.fake_reducto.desk import CLAIM, KEY, Desk
from citation_pipeline_tests.fake_reducto.drawn_documents import DrawnDocument, draw

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]

PARSE_IN_A_PROCESS = """
import sys, json
from pathlib import Path
from citation_pipeline.adapters.reducto.clients import ReductoClient
from citation_pipeline.adapters.reducto.options import Connection
from citation_pipeline.adapters.reducto.parsers import ReductoParser
from citation_pipeline.core.documents import SourceDocument

base_url, folder, source = sys.argv[1], Path(sys.argv[2]), SourceDocument(**json.loads(sys.argv[3]))
with ReductoClient(
    Connection("test-key", base_url=base_url, requests_per_second=1000, poll_first_s=0.02, poll_most_s=0.02)
) as client:
    parser = ReductoParser(
        client,
        results_folder=folder / "results",
        journal_folder=folder / "journal",
        on_receipt=lambda receipt: print(receipt.resumed),
    )
    parser.parse(source, (folder / "file.pdf").read_bytes(), claim_id="WC-2023-0001")
"""


def start_process(desk: Desk) -> "subprocess.Popen[str]":
    (desk.folder / "file.pdf").write_bytes(desk.document.data)
    source = desk.document.source
    row = {name: getattr(source, name) for name in SourceDocument.__slots__}
    arguments = [desk.fake.base_url, str(desk.folder), json.dumps(row)]
    return subprocess.Popen(
        [sys.executable, "-c", PARSE_IN_A_PROCESS, *arguments], stdout=subprocess.PIPE, text=True
    )


def kill_when(desk: Desk, reached: Callable[[], bool]) -> None:
    process = start_process(desk)
    try:
        for _ in range(3000):
            if reached():
                break
            assert process.poll() is None, "the process ended before it could be killed"
            time.sleep(0.01)
        else:
            pytest.fail("the process never got there")
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()


def resume(desk: Desk) -> str:
    process = start_process(desk)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return printed.strip()


def test_a_killed_process_picks_its_job_up_and_pays_once(desk: Desk) -> None:
    desk.fake.configure(statuses=["InProgress"] * 40 + ["Completed"])
    kill_when(desk, lambda: desk.fake.counters["job_polls"] >= 3)
    assert resume(desk) == "True"
    counters = desk.fake.counters
    assert (counters["uploads"], counters["parse_jobs"]) == (1, 1)
    assert (counters["deleted_uploads"], counters["deleted_jobs"]) == (1, 1)
    assert desk.stored(".reducto.json").is_file()


def test_a_process_killed_before_it_heard_of_its_job_finds_it(desk: Desk) -> None:
    desk.fake.script("parse_async", "stall_after", seconds=5.0)
    kill_when(desk, lambda: desk.fake.counters["parse_jobs"] == 1)
    assert resume(desk) == "True"
    counters = desk.fake.counters
    assert (counters["uploads"], counters["parse_jobs"]) == (1, 1)


def test_a_job_that_comes_to_be_after_its_process_was_killed_is_found(desk: Desk) -> None:
    desk.fake.script("parse_async", "stall", seconds=1.0)
    kill_when(desk, lambda: desk.fake.counters["requests:parse_async"] == 1)
    while desk.fake.counters["parse_jobs"] == 0:  # the server carries out what it had read all the same
        time.sleep(0.05)
    assert resume(desk) == "True"
    counters = desk.fake.counters
    assert (counters["uploads"], counters["parse_jobs"]) == (1, 1)


def test_a_process_killed_while_downloading_downloads_again_and_pays_once(desk: Desk) -> None:
    desk.fake.script("result", "stall", seconds=5.0)
    kill_when(desk, lambda: desk.fake.counters["requests:storage_get"] == 1)
    assert resume(desk) == "True"
    counters = desk.fake.counters
    assert (counters["uploads"], counters["parse_jobs"]) == (1, 1)


def test_a_process_killed_between_storing_and_deleting_only_deletes(desk: Desk) -> None:
    desk.fake.script("delete_job", "stall", seconds=5.0)
    kill_when(desk, lambda: desk.fake.counters["requests:delete_job"] == 1)
    assert resume(desk) == "False"
    counters = desk.fake.counters
    assert (counters["uploads"], counters["parse_jobs"], counters["deleted_uploads"]) == (1, 1, 1)


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


def test_a_torn_journal_file_is_named_with_its_remedy(desk: Desk) -> None:
    desk.parse()
    [entry] = (desk.folder / "journal").glob("*.json")
    entry.write_text('{"state": "run')
    with pytest.raises(ReductoJournalError, match="Delete it") as caught:
        desk.parse()
    assert entry.name in str(caught.value)


def test_the_journal_holds_ids_and_hashes_only(desk: Desk) -> None:
    desk.parse()
    [entry] = (desk.folder / "journal").glob("*.json")
    written = json.loads(entry.read_text())
    assert written["state"] == "done"
    assert set(written) == {
        "sha256", "fingerprint", "state", "started_at", "file_id", "job_id", "stored_path", "result_sha256",
    }  # fmt: skip
    assert KEY not in entry.read_text()


def test_a_large_file_goes_through_a_presigned_address_without_the_key(desk: Desk) -> None:
    assert desk.parse(direct_upload_limit=100).status is DocumentStatus.PARSED
    counters = desk.fake.counters
    assert (counters["presigned_puts"], counters["direct_uploads"]) == (1, 0)
    [put] = [row for row in desk.ledger if row.method == "PUT"]
    assert (put.document_count, put.byte_count) == (1, len(desk.document.data))


def test_a_file_too_large_for_a_direct_upload_after_all_is_presigned(desk: Desk) -> None:
    desk.fake.configure(direct_limit=100)
    assert desk.parse().status is DocumentStatus.PARSED
    assert desk.fake.counters["presigned_puts"] == 1


@pytest.mark.parametrize("kind", ["reset", "reset_after", "expire"])
def test_a_broken_presigned_upload_is_repeated(desk: Desk, kind: str) -> None:
    desk.fake.script("presigned_put", kind)
    assert desk.parse(direct_upload_limit=100).status is DocumentStatus.PARSED
    assert desk.fake.counters["parse_jobs"] == 1


def test_results_come_inline_too(desk: Desk) -> None:
    desk.fake.configure(always_inline=True)
    inline = desk.parse()
    assert desk.fake.counters["results"] == 0
    assert not desk.stored(".reducto-job.json").exists()
    assert json.loads(desk.stored(".reducto.json").read_bytes())["status"] == "Completed"
    assert inline.status is DocumentStatus.PARSED


def test_an_address_may_serve_the_whole_response(desk: Desk) -> None:
    plain = desk.parse()
    desk.fake.reset(whole_response_at_url=True)
    desk.folder = desk.folder / "again"
    assert desk.parse().text == plain.text


def test_the_raw_result_is_stored_byte_for_byte_beside_its_text(desk: Desk) -> None:
    desk.parse()
    raw = json.loads(desk.stored(".reducto.json").read_bytes())
    assert raw["type"] == "full"
    job = json.loads(desk.stored(".reducto-job.json").read_bytes())
    assert job["result"]["usage"]["num_pages"] == 2
    text = desk.stored(".md").read_text()
    assert "Ignatius Okwuosa-Lindqvist" in text
    assert not list(desk.stored(".md").parent.glob(".*"))  # nothing half-written is left


def test_a_strange_bill_does_not_cost_the_result(desk_for: Callable[[DrawnDocument], Desk]) -> None:
    desk = desk_for(draw())
    fixture = {"job_id": "x", "duration": 1, "usage": {"num_pages": "many", "credits": {}}}
    fixture["result"] = {"type": "full", "chunks": []}
    desk.fake.add_fixture(desk.document.source.sha256, fixture)
    assert desk.parse().status is DocumentStatus.PARSED
    assert (desk.receipts[0].page_count, desk.receipts[0].credits) == (None, None)


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


def test_a_webhook_address_is_sent_without_metadata(desk: Desk) -> None:
    desk.parse(webhook_url="http://127.0.0.1:9/hook")
    [request] = [r for r in desk.fake.requests if r["operation"] == "parse_async"]
    assert request["body"]["async"] == {"webhook": {"mode": "direct", "url": "http://127.0.0.1:9/hook"}}


def test_the_request_says_what_the_profile_promises(desk: Desk) -> None:
    desk.parse()
    [request] = [r for r in desk.fake.requests if r["operation"] == "parse_async"]
    body = request["body"]
    assert [entry["scope"] for entry in body["enhance"]["agentic"]] == ["text", "table", "figure"]
    assert body["formatting"]["table_output_format"] == "html"
    assert body["formatting"]["add_page_markers"] is False
    assert body["settings"]["force_url_result"] is True
    assert body["settings"]["persist_results"] is False


def test_the_fingerprint_changes_with_every_option_that_changes_the_result() -> None:
    options = [
        ParseOptions(),
        ParseOptions(profile="r-1"),
        ParseOptions(add_page_markers=True),
        ParseOptions(merge_tables=True),
        ParseOptions(extraction_mode="ocr"),
        ParseOptions(table_mode="max"),
    ]
    prints = {option.fingerprint(local_fingerprint="a") for option in options}
    prints.add(ParseOptions().fingerprint(local_fingerprint="b"))
    assert len(prints) == len(options) + 1
    cheap = ParseOptions(queue_priority="batch")
    assert cheap.fingerprint(local_fingerprint="a") == ParseOptions().fingerprint(local_fingerprint="a")


def test_profiles_cannot_be_mixed() -> None:
    with pytest.raises(ValueError, match="r-1"):
        ParseOptions(profile="r-1", merge_tables=True)


def test_the_results_folder_of_a_claim_cannot_be_left(desk: Desk) -> None:
    with pytest.raises(Exception, match=r"\.\./x"):
        desk.parser().parse(desk.document.source, desk.document.data, claim_id="../x")
    assert not Path(desk.folder / "x").exists()
