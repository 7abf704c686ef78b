"""Whose value it is: another authority's number, another party, an option nobody ticked, a planned day."""

import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline_tests.typeset import HEIGHT, WIDTH, Line, column, source, typeset, words_of

SCHEMA = load_schema("workers_comp")
LEXICON = load_lexicon("workers_comp")


def read(*documents):
    return {field.field_key: field for field in extract(documents, SCHEMA, LEXICON).fields}


def report(name, *lines):
    return typeset(name, column(["CLAIM STATUS REPORT", "Report date: 06/05/2024", *lines]))


def sheet(name, rows):
    """Return a claim's sheet whose one table has rows of two cells; `[x]` and `[ ]` are drawn boxes."""
    html = "".join(f"<tr><td>{label}</td><td>{printed}</td></tr>" for label, printed in rows)
    lines = []
    for number, (label, printed) in enumerate(rows):
        top = 120.0 + 18 * number
        words = printed.replace("[x]", "").replace("[ ]", "")
        lines.append([*words_of(Line(72, top, label)), *words_of(Line(330, top, " ".join(words.split())))])
    blocks = [
        BlockDraft(page=1, type="Title", lines=[words_of(Line(72, 72, "CLAIM STATUS REPORT", 14))]),
        BlockDraft(page=1, type="Table", lines=lines, content=f"<table>{html}</table>"),
    ]
    return compose_document(
        source(name), pages=[PageDraft(WIDTH, HEIGHT)], blocks=blocks, parser="typeset", parser_version="1"
    )


def test_of_the_options_in_a_tables_cell_only_the_ticked_one_is_read():
    found = read(
        sheet(
            "ticked",
            [
                ("File status", "[ ] open [x] closed [ ] reopened"),
                ("Compensability", "[ ] accepted [x] accepted in part [ ] denied"),
                ("SIU referral", "[ ] yes [x] no"),
            ],
        )
    )
    assert found["metadata.claim_status"].value == "closed"
    assert found["compensability.decision"].value == "partially_accepted"
    assert found["fraud_siu.siu_referral"].value is False


def test_options_that_nobody_ticked_state_nothing():
    found = read(sheet("empty", [("SIU referral", "[ ] yes [ ] no"), ("Litigated", "[ ] yes [ ] no")]))
    assert found["fraud_siu.siu_referral"].value is None
    assert found["litigation.is_litigated"].value is None
    assert not found["fraud_siu.siu_referral"].candidates


def test_the_states_number_of_a_claim_is_not_the_administrators():
    found = read(
        report("own", "Our claim number: QV-20771", "State claim number: 23-118845"),
        report("other", "Claim number: 23-118845", "Employer: Ostrava Tile, Inc."),
        report("third", "Claim number: 23-118845"),
    )
    assert found["metadata.claim_number"].value == "QV-20771"


def test_the_same_person_is_not_believed_as_examiner_and_as_counsel():
    found = read(
        report("a", "Claims examiner: Signe Marat", "Defense attorney: Signe Marat"),
        report("b", "Defense attorney: Signe Marat"),
    )
    assert found["attorneys.defense_attorney_name"].value == "Signe Marat"
    assert found["metadata.examiner_name"].value is None
    assert found["metadata.examiner_name"].candidates[0].reason == "conflicting"


def test_a_total_that_is_less_than_its_parts_is_a_candidate():
    ledger = typeset(
        "ledger",
        column(
            [
                "PAYMENT LEDGER",
                "Run date: 06/05/2024",
                "Total indemnity paid: $12,000.00",
                "Total medical paid: $8,500.00",
            ]
        ),
    )
    found = read(ledger, report("status", "Total indemnity paid: $12,000.00", "Total paid: $310.00"))
    assert found["payments.indemnity_paid"].value == 12000
    assert found["payments.total_paid"].value is None
    assert 310 in [candidate.value for candidate in found["payments.total_paid"].candidates]


@pytest.mark.parametrize(
    "sentence",
    [
        "Est. return to modified work 7/29/2024.",
        "A return to work on 7/29/2024 is planned.",
        "He tried, and the return to work on 7/29/2024 failed after an hour.",
    ],
)
def test_a_planned_or_failed_return_is_no_return(sentence):
    assert read(report("rtw", sentence))["work_status.return_to_work_date"].value is None


def test_no_other_lien_does_not_deny_those_that_were_told():
    assert read(report("liens", "The parties know of no other lien."))["liens.filed_liens"].value != []


def test_what_a_form_asks_for_is_no_value():
    form = [
        Line(72, 72, "REQUEST FOR AUTHORIZATION", 14),
        Line(72, 120, "Requested treatment: what, how often, how long", 7),
    ]
    assert read(typeset("form", form))["utilization_review.requested_treatment"].value is None


def test_a_text_that_ends_in_the_middle_is_not_believed():
    assert read(report("cut", "Occupation: operator of"))["claimant.occupation"].value is None


def test_one_sum_of_several_columns_is_not_taken_for_the_label():
    lines = [
        Line(72, 72, "NOTICE OF CHANGE IN BENEFITS", 14),
        Line(72, 120, "TD rate"),
        Line(300, 120, "725.60"),
        Line(400, 120, "764.17"),
    ]
    assert read(typeset("columns", lines))["temporary_disability.weekly_rate"].value is None


def test_a_specialty_and_a_firm_are_read_beside_the_name_they_belong_to():
    found = read(
        report(
            "status",
            "Primary treating physician: Marta Quill, M.D.",
            "Applicant attorney: Teo Brandis",
        ),
        typeset(
            "letter",
            column(
                [
                    "Marta Quill, M.D., F.A.C.S. Surgery of the Hand",
                    "Dear counsel,",
                    "Teo Brandis, Esq.",
                    "Brandis & Loe, 14 Quarry Road, Fresno, CA 93721",
                ],
                step=12,
            ),
        ),
    )
    assert found["treating_physician.specialty"].value == "Surgery of the Hand"
    assert found["attorneys.applicant_attorney_firm"].value == "Brandis & Loe"


def test_restrictions_in_several_sentences_are_one_value():
    text = "Work: No lifting over 15 lb with the right hand. No kneeling or ladders. Recheck in May."
    found = read(typeset("pr2", column(["PRIMARY TREATING PHYSICIAN'S PROGRESS REPORT (PR-2)", text])))
    field = found["work_status.work_restrictions"]
    value = field.value or field.candidates[0].value
    assert "No kneeling or ladders" in value
    assert "Recheck" not in value


@pytest.mark.parametrize(
    "text", ["Total paid :", "paid:", ":", "Award paid", "A: b", "x paid : $1.00", "Total  :  :"]
)
def test_a_label_without_a_value_or_before_a_bare_colon_breaks_nothing(text):
    assert read(report("odd", text, f"Claim {text}"))["payments.total_paid"].value in (None, 1)


def test_a_word_before_a_label_makes_another_label_of_it():
    assert read(report("award", "Award paid: $4,110.75 to the worker"))["payments.total_paid"].value is None


def test_a_middle_initial_becomes_the_name_that_is_printed_in_full_elsewhere():
    found = read(
        report("a", "Injured worker: Lucinda B. Ferro", "Employer: Ostrava Tile, Inc."),
        report("b", "Injured worker: Lucinda B. Ferro"),
        typeset("c", column(["Statement", "I, Lucinda Baptiste Ferro, was at the dock that night."])),
    )
    assert found["claimant.full_name"].value == "Lucinda Baptiste Ferro"
