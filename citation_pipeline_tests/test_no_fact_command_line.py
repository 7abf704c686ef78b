"""Bad answers, impossible days, superseded answers and one confidence: seen through the command line."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from citation_pipeline.core.viewer.contract import list_breaches
from citation_pipeline_tests.closed_parsers import built_parsers, closed_parsers  # noqa: F401 - fixtures
from citation_pipeline_tests.commands import command

pytestmark = pytest.mark.usefixtures("closed_parsers")

PARTS = ("place", "evidence", "type", "agreement", "extractor")
STATUS = (
    "CLAIM STATUS REPORT\n\nReport date: 05/06/2024\n\nEmployee: Ines Valdour\n\n"
    "Date of Birth: 04/01/1980\n\n"
    "Date of Injury: 03/10/2022\n\nLiens: None filed\n\nRefund: (500)\n\n"
)


def shown(tmp_path: Path, documents: dict[str, str], records: list[dict[str, Any]]) -> dict[str, Any]:
    folder = tmp_path / "claim"
    (folder / "documents").mkdir(parents=True)
    for name, text in documents.items():
        (folder / "documents" / name).write_text(text)
    (folder / "extraction_raw.json").write_text(json.dumps({"extractions": records}))
    result = command("run", folder, "--extractor", "replay", "--store", tmp_path / "store")
    assert result.exit_code in (0, 1), result.output
    dataset = json.loads((tmp_path / "store/viewer_dataset/claim/data.json").read_text())
    assert list_breaches(dataset) == []
    return dataset


def record(key: str, value: Any, snippet: str, source: str = "status") -> dict[str, Any]:
    return {
        "field_key": key,
        "value": value,
        "citations": [{"source_id": source, "text_snippet": snippet}],
    }


@pytest.mark.parametrize(
    ("key", "value", "snippet"),
    [
        ("litigation.is_litigated", "not stated", "Employee: Ines Valdour"),
        ("payments.total_paid", "about (500) or so", "Refund: (500)"),
        ("claimant.occupation", "Not found", "Employee: Ines Valdour"),
        ("claimed_injury_description.date_of_injury", "sometime in March", "Date of Injury: 03/10/2022"),
    ],
)
def test_an_answer_that_is_no_value_of_its_field_is_shown_nowhere_as_one(
    tmp_path: Path, key: str, value: str, snippet: str
):
    dataset = shown(tmp_path, {"status.txt": STATUS}, [record(key, value, snippet)])
    assert key not in {field["fieldKey"] for field in dataset["fields"]}
    assert key in {issue.get("fieldKey") for issue in dataset["issues"]}


def test_a_list_answered_by_a_sentence_holds_no_item_of_that_sentence(tmp_path: Path):
    said = record("liens.filed_liens", "None filed", "Liens: None filed")
    dataset = shown(tmp_path, {"status.txt": STATUS}, [said])
    values = {field["fieldKey"]: field["rawValue"] for field in dataset["fields"]}
    assert values.get("liens.filed_liens", []) == []


def test_a_list_with_a_comma_too_many_is_read_item_by_item(tmp_path: Path):
    said = record(
        "diagnoses.diagnosis_list",
        '[{"description": "Sprain"}, {"description": "Strain"},]',
        "Employee: Ines Valdour",
    )
    dataset = shown(tmp_path, {"status.txt": STATUS}, [said])
    (field,) = [one for one in dataset["fields"] if one["fieldKey"] == "diagnoses.diagnosis_list"]
    assert field["rawValue"] == [{"description": "Sprain"}, {"description": "Strain"}]


def test_a_sum_in_brackets_is_less_than_nothing(tmp_path: Path):
    dataset = shown(
        tmp_path, {"status.txt": STATUS}, [record("payments.total_paid", "(500)", "Refund: (500)")]
    )
    values = {field["fieldKey"]: field["rawValue"] for field in dataset["fields"]}
    assert values["payments.total_paid"] == -500


def test_an_injury_before_the_birth_is_an_issue_with_both_places(tmp_path: Path):
    dataset = shown(
        tmp_path,
        {"status.txt": STATUS.replace("04/01/1980", "04/01/2023")},
        [
            record("claimant.date_of_birth", "2023-04-01", "Date of Birth: 04/01/2023"),
            record("claimed_injury_description.date_of_injury", "2022-03-10", "Date of Injury: 03/10/2022"),
        ],
    )
    broken = {issue["reason"]: issue for issue in dataset["issues"] if issue["code"] == "broken_rule"}
    assert len(broken["birth_before_injury"]["citations"]) == 2


def test_of_two_documents_answers_the_later_one_is_the_value_in_any_order(tmp_path: Path):
    old = "CLAIM STATUS REPORT\n\nReport date: 02/05/2024\n\nAverage weekly wage: $720.00\n"
    new = "CLAIM STATUS REPORT\n\nReport date: 05/06/2024\n\nAverage weekly wage: $811.40\n"
    answers = [
        record("wages.average_weekly_wage", 811.4, "Average weekly wage: $811.40", "new"),
        record("wages.average_weekly_wage", 720, "Average weekly wage: $720.00", "old"),
    ]
    for number, order in enumerate((answers, answers[::-1])):
        (tmp_path / str(number)).mkdir()
        dataset = shown(tmp_path / str(number), {"old.txt": old, "new.txt": new}, order)
        (field,) = [one for one in dataset["fields"] if one["fieldKey"] == "wages.average_weekly_wage"]
        assert field["rawValue"] == 811.4
        assert [(c["rawValue"], c["reason"]) for c in field["candidates"]] == [(720, "superseded")]


def test_of_two_answers_that_no_day_decides_none_is_sure(tmp_path: Path):
    text = STATUS + "Average weekly wage: $720.00\n\nAverage weekly wage: $811.40\n"
    answers = [
        record("wages.average_weekly_wage", 811.4, "Average weekly wage: $811.40"),
        record("wages.average_weekly_wage", 720, "Average weekly wage: $720.00"),
    ]
    dataset = shown(tmp_path, {"status.txt": text}, answers)
    (field,) = [one for one in dataset["fields"] if one["fieldKey"] == "wages.average_weekly_wage"]
    assert field["fieldConfidence"]["value"] <= 0.5
    assert [(c["rawValue"], c["reason"]) for c in field["candidates"]] == [(720, "conflicting")]


def test_a_field_has_one_confidence_in_the_dataset_and_in_the_tables(tmp_path: Path):
    said = record("claimed_injury_description.date_of_injury", "2022-03-10", "Date of Injury: 03/10/2022")
    dataset = shown(tmp_path, {"status.txt": STATUS}, [said])
    (field,) = [one for one in dataset["fields"] if one["fieldKey"] == said["field_key"]]
    sure = field["fieldConfidence"]
    assert set(sure["parts"]) == set(PARTS)
    assert 0 < sure["value"] < 1
    table = tmp_path / "store" / "field_confidences" / "claim.parquet"
    stored = duckdb.sql(
        f"select confidence, place, evidence, type, agreement, extractor from '{table}' "
        f"where field_key = '{said['field_key']}'"
    ).fetchall()
    assert stored == [(sure["value"], *(sure["parts"][part] for part in PARTS))]
