"""Ways of stating a fact that belong to no one form: headings, registers, names, what follows from others."""

import json

import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.extraction import Provenance
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline.core.rules.lexicons.lexicon import LexiconError
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline.core.rules.lexicons.wordings import join_lexicons
from citation_pipeline_tests.typeset import Line, column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")


def read(*documents):
    return {field.field_key: field for field in extract(documents, SCHEMA, LEXICON).fields}


def register(rows):
    lines = [Line(72, 72, "PAYMENT REGISTER"), Line(72, 90, "Run date: 08/30/2024")]
    for number, cells in enumerate(rows):
        lines += [Line(60 + 95 * place, 130 + 16 * number, cell) for place, cell in enumerate(cells)]
    return typeset("register", lines)


ROWS = [
    ("Issued", "Type", "Payee", "From", "Thru", "Amount"),
    ("05/20/2024", "TTD", "Ola Brandt", "05/06/2024", "05/19/2024", "1,100.00"),
    ("06/03/2024", "TTD", "Ola Brandt", "05/20/2024", "06/02/2024", "1,100.00"),
    ("06/17/2024", "TTD", "Ola Brandt", "06/03/2024", "06/09/2024", "550.00"),
    ("07/01/2024", "MED", "Alder Clinic", "06/03/2024", "06/20/2024", "180.00"),
    ("08/12/2024", "PPD", "Ola Brandt", "07/01/2024", "08/11/2024", "900.00"),
]


def test_a_register_gives_the_first_and_the_last_day_that_it_paid_for():
    found = read(register(ROWS))
    assert found["temporary_disability.start_date"].value == "2024-05-06"
    assert found["temporary_disability.end_date"].value == "2024-06-09"


def test_a_letter_that_states_the_day_wins_over_the_register():
    letter = ["NOTICE REGARDING BENEFITS", "May 30, 2024", "TTD benefits started 05/09/2024."]
    found = read(register(ROWS), typeset("letter", column(letter)))
    assert found["temporary_disability.start_date"].value == "2024-05-09"


def test_a_payment_that_was_taken_back_is_for_no_day():
    voided = [*ROWS, ("07/08/2024", "TTD void", "Ola Brandt", "06/10/2024", "06/23/2024", "1,100.00")]
    assert read(register(voided))["temporary_disability.end_date"].value == "2024-06-09"


def test_what_stands_under_a_heading_of_running_text_is_read():
    text = (
        "Work restrictions. No lifting over 15 pounds and no kneeling. "
        "Future care. Office visits twice a year and a brace for flare-ups."
    )
    head = ["PRIMARY TREATING PHYSICIAN'S PROGRESS REPORT (PR-2)", "Date of examination: 05/06/2024"]
    found = read(typeset("pr2", [*column(head), Line(72, 200, text)]))
    assert found["work_status.work_restrictions"].value == "No lifting over 15 pounds and no kneeling"


def test_an_insurer_that_two_papers_name_is_believed_and_one_that_a_single_paper_names_is_not():
    one = typeset("a", column(["May 6, 2024", "Cedar Hollow Mutual Insurance Company", "Dear Ms. Reo,"]))
    two = typeset("b", column(["June 7, 2024", "Cedar Hollow Mutual Insurance Company", "Dear Mr. Ode,"]))
    assert read(one)["coverage.insurance_carrier"].value is None
    assert read(one, two)["coverage.insurance_carrier"].value == "Cedar Hollow Mutual Insurance Company"


def test_a_claim_with_a_hearing_set_is_litigated_and_says_that_it_is_inferred():
    lines = ["CLAIM STATUS REPORT", "Report date: 05/06/2024", "Next hearing date: 07/09/2024"]
    field = read(typeset("status", column(lines)))["litigation.is_litigated"]
    assert field.value is True
    assert field.provenance is Provenance.INFERRED


STATUS = ["CLAIM STATUS REPORT", "Report date: 05/06/2024", "Date of injury: 03/04/2024"]


def test_a_fall_on_one_day_is_a_specific_injury():
    told = "She slipped on the wet ramp and fell on her left knee."
    found = read(typeset("status", column([*STATUS, told])))
    assert found["claimed_injury_description.injury_type"].value == "specific"


def test_where_years_of_strain_are_told_nothing_is_inferred_from_a_fall():
    told = ["She fell on her left knee.", "The application claims a cumulative trauma to both wrists."]
    found = read(typeset("status", column([*STATUS, *told])))
    assert found["claimed_injury_description.injury_type"].value != "specific"


def test_a_forms_next_question_is_no_part_of_the_answer():
    lines = [
        "EMPLOYER'S REPORT OF OCCUPATIONAL INJURY OR ILLNESS",
        "How did the accident occur? Struck by a falling bale of cardboard at the press. "
        "What part of the body was affected? Left knee.",
    ]
    found = read(typeset("report", column(lines)))["claimed_injury_description.mechanism_of_injury"]
    told = [found.value, *(candidate.value for candidate in found.candidates)]
    assert "Struck by a falling bale of cardboard at the press" in told


def test_lexicons_are_joined_entry_by_entry_with_the_first_ones_words_first():
    first = {"fields": {"a": {"labels": ["one"], "kind": "date"}}}
    second = {"fields": {"a": {"labels": ["two"]}, "b": {"labels": ["three"]}}}
    assert join_lexicons(first, second) == {
        "fields": {"a": {"labels": ["one", "two"], "kind": "date"}, "b": {"labels": ["three"]}}
    }


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ({"paid": {"pattern": "TTD", "end": "middle"}}, "/paid/end"),
        ({"paid": "TTD"}, "/paid"),
        ({"implied": ["true"]}, "/implied/0"),
        ({"sections": ["("]}, "/sections/0"),
    ],
)
def test_a_fault_in_a_lexicon_is_refused_with_its_path(entry, path):
    key = "temporary_disability.start_date"
    with pytest.raises(LexiconError) as refused:
        read_lexicon(json.loads(json.dumps({"fields": {key: entry}})), schema=SCHEMA)
    assert refused.value.path == f"/fields/{key}{path}"


def test_a_claim_that_holds_a_notice_of_hearing_is_litigated():
    notice = ["NOTICE OF HEARING", "Date mailed: 05/06/2024", "Place: Tulare, Room 4"]
    assert read(typeset("notice", column(notice)))["litigation.is_litigated"].value is True
