"""The store as data frames: types that hold, joins that are right, and a frame of quality to plot."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from openpyxl import load_workbook

import citation_pipeline
from citation_pipeline.adapters.tables.stored_files import StoreError
from citation_pipeline.analysis.workbooks import printable
from citation_pipeline.frames import StoreFrames
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.drawn_pdfs import draw
from citation_pipeline_tests.viewer_claim.serving import client_of, decide

LETTER = ("Claim Number: WC-2025-0417", "Date of Injury: 02/11/2025", "Average weekly wage: $1,214.70")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frames")
    for claim_id in ("first", "second"):
        documents = folder / "inbox" / claim_id / "documents"
        documents.mkdir(parents=True)
        sheet = draw(lambda page: [page.text(60, 60 + 30 * n, line) for n, line in enumerate(LETTER)])
        (documents / "letter.pdf").write_bytes(sheet)
    (folder / "inbox" / "second" / "documents" / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    claims = [str(folder / "inbox" / claim_id) for claim_id in ("first", "second")]
    command("run", *claims, "--store", str(folder / "store"))
    return folder / "store"


@pytest.fixture(scope="module")
def store(root: Path) -> StoreFrames:
    return citation_pipeline.open_store(str(root))


def test_fields_agree_with_what_the_viewer_shows(store: StoreFrames, root: Path) -> None:
    fields = store.fields().set_index(["claim_id", "field_key"])
    for claim_id in ("first", "second"):
        shown = json.loads((root / "viewer_dataset" / claim_id / "data.json").read_text())["fields"]
        assert shown
        for field in shown:
            row = fields.loc[(claim_id, field["fieldKey"])]
            assert row["confidence"] == pytest.approx(field["fieldConfidence"]["value"], abs=1e-4)
            assert row["status"] == field["status"]
            if isinstance(field["rawValue"], str):
                assert row["value"] == field["rawValue"]
    wage = fields.loc[("first", "wages.average_weekly_wage")]
    assert wage["number"] == 1214.7
    injured = fields.loc[("first", "claimed_injury_description.date_of_injury")]
    assert injured["date"] == pd.Timestamp("2025-02-11")


def test_types_are_nullable_and_repeated_words_are_categories(store: StoreFrames) -> None:
    citations, documents = store.citations(), store.documents()
    assert isinstance(citations["status"].dtype, pd.CategoricalDtype)
    assert citations["page"].dtype == pd.Int32Dtype()
    assert citations["confidence"].dtype == pd.Float64Dtype()
    assert documents["page_count"].dtype == pd.Int32Dtype()
    assert store.fields()["number"].dtype == pd.Float64Dtype()
    assert store.fields(["first"])["claim_id"].unique().tolist() == ["first"]
    assert set(store.citations(["first"])["snippet"]) <= set(LETTER)


def test_quality_counts_each_claim_and_can_be_plotted(store: StoreFrames) -> None:
    quality = store.quality()
    assert quality.index.tolist() == ["first", "second"]
    assert quality.loc["second", "documents"] == 2
    assert quality.loc["second", "unreadable_documents"] == 1
    citations = store.citations()
    assert quality["citations"].sum() == len(citations)
    assert quality.loc["first", "located_share"] == 1
    assert quality.select_dtypes("number").shape == quality.shape


def test_changes_are_those_of_the_last_rematch(store: StoreFrames) -> None:
    changes = store.changes()
    assert set(changes.columns) == {
        "claim_id",
        "citation_id",
        "field_key",
        "change",
        "overlap",
        "is_verified",
    }
    assert changes["is_verified"].dtype == pd.BooleanDtype()


@pytest.fixture(scope="module")
def signed(root: Path) -> StoreFrames:
    with client_of(ServingSettings(str(root), render_workers=1)) as client:
        decide(client, "first", "metadata.claim_number", "confirm")
        decide(client, "first", "wages.average_weekly_wage", "correct", value="1,300.00")
    return citation_pipeline.open_store(str(root))


def test_an_evaluation_against_what_was_signed_is_frames_and_a_page(signed: StoreFrames) -> None:
    found = signed.evaluation()
    assert found.claims.index.tolist() == ["first"]
    assert (found.claims.loc["first", "right"], found.claims.loc["first", "wrong"]) == (1, 1)
    fields = found.fields.set_index("field_key")
    assert fields["is_right"].to_dict() == {
        "metadata.claim_number": True,
        "wages.average_weekly_wage": False,
    }
    assert fields["is_right"].dtype == pd.BooleanDtype()
    assert fields["wrong"].dtype == pd.Int64Dtype()
    assert found.types["f1"].dtype == pd.Float64Dtype()
    page = found.to_html()
    assert page.count("<svg") == 4  # two charts, each in both colour schemes
    assert "wages.average_weekly_wage" in page
    assert "WC-2025-0417" not in page  # figures, not what documents say


def test_an_evaluation_against_a_truth_counts_as_the_command_does(store: StoreFrames, root: Path) -> None:
    truth = {
        "claim_id": "first",
        "fields": {"metadata.claim_number": {"value": "WC-2025-0417", "type": "string"}},
        "absent_fields": ["wages.average_weekly_wage"],
    }
    (root.parent / "truths" / "first").mkdir(parents=True, exist_ok=True)
    (root.parent / "truths" / "first" / "truth.json").write_text(json.dumps(truth))
    found = store.evaluation(root.parent / "truths").claims
    told = json.loads(
        command("evaluate", "first", "--store", root, "--truth", root.parent / "truths", "--json").output
    )
    assert found.loc["first", "precision"] == told["values"]["precision"] == 0.5
    assert store.evaluation(truth).claims.equals(found)


def test_series_of_the_pictures_are_frames_to_plot(signed: StoreFrames) -> None:
    days = signed.locate_rate()
    assert days["share"].iloc[-1] == 1
    assert days[["resolved", "flagged", "unresolved"]].iloc[-1].sum() > 0
    bins = signed.reliability()
    assert bins["count"].sum() == 2
    worst = signed.disagreements().set_index("field_key")
    assert worst.loc["wages.average_weekly_wage", "corrected"] == 1
    assert signed.costs()["dollars"].tolist() == [0.0, 0.0]
    events = signed.verifications()
    assert events["action"].tolist() == ["confirm", "correct"]
    assert events["made_at"].dt.tz is not None


def test_a_workbook_holds_every_table_and_no_formula(signed: StoreFrames, tmp_path: Path) -> None:
    signed.to_excel(tmp_path / "claims.xlsx")
    book = load_workbook(tmp_path / "claims.xlsx")
    assert book.sheetnames == ["quality", "fields", "citations", "documents", "changes"]
    heads = [cell.value for cell in book["fields"][1]]
    rows = [[cell.value for cell in row] for row in book["fields"].iter_rows(min_row=2)]
    assert len(rows) == len(signed.fields())
    number = next(row for row in rows if row[heads.index("field_key")] == "metadata.claim_number")
    assert number[heads.index("value")] == "WC-2025-0417"
    assert not [cell for sheet in book for row in sheet for cell in row if cell.data_type == "f"]


def test_what_a_document_says_is_never_a_formula() -> None:
    frame = pd.DataFrame({"value": pd.array(["=1+1", "plain\x00", None], dtype="string"), "n": [1, 2, 3]})
    assert printable(frame)["value"].tolist()[:2] == ["'=1+1", "plain"]


def test_a_folder_without_claims_is_named_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="run --store"):
        citation_pipeline.open_store(str(tmp_path))


def test_commands_import_only_what_they_use_and_frames_work_all_the_same(root: Path) -> None:
    probe = """if True:
        import sys
        from citation_pipeline.cli.main import main
        from citation_pipeline import open_store
        main(["show", "first", "--store", sys.argv[1]], standalone_mode=False)
        for name in ("pandas", "PIL", "cel", "citation_pipeline.core.retrieval.answering"):
            assert name not in sys.modules, f"a command imported {name}"
        assert len(open_store(sys.argv[1]).fields())
    """
    done = subprocess.run(
        [sys.executable, "-c", probe, str(root)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_fields_say_what_people_signed_and_whether_it_holds(tmp_path: Path) -> None:
    documents = tmp_path / "inbox" / "c" / "documents"
    documents.mkdir(parents=True)
    sheet = draw(lambda page: [page.text(60, 60 + 30 * n, line) for n, line in enumerate(LETTER)])
    (documents / "letter.pdf").write_bytes(sheet)
    store, wage = tmp_path / "store", "wages.average_weekly_wage"
    command("run", documents.parent, "--store", store)
    number, injured = "metadata.claim_number", "claimed_injury_description.date_of_injury"
    with client_of(ServingSettings(str(store), render_workers=1)) as client:
        assert decide(client, "c", wage, "correct", value="1300").status_code == 201
        assert decide(client, "c", number, "confirm").status_code == 201
    told = citation_pipeline.open_store(str(store)).fields().set_index("field_key")
    assert (told.loc[wage, "number"], told.loc[wage, "review"]) == (1214.7, "corrected")
    assert float(told.loc[wage, "verified_value"]) == 1300
    assert told.loc[number, "verified_value"] == told.loc[number, "value"]
    assert told.loc[injured, "review"] == "unreviewed"
    assert pd.isna(told.loc[injured, "verified_value"])
    (documents / "letter.pdf").write_bytes(draw(lambda page: page.text(60, 60, "Claim Number: WC-2026-9999")))
    command("run", documents.parent, "--store", store)
    later = citation_pipeline.open_store(str(store)).fields().set_index("field_key")
    assert later.loc[number, "review"] == "needs_review"
    assert pd.isna(later.loc[number, "verified_value"])
