"""Which parts of body a clause accepts and which it denies, and what follows for the claim's decision."""

import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline.core.rules.lexicons.lexicon import LexiconError
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline_tests.typeset import column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")
ACCEPTED, DISPUTED = "body_parts.accepted_body_parts", "body_parts.disputed_body_parts"


def read(*lines, title="NOTICE OF CLAIM DECISION"):
    page = typeset("letter", column([title, "March 4, 2025", *lines]))
    return {field.field_key: field for field in extract([page], SCHEMA, LEXICON).fields}


def parts(field):
    told = [(item.get("side", "").casefold(), item["body_part"].casefold()) for item in field.value or ()]
    return [part if part.startswith(f"{side} ") else f"{side} {part}".strip() for side, part in told]


@pytest.mark.parametrize(
    ("sentence", "accepted", "disputed"),
    [
        ("We accept the right knee and deny the low back.", ["right knee"], ["low back"]),
        ("Right hand and wrist accepted; neck controverted.", ["right hand", "right wrist"], ["neck"]),
        ("Liability for the neck is not accepted.", [], ["neck"]),
        ("We acknowledge the left ankle, but the left hip is disputed.", ["left ankle"], ["left hip"]),
    ],
)
def test_each_part_goes_to_the_verdict_of_its_own_words(sentence, accepted, disputed):
    found = read(sentence)
    assert (parts(found[ACCEPTED]), parts(found[DISPUTED])) == (accepted, disputed)


@pytest.mark.parametrize(
    "sentence",
    [
        "The query came back and was not accepted by the system.",
        "The request for an MRI of the left knee is denied.",
        "She denies pain in the neck.",
    ],
)
def test_a_part_that_no_verdict_is_about_is_on_neither_list(sentence):
    found = read(sentence)
    assert found[ACCEPTED].value is None
    assert found[DISPUTED].value is None


def test_a_claim_with_accepted_and_denied_parts_is_partially_accepted():
    found = read("Your claim is accepted for the right knee.", "We deny the neck.")
    assert found["compensability.decision"].value == "partially_accepted"


def test_a_next_day_lies_after_the_paper_that_names_it():
    past = read("Next review: 03/04/2025", title="CLAIM STATUS REPORT")
    ahead = read("Next review: 06/04/2025", title="CLAIM STATUS REPORT")
    assert past["next_actions.next_diary_date"].value is None
    assert ahead["next_actions.next_diary_date"].value == "2025-06-04"


def test_a_share_of_a_limb_is_no_impairment_of_the_whole_person():
    found = read("Impairment: 14% of the upper extremity, which is 8% whole person impairment.")
    assert found["permanent_disability.wpi_percent"].value == 8
    assert found["permanent_disability.pd_rating_percent"].value is None


def test_a_standing_without_the_groups_of_a_part_is_refused():
    field = {"standing": {"part": "knee", "own": "accept", "against": "deny", "sided": "knee"}}
    with pytest.raises(LexiconError, match="needs the groups"):
        read_lexicon({"schema": "workers_comp", "fields": {ACCEPTED: field}}, schema=SCHEMA)


def test_a_notice_that_denies_a_part_of_a_claim_is_no_acceptance():
    lines = (
        "Date: 03/12/2024",
        "Notice of partial denial and modified notice of acceptance",
        "Claim No: 88-1",
    )
    fields = read(*lines, title="CLAIM DECISION LETTER")
    assert fields["compensability.decision"].value == "partially_accepted"


def test_the_part_of_the_body_on_a_first_report_is_not_disputed():
    lines = ("Date: 03/12/2024", "Part of body: left knee", "Claim No: 88-1")
    fields = read(*lines, title="EMPLOYER'S REPORT OF INJURY")
    assert not parts(fields.get("body_parts.disputed_body_parts"))
