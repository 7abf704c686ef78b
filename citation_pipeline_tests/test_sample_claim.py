"""The shipped sample claim: drawn again byte for byte, its truth checked against what a PDF reader finds."""

import hashlib
import json
import re
import unicodedata
from collections import defaultdict
from datetime import datetime
from pathlib import Path

import numpy as np
import pypdfium2
import pytest

from citation_pipeline_tests.sample_claim.facts import CLAIM_ID
from citation_pipeline_tests.sample_claim.generation import write

SHIPPED = Path(__file__).parent.parent / "data" / "samples" / CLAIM_ID
DATE_FORMS = ("%m/%d/%Y", "%m/%d/%y", "%m-%d-%y", "%B %d, %Y", "%d-%b-%Y")


@pytest.fixture(scope="module")
def truth() -> dict:
    return json.loads((SHIPPED / "truth.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def statements(truth) -> list[tuple[str, object, dict]]:
    """(field key, stated value, citation), superseded statements included."""
    rows = []
    for key, field in truth["fields"].items():
        rows += [(key, field["value"], citation) for citation in field["citations"]]
        for old in field.get("superseded", []):
            rows += [(key, old["value"], citation) for citation in old["citations"]]
    return rows


class ReadPages:
    """Letters of the shipped files as pypdfium2 reads them, in the frame of the page as displayed."""

    def __init__(self) -> None:
        self._pages: dict[tuple[str, int], tuple[list[str], np.ndarray]] = {}

    def letters(self, file: str, page: int) -> tuple[list[str], np.ndarray]:
        """The characters and their centres as fractions, origin top-left."""
        if (file, page) not in self._pages:
            with pypdfium2.PdfDocument(SHIPPED / "documents" / file) as document:
                self._pages[file, page] = self._read(document[page - 1])
        return self._pages[file, page]

    @staticmethod
    def _read(page) -> tuple[list[str], np.ndarray]:
        (width, height), turned = page.get_size(), page.get_rotation() == 90
        text = page.get_textpage()
        letters, centres = [], []
        for index in range(text.count_chars()):
            letter = text.get_text_range(index, 1)
            if letter.strip():
                left, bottom, right, top = text.get_charbox(index)
                x, y = (left + right) / 2, (bottom + top) / 2
                # A page turned by 90 degrees shows its own x axis downwards and its y axis to the right.
                centres.append((y / width, x / height) if turned else (x / width, 1 - y / height))
                letters.append(letter)
        return letters, np.array(centres)

    def inside(self, file: str, page: int, box: dict) -> str:
        letters, centres = self.letters(file, page)
        low = np.array([box["left"], box["top"]])
        high = low + np.array([box["width"], box["height"]])
        chosen = np.flatnonzero(((centres >= low) & (centres <= high)).all(axis=1))
        return "".join(letters[index] for index in chosen)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


def digest(root: Path) -> dict[str, str]:
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_drawing_the_claim_again_gives_the_shipped_bytes(tmp_path):
    assert digest(write(tmp_path)) == digest(SHIPPED)


def test_every_recorded_box_of_a_text_page_holds_exactly_its_text(statements):
    pages, checked = ReadPages(), 0
    for key, _, citation in statements:
        if citation["scanned"]:
            continue
        for box in citation["boxes"] + citation["value_boxes"]:
            found = pages.inside(citation["file"], citation["page"], box)
            assert found == squeezed(box["text"]), (key, citation["file"], citation["page"])
            checked += 1
    assert checked > 1500


def test_the_boxes_of_a_citation_spell_its_text_and_its_value(statements):
    for _, _, citation in statements:
        for text, boxes in (("text", "boxes"), ("value_text", "value_boxes")):
            assert squeezed("".join(box["text"] for box in citation[boxes])) == squeezed(citation[text])
        assert squeezed(citation["value_text"]) in squeezed(citation["text"])


def test_every_recorded_box_of_the_scan_holds_ink_and_its_page_has_no_text(statements):
    scanned = [citation for _, _, citation in statements if citation["scanned"]]
    (file,) = {citation["file"] for citation in scanned}
    with pypdfium2.PdfDocument(SHIPPED / "documents" / file) as document:
        assert document[0].get_textpage().count_chars() == 0
        grey = document[0].render(scale=3, grayscale=True).to_numpy()
    ink = grey.reshape(grey.shape[:2]) < 128
    height, width = ink.shape
    for citation in scanned:
        for box in citation["boxes"] + citation["value_boxes"]:
            x, y = round(box["left"] * width), round(box["top"] * height)
            cut = ink[y : y + round(box["height"] * height), x : x + round(box["width"] * width)]
            # Letters darken 8 to 50 percent of their box; specks of the fax alone less than one.
            assert 0.05 < cut.mean() < 0.6, (citation["text"], box["text"])


def test_printed_dates_and_amounts_say_the_value_that_the_truth_gives(truth, statements):
    checked = 0
    for key, value, citation in statements:
        printed = citation["value_text"]
        if truth["fields"][key]["type"] == "date" and key != "claimed_injury_description.date_reported":
            assert value in {day(printed, form) for form in DATE_FORMS}, (key, printed)
            checked += 1
        if truth["fields"][key]["type"] == "number" and re.search(r"\d", printed):
            amount = re.search(r"\d[\d,]*\.?\d*", printed)[0].replace(",", "")
            assert float(amount) == value, (key, printed)
            checked += 1
    assert checked > 120


def day(printed: str, form: str) -> str | None:
    try:
        return datetime.strptime(printed, form).date().isoformat()
    except ValueError:
        return None


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "Adjuster Activity Log.pdf",
            "PTP Dr. Nguyen declares P&S/MMI as of 04/10/2025 for all accepted conditions.",
        ),
        (
            "Medical Status and Treating Physician Snapshot.pdf",
            "P&S/MMI declared 04/10/2025 by PTP Dr. Nguyen for all accepted conditions.",
        ),
    ],
)
def test_the_worked_example_stands_where_the_truth_says(truth, file, text):
    field = truth["fields"]["mmi_status.mmi_date"]
    assert field["value"] == "2025-04-10"
    (citation,) = [c for c in field["citations"] if c["file"] == file]
    assert text in citation["text"]
    found = "".join(ReadPages().inside(file, citation["page"], box) for box in citation["boxes"])
    assert squeezed(text) in found


def test_the_impossible_date_is_printed_and_no_field_claims_it(statements):
    letters, _ = ReadPages().letters("Medical Status and Treating Physician Snapshot.pdf", 1)
    assert squeezed("- TTD ends 02/29/2025.") in "".join(letters)
    assert not any("02/29/2025" in citation["text"] for _, _, citation in statements)


def test_the_injury_and_the_snapshot_have_the_dates_of_the_worked_example(truth):
    assert truth["fields"]["claimed_injury_description.date_of_injury"]["value"] == "2024-09-12"
    assert truth["fields"]["metadata.date"]["value"] == "2025-12-05"
    letters, _ = ReadPages().letters("Claim Metadata Snapshot.pdf", 1)
    assert squeezed("Loss time about 19:15") in "".join(letters)


def test_the_truth_answers_every_field_of_the_schema_once(truth):
    schema = SHIPPED.parent.parent.parent / "citation_pipeline" / "schemas" / "workers_comp.json"
    categories = json.loads(schema.read_text("utf-8"))["properties"]
    keys = {f"{name}.{leaf}" for name, category in categories.items() for leaf in category["properties"]}
    present, absent = set(truth["fields"]), set(truth["absent_fields"])
    assert present | absent == keys
    assert not present & absent
    assert len(present) >= 60


def test_every_value_and_every_item_is_cited_and_old_values_differ(truth):
    for key, field in truth["fields"].items():
        assert field["citations"], key
        if field["type"] == "array":
            cited = {c["item"] for c in field["citations"]}
            assert cited == set(range(len(field["value"]))), key
        for old in field.get("superseded", []):
            assert old["value"] != field["value"]
            assert old["citations"]
    assert sum("superseded" in field for field in truth["fields"].values()) >= 15


def test_the_documents_list_tells_the_files_that_lie_there(truth):
    listed = {document["file"]: document for document in truth["documents"]}
    assert set(listed) == {path.name for path in (SHIPPED / "documents").iterdir()}
    assert len(listed) == 26
    turned = defaultdict(dict)
    for file, document in listed.items():
        with pypdfium2.PdfDocument(SHIPPED / "documents" / file) as pdf:
            assert len(pdf) == document["pages"]
            for number in range(len(pdf)):
                if pdf[number].get_rotation():
                    turned[file][str(number + 1)] = pdf[number].get_rotation()
    assert turned == {file: d["rotated_pages"] for file, d in listed.items() if d["rotated_pages"]}
    assert {document["kind"] for document in listed.values()} == {"text", "scanned", "encrypted_readable"}


def test_the_reference_answer_quotes_the_truth_and_says_what_it_is(truth):
    answer = json.loads((SHIPPED / "extraction_raw.json").read_text("utf-8"))
    places = json.loads((SHIPPED / "perfect_truth.json").read_text("utf-8"))
    assert "Reference answer" in answer["note"]
    located = {(place["field_key"], place["citation_index"]): place for place in places}
    assert len(located) == sum(len(e["citations"]) for e in answer["extractions"])
    for extraction in answer["extractions"]:
        field = truth["fields"][extraction["field_key"]]
        assert extraction["value"] == field["value"]
        for index, quoted in enumerate(extraction["citations"]):
            place = located[extraction["field_key"], index]
            assert place["source_id"] == quoted["source_id"]
            assert any(
                c["text"] == quoted["text_snippet"]
                and (c["file"], c["page"]) == (place["file"], place["page"])
                for c in field["citations"]
            )
