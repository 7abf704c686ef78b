"""Productions read by other programs than ours: every stream unpacked, Poppler, spreadsheets."""

import csv
import io
import re
import shutil
import subprocess
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from openpyxl import load_workbook
from starlette.testclient import TestClient

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.page_words import read_words
from citation_pipeline.serving.evidence.workbook import make_workbook
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim.serving import client_of
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store

OCCUPATION, RESERVE = "claimant.occupation", "financials.reserve"
FAX = "produced/000004.pdf"


def change(store: ClaimStore, *, doubted: bool = False, hostile: bool = False) -> None:
    """The occupation is doubted and has a candidate only; or texts of the dataset begin like formulas."""
    dataset = store.read_viewer_dataset(CLAIM_ID)
    field = next(f for f in dataset["fields"] if f["fieldKey"] == OCCUPATION)
    if doubted:
        candidate = {
            "value": field["value"],
            "rawValue": field["rawValue"],
            "reason": "weak_evidence",
            "confidence": 0.4,
            "date": None,
            "citations": field["citations"],
            "unresolvedCitations": [],
        }
        silent = {name: field[name] for name in ("id", "label", "category", "fieldKey", "valueType")}
        dataset["fields"].remove(field)
        dataset["unreadFields"].append(
            {**silent, "status": "doubted", "searched": [], "candidates": [candidate]}
        )
    if hostile:
        field["value"] = field["rawValue"] = '=HYPERLINK("http://evil.example","x")'
        field["fieldKey"] = "=1+1.name"
        field["citations"][0]["snippet"] = "@SUM(1+1)*cmd|' /C calc'!A0"
    dataset.pop("pipeline", None)
    store.write_viewer_dataset(CLAIM_ID, dataset, inputs={})


@pytest.fixture
def store(tmp_path: Path) -> ClaimStore:
    return build_store(tmp_path)


@pytest.fixture
def client(store: ClaimStore) -> Iterator[TestClient]:
    with client_of(ServingSettings(store.root, render_workers=1, render_burst=5000)) as client:
        yield client


def produced(client: TestClient, **wanted: Any) -> zipfile.ZipFile:
    answer = client.post(f"/api/claims/{CLAIM_ID}/production", json=wanted)
    assert answer.status_code == 200, answer.text
    return zipfile.ZipFile(io.BytesIO(answer.content))


def unpacked(data: bytes) -> str:
    """All bytes of a PDF, and of each of its streams that can be inflated."""
    streams = [data]
    for match in re.finditer(rb"stream\r?\n", data):
        try:
            streams.append(zlib.decompressobj().decompress(data[match.end() :]))
        except zlib.error:
            continue
    assert len(streams) > 1
    # texts are drawn as hexadecimal strings too
    streams += [
        bytes.fromhex(found.decode())
        for part in streams
        for found in re.findall(rb"<((?:[0-9A-F]{2})+)>", part)
    ]
    decoded = [part.decode(form, "ignore") for part in streams for form in ("latin-1", "utf-16-be")]
    return "\n".join(decoded).lower()


def test_another_reader_finds_neither_words_nor_metadata_nor_anything_attached(
    client: TestClient, tmp_path: Path
) -> None:
    with produced(client, fields=["claimant.*"]) as archive:
        names = [name for name in archive.namelist() if name.endswith(".pdf")]
        archive.extractall(tmp_path / "made")
    assert len(names) == 4
    for name in names:
        path = tmp_path / "made" / name
        inside = unpacked(path.read_bytes())
        for secret in ("quintanar", "marisol", "forklift", "07/02/1984"):
            assert secret not in inside, (name, secret)
        assert "average" in inside or name != "produced/000001.pdf"  # what is not redacted is read this way
        for kept in (
            "/metadata",
            "/embeddedfile",
            "/filespec",
            "/thumb",
            "/annots",
            "/acroform",
            "/outlines",
        ):
            assert kept not in inside, (name, kept)
        for kept in ("/javascript", "/openaction", "/pieceinfo", "/author", "/title"):
            assert kept not in inside, (name, kept)
        if shutil.which("pdftotext"):  # Poppler, where it is installed
            raw = subprocess.run(["pdftotext", "-raw", path, "-"], capture_output=True, check=True).stdout
            assert b"Quintanar" not in raw
            assert b"Forklift" not in raw
            told = subprocess.run(["pdfinfo", path], capture_output=True, check=True).stdout
            assert not re.search(rb"^(Title|Author|Subject|Keywords):\s*\S", told, re.MULTILINE)


def test_a_value_that_is_doubted_is_covered_where_its_candidate_was_read(
    client: TestClient, store: ClaimStore
) -> None:
    change(store, doubted=True)
    with produced(client, fields=[OCCUPATION]) as archive:
        assert "forklift" not in unpacked(archive.read(FAX))
        rows = list(csv.DictReader(io.StringIO(archive.read("redactions.csv").decode())))
    assert {row["rule"] for row in rows} == {OCCUPATION}


def test_a_word_that_only_a_second_reading_of_the_scan_has_is_covered(
    client: TestClient, store: ClaimStore
) -> None:
    words = read_words(store, CLAIM_ID, source_id="employer-fax")
    word = next(word for word in words if word.text == "operator")
    rows = {
        "claim_id": [CLAIM_ID],
        "source_id": ["employer-fax"],
        "word_id": pa.array([word.word_id], pa.int32()),
        "text": ["operator"],
        "second_reading": ["Zandra"],
    }
    store.write_side_table("second_readings", CLAIM_ID, pa.table(rows))
    with produced(client, texts=["zandra"]) as archive:
        (row,) = csv.DictReader(io.StringIO(archive.read("redactions.csv").decode()))
        assert "operator" not in unpacked(archive.read(FAX))
    assert abs(float(row["left"]) - word.box.left) < 0.001


def test_a_rule_that_covered_nothing_is_named_in_the_archive(client: TestClient) -> None:
    with produced(client, fields=["claimant.*", RESERVE], texts=["nobody says this"]) as archive:
        readme = archive.read("README.txt").decode()
        assert b'"coveredNothing"' in archive.read("manifest.json")
    (line,) = [line for line in readme.splitlines() if line.startswith("Rules that covered nothing")]
    assert line.endswith(": claimant.hire_date, financials.reserve, text 1.")


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"fields": ["claimant.nmae"]}, "unknown_field"),
        ({"fields": ["claimant.*", "nobody.*"]}, "unknown_field"),
        ({"kinds": ["dates"]}, "unknown_kind"),
        ({"prefix": "-HF"}, ""),
        ({"prefix": "=1+1"}, ""),
    ],
)
def test_a_rule_or_number_that_is_not_understood_makes_no_production(
    client: TestClient, wanted: dict[str, Any], code: str
) -> None:
    answer = client.post(f"/api/claims/{CLAIM_ID}/production", json=wanted)
    assert answer.status_code == 422
    assert code in (answer.json()["error"]["code"], "")


def test_no_spreadsheet_takes_a_text_for_a_formula(client: TestClient, store: ClaimStore) -> None:
    change(store, hostile=True)
    with produced(client, fields=["=1+1.name"]) as archive:
        for row in csv.reader(io.StringIO(archive.read("redactions.csv").decode())):
            assert not [cell for cell in row if cell[:1] in tuple("=+@\t\r")]
    dataset = client.get(f"/api/claims/{CLAIM_ID}").json()
    book = make_workbook(dataset, [])
    cells = [cell for sheet in load_workbook(io.BytesIO(book)) for row in sheet.iter_rows() for cell in row]
    texts = [cell for cell in cells if isinstance(cell.value, str) and cell.value[:1] in tuple("=@")]
    assert len(texts) >= 3
    assert {cell.data_type for cell in texts} == {"s"}
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        sheets = [archive.read(name) for name in archive.namelist() if "worksheets" in name]
    assert not [sheet for sheet in sheets if b"<f>" in sheet or b"<f " in sheet]
