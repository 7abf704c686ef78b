"""The second remote parser, on loopback: the port holds, faults are told apart, and nothing is paid twice."""

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.azure_layout.client import AzureLayoutClient
from citation_pipeline.adapters.azure_layout.errors import (
    AzureAccessError,
    AzureLayoutError,
    AzureUnavailableError,
)
from citation_pipeline.adapters.azure_layout.parser import AzureLayoutParser
from citation_pipeline.adapters.outbound_ledger import OutboundRequest, read_ledger
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.adapters.readers import DocumentParser
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument, SourceDocument
from citation_pipeline.core.failures import describe_failure
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline_tests.claude_scenes import PatientClock
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.fake_azure_layout import FakeAzureLayout, layout_of

LINES = ["Harbor Foods of Long Beach", "The claim is accepted for the lumbar spine."]
TABLE = [["Date", "Amount"], ["01/02/2025", "$410.00"], ["02/02/2025", "$95.50"]]
WORDS = "Plantedpatient"


class NoWaiting(PatientClock):
    """Waits without time passing, but for the deadline's sake."""

    def clock(self) -> Any:
        from citation_pipeline.adapters.clocks import Clock

        made = super().clock()
        return Clock(now=made.now, monotonic=lambda: self.seconds, sleep=self._pass, chance=lambda: 0.5)

    def _pass(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds


@dataclass
class AzureDesk:
    azure: FakeAzureLayout
    folder: Path
    rows: list[OutboundRequest] = field(default_factory=list)
    time: NoWaiting = field(default_factory=NoWaiting)

    def parser(self, key: str = "azure-key") -> AzureLayoutParser:
        client = AzureLayoutClient(self.azure.url, key, ledger=self.rows.append, clock=self.time.clock())
        return AzureLayoutParser(client, folder=self.folder / "kept", page_dollars=0.01)

    def source(self, name: str, *, result: Any = None) -> tuple[SourceDocument, Path]:
        path = self.folder / f"{name}.pdf"
        path.write_bytes(f"%PDF-1.4 {name}".encode())
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self.azure.results[digest] = layout_of([LINES], table=TABLE) if result is None else result
        return SourceDocument(name, f"{name}.pdf", f"{name}.pdf", digest, "application/pdf", 1), path

    def parse(self, *sources: tuple[SourceDocument, Path], key: str = "azure-key") -> list[ParsedDocument]:
        parser = self.parser(key)
        try:
            return parser.parse_many(sources, claim_id="CLM-1")
        finally:
            parser.close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[AzureDesk]:
    with FakeAzureLayout() as azure:
        yield AzureDesk(azure, tmp_path)


def words_of(document: ParsedDocument) -> list[str]:
    return document.text.split()


def test_a_document_becomes_words_with_boxes_blocks_and_tables(desk: AzureDesk):
    parser: DocumentParser = desk.parser()
    assert parser.is_paid
    (document,) = desk.parse(desk.source("letter"))
    assert document.status is DocumentStatus.PARSED
    assert words_of(document)[:5] == ["Harbor", "Foods", "of", "Long", "Beach"]
    assert [block.type for block in document.blocks] == ["Title", "Text", "Table"]
    assert document.blocks[2].content.startswith("<table><tr><th>Date</th><th>Amount</th></tr>")
    box = document.blocks[0].box
    assert (round(box.left, 3), round(box.top, 3)) == (round(1 / 8.5, 3), round(0.4 / 11, 3))
    assert (document.pages[0].width_pt, document.pages[0].height_pt) == (612, 792)
    assert desk.azure.counters == {"analyzed": 1, "deleted": 1}


def test_a_content_is_paid_once_whoever_asks_and_a_rerun_asks_nobody(desk: AzureDesk):
    source = desk.source("letter")
    first = desk.parse(source)
    calls = len(desk.rows)
    again = desk.parse(source, (SourceDocument(**{**vars_of(source[0]), "source_id": "copy"}), source[1]))
    assert [words_of(document) for document in again] == [words_of(first[0])] * 2
    assert len(desk.rows) == calls


def vars_of(source: SourceDocument) -> dict[str, Any]:
    return {name: getattr(source, name) for name in source.__dataclass_fields__}


def test_a_process_that_died_after_the_start_waits_for_the_same_analysis(
    desk: AzureDesk, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("citation_pipeline.adapters.azure_layout.parser._DEADLINE_S", 60.0)  # of 1,800
    source = desk.source("letter")
    desk.azure.statuses = ("running",) * 5_000
    with pytest.raises(AzureUnavailableError, match="same analysis is waited for"):
        desk.parse(source)
    for job in desk.azure.jobs.values():
        job["statuses"] = []
    (document,) = desk.parse(source)
    assert document.status is DocumentStatus.PARSED
    assert desk.azure.counters["analyzed"] == 1
    assert document.warnings == ()


def test_a_start_whose_answer_was_lost_is_doubted_and_said(desk: AzureDesk):
    source = desk.source("letter")
    desk.azure.faults["lost"] = [{}]
    (document,) = desk.parse(source)
    assert desk.azure.counters["analyzed"] == 2  # the service has no way to look for it
    assert document.warnings == ("possible_second_job",)


def test_a_result_that_is_gone_starts_one_new_analysis_at_most(desk: AzureDesk):
    source = desk.source("letter")
    desk.azure.faults["result"] = [{"status": 410}] * 9
    (row,) = desk.parse(source)
    assert (row.status, desk.azure.counters["analyzed"]) == (DocumentStatus.PROVIDER_FAILED, 2)


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 429, "headers": {"retry-after": "3"}},
        {"status": 500, "body": "<html>oops</html>"},
        {"status": 503},
        {"kind": "reset"},
    ],
)
@pytest.mark.parametrize("operation", ["analyze", "result"])
def test_what_passes_is_waited_for_and_each_attempt_is_in_the_ledger(
    desk: AzureDesk, fault: dict[str, Any], operation: str
):
    desk.azure.faults[operation] = [fault]
    (document,) = desk.parse(desk.source("letter"))
    assert document.status is DocumentStatus.PARSED
    assert sum(row.code != "ok" for row in desk.rows) == 1
    assert {row.vendor for row in desk.rows} == {"azure-layout"}


def test_an_outage_is_transient_and_the_documents_that_were_analyzed_are_kept(desk: AzureDesk):
    good, bad = desk.source("good"), desk.source("bad")
    desk.azure.always[bad[0].sha256] = {"status": 503, "headers": {"retry-after": "600"}}
    with pytest.raises(AzureUnavailableError) as caught:
        desk.parse(good, bad)
    assert (caught.value.transient, caught.value.retry_after_s) == (True, 600)
    desk.azure.always.clear()
    assert [document.status for document in desk.parse(good, bad)] == [DocumentStatus.PARSED] * 2
    assert desk.azure.counters["analyzed"] == 2


def test_a_document_that_always_fails_becomes_a_row_and_its_claim_goes_on(desk: AzureDesk):
    good, bad = desk.source("good"), desk.source("bad")
    desk.azure.always[bad[0].sha256] = {"status": 500}
    for _ in range(2):
        with pytest.raises(AzureUnavailableError):
            desk.parse(good, bad)
    first, second = desk.parse(good, bad)
    assert (first.status, second.status) == (DocumentStatus.PARSED, DocumentStatus.PROVIDER_FAILED)
    assert second.error is not None
    assert second.error.transient


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("InvalidContentLength", DocumentStatus.OVERSIZED),
        ("InvalidContent", DocumentStatus.CORRUPT),
        ("UnsupportedContent", DocumentStatus.ENCRYPTED),
        ("SomethingNew", DocumentStatus.PROVIDER_FAILED),
    ],
)
def test_a_document_that_is_refused_is_a_row_with_its_reason(
    desk: AzureDesk, code: str, status: DocumentStatus
):
    error = {"code": "InvalidRequest", "message": WORDS, "innererror": {"code": code, "message": WORDS}}
    desk.azure.faults["analyze"] = [{"status": 400, "body": {"error": error}}]
    refused, good = desk.parse(desk.source("bad"), desk.source("good"))
    assert (refused.status, good.status) == (status, DocumentStatus.PARSED)
    assert WORDS not in repr(refused.error)


@pytest.mark.parametrize(("status", "said"), [(401, "KEY"), (403, "KEY"), (404, "ENDPOINT")])
def test_a_key_or_address_that_is_wrong_is_said_at_once(desk: AzureDesk, status: int, said: str):
    desk.azure.faults["analyze"] = [{"status": status, "body": {"error": {"message": WORDS}}}] * 5
    with pytest.raises(AzureAccessError, match=said) as caught:
        desk.parse(desk.source("letter"))
    assert WORDS not in describe_failure(caught.value)
    assert len(desk.rows) == 1


@pytest.mark.parametrize(
    "spoilt",
    [
        {"content": "x", "polygon": [1, 1], "span": {"offset": 0, "length": 1}},
        {"content": "x", "polygon": ["a"] * 8, "span": {"offset": 0, "length": 1}},
        {"content": "x"},
    ],
)
def test_one_bad_word_costs_itself_and_is_said(desk: AzureDesk, spoilt: dict[str, Any]):
    result = layout_of([LINES])
    result["pages"][0]["words"].insert(2, spoilt)
    (document,) = desk.parse(desk.source("letter", result=result))
    assert document.warnings == ("words_left_out",)
    assert words_of(document) == " ".join(LINES).split()


@pytest.mark.parametrize(
    "result", [{}, {"pages": []}, {"pages": [{}]}, {"pages": [{"width": 0, "height": 1}]}]
)
def test_a_result_that_is_none_is_a_row_and_not_paid_for_again(desk: AzureDesk, result: dict[str, Any]):
    source = desk.source("letter", result=result)
    assert [row.status for row in desk.parse(source)] == [DocumentStatus.PROVIDER_FAILED]
    assert [row.status for row in desk.parse(source)] == [DocumentStatus.PROVIDER_FAILED]
    assert desk.azure.counters["analyzed"] == 1


@pytest.mark.parametrize("operation", ["analyze", "result"])
@pytest.mark.parametrize(
    "fault",
    [
        {"status": 500, "body": WORDS},
        {"status": 400, "body": {"error": {"message": WORDS}}},
        {"kind": "reset"},
    ],
)
def test_no_log_exception_ledger_or_file_shows_a_key_an_address_or_a_document(
    desk: AzureDesk, fault: dict[str, Any], operation: str, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    desk.azure.key = "planted-key"
    desk.azure.faults[operation] = [fault] * 9
    seen: list[str] = []
    try:
        seen += [repr(row.error) for row in desk.parse(desk.source("letter"), key="planted-key")]
    except AzureLayoutError as error:
        seen += [str(error), repr(error), str(vars(error)), str(error.__cause__)]
    desk.parse(desk.source("other"), key="planted-key") if operation == "result" else None
    seen += [repr(desk.parser("planted-key")), *(repr(row) for row in desk.rows)]
    seen += [str(record.__dict__) for record in caplog.records]
    kept = [path for path in (desk.folder / "kept").rglob("*") if path.is_file()]
    files = [path.read_text("latin-1") for path in kept if ".result." not in path.name]
    assert any("CREATE TABLE" in text for text in files)  # the notes are among them
    for secret in (WORDS, "planted-key", "sig=secret", "another.example"):
        assert not [text for text in [*seen, *files] if secret in text]


def test_the_price_needs_no_key_and_a_missing_one_is_said_before_anything_is_sent(tmp_path: Path):
    parser = AzureLayoutParser.build(ReaderSettings(tmp_path, workers=1))
    assert parser.price(Workload(2, 30)).dollars == pytest.approx(0.3)
    assert parser.fingerprint.startswith("azure-layout-")
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF")
    source = SourceDocument("a", "a.pdf", "a.pdf", hashlib.sha256(b"%PDF").hexdigest(), "application/pdf", 4)
    with pytest.raises(AzureAccessError, match="AZURE_DOCUMENT_INTELLIGENCE_ENDPOINT"):
        parser.parse_many([(source, path)])
    parser.close()


def test_a_claim_goes_through_it_by_the_command_line_and_is_read_again_for_nothing(
    desk: AzureDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    for name, value in {
        "AZURE_DOCUMENT_INTELLIGENCE_ENDPOINT": desk.azure.url,
        "AZURE_DOCUMENT_INTELLIGENCE_KEY": desk.azure.key,
        "CITATION_PIPELINE_WORKERS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "CLM-3"
    folder.mkdir()
    _, path = desk.source("letter")
    (folder / "letter.pdf").write_bytes(path.read_bytes())
    desk.azure.statuses = ()
    ran = command("run", folder, "--store", tmp_path / "store", "--parser", "azure-layout", "--json")
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["document_statuses"] == {"parsed": 1}
    again = command("run", folder, "--store", tmp_path / "store", "--parser", "azure-layout", "--force")
    assert again.exit_code == 0, again.output
    assert command("rematch", "--store", tmp_path / "store").exit_code == 0
    assert desk.azure.counters["analyzed"] == 1
    rows: Sequence[dict[str, Any]] = read_ledger(tmp_path / "store" / "ledger").to_pylist()
    assert {row["vendor"] for row in rows} == {"azure-layout"}
