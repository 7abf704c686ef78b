"""Rules: a value that every possible reading of another field refutes is a candidate, and no fact."""

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline_tests.typeset import column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")


def values_of(*documents):
    return {field.field_key: field for field in extract(documents, SCHEMA, LEXICON).fields}


def letter(name, *lines):
    return typeset(name, column(["CLAIM STATUS REPORT", "Report date: 05/06/2024", *lines]))


def test_a_date_of_hire_after_every_day_that_may_be_the_day_of_injury_is_doubted():
    fields = values_of(
        letter("one", "Date of Injury: 03/14/2023", "Date of Hire: 09/08/2023"),
        letter("two", "Date of Injury: 03/15/2023"),
    )
    assert fields["claimant.date_of_hire"].value is None
    assert "2023-09-08" in [candidate.value for candidate in fields["claimant.date_of_hire"].candidates]


def test_a_date_of_hire_before_them_stays():
    fields = values_of(
        letter("one", "Date of Injury: 03/14/2023", "Date of Hire: 09/08/2019"),
        letter("two", "Date of Injury: 03/15/2023"),
    )
    assert fields["claimant.date_of_hire"].value == "2019-09-08"


def test_words_that_only_look_like_a_label_are_none():
    fields = values_of(
        letter(
            "one",
            "Naples Orthopaedics, 900 Fifth Avenue South, Naples, Florida",
            "Service date September 8, 2023",
            "Company Sandhill Implement",
            "Accident 8 October 2022, customer farm near Knoxdale",
        )
    )
    for key in (
        "litigation.wcab_venue",
        "claimant.date_of_hire",
        "coverage.insurance_carrier",
        "claimed_injury_description.mechanism_of_injury",
    ):
        assert fields[key].value is None, key
