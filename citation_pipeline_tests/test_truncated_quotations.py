"""A quotation that begins behind its denial: what it leaves out on the page decides what it supports."""

import json
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.core.answers.quoted_clauses import QuotedDocument
from citation_pipeline.core.answers.reading import read_answer
from citation_pipeline.core.answers.vetoes import veto_denied
from citation_pipeline_tests.closed_parsers import built_parsers, closed_parsers  # noqa: F401 - fixtures
from citation_pipeline_tests.commands import command

SCHEMA = load_schema("workers_comp")
LETTER = (
    "The applicant has not been\nidentified as a Medicare beneficiary by the carrier.\n\n"
    "Neither the employer nor the carrier has a\nsubrogation claim against the owner.\n\n"
    "Attorney retained: No\nThe file was referred to SIU on May 3, 2024.\n\n"
    "If the parties agree, a compromise was reached in principle.\n"
)


def value_of(key: str, value: Any, snippet: str, text: str = LETTER) -> Any:
    record = {
        "field_key": key,
        "value": value,
        "citations": [{"source_id": "letter", "text_snippet": snippet}],
    }
    extraction = read_answer({"extractions": [record]}, SCHEMA, ["letter"])
    return veto_denied(extraction, SCHEMA, {"letter": text}).fields[0].value


@pytest.mark.parametrize(
    ("key", "value", "snippet"),
    [
        ("medicare.is_medicare_beneficiary", True, "identified as a Medicare beneficiary"),
        ("medicare.is_medicare_beneficiary", True, "identified as a Medicare beneficiary by the carrier"),
    ],
)
def test_a_quotation_cut_behind_its_denial_supports_no_yes(key: str, value: bool, snippet: str) -> None:
    assert value_of(key, value, snippet) is None


def test_a_day_that_is_named_as_an_end_and_as_a_start_is_the_start() -> None:
    key, day = "temporary_disability.start_date", "2025-03-14"
    only_end = "Wages were paid through 03/14/2025."
    assert value_of(key, day, only_end, only_end) is None
    both = f"{only_end} Temporary disability began 03/14/2025."
    assert value_of(key, day, both, both) == day


def test_the_same_cut_quotation_supports_the_no_that_its_sentence_states() -> None:
    assert (
        value_of("medicare.is_medicare_beneficiary", False, "identified as a Medicare beneficiary") is False
    )


def test_a_no_on_the_line_before_denies_nothing_of_the_next() -> None:
    assert value_of("fraud_siu.siu_referral", True, "The file was referred to SIU on May 3, 2024") is True


def test_a_quotation_that_another_place_states_plainly_is_no_denial() -> None:
    text = LETTER + "\nIn June she was identified as a Medicare beneficiary after all.\n"
    snippet = "identified as a Medicare beneficiary"
    assert value_of("medicare.is_medicare_beneficiary", True, snippet, text) is True


def test_an_enumeration_cut_behind_not_is_denied() -> None:
    text = "Determination: the request is NOT\ncertified at this time.\n"
    assert value_of("utilization_review.decision", "approved", "certified at this time", text) is None


def test_an_item_under_a_heading_that_denies_is_taken_out() -> None:
    text = "Parts of body not admitted: neck and jaw.\n"
    key = "body_parts.accepted_body_parts"
    assert value_of(key, [{"body_part": "neck"}], "neck and jaw", text) is None
    assert value_of(key, [{"body_part": "neck"}], "neck and jaw", "Accepted parts: neck and jaw.\n")


def test_a_clause_ends_at_sentences_labels_boxes_and_lines_of_their_own() -> None:
    document = QuotedDocument(
        "No lien. Claim open: yes | paid in part.\n☐ No ☒ Yes referred\nNot so\nNext it was paid."
    )
    assert document.clauses_of("paid in part") == ["paid in part"]
    assert document.clauses_of("referred") == ["Yes referred"]
    assert document.clauses_of("it was paid") == ["Next it was paid"]
    assert document.clauses_of("never printed") == []


@pytest.mark.usefixtures("closed_parsers")
def test_a_replayed_yes_that_its_sentence_denies_is_shown_nowhere_as_a_value(tmp_path: Path) -> None:
    folder = tmp_path / "claim"
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "letter.txt").write_text(LETTER)
    cited = [{"source_id": "letter", "text_snippet": "identified as a Medicare beneficiary"}]
    records = [
        {
            "field_key": "medicare.is_medicare_beneficiary",
            "value": True,
            "confidence": 0.99,
            "citations": cited,
        }
    ]
    (folder / "extraction_raw.json").write_text(json.dumps({"extractions": records}))
    result = command("run", str(folder), "--extractor", "replay", "--store", "store")
    assert result.exit_code == 0, result.output
    dataset = json.loads(Path("store/viewer_dataset/claim/data.json").read_text())
    shown = {field["fieldKey"]: field for field in dataset["fields"]}
    assert shown.get("medicare.is_medicare_beneficiary", {}).get("value") != "Yes"
    assert "denied_by_evidence" in [issue["code"] for issue in dataset["issues"]]
