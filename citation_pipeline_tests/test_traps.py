"""Sentences that a careless reader takes for facts: neither rules nor a recorded answer make one of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.cli.main import main
from citation_pipeline.core.answers.reading import read_answer
from citation_pipeline.core.answers.vetoes import veto_denied
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline_tests.traps import TRAPS, Trap
from citation_pipeline_tests.typeset import column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")
MEMBERS = {
    "body_parts.accepted_body_parts": "body_part",
    "diagnoses.diagnosis_list": "description",
    "treatment.medications": "name",
    "treatment.surgeries": "procedure",
    "liens.filed_liens": "lienholder",
}


def recorded(trap: Trap) -> dict[str, Any]:
    member = MEMBERS.get(trap.field_key)
    record = {
        "field_key": trap.field_key,
        "value": [{member: trap.wrong}] if member else trap.wrong,
        "citations": [{"source_id": "status", "text_snippet": trap.sentence}],
    }
    return {"extractions": [record]}


def value_of(extraction, trap: Trap):
    return {field.field_key: field.value for field in veto_denied(extraction, SCHEMA).fields}[trap.field_key]


def test_there_are_many_traps_over_many_fields():
    assert len(TRAPS) >= 80
    assert len({trap.field_key for trap in TRAPS}) >= 20


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.sentence[:50])
def test_rules_do_not_take_it_for_a_fact(trap):
    document = typeset("status", column(["CLAIM STATUS REPORT", "Report date: 05/06/2024", trap.sentence]))
    assert not trap.is_in(value_of(extract([document], SCHEMA, LEXICON), trap))


@pytest.mark.parametrize(
    "trap", [trap for trap in TRAPS if not trap.is_role], ids=lambda trap: trap.sentence[:50]
)
def test_a_recorded_answer_does_not_stay_a_fact(trap):
    assert not trap.is_in(value_of(read_answer(recorded(trap), SCHEMA, ["status"]), trap))


@pytest.mark.parametrize(
    ("key", "item", "text"),
    [
        ("treatment.surgeries", "Surgery", "Surgery was discussed and declined."),
        ("treatment.surgeries", "ankle fusion", "Surgery was discussed and declined."),
        ("treatment.surgeries", "Surgery was discussed and declined", "Surgery was discussed and declined"),
        ("treatment.surgeries", "ankle fusion", "An ankle fusion was offered but the patient declined."),
        ("treatment.surgeries", "ankle fusion", "Dr. Reo recommended an ankle fusion."),
        ("treatment.surgeries", "ankle fusion", "The ankle fusion is scheduled for 06/04/2024."),
        ("treatment.medications", "tramadol", "Tramadol was stopped in June."),
    ],
)
def test_what_was_not_done_is_no_item_of_a_recorded_list(key, item, text):
    cited = [{"source_id": "status", "text_snippet": text}]
    record = {"field_key": key, "value": [{MEMBERS[key]: item}], "citations": cited}
    extraction = veto_denied(read_answer({"extractions": [record]}, SCHEMA, ["status"]), SCHEMA)
    (field,) = [field for field in extraction.fields if field.field_key == key]
    assert field.value is None
    assert [candidate.reason for candidate in field.candidates] == ["negated"]


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("ankle fusion", "The ankle fusion was scheduled and performed on 06/04/2024."),
        ("ankle fusion", "Status post ankle fusion, she declined further injections."),
        ("ankle fusion", "She underwent ankle fusion after therapy failed."),
    ],
)
def test_what_was_done_stays_an_item_of_a_recorded_list(item, text):
    cited = [{"source_id": "status", "text_snippet": text}]
    record = {"field_key": "treatment.surgeries", "value": [{"procedure": item}], "citations": cited}
    extraction = veto_denied(read_answer({"extractions": [record]}, SCHEMA, ["status"]), SCHEMA)
    values = {field.field_key: field.value for field in extraction.fields}
    assert values["treatment.surgeries"] == [{"procedure": item}]


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("temporary_disability.start_date", "2024-03-14", "TD began 03/14/2024 and ended 05/01/2024."),
        ("temporary_disability.end_date", "2024-05-01", "TD began 03/14/2024 and ended 05/01/2024."),
        ("work_status.return_to_work_date", "2024-05-06", "He did not return to work until 05/06/2024."),
        ("litigation.next_hearing_date", "2024-08-20", "A hearing is expected on 08/20/2024."),
        ("treating_physician.name", "Ola Brandt", "Dr. Ola Brandt is now the PTP. Dr. Reo is no longer."),
        ("attorneys.applicant_attorney_name", "Teo Brandis", "Teo Brandis, Esq., represents the applicant."),
        ("settlement.amount", 48000, "The C&R for $48,000.00 was approved."),
    ],
)
def test_what_is_said_plainly_stays(key, value, text):
    record = {
        "field_key": key,
        "value": value,
        "citations": [{"source_id": "status", "text_snippet": text}],
    }
    extraction = veto_denied(read_answer({"extractions": [record]}, SCHEMA, ["status"]), SCHEMA)
    assert {field.field_key: field.value for field in extraction.fields}[key] == value


@pytest.mark.parametrize("extractor", ["rules", "replay"])
def test_through_the_command_line_a_trap_is_a_candidate_and_no_value(tmp_path: Path, extractor, monkeypatch):
    trap = next(trap for trap in TRAPS if "His wife is" in trap.sentence)
    folder = tmp_path / "claim"
    (folder / "documents").mkdir(parents=True)
    text = f"CLAIM STATUS REPORT\n\nReport date: 05/06/2024\n\n{trap.sentence}\n"
    (folder / "documents" / "status.txt").write_text(text)
    (folder / "extraction_raw.json").write_text(json.dumps(recorded(trap)))
    with pytest.raises(SystemExit) as ended:
        main(["run", str(folder), "--store", str(tmp_path / "store"), "--extractor", extractor])
    assert ended.value.code in (0, None)
    data = json.loads((tmp_path / "store" / "viewer_dataset" / "claim" / "data.json").read_text())
    assert trap.field_key not in [field["fieldKey"] for field in data["fields"]]
