"""Sums and days that a text gives as an authority, an offer or an estimate are not sure, whoever
extracted them."""

import json
from pathlib import Path

import pytest

from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.cli.main import main
from citation_pipeline.core.answers.evidence import check_evidence
from citation_pipeline.core.answers.reading import read_answer

SCHEMA = load_schema("workers_comp")


def codes_of(key: str, value, snippet: str, text: str | None = None) -> list[str]:
    record = {
        "field_key": key,
        "value": value,
        "citations": [{"source_id": "mail", "text_snippet": snippet}],
    }
    extraction = read_answer({"extractions": [record]}, SCHEMA, ["mail"])
    return [finding.code for finding in check_evidence(extraction, SCHEMA, {"mail": text or snippet})]


@pytest.mark.parametrize(
    ("key", "value", "snippet"),
    [
        ("settlement.amount", 52500, "Settlement authority is $52,500.00"),
        ("settlement.amount", 52500, "We hold authority to settle for $52,500.00."),
        ("settlement.amount", 52500, "Ms. Quorn demands $52,500.00 for a compromise and release."),
        ("settlement.amount", 52500, "A C&R of $52,500.00 was offered last week."),
        ("settlement.amount", 52500, "The draft C&R is for $52,500.00."),
        ("work_status.return_to_work_date", "2024-09-02", "Anticipated return to work 09/02/2024"),
    ],
)
def test_a_sum_or_day_that_is_only_proposed_has_another_meaning(key, value, snippet):
    assert "other_meaning" in codes_of(key, value, snippet)


def test_the_word_before_a_quotation_counts_too():
    text = "Authority: $52,500.00 until June."
    assert "other_meaning" in codes_of("settlement.amount", 52500, "$52,500.00", text)


@pytest.mark.parametrize(
    ("key", "value", "snippet"),
    [
        ("settlement.amount", 52500, "The claim was settled for $52,500.00 against a demand of $90,000.00."),
        ("settlement.amount", 52500, "It settled, within the authority, for $52,500.00."),
        ("reserves.indemnity_reserve", 18000, "Indemnity reserve $18,000.00"),
        ("medicare.msa_amount", 21000, "The proposed MSA is $21,000.00."),
    ],
)
def test_what_came_about_or_is_asked_for_keeps_its_meaning(key, value, snippet):
    assert "other_meaning" not in codes_of(key, value, snippet)


def test_through_the_command_line_a_replayed_authority_is_at_most_half_sure(tmp_path: Path):
    folder = tmp_path / "claim"
    (folder / "documents").mkdir(parents=True)
    text = (
        "CLAIM STATUS REPORT\n\nReport date: 05/06/2024\n\nSettlement authority of $52,500.00 was granted.\n"
    )
    (folder / "documents" / "status.txt").write_text(text)
    quoted = {"source_id": "status", "text_snippet": "Settlement authority of $52,500.00"}
    record = {"field_key": "settlement.amount", "value": 52500, "citations": [quoted]}
    (folder / "extraction_raw.json").write_text(json.dumps({"extractions": [record]}))
    with pytest.raises(SystemExit) as ended:
        main(["run", str(folder), "--store", str(tmp_path / "store"), "--extractor", "replay"])
    assert ended.value.code in (0, None)
    data = json.loads((tmp_path / "store" / "viewer_dataset" / "claim" / "data.json").read_text())
    (field,) = [field for field in data["fields"] if field["fieldKey"] == "settlement.amount"]
    assert field["fieldConfidence"]["value"] <= 0.5
