"""What does not agree in a claim, through `run`: issues of `data.json` with the places of both sides."""

import json
from pathlib import Path
from typing import Any

import pytest
from docx import Document

from citation_pipeline.core.viewer.contract import list_breaches
from citation_pipeline_tests.closed_parsers import built_parsers, closed_parsers  # noqa: F401 - fixtures
from citation_pipeline_tests.commands import command

STATUS = (
    "CLAIM STATUS REPORT\nClaim Number: ZQ-4471\nEmployee: Ines Valdour\nDate of Injury: 03/10/2022\n"
    "Temporary disability paid from 05/14/2022 through 04/30/2022.\n"
)
FOREIGN = (
    "CLAIM STATUS REPORT\nClaim Number: KM-90210\nEmployee: Rolf Kettering\nDate of Injury: 07/01/2020\n"
    "Mr. Kettering was seen again.\n"
)
MEDICATIONS = [["Name", "Dosage"], ["Naproxen", "500 mg"], ["Tizanidine", "4 mg"], ["Omeprazole", "20 mg"]]
LIENS = [
    ["Lienholder", "Lien type", "Amount"],
    ["Bay Imaging", "medical", "1,200.50"],
    ["Oak Clinic", "medical", "300.00"],
]


pytestmark = pytest.mark.usefixtures("closed_parsers")


def write_table(path: Path, title: str, rows: list[list[str]]) -> None:
    document = Document()
    document.add_paragraph(f"{title} Claim Number: ZQ-4471, Ines Valdour")
    table = document.add_table(rows=len(rows), cols=len(rows[0]))
    table.style = "Table Grid"
    for number, row in enumerate(rows):
        for place, text in enumerate(row):
            table.cell(number, place).text = text
    document.save(path)


def issues_of(folder: Path, answers: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    records = [
        {"field_key": key, "value": value, "citations": [{"source_id": source, "text_snippet": snippet}]}
        for key, (value, source, snippet) in answers.items()
    ]
    (folder / "extraction_raw.json").write_text(json.dumps({"extractions": records}))
    result = command("run", str(folder), "--extractor", "replay", "--store", "store")
    assert result.exit_code == 0, result.output
    dataset = json.loads(Path("store/viewer_dataset/claim/data.json").read_text())
    assert list_breaches(dataset) == []
    codes = {"broken_rule", "other_in_document", "table_without_rows", "list_shorter_than_table"}
    codes.add("total_differs_from_rows")
    return [issue for issue in dataset["issues"] if issue["code"] in codes], dataset


@pytest.fixture
def claim(tmp_path: Path) -> Path:
    folder = tmp_path / "claim"
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "status.txt").write_text(STATUS)
    return folder


ANSWERS: dict[str, Any] = {
    "metadata.claim_number": ("ZQ-4471", "status", "Claim Number: ZQ-4471"),
    "claimant.full_name": ("Ines Valdour", "status", "Employee: Ines Valdour"),
}


def test_an_end_before_its_start_is_an_issue_with_both_citations(claim: Path):
    line = "Temporary disability paid from 05/14/2022 through 04/30/2022."
    found, dataset = issues_of(
        claim,
        ANSWERS
        | {
            "temporary_disability.start_date": ("2022-05-14", "status", line),
            "temporary_disability.end_date": ("2022-04-30", "status", line),
        },
    )
    (issue,) = found
    assert (issue["code"], issue["reason"]) == ("broken_rule", "disability_end_after_start")
    assert issue["severity"] == "error"
    assert issue["fieldKeys"] == ["temporary_disability.start_date", "temporary_disability.end_date"]
    cited = {c["citationId"]: c for field in dataset["fields"] for c in field["citations"]}
    assert len(issue["citations"]) == 2
    for place in issue["citations"]:
        assert place["bbox"] == cited[place["citationId"]]["bbox"]
        assert place["sourceId"] == "status"
    assert "05/14/2022" not in issue["message"]


def test_a_document_of_another_claim_is_named_with_its_own_words_place(claim: Path):
    (claim / "documents" / "stray.txt").write_text(FOREIGN)
    (claim / "documents" / "letter.txt").write_text(
        "Dear Ms. Valdour:\nRe: claim number ZQ 4471\nThank you.\n"
    )
    found, _ = issues_of(claim, ANSWERS)
    assert {(issue["code"], issue["reason"]) for issue in found} == {
        ("other_in_document", "same_claim_number"),
        ("other_in_document", "same_claimant"),
    }
    for issue in found:
        own, other = issue["citations"]
        assert (own["sourceId"], other["sourceId"]) == ("status", "stray")
        assert other["page"] == 1
        assert 0 < other["bbox"]["width"] < 1
        assert "Kettering" not in json.dumps(issue)


def test_a_table_that_yields_no_item_and_a_list_shorter_than_its_table_are_issues(claim: Path):
    write_table(claim / "documents" / "medications.docx", "Medications.", MEDICATIONS)
    write_table(claim / "documents" / "liens.docx", "Liens.", LIENS)
    found, _ = issues_of(
        claim,
        ANSWERS
        | {"liens.filed_liens": ([{"lienholder": "Bay Imaging", "amount": 1200.5}], "liens", "Bay Imaging")},
    )
    assert {(issue["code"], *issue["fieldKeys"]) for issue in found} == {
        ("table_without_rows", "treatment.medications"),
        ("list_shorter_than_table", "liens.filed_liens"),
    }
    (unread,) = [issue for issue in found if issue["code"] == "table_without_rows"]
    assert unread["citations"][0]["sourceId"] == "medications"
    assert "3 rows" in unread["message"]


@pytest.mark.parametrize(("total", "is_wrong"), [("1,500.50", False), ("1,600.50", True)])
def test_a_total_that_is_not_the_sum_of_its_rows_is_an_issue_at_both_places(
    claim: Path, total: str, is_wrong: bool
):
    write_table(claim / "documents" / "liens.docx", "Liens.", [*LIENS, ["Total", "", total]])
    items = [{"lienholder": "Bay Imaging", "amount": 1200.5}, {"lienholder": "Oak Clinic", "amount": 300}]
    found, _ = issues_of(claim, ANSWERS | {"liens.filed_liens": (items, "liens", "Bay Imaging")})
    assert [issue["code"] for issue in found] == (["total_differs_from_rows"] if is_wrong else [])
    for issue in found:
        total_place, rows_place = issue["citations"]
        assert total_place["bbox"]["top"] > rows_place["bbox"]["top"]
        assert total_place["sourceId"] == "liens"


def test_a_rule_of_ones_own_schema_is_judged_and_a_faulty_one_refused(claim: Path, tmp_path: Path):
    schema = {
        "type": "object",
        "properties": {"number": {"type": "string"}, "hurt": {"type": "string", "format": "date"}},
        "x_rules": [{"id": "recent", "check": 'hurt >= "2023-01-01"', "says": "The injury is too old."}],
    }
    (tmp_path / "own.json").write_text(json.dumps(schema))
    records = [
        {
            "field_key": "hurt",
            "value": "2022-03-10",
            "citations": [{"source_id": "status", "text_snippet": "Date of Injury: 03/10/2022"}],
        }
    ]
    (claim / "extraction_raw.json").write_text(json.dumps({"extractions": records}))
    run = ["run", str(claim), "--schema", "own.json", "--extractor", "replay", "--store", "store"]
    assert command(*run).exit_code == 0
    dataset = json.loads(Path("store/viewer_dataset/claim/data.json").read_text())
    assert [(i["reason"], i["message"]) for i in dataset["issues"] if i["code"] == "broken_rule"] == [
        ("recent", "The injury is too old.")
    ]
    # a rule that changes judges again and asks nobody anything
    schema["x_rules"] = [{"id": "old", "check": 'hurt < "2022-01-01"', "says": "The injury is too new."}]
    (tmp_path / "own.json").write_text(json.dumps(schema))
    again = command(*run, "--json")
    assert "raw_extraction" not in json.loads(again.stdout)["ran"]
    dataset = json.loads(Path("store/viewer_dataset/claim/data.json").read_text())
    assert [i["reason"] for i in dataset["issues"] if i["code"] == "broken_rule"] == ["old"]
    schema["x_rules"] = [{"id": "old", "check": "hurts > 1.0", "says": "It hurts."}]
    (tmp_path / "own.json").write_text(json.dumps(schema))
    refused = command(*run)
    assert refused.exit_code == 2
    assert "/x_rules/0/check" in refused.stderr
