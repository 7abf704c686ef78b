"""Ids that stay with a file's content: renamed, scanned again, matched again, and what people signed for."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.source_ids import SourceIds, keep_source_ids, read_former_documents
from citation_pipeline.core.documents.identities import KnownContent, ListedFile, assign_source_ids
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.replacements import FormerDocument, find_replacements
from citation_pipeline.core.viewer.contract import list_breaches
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.drawn_pdfs import Sheet, draw
from citation_pipeline_tests.viewer_claim.serving import client_of, decide

LINES = (
    "Claim Status Report",
    "Claim Number: WC-2025-0417",
    "Date of Injury: 02/11/2025",
    "Employer: Bright Harbor Cannery",
    "Average weekly wage: $1,214.70",
    "The injured worker slipped on a wet floor beside the loading ramp and hurt the left knee.",
    "Treatment began the same day at the clinic on the corner and goes on twice a week.",
    "Is the claim litigated? No",
)
KEYS = ("metadata.claim_number", "claimed_injury_description.date_of_injury", "wages.average_weekly_wage")


def page_of(lines: Sequence[str], *, left: int = 60, top: int = 60, step: int = 24) -> bytes:
    def page(sheet: Sheet) -> None:
        for number, line in enumerate(lines):
            sheet.text(left, top + step * number, line)

    return draw(page)


class Claim:
    """A claim's folder and store, run as people run it."""

    def __init__(self, root: Path, name: str = "claim") -> None:
        self.documents = root / name / "documents"
        self.documents.mkdir(parents=True, exist_ok=True)
        self.store = root / "store"
        self.name = name

    def run(self) -> dict[str, Any]:
        made = command("run", self.documents.parent, "--store", self.store)
        assert made.exit_code == 0, made.output
        return self.dataset()

    def answer_nothing(self) -> None:
        """Run with an extractor that finds no value on any page."""
        answers = self.documents.parent / "extraction_raw.json"
        answers.write_text(json.dumps({"extractions": []}), encoding="utf-8")
        made = command("run", self.documents.parent, "--store", self.store, "--extractor", "replay")
        assert made.exit_code == 0, made.output

    def dataset(self) -> dict[str, Any]:
        text = (self.store / "viewer_dataset" / self.name / "data.json").read_text(encoding="utf-8")
        found: dict[str, Any] = json.loads(text)
        return found

    def confirm(self, keys: Sequence[str] = KEYS) -> None:
        with client_of(ServingSettings(str(self.store), render_workers=1)) as client:
            for key in keys:
                assert decide(client, self.name, key, "confirm").status_code == 201

    def reviewed(self) -> dict[str, dict[str, Any]]:
        with client_of(ServingSettings(str(self.store), render_workers=1)) as client:
            fields = client.get(f"/api/claims/{self.name}").json()["fields"]
            return {field["fieldKey"]: field for field in fields}

    def ids(self) -> dict[str, str]:
        return {source["file"]: source["id"] for source in self.dataset()["sources"]}


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with a claim that was run and signed, and a copy of it to begin every test with."""
    root = tmp_path_factory.mktemp("signed")
    claim = Claim(root / "used")
    (claim.documents / "fax 0417.pdf").write_bytes(page_of(LINES))
    (claim.documents / "cover.pdf").write_bytes(page_of(["Please find the report attached."]))
    claim.run()
    claim.confirm()
    shutil.copytree(root / "used", root / "kept")
    return root / "used", root / "kept"


@pytest.fixture
def signed(once: tuple[Path, Path]) -> Claim:
    """A claim with three confirmed fields, beside a document that changes nothing."""
    used, kept = once
    shutil.rmtree(used)
    shutil.copytree(kept, used)
    return Claim(used)


def test_a_renamed_file_keeps_its_id_its_citations_and_what_was_signed(signed: Claim) -> None:
    before = signed.reviewed()
    (signed.documents / "fax 0417.pdf").rename(signed.documents / "Status Report March.pdf")
    signed.run()
    assert signed.ids() == {"Status Report March.pdf": "fax-0417", "cover.pdf": "cover"}
    for key, field in signed.reviewed().items():
        assert field["review"]["state"] == before[key]["review"]["state"], key
        assert not field["conflicts"], key
        assert [c["sourceId"] for c in field["citations"]] == ["fax-0417"] * len(field["citations"])
        places = [c["regions"]["snippet"] for c in field["citations"]]
        assert places == [c["regions"]["snippet"] for c in before[key]["citations"]]


def test_a_claim_renamed_scanned_again_and_matched_again_keeps_every_verification(signed: Claim) -> None:
    (signed.documents / "fax 0417.pdf").rename(signed.documents / "report.pdf")
    signed.run()
    (signed.documents / "report.pdf").unlink()
    # straightened, larger margins, one word that the first scan had misread
    again = [line.replace("loading", "unloading") for line in LINES]
    (signed.documents / "report, better scan.pdf").write_bytes(page_of(again, left=80, top=110, step=30))
    signed.run()
    matched = command("rematch", signed.name, "--store", signed.store)
    assert matched.exit_code == 0, matched.output
    assert signed.ids()["report, better scan.pdf"] == "fax-0417"
    fields = signed.reviewed()
    for key in KEYS:
        field = fields[key]
        assert (field["review"]["state"], field["conflicts"]) == ("confirmed", []), key
        (citation, *_) = field["citations"]
        assert (citation["method"], citation["sourceId"]) == ("verified_followed", "fax-0417")
        assert citation["regions"]["snippet"][0]["boxes"][0]["left"] > 0.13  # where the new scan has it
        assert citation["pinned"]
    # and once more: what took the place of what took its place
    (signed.documents / "report, better scan.pdf").write_bytes(page_of(LINES, left=40, top=200, step=26))
    signed.run()
    fields = signed.reviewed()
    assert {fields[key]["review"]["state"] for key in KEYS} == {"confirmed"}
    assert signed.ids()["report, better scan.pdf"] == "fax-0417"


def test_a_signature_stays_where_the_extractor_reads_nothing_on_the_new_scan(signed: Claim) -> None:
    key = "wages.average_weekly_wage"
    (signed.documents / "fax 0417.pdf").unlink()
    (signed.documents / "second scan.pdf").write_bytes(page_of(LINES, left=80, top=110))
    signed.answer_nothing()
    dataset = signed.dataset()
    silent = next(entry for entry in dataset["absentFields"] if entry["fieldKey"] == key)
    assert [one["method"] for one in silent["followedCitations"]] == ["verified_followed"]
    assert list_breaches(dataset) == []
    field = signed.reviewed()[key]
    assert (field["review"]["state"], field["rawValue"], field["conflicts"]) == ("confirmed", 1214.7, [])
    (citation, *_) = field["citations"]
    assert (citation["pinned"], citation["sourceId"]) == (True, "fax-0417")


def test_a_signature_needs_review_where_the_extractor_reads_nothing_and_the_words_changed(
    signed: Claim,
) -> None:
    changed = [line.replace("$1,214.70", "$1,241.70") for line in LINES]
    (signed.documents / "fax 0417.pdf").unlink()
    (signed.documents / "second scan.pdf").write_bytes(page_of(changed, left=80, top=110))
    signed.answer_nothing()
    field = signed.reviewed()["wages.average_weekly_wage"]
    assert field["review"]["state"] == "needs_review"
    assert not any(citation.get("pinned") for citation in field["citations"])


def test_a_new_scan_with_another_number_where_somebody_signed_needs_review(signed: Claim) -> None:
    changed = [line.replace("$1,214.70", "$1,241.70") for line in LINES]
    (signed.documents / "fax 0417.pdf").unlink()
    (signed.documents / "amended.pdf").write_bytes(page_of(changed, left=80))
    signed.run()
    fields = signed.reviewed()
    assert fields["wages.average_weekly_wage"]["review"]["state"] == "needs_review"


@pytest.mark.parametrize(
    ("line", "again"),
    [
        (LINES[4], "Disputed average weekly wage: $1,214.70"),
        (LINES[4], "Not the average weekly wage: $1,214.70"),
        (LINES[4], "Average weekly wage: $1,214.70 not accepted"),
        (LINES[4], "Average monthly wage: $1,214.70"),
        (LINES[3], "Wages of another employee"),
        (LINES[7], "The wage above is not confirmed."),
        (LINES[5], "This is not the final wage."),
        (LINES[0], "Claim Status Report SUPERSEDED"),
    ],
)
def test_a_new_scan_that_says_something_else_of_signed_words_needs_review(
    signed: Claim, line: str, again: str
) -> None:
    changed = [again if one == line else one for one in LINES]
    (signed.documents / "fax 0417.pdf").unlink()
    (signed.documents / "second.pdf").write_bytes(page_of(changed, left=80))
    command("run", signed.documents.parent, "--store", signed.store)
    field = signed.reviewed()["wages.average_weekly_wage"]
    assert field["review"]["state"] == "needs_review"


def test_an_unrelated_file_under_the_old_name_inherits_no_verification(signed: Claim) -> None:
    other = ["Pharmacy invoice", "Claim Number: WC-2025-0417", "Ibuprofen 800 mg, 30 tablets", "$38.20"]
    (signed.documents / "fax 0417.pdf").write_bytes(page_of(other))
    signed.run()
    field = signed.reviewed()["metadata.claim_number"]
    assert field["review"]["state"] == "needs_review"
    assert "document_changed" in {conflict["code"] for conflict in field["conflicts"]}


def test_a_store_of_an_older_version_takes_its_ids_from_its_own_table(signed: Claim) -> None:
    shutil.rmtree(signed.store / "source_ids")
    (signed.documents / "fax 0417.pdf").rename(signed.documents / "renamed.pdf")
    signed.run()
    assert signed.ids()["renamed.pdf"] == "fax-0417"
    assert {signed.reviewed()[key]["review"]["state"] for key in KEYS} == {"confirmed"}


def test_words_of_a_document_that_left_are_kept_only_where_somebody_signed(tmp_path: Path) -> None:
    claim = Claim(tmp_path)
    (claim.documents / "a.pdf").write_bytes(page_of(LINES))
    (claim.documents / "b.pdf").write_bytes(page_of(["Nothing that anybody signed for, at all."]))
    claim.run()
    claim.confirm(KEYS[:1])
    for name in ("a.pdf", "b.pdf"):
        (claim.documents / name).unlink()
    (claim.documents / "c.pdf").write_bytes(page_of(["A letter of another kind, with nothing in it."]))
    command("run", claim.documents.parent, "--store", claim.store)
    kept = json.loads((claim.store / "source_ids" / "claim.json").read_text(encoding="utf-8"))
    assert [one["source_id"] for one in kept["former"]] == ["a"]
    # the better scan comes days later
    (claim.documents / "z.pdf").write_bytes(page_of(LINES, left=90))
    claim.run()
    assert claim.ids()["z.pdf"] == "a"
    assert claim.reviewed()[KEYS[0]]["review"]["state"] == "confirmed"


KNOWN = (KnownContent("letter", "1", "letter.pdf"), KnownContent("note", "2", "note.pdf"))


@pytest.mark.parametrize(
    ("files", "ids"),
    [
        ({"letter.pdf": "1", "note.pdf": "2"}, ["letter", "note"]),
        ({"note.pdf": "1", "letter.pdf": "2"}, ["letter", "note"]),  # names were swapped
        ({"letter.pdf": "3", "note.pdf": "2"}, ["letter", "note"]),  # another version under the name
        ({"letter.pdf": "3", "old.pdf": "1"}, ["letter-2", "letter"]),
        ({"a/note.pdf": "2", "b/note.pdf": "2"}, ["note", "b-note"]),  # a copy has its own id
        ({"new.pdf": "4", "note.pdf": "2"}, ["new", "note"]),
    ],
)
def test_an_id_stays_with_its_content(files: dict[str, str], ids: list[str]) -> None:
    listed = [ListedFile(name, name, sha256) for name, sha256 in files.items()]
    assert assign_source_ids(listed, KNOWN) == ids


def test_what_replaces_a_content_takes_its_id() -> None:
    listed = [ListedFile("scan.pdf", "scan.pdf", "5")]
    assert assign_source_ids(listed, KNOWN, replaced={"5": "letter"}) == ["letter"]


def printed(source_id: str, *, by: str, paid: int) -> ParsedDocument:
    """A print of labels with dot leaders and values, read row by row or column by column."""
    rows = [(f"LABEL{chr(97 + n)} ......", f"value{chr(97 + n)} {paid + 37 * n:,}.00") for n in range(24)]
    read = [" ".join(row) for row in rows] if by == "rows" else [*(a for a, _ in rows), *(b for _, b in rows)]
    made = text_document(source_id, *read)
    return replace(made, source=replace(made.source, sha256=f"{source_id}-{by}-{paid}"))


def test_a_print_that_is_read_in_another_order_is_the_same_document_and_one_of_other_amounts_is_not() -> None:
    old = printed("inquiry", by="rows", paid=41_250)
    (found,) = find_replacements([old], [printed("scan", by="columns", paid=41_250)])
    assert (found.source_id, found.similarity) == ("inquiry", 1.0)
    assert find_replacements([old], [printed("next month", by="columns", paid=52_918)]) == []


def written(source_id: str, *, by: str, day: int = 12, name: str = "Lindqvist") -> ParsedDocument:
    """A letter of few numbers whose lines are read one after another, or torn into columns."""
    body = [f"word{chr(97 + n)}{chr(97 + m)}" for n in range(8) for m in range(7)]
    lines = [f"Dear {name},", f"the photos have to be here by December {day}, 2026.", " ".join(body)]
    words = " ".join(lines).split()
    read = lines if by == "lines" else [*words[::3], *words[1::3], *words[2::3]]
    made = text_document(source_id, *read)
    return replace(made, source=replace(made.source, sha256=f"{source_id}-{by}-{day}-{name}"))


def test_a_letter_of_few_numbers_is_known_again_and_one_of_another_day_is_not() -> None:
    old = written("letter", by="lines")
    (found,) = find_replacements([old], [written("scan", by="columns")])
    assert found.source_id == "letter"
    assert find_replacements([old], [written("reminder", by="columns", day=19)]) == []


def test_how_surely_the_words_of_a_former_document_were_read_is_kept_with_them(tmp_path: Path) -> None:
    store = ClaimStore(tmp_path)
    words = written("fax", by="lines").words
    unsure = np.linspace(0.2, 1.0, len(words)).astype(np.float32)
    unsure[0] = np.nan  # of a text layer
    keep_source_ids(
        store, "claim", SourceIds((), (FormerDocument("fax", "1", "2", replace(words, confidence=unsure)),))
    )
    kept = read_former_documents(store, "claim")["1"].words.confidence
    assert np.allclose(kept, unsure, atol=0.001, equal_nan=True)
