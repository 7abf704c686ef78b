"""The evidence pack and the static export: complete, true to their hashes, and harmless to open."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest
from openpyxl import load_workbook

from citation_pipeline.core.review.overlay import with_reviews
from citation_pipeline.serving.bundle import BundleError, bundle
from citation_pipeline.serving.evidence.annotations import Highlight, annotate
from citation_pipeline.serving.evidence.pack import file_names, highlights_of
from citation_pipeline.serving.export import export_claim
from citation_pipeline.serving.routes.shell import STATIC
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.viewer_claim import papers
from citation_pipeline_tests.viewer_claim.serving import client_of, decide
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> ServingSettings:
    return ServingSettings(str(build_store(tmp_path_factory.mktemp("pack")).root), render_workers=1)


@pytest.fixture(scope="module")
def pack(settings: ServingSettings) -> Iterator[zipfile.ZipFile]:
    with client_of(settings) as client:
        decide(client, CLAIM_ID, "financials.td_paid", "correct", value="12804.12", comment="=SUM(A1)")
        decide(client, CLAIM_ID, "mmi_status.note", "correct", value='=HYPERLINK("http://x")\u0007')
        answer = client.get(f"/api/claims/{CLAIM_ID}/evidence.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        yield archive


def test_every_file_is_what_the_manifest_says(pack: zipfile.ZipFile) -> None:
    manifest = json.loads(pack.read("manifest.json"))
    assert manifest["problems"] == []
    listed = {entry["path"]: entry["sha256"] for entry in manifest["files"]}
    assert {*listed, "manifest.json"} == set(pack.namelist())
    for path, digest in listed.items():
        assert hashlib.sha256(pack.read(path)).hexdigest() == digest
    originals = {source["sha256"] for source in manifest["sources"]}
    assert originals == {digest for path, digest in listed.items() if path.startswith("originals/")}


def test_the_pack_carries_the_chain_of_its_decisions_and_says_what_it_proves(
    pack: zipfile.ZipFile, tmp_path: Path
) -> None:
    file = tmp_path / "audit.json"
    file.write_bytes(pack.read("audit.json"))
    result = command("audit", "verify", "--file", str(file), "--json")
    assert (result.exit_code, json.loads(result.stdout)["events"]) == (0, 2)
    readme = pack.read("README.txt").decode()
    assert "What this proves" in readme
    assert "What it does not prove" in readme
    file.write_text(file.read_text().replace("=SUM(A1)", "=SUM(A2)"))
    assert command("audit", "verify", "--file", str(file)).exit_code == 1


def test_amounts_and_dates_are_numbers_and_days_and_verified_values_are_apart(pack: zipfile.ZipFile) -> None:
    book = load_workbook(io.BytesIO(pack.read("data.xlsx")))
    values = {row[-1].value: row[2] for row in book["Fields"].iter_rows(min_row=2)}
    assert values["financials.total_paid"].value == 21219.12
    assert values["financials.total_paid"].data_type == "n"
    assert values["metadata.date_of_injury"].value.date() == date(2023, 3, 14)
    assert values["metadata.claim_number"].data_type == "s"
    index = load_workbook(io.BytesIO(pack.read("exhibits.xlsx")))
    keys = {
        title: {row[-1] for row in sheets[title].iter_rows(min_row=2, values_only=True)}
        for sheets, title in ((book, "Fields"), (index, "Verified"), (index, "Not verified"))
    }
    assert keys["Verified"] == {"financials.td_paid", "mmi_status.note"}
    assert keys["Verified"] | keys["Not verified"] == keys["Fields"]
    exhibits = list(index["Exhibits"].iter_rows(min_row=2, values_only=True))
    assert [row[:6] for row in exhibits[:2]] == [
        (1, "Adjuster Letter", "Adjuster Letter.pdf", 2, 1, 2),
        (2, "Payment Ledger", "ledger.pdf", 1, 3, 3),
    ]
    assert exhibits[0][6] >= 4


def test_a_reader_of_the_pack_learns_what_was_not_read_and_what_is_not_believed(tmp_path: Path) -> None:
    store = build_store(tmp_path)
    dataset = store.read_viewer_dataset(CLAIM_ID)
    silent = {"label": "Fee", "category": "Costs", "citations": [], "searched": [], "valueType": "number"}
    doubted = {**silent, "id": "f90", "fieldKey": "costs.fee", "status": "doubted"}
    doubted["candidates"] = [{"value": "75", "reason": "crossed out", "citations": []}]
    unread = {**silent, "id": "f91", "fieldKey": "costs.tax", "status": "unread"}
    unread["unread"] = [{"sourceId": "ledger", "pages": [[2, 3]], "reason": "cut_off"}]
    issue = {"code": "pages_not_read", "severity": "error", "message": "Cut off.", "sourceId": "ledger"}
    dataset |= {"status": "partial", "absentFields": [], "unreadFields": [doubted, unread]}
    dataset["issues"] = [{**issue, "pages": [[2, 3]]}]
    store.write_viewer_dataset(CLAIM_ID, dataset, inputs={})
    with client_of(ServingSettings(str(store.root), render_workers=1)) as client:
        answer = client.get(f"/api/claims/{CLAIM_ID}/evidence.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        book = load_workbook(io.BytesIO(archive.read("data.xlsx")))
        rows = {row[-1]: row for row in book["Without a value"].iter_rows(min_row=2, values_only=True)}
        assert rows["costs.fee"][2:5] == ("doubted", "75 (crossed out)", None)
        assert rows["costs.tax"][2:5] == ("unread", None, "ledger 2-3 (cut_off)")
        (said,) = book["Not read and cautions"].iter_rows(min_row=2, values_only=True)
        assert said[:2] + said[4:5] == ("pages_not_read", "error", "2-3")
        assert (
            "THIS CLAIM IS PARTIAL: not every page was read. 1 fields" in archive.read("README.txt").decode()
        )


def test_a_doubtful_place_says_so_in_its_highlight_and_a_sure_one_does_not(tmp_path: Path) -> None:
    dataset = with_reviews(build_store(tmp_path).read_viewer_dataset(CLAIM_ID), {})
    marks = [mark for source in dataset["sources"] for mark in highlights_of(dataset, source["id"])]
    flagged = {
        field["label"]
        for field in dataset["fields"]
        for citation in field["citations"]
        if citation["status"] == "flagged"
    }
    doubtful = {mark.comment for mark in marks if mark.comment.startswith("DOUBTFUL PLACE")}
    assert flagged
    assert len(doubtful) == len(flagged) < len({mark.comment for mark in marks})


def test_highlights_are_annotations_with_the_fields_name_and_value(pack: zipfile.ZipFile) -> None:
    document = pdfium.PdfDocument(pack.read("highlighted/ledger.pdf"))
    notes = [text for _, text in _annotations(document[0])]
    document.close()
    assert "Financials — Total Paid: 21219.12" in notes
    # the value is a reviewer's, the words below it are those that the pipeline read another one from
    assert "PLACE NOT REVIEWED Financials — Td Paid: 12804.12 (found for: 12840.12)" in notes
    assert "Financials — Total Paid: 21219.12" in notes


@pytest.mark.parametrize(("make", "line"), [(papers.letter, 3), (papers.ledger, 2), (papers.fax, 1)])
def test_a_highlight_lies_where_the_words_are_drawn_on_any_page(make, line: int) -> None:
    data, pages = make()
    box = pages[0].lines[line][0].box
    marked = annotate(
        data, [Highlight(1, ((box.left, box.top, box.width, box.height),), "Field: value", "ada")]
    )
    before, after = (_pixels(source) for source in (data, marked))
    rows, columns = np.nonzero(np.abs(before.astype(int) - after).max(axis=2) > 30)
    height, width = before.shape[:2]
    found = [columns.min() / width, rows.min() / height, columns.max() / width, rows.max() / height]
    assert np.allclose(found, [box.left, box.top, box.right, box.bottom], atol=0.004)


def _pixels(data: bytes) -> np.ndarray:
    document = pdfium.PdfDocument(data)
    image = document[0].render(scale=2, rev_byteorder=True, draw_annots=True).to_numpy()[..., :3].copy()
    document.close()
    return image


def _annotations(page: pdfium.PdfPage) -> list[tuple[int, str]]:
    raw = pdfium.raw
    found = []
    for index in range(raw.FPDFPage_GetAnnotCount(page.raw)):
        annotation = raw.FPDFPage_GetAnnot(page.raw, index)
        size = raw.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0)
        buffer = (raw.FPDF_WCHAR * (size // 2))()
        raw.FPDFAnnot_GetStringValue(annotation, b"Contents", buffer, size)
        found.append((raw.FPDFAnnot_GetSubtype(annotation), bytes(buffer).decode("utf-16-le").rstrip("\0")))
        raw.FPDFPage_CloseAnnot(annotation)
    assert {subtype for subtype, _ in found} <= {raw.FPDF_ANNOT_HIGHLIGHT}
    return found


def test_no_text_becomes_a_formula_in_the_workbook(pack: zipfile.ZipFile) -> None:
    book = load_workbook(io.BytesIO(pack.read("data.xlsx")))
    assert book.sheetnames == [
        "Fields", "Citations", "Without a value", "Not read and cautions", "Reviews", "Sources"
    ]  # fmt: skip
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    values = {cell.value for cell in cells}
    assert '=HYPERLINK("http://x")\ufffd' in values
    assert "=SUM(A1)" in values


def test_the_data_carry_the_persons_value(pack: zipfile.ZipFile) -> None:
    fields = {field["fieldKey"]: field for field in json.loads(pack.read("data.json"))["fields"]}
    assert fields["financials.td_paid"]["provenance"] == "user-provided"
    assert json.loads(pack.read("reviews.json"))[0]["reviewer"] == "local reviewer"


def test_archive_names_leave_no_folder_and_overwrite_nothing() -> None:
    names = file_names(
        ["../../etc/passwd", "a/b.pdf", "B.pdf", "c\\d\\b.pdf", "\u202egnp.exe", "...", "x" * 400]
    )
    assert len({name.lower() for name in names}) == len(names)
    assert not any("/" in name or "\\" in name or name.startswith(".") or len(name) > 130 for name in names)


def test_an_export_holds_pages_words_and_no_script_of_a_document(
    settings: ServingSettings, tmp_path: Path
) -> None:
    report = export_claim(settings, CLAIM_ID, tmp_path / "export")
    assert (report.documents, report.pages) == (5, 5)
    script = (tmp_path / "export" / "claim.js").read_text("utf-8")
    assert "<" not in script
    assert "\\u003cscript>" in script
    assert "/static/" not in (tmp_path / "export" / "index.html").read_text("utf-8")
    with pytest.raises(FileExistsError):
        export_claim(settings, CLAIM_ID, tmp_path / "export")


def test_a_module_in_a_form_the_bundle_does_not_know_is_refused(tmp_path: Path) -> None:
    (tmp_path / "main.js").write_text('import * as all from "./b.js";\n')
    with pytest.raises(BundleError, match="main.js"):
        bundle(tmp_path, "main.js")
    (tmp_path / "main.js").write_text('import { b } from "./b.js";\n')
    (tmp_path / "b.js").write_text('import { a } from "./main.js";\nexport const b = 1;\n')
    with pytest.raises(BundleError, match="imports itself"):
        bundle(tmp_path, "main.js")


def test_every_module_is_part_of_the_joined_script() -> None:
    modules = {path.name for path in (STATIC / "js").glob("*.js")}
    joined = bundle(STATIC / "js", "main.js")
    assert {name for name in modules if f'modules["{name}"] = ' not in joined} == set()
