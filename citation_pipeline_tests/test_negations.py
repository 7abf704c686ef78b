"""Planted denials: no reader and no recorded answer makes a fact of one; plain statements still are facts."""

from collections import Counter

import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.answers.reading import read_answer
from citation_pipeline.core.answers.vetoes import DENIED, veto_denied
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline.core.values.polarity import Polarity, polarity_at
from citation_pipeline_tests.negations import FACTS, FOREIGN, Planted, is_inverted, plant
from citation_pipeline_tests.typeset import column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")
PLANTED = list(plant())


def read_by_rules(planted: Planted):
    lines = ["CLAIM STATUS REPORT", "Report date: 05/06/2024", planted.sentence]
    extraction = veto_denied(extract([typeset("status", column(lines))], SCHEMA, LEXICON), SCHEMA)
    return {field.field_key: field for field in extraction.fields}[planted.field_key]


def answered(planted: Planted):
    record = {
        "field_key": planted.field_key,
        "value": planted.inverted,
        "citations": [{"source_id": "status", "text_snippet": planted.sentence}],
    }
    return veto_denied(read_answer({"extractions": [record]}, SCHEMA, ["status"]), SCHEMA)


def test_two_hundred_denials_are_planted_over_many_fields():
    assert len(PLANTED) >= 200
    assert len({one.field_key for one in PLANTED}) >= 10


def test_denials_are_planted_in_every_language_that_the_rules_read():
    frames = Counter(one.frame for one in PLANTED)
    assert all(frames[language] >= 12 for language in ("Spanish", "German", "French", "Polish"))
    assert sum(frames.values()) - sum(frames[language] for language in FOREIGN) >= 200  # in English


def test_rules_invert_no_planted_denial():
    inverted = [one for one in PLANTED if is_inverted(one, read_by_rules(one).value)]
    assert [(one.field_key, one.sentence) for one in inverted] == []


def test_no_recorded_answer_stays_a_value_against_its_own_citation():
    kept = [one for one in PLANTED if is_inverted(one, answered(one).fields[0].value)]
    assert [(one.field_key, one.sentence) for one in kept] == []


def test_a_vetoed_answer_is_a_candidate_with_its_citation_and_an_issue():
    planted = Planted("fraud_siu.siu_referral", True, "The file was not sent to SIU.", "not")
    extraction = answered(planted)
    field = extraction.fields[0]
    assert field.value is None
    assert [(one.value, one.reason) for one in field.candidates] == [(True, "negated")]
    assert field.candidates[0].snippets[0].text == planted.sentence
    assert (DENIED, planted.field_key) in [(issue.code, issue.field_key) for issue in extraction.issues]


def test_only_the_denied_item_of_a_list_is_taken_out():
    record = {
        "field_key": "body_parts.accepted_body_parts",
        "value": [{"body_part": "right wrist"}, {"body_part": "neck"}],
        "citations": [
            {"source_id": "status", "text_snippet": "We accept the right wrist.", "item_path": "[0]"},
            {"source_id": "status", "text_snippet": "Parts of body not admitted: neck", "item_path": "[1]"},
        ],
    }
    extraction = veto_denied(read_answer({"extractions": [record]}, SCHEMA, ["status"]), SCHEMA)
    assert extraction.fields[0].value == [{"body_part": "right wrist"}]
    assert extraction.fields[0].candidates[0].value == [{"body_part": "neck"}]


@pytest.mark.parametrize("key", FACTS)
def test_the_same_facts_plainly_stated_are_kept(key):
    for subject, predicate in FACTS[key]:
        planted = Planted(key, True, f"{subject} was {predicate}.", "plain")
        assert answered(planted).fields[0].value is True, planted.sentence


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("utilization_review.decision", "denied", "Determination: NOT CERTIFIED."),
        ("compensability.decision", "denied", "We do not accept liability; your claim is denied."),
        ("medicare.is_medicare_beneficiary", False, "She was not identified as a Medicare beneficiary."),
        ("work_status.sjdb_voucher_issued", False, "No displacement voucher has been issued."),
        ("fraud_siu.siu_referral", True, "The file was sent to SIU no later than May 3, 2024."),
        ("fraud_siu.siu_referral", True, "There was no doubt: the claim was referred to SIU."),
    ],
)
def test_a_denial_that_is_the_value_is_no_veto(key, value, text):
    assert answered(Planted(key, value, text, "")).fields[0].value == value


@pytest.mark.timeout(20)
def test_a_table_ruled_with_dashes_is_read_in_no_time():
    ruled = " ".join(["Claim status", *["-" * 24] * 30, "open", *["-" * 24] * 30])
    assert polarity_at(ruled, 0, 12) is Polarity.ASSERTED


@pytest.mark.parametrize(
    "text",
    [
        "Al final el caso fue enviado a SIU.",
        "Der Fall wurde an SIU \u00fcbergeben.",
        "Le dossier a \u00e9t\u00e9 transmis \u00e0 SIU.",
        "Spraw\u0119 przekazano do SIU.",
        "The case went to SIU in NE Portland, file SIN 4471.",
    ],
)
def test_a_plain_statement_of_another_language_is_kept(text):
    assert answered(Planted("fraud_siu.siu_referral", True, text, "plain")).fields[0].value is True
