"""What is asked for and what is kept: requests, uploads, raw results, fingerprints."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from citation_pipeline.adapters.reducto.options import ParseOptions
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline_tests.fake_reducto.desk import Desk
from citation_pipeline_tests.fake_reducto.drawn_documents import DrawnDocument, draw

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]


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


def test_the_cheap_profile_asks_for_words_with_places_and_for_no_summary_that_a_model_writes() -> None:
    body = ParseOptions(profile="r-1").request_body("file-1")
    assert body["settings"]["model"] == "r-1"
    assert body["settings"]["return_citations"] is True
    assert body["enhance"] == {"summarize_figures": False}
    assert body["formatting"]["table_output_format"] == "html"


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
