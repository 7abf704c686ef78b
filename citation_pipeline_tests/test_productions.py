"""Productions: every page numbered, what was redacted is in no picture, no text layer and no index."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest
from openpyxl import load_workbook
from reportlab.pdfgen.canvas import Canvas
from starlette.testclient import TestClient

from citation_pipeline.adapters.redactions.store import RedactionStore
from citation_pipeline.adapters.tables.page_words import PageWord
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.review.redaction import (
    MASK,
    capitalized,
    is_chosen,
    masked,
    name_parts,
    printed_forms,
    said_places,
)
from citation_pipeline.core.values.spans import fold
from citation_pipeline.serving.datasets import Datasets
from citation_pipeline.serving.evidence.produced_pages import ProducedPage, produce_document
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim.serving import client_of, decide
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store

NAME, BIRTH = "claimant.name", "claimant.date_of_birth"
SCALE = 3


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    store = build_store(tmp_path_factory.mktemp("production"))
    with client_of(ServingSettings(str(store.root), render_workers=1, render_burst=5000)) as client:
        yield client


def produced(client: TestClient, **wanted: object) -> zipfile.ZipFile:
    answer = client.post(f"/api/claims/{CLAIM_ID}/production", json=wanted)
    assert answer.status_code == 200, answer.text
    return zipfile.ZipFile(io.BytesIO(answer.content))


def text_of(data: bytes) -> str:
    document = pdfium.PdfDocument(data)
    return "\n".join(page.get_textpage().get_text_range() for page in document)


def pixels(data: bytes, page: int = 0) -> np.ndarray:
    return np.asarray(pdfium.PdfDocument(data)[page].render(scale=SCALE).to_pil().convert("L"))


def inside(image: np.ndarray, box: dict[str, float]) -> np.ndarray:
    height, width = image.shape
    top, left = box["top"] * height, box["left"] * width
    return image[
        round(top) : round(top + box["height"] * height), round(left) : round(left + box["width"] * width)
    ]


def value_box(client: TestClient, key: str) -> dict[str, float]:
    fields = client.get(f"/api/claims/{CLAIM_ID}").json()["fields"]
    (citation, *_) = next(f for f in fields if f["fieldKey"] == key)["citations"]
    return citation["regions"]["value"][0]["boxes"][0]


@pytest.fixture(scope="module")
def redacted(client: TestClient) -> Iterator[zipfile.ZipFile]:
    with produced(client, prefix="HF-", firstNumber=17, fields=["claimant.*"]) as archive:
        yield archive


def test_every_page_has_a_number_of_one_count_and_the_index_knows_it(redacted: zipfile.ZipFile) -> None:
    names = [name for name in redacted.namelist() if name.startswith("produced/")]
    assert names == [f"produced/HF-{number:06}.pdf" for number in (17, 19, 20, 21)]
    letter = pdfium.PdfDocument(redacted.read(names[0]))
    stamps = [page.get_textpage().get_text_range().split()[-1] for page in letter]
    assert stamps == ["HF-000017", "HF-000018"]
    rows = list(
        load_workbook(io.BytesIO(redacted.read("exhibits.xlsx")))["Exhibits"].iter_rows(values_only=True)
    )
    assert rows[0][-2:] == ("First number", "Last number")
    assert rows[1][-2:] == ("HF-000017", "HF-000018")


def test_the_number_is_printed_on_the_picture(client: TestClient, redacted: zipfile.ZipFile) -> None:
    corner = {"left": 0.75, "top": 0.955, "width": 0.24, "height": 0.04}
    image = inside(pixels(redacted.read("produced/HF-000017.pdf")), corner)
    assert (image < 100).mean() > 0.01


@pytest.mark.parametrize("key", [NAME, BIRTH])
def test_what_is_redacted_is_black_in_the_picture(
    client: TestClient, redacted: zipfile.ZipFile, key: str
) -> None:
    box = value_box(client, key)
    assert (inside(pixels(redacted.read("produced/HF-000017.pdf")), box) < 12).mean() > 0.999
    with produced(client) as plain:
        assert (inside(pixels(plain.read("produced/000001.pdf")), box) < 100).mean() < 0.5


@pytest.mark.parametrize(
    ("key", "file"), [("financials.td_paid", "000003"), ("claimant.occupation", "000004")]
)
def test_rotated_pages_and_scans_are_covered_where_their_ink_is(
    client: TestClient, key: str, file: str
) -> None:
    box = value_box(client, key)
    with produced(client) as plain, produced(client, fields=[key]) as archive:
        before, after = (inside(pixels(a.read(f"produced/{file}.pdf")), box) for a in (plain, archive))
    assert 0.03 < (before < 100).mean() < 0.6  # the words' ink was there
    assert (after < 12).mean() > 0.999


def test_another_reader_finds_no_redacted_word_anywhere_in_the_archive(redacted: zipfile.ZipFile) -> None:
    for name in redacted.namelist():
        data = redacted.read(name)
        text = text_of(data) if name.endswith(".pdf") else data.decode("latin-1")
        if name.endswith(".xlsx"):
            book = load_workbook(io.BytesIO(data))
            text = " ".join(
                str(c) for sheet in book for row in sheet.iter_rows(values_only=True) for c in row
            )
        for secret in ("Quintanar", "Marisol", "07/02/1984", "1984-07-02", "Forklift"):
            assert secret.lower() not in text.lower(), (name, secret)
    assert "Average" in text_of(redacted.read("produced/HF-000017.pdf"))  # what is not redacted is searched


def test_a_value_is_covered_wherever_it_stands_and_not_only_where_it_was_cited(client: TestClient) -> None:
    with produced(client, fields=["metadata.claim_number"]) as archive:
        text = text_of(archive.read("produced/000001.pdf"))
        assert "HF-2023-0417" not in text  # it is on both pages; page one was cited
        rows = list(csv.DictReader(io.StringIO(archive.read("redactions.csv").decode())))
        assert {row["page"] for row in rows} == {"1", "2"}
        assert {row["rule"] for row in rows} == {"metadata.claim_number"}


def test_a_drawn_box_and_other_texts_are_burned_in(client: TestClient) -> None:
    wanted = {"sourceId": "employer-fax", "page": 1, "left": 0.1, "top": 0.08, "width": 0.5, "height": 0.06}
    kept = client.post(f"/api/claims/{CLAIM_ID}/redactions", json=wanted)
    assert kept.status_code == 201, kept.text
    with produced(client, texts=["amelia prado"]) as archive:
        fax = archive.read("produced/000004.pdf")
        assert (inside(pixels(fax), wanted) < 12).mean() > 0.99
        assert "Amelia" not in text_of(archive.read("produced/000001.pdf"))
        rows = list(csv.DictReader(io.StringIO(archive.read("redactions.csv").decode())))
        assert {row["rule"] for row in rows} == {"drawn by local reviewer", "text 1"}
        assert b"amelia" not in archive.read("redactions.csv").lower()
    (listed,) = client.get(f"/api/claims/{CLAIM_ID}/redactions").json()["redactions"]
    path = f"/api/claims/{CLAIM_ID}/redactions/{listed['id']}"
    assert client.delete(path).status_code == 204
    assert client.delete(path).status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [
        {"sourceId": "employer-fax", "page": 9, "left": 0, "top": 0, "width": 0.1, "height": 0.1},
        {"sourceId": "nothing", "page": 1, "left": 0, "top": 0, "width": 0.1, "height": 0.1},
        {"sourceId": "employer-fax", "page": 1, "left": 0, "top": 0, "width": 0, "height": 0.1},
        {"sourceId": "employer-fax", "page": 1, "left": -1, "top": 0, "width": 0.1, "height": 0.1},
    ],
)
def test_a_box_that_is_on_no_page_is_refused(client: TestClient, wrong: dict[str, object]) -> None:
    assert client.post(f"/api/claims/{CLAIM_ID}/redactions", json=wrong).status_code in (404, 422)


def test_a_copy_holds_nothing_of_the_original_file_but_its_picture(tmp_path: Path) -> None:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(612, 792))
    canvas.setTitle("Secret Title")
    canvas.setAuthor("Secret Author")
    canvas.setSubject("Secret Subject")
    canvas.drawString(72, 700, "Visible Words")
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(72, 600, "Hidden White Words")
    canvas.linkURL("http://secret.example", (0, 0, 100, 100))
    canvas.save()
    path = tmp_path / "a.pdf"
    path.write_bytes(out.getvalue())
    page = ProducedPage(1, 612, 792, "X-1", [], [("Visible", (0.118, 0.1, 0.07, 0.015))])
    made = produce_document(str(path), "x", "application/pdf", [page])
    document = pdfium.PdfDocument(made)
    assert not {"Secret Title", "Secret Author"} & set(document.get_metadata_dict().values())
    assert "Secret" not in made.decode("latin-1")
    assert text_of(made).split() == ["Visible", "X-1"]
    assert document[0].get_size() == (612, 792)


def test_the_manifest_counts_pages_and_names_what_could_not_be_copied(redacted: zipfile.ZipFile) -> None:
    manifest = json.loads(redacted.read("manifest.json"))
    assert manifest["pages"] == 5
    assert [problem["code"] for problem in manifest["problems"]] == ["no_pages"]
    assert {entry["path"] for entry in manifest["files"]} | {"manifest.json"} == set(redacted.namelist())


def test_the_index_masks_the_value_in_every_text(client: TestClient, redacted: zipfile.ZipFile) -> None:
    book = load_workbook(io.BytesIO(redacted.read("exhibits.xlsx")))
    values = {row[-1]: row[2] for row in book["Not verified"].iter_rows(values_only=True)}
    assert values[NAME] == MASK
    assert values["financials.average_weekly_wage"] == 1182.5


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("1984-07-02", ["07/02/1984", "7/2/1984", "July 2, 1984", "JUL 02 1984", "2 July 1984", "07-02-84"]),
        ("1984-07-02", ["7/2/84", "7-2-84", "7/02/84", "July 2nd, 1984", "2nd of July, 1984", "2-Jul-84"]),
        ("1991-09-11", ["9/11/91", "Sept. 11, 1991", "September 11th, 1991", "11 Sep 91"]),
        (1182.5, ["$1,182.50", "1182.50", "1182.5"]),
        (21000, ["21,000.00", "21000"]),
        ("Marisol Quintanar", ["QUINTANAR, MARISOL", "Marisol   Quintanar"]),
        ("Ana Maria Prado", ["Ana Prado", "PRADO, ANA MARIA"]),
        ("123-45-6789", ["123 45 6789", "123456789"]),
        ([{"holder": "Harbor Medical", "amount": 1200}], ["HARBOR MEDICAL", "1,200.00"]),
    ],
)
def test_a_value_is_found_in_the_forms_that_documents_print(value: object, printed: list[str]) -> None:
    forms = printed_forms(value)
    for text in printed:
        words = [
            PageWord(n, w, 1, Box(n / 10, 0, 0.05, 0.1), 0, 0) for n, w in enumerate(f"x {text} y".split())
        ]
        found = list(said_places("s", words, {"rule": forms}))
        assert {box.left for place in found for box in place.boxes} >= {
            n / 10 for n in range(1, len(words) - 1)
        }


@pytest.mark.parametrize(
    ("key", "value", "text", "covered"),
    [
        ("claimant.full_name", "Marisol Quintanar", "Ms. Quintanar was seen", ["Quintanar"]),
        ("claimant.full_name", "Marisol Quintanar", "Dear MARISOL, the quintanar", ["MARISOL,"]),
        ("claimant.full_name", "QUINTANAR, MARISOL", "(Quintanar's knee)", ["(Quintanar's"]),
        ("treating_physician.name", "Amelia Prado, M.D.", "Dr. Prado wrote, M.D.", ["Prado"]),
        ("claimant.full_name", "Ann Price", "the price, Price said", ["Price"]),
        ("employer.name", "Harbor Foods", "Foods at the Harbor", []),
        ("attorneys.applicant_attorney_firm", "Lane Hope", "Hope and Lane", []),
        ("claimant.address", "Elm Street", "the Street", []),
    ],
)
def test_a_persons_name_is_covered_where_only_a_part_of_it_stands(
    key: str, value: str, text: str, covered: list[str]
) -> None:
    words = [PageWord(n, w, 1, Box(n / 10, 0, 0.05, 0.1), 0, 0) for n, w in enumerate(text.split())]
    parts = {"rule": name_parts({"fieldKey": key}, value)}
    lefts = {box.left for found in said_places("s", capitalized(words), parts) for box in found.boxes}
    assert [word.text for word in words if word.box.left in lefts] == covered


def test_a_longer_number_is_not_the_redacted_one_and_short_texts_are_not_searched() -> None:
    words = [PageWord(0, "11182.501", 1, Box(0, 0, 1, 1), 0, 0)]
    assert list(said_places("s", words, {"r": printed_forms(1182.5)})) == []
    assert printed_forms("No") == set()
    assert masked("DOB 07/02/1984.", {fold("07/02/1984")}) == f"DOB {MASK}."


def test_fields_are_chosen_by_key_or_by_kind() -> None:
    field = {"fieldKey": "claimant.date_of_birth", "valueType": "date"}
    assert is_chosen(field, patterns=["claimant.*"], kinds=[])
    assert is_chosen(field, patterns=[], kinds=["date"])
    assert not is_chosen(field, patterns=["claimant.name"], kinds=["number"])


def test_a_corrected_value_is_looked_for_as_it_was_read_too(tmp_path: Path) -> None:
    store = build_store(tmp_path)
    with client_of(ServingSettings(str(store.root), render_workers=1, render_burst=5000)) as client:
        decide(client, CLAIM_ID, NAME, "correct", value="Maria Quintero")
        with produced(client, fields=[NAME]) as archive:
            assert "Quintanar" not in text_of(archive.read("produced/000001.pdf"))
    boxes = RedactionStore(default_url(store.root))
    boxes.draw(CLAIM_ID, source_id="employer-fax", sha256="other", page=1, box=Box(0, 0, 1, 1), by="Ada")
    boxes.close()
    settings = ServingSettings(str(store.root), render_workers=1, render_burst=5000)
    with client_of(settings) as client, produced(client) as archive:
        codes = {problem["code"] for problem in json.loads(archive.read("manifest.json"))["problems"]}
        assert codes == {"no_pages", "boxes_of_another_version"}


def test_a_value_that_a_reviewer_calls_absent_is_covered_as_it_was_read(tmp_path: Path) -> None:
    store = build_store(tmp_path)
    with client_of(ServingSettings(str(store.root), render_workers=1, render_burst=5000)) as client:
        decide(client, CLAIM_ID, "claimant.occupation", "absent")
        with produced(client, fields=["claimant.occupation"]) as archive:
            assert "occupation" in archive.read("redactions.csv").decode()
            assert json.loads(archive.read("manifest.json"))["coveredNothing"] == []


def test_a_document_that_could_not_be_copied_takes_no_numbers_and_the_readme_names_it(tmp_path: Path) -> None:
    store = build_store(tmp_path)
    folder = Path(store.claim(CLAIM_ID).folder)
    (first,) = folder.rglob("Adjuster Letter.pdf")
    first.write_bytes(first.read_bytes() + b"% exchanged")
    settings = ServingSettings(str(store.root), render_workers=1, render_burst=5000)
    with client_of(settings) as client, produced(client, prefix="N") as archive:
        rows = list(load_workbook(io.BytesIO(archive.read("exhibits.xlsx")))["Exhibits"].values)
        assert [row[-2:] for row in rows[1:3]] == [(None, None), ("N000001", "N000001")]
        readme = archive.read("README.txt").decode()
        assert "exhibit 1 (original_changed)" in readme
        assert "Numbers N000001 to N000003." in readme
        assert json.loads(archive.read("manifest.json"))["pages"] == 3


def test_a_page_on_which_no_word_was_read_is_named_before_it_leaves(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = Datasets.words
    monkeypatch.setattr(
        Datasets,
        "words",
        lambda self, claim, name: [] if name == "employer-fax" else words(self, claim, name),
    )
    with produced(client, fields=[NAME]) as archive:
        assert "page 1 (pages_without_words)" in archive.read("README.txt").decode()
    with produced(client) as archive:
        assert "pages_without_words" not in archive.read("README.txt").decode()
