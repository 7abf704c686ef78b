"""What was paid for is kept, what fails by itself stops nobody, and no address is left lying about."""

import json

import pytest

from citation_pipeline.adapters.reducto.addresses import without_addresses
from citation_pipeline.adapters.reducto.errors import (
    ReductoJobGoneError,
    ReductoRequestError,
    ReductoUnfinishedClaimError,
)
from citation_pipeline.adapters.reducto.parse_results import read_parse_result
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline_tests.fake_reducto.desk import CLAIM, Desk
from citation_pipeline_tests.test_reducto_claims import claim_of

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]


def test_a_document_that_always_fails_becomes_a_row_and_its_claim_goes_on(desk: Desk) -> None:
    sources = claim_of(4, desk.folder)
    bad = sources[1][0].sha256
    desk.fake.configure(outcomes={bad: ["Failed:GPU_UNAVAILABLE"]})

    def parse() -> list[DocumentStatus]:
        parser = desk.parser(local=False, job_tries=1)
        return [document.status for document in parser.parse_many(sources, claim_id=CLAIM)]

    for _ in range(2):  # the service may recover, and nothing is shown before
        with pytest.raises(ReductoUnfinishedClaimError):
            parse()
    statuses = parse()
    assert statuses.count(DocumentStatus.PARSED) == 3
    assert statuses[1] is DocumentStatus.PROVIDER_FAILED
    assert desk.fake.counters["uploads"] == 4
    desk.fake.configure(outcomes={})
    assert parse() == [DocumentStatus.PARSED] * 4


def test_the_row_of_such_a_document_says_that_it_may_pass(desk: Desk) -> None:
    ((source, path),) = claim_of(1, desk.folder)
    desk.fake.configure(outcomes={source.sha256: ["Failed:INTERNAL_ERROR"]})
    for _ in range(2):
        with pytest.raises(ReductoUnfinishedClaimError):
            desk.parser(local=False, job_tries=1).parse_many([(source, path)], claim_id=CLAIM)
    (row,) = desk.parser(local=False, job_tries=1).parse_many([(source, path)], claim_id=CLAIM)
    assert row.error is not None
    assert (row.status, row.error.transient) == (DocumentStatus.PROVIDER_FAILED, True)


def test_a_service_that_nobody_reaches_is_no_documents_fault(desk: Desk) -> None:
    sources = claim_of(2, desk.folder)
    desk.fake.script("upload", "reset", times=99)
    for _ in range(5):
        with pytest.raises(ReductoUnfinishedClaimError):
            desk.parser(local=False, tries=1).parse_many(sources, claim_id=CLAIM)


def test_options_that_are_refused_for_every_document_are_the_claims_failure(desk: Desk) -> None:
    sources = claim_of(3, desk.folder)
    desk.fake.script("parse_async", "status", status=400, times=99)
    with pytest.raises(ReductoRequestError):
        desk.parser(local=False).parse_many(sources, claim_id=CLAIM)


@pytest.mark.parametrize("http_status", [404, 410])
def test_a_job_that_is_gone_starts_one_new_job_at_most(desk: Desk, http_status: int) -> None:
    desk.fake.script("job", "status", status=http_status, times=20)
    with pytest.raises(ReductoJobGoneError):
        desk.parse(job_tries=5)
    assert desk.fake.counters["parse_jobs"] == 2


def test_a_claim_whose_document_is_always_gone_goes_on_without_it_at_once(desk: Desk) -> None:
    sources = claim_of(1, desk.folder)
    desk.fake.script("job", "status", status=410, times=99)
    (row,) = desk.parser(local=False).parse_many(sources, claim_id=CLAIM)
    assert row.status is DocumentStatus.PROVIDER_FAILED
    assert desk.fake.counters["parse_jobs"] == 2


BOX = {"left": 0.1, "top": 0.1, "width": 0.2, "height": 0.02, "page": 1}
GOOD = {"type": "Text", "content": "good words", "bbox": BOX}


@pytest.mark.parametrize(
    ("bad", "kept"),
    [
        ({"type": "Text", "content": "no place"}, 1),
        ({"type": "Text", "content": None, "bbox": BOX}, 1),
        ({"type": "Text", "content": "page 0", "bbox": {**BOX, "page": 0}}, 1),
        ({"type": "Text", "content": "no number", "bbox": {**BOX, "left": "left"}}, 1),
        ("not a block", 1),
        ({"type": "Text", "content": "strange beside", "bbox": BOX, "confidence": {"a": 1}}, 2),
        ({"type": "Table", "content": "<table></table>", "bbox": BOX, "merged_tables": [{"bbox": 3}]}, 2),
    ],
)
def test_one_bad_block_costs_itself_and_not_the_result_that_was_paid_for(bad: object, kept: int) -> None:
    data = json.dumps({"chunks": [{"content": "c", "blocks": [GOOD, bad]}], "type": "full"}).encode()
    result = read_parse_result(data, name="letter")
    assert len(result.blocks) == kept
    assert result.blocks_left_out == 2 - kept


def test_a_result_with_a_bad_block_is_a_document_with_a_warning(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    from citation_pipeline.adapters.reducto import job_polling

    download = job_polling._result

    def spoilt(*arguments: object, **named: object) -> object:
        raw = download(*arguments, **named)  # type: ignore[arg-type]
        value = json.loads(raw.result)
        value["chunks"][0]["blocks"].append({"type": "Text", "content": "nowhere"})
        return job_polling.RawResult(json.dumps(value).encode(), raw.job)

    monkeypatch.setattr(job_polling, "_result", spoilt)
    document = desk.parse()
    assert document.status is DocumentStatus.PARSED
    assert "blocks_left_out" in document.warnings
    again = desk.parse()
    assert ("blocks_left_out" in again.warnings, desk.fake.counters["parse_jobs"]) == (True, 1)


def test_no_presigned_address_is_on_disk_after_a_parse(desk: Desk) -> None:
    desk.parse()
    files = [path for path in desk.folder.rglob("*") if path.is_file()]
    assert any(path.name.endswith(".reducto-job.json") for path in files)
    for path in files:
        text = path.read_bytes()
        assert b"http://" not in text, path.name
        assert b"https://" not in text, path.name


def test_addresses_are_taken_out_wherever_they_are_and_words_are_left() -> None:
    said = {
        "pdf_url": "https://storage.example/x?X-Amz-Signature=1",
        "studio_link": "https://studio.example/job/1",
        "result": {
            "type": "full",
            "chunks": [
                {
                    "content": "see https://example.org for the form",
                    "blocks": [{"content": "https://example.org", "image_url": "HTTPS://s.example/i?sig=2"}],
                }
            ],
        },
    }
    kept = json.loads(without_addresses(json.dumps(said).encode()))
    assert (kept["pdf_url"], kept["studio_link"]) == (None, None)
    (chunk,) = kept["result"]["chunks"]
    assert chunk["content"] == "see https://example.org for the form"
    assert chunk["blocks"] == [{"content": "https://example.org", "image_url": None}]
    plain = b'{"chunks": [ ]}'
    assert (without_addresses(plain), without_addresses(b"no json")) == (plain, b"no json")
