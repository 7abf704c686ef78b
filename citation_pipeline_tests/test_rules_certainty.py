"""What the rules read is never sure where it may have changed, may never come about, or is a mere remark."""

from dataclasses import replace

import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.resolution.field_confidence import SURE, confidences_of
from citation_pipeline.core.rules.lexicons.lexicon import LexiconError
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline_tests.rules_papers import paper, read
from citation_pipeline_tests.typeset import Line, column, typeset

STATUS = ("CLAIM STATUS REPORT", "Report date: 05/06/2024")
NEWEST = ("CLAIM STATUS REPORT", "Report date: 07/20/2024", "Nothing new came in.")
OFF = ("Work status: off work",)


def note(day: str, *lines: str, name: str) -> ParsedDocument:
    return paper("PROGRESS NOTE", f"Date of exam: {day}", *lines, name=name)


def test_a_state_that_the_newest_papers_do_not_repeat_is_shown_but_never_sure() -> None:
    old = (note("05/02/2024", *OFF, name="a"), note("05/04/2024", *OFF, name="b"))
    again = read(*old, note("07/18/2024", *OFF, name="c"))["work_status.current_status"]
    field = read(*old, paper(*NEWEST, name="newest"))["work_status.current_status"]
    assert field.value == again.value == "off_work"
    assert "perhaps_overtaken" in field.warnings
    assert "perhaps_overtaken" not in again.warnings
    confidence = confidences_of([replace(field, belief=1.0)], [])[field.field_key].confidence
    assert confidence < SURE


def test_what_does_not_change_needs_no_new_paper() -> None:
    birth = "Date of birth: 03/09/1971"
    field = read(note("05/02/2024", birth, name="a"), paper(*NEWEST, name="newest"))
    assert field["claimant.date_of_birth"].value == "1971-03-09"
    assert not field["claimant.date_of_birth"].warnings


def test_what_holds_only_on_a_condition_is_no_value() -> None:
    for said in (
        "If the petition succeeds, the average weekly wage is $1,210.55.",
        "Should the judge agree, average weekly wage will be $1,210.55.",
        "Assuming that overtime counts, his average weekly wage comes to $1,210.55.",
        "Had the bonus counted, the average weekly wage was $1,210.55.",
    ):
        assert read(paper(*STATUS, said))["wages.average_weekly_wage"].value is None, said
    plain = read(paper(*STATUS, "The average weekly wage is $1,210.55."))
    assert plain["wages.average_weekly_wage"].value == 1210.55


def test_whom_to_call_holds_also_behind_a_condition() -> None:
    found = read(
        paper(*STATUS, "If you have questions, write to your claims examiner, Pia Lund, at our office.")
    )
    assert found["wages.average_weekly_wage"].value is None


def remarked(document: ParsedDocument) -> ParsedDocument:
    last = document.blocks[-1]
    return replace(document, blocks=(*document.blocks[:-1], replace(last, type="Comment")))


def test_a_remark_beside_the_paper_gives_no_value() -> None:
    plain = typeset("paper", [*column(STATUS), Line(60, 400, "Average weekly wage: $905.10")])
    assert read(plain)["wages.average_weekly_wage"].value == 905.10
    assert read(remarked(plain))["wages.average_weekly_wage"].value is None


def test_cells_that_a_workbook_hides_give_no_value() -> None:
    hidden = replace(paper(*STATUS, "Average weekly wage: $905.10"), warnings=("page 1: hidden_cells",))
    assert read(hidden)["wages.average_weekly_wage"].value is None


def test_a_paper_that_names_only_somebody_else_gives_no_value() -> None:
    own = ("Employee: Teo Quorn", "Claim number: WX-20431")
    other = paper(
        "WAGE STATEMENT", "Date: 05/05/2024", "Employee: Mabel Strand", "Hourly rate: $31.20", name="z"
    )
    papers = [paper(*STATUS, *own, name=name) for name in ("a", "b")]
    assert read(*papers, other)["wages.hourly_rate"].value is None
    named = paper("WAGE STATEMENT", "Date: 05/05/2024", "Employee: T. Quorn", "Hourly rate: $31.20", name="z")
    assert read(*papers, named)["wages.hourly_rate"].value == 31.20


def test_the_head_of_an_examiners_letter_is_not_where_the_worker_is_treated() -> None:
    letter = ("HOLT MEDICAL EVALUATIONS, P.C.", "May 6, 2024", "PROGRESS NOTE", "Date of exam: 05/06/2024")
    assert read(paper(*letter))["treating_physician.facility"].value is None


def test_the_warning_reaches_lists_too() -> None:
    taken = "Medications: Naproxen 500 mg twice daily"
    old = [note("05/02/2024", taken, name=name) for name in ("a", "b")]
    field = read(*old, paper(*NEWEST, name="newest"))["treatment.medications"]
    assert field.value == [{"name": "Naproxen", "dosage": "500 mg twice daily"}]
    assert field.warnings == ("perhaps_overtaken",)


def test_parts_that_are_only_alleged_or_considered_are_not_accepted() -> None:
    for said in (
        "Accepted claim: alleged injury to neck, hip and left elbow.",
        "Body parts accepted: see letter. Alleged parts: neck, hip.",
        "We received your accepted claim form listing neck, hip and left elbow as hurt.",
        "We are reviewing whether to accept the neck and the left elbow.",
        "The union says that the neck and the left elbow should be accepted.",
    ):
        assert not read(paper(*STATUS, said))["body_parts.accepted_body_parts"].value, said
    plain = read(paper(*STATUS, "We accept the left elbow."))["body_parts.accepted_body_parts"].value
    assert plain == [{"body_part": "left elbow", "side": "left"}]


def test_a_sum_that_a_party_claims_or_that_might_be_agreed_is_no_value() -> None:
    wage = "According to his lawyer the average weekly wage is $1,310.00."
    assert read(paper(*STATUS, wage))["wages.average_weekly_wage"].value is None
    assert read(paper(*STATUS, "The case could settle for $38,000.00."))["settlement.amount"].value is None
    assert read(paper(*STATUS, "The case settled for $38,000.00."))["settlement.amount"].value == 38000


def test_a_field_that_papers_speak_of_and_do_not_answer_is_marked() -> None:
    spoken = read(paper(*STATUS, "Nobody knows yet when the next hearing will be."))
    assert spoken["litigation.next_hearing_date"].warnings == ("topic_mentioned",)
    assert read(paper(*STATUS, "Nothing is new."))["litigation.next_hearing_date"].warnings == ()


def test_what_every_claim_states_somewhere_is_not_absent_where_it_was_not_found() -> None:
    found = read(paper(*STATUS, "Nothing is new."))
    assert found["claimed_injury_description.mechanism_of_injury"].warnings == ("usually_stated",)
    assert found["permanent_disability.apportionment_percent"].warnings == ()


def test_a_value_that_excludes_another_makes_it_absent_though_papers_speak_of_it() -> None:
    told = read(
        paper(*STATUS, "No settlement has been reached. She has not reached maximum medical improvement.")
    )
    assert told["settlement.settlement_type"].value == "none"
    for key in ("settlement.amount", "settlement.approval_date", "mmi_status.mmi_date"):
        assert (told[key].value, told[key].warnings) == (None, ()), key
    open_question = read(paper(*STATUS, "The lawyers talk about a settlement."))
    assert open_question["settlement.amount"].warnings == ("topic_mentioned",)


def test_where_a_page_is_hard_to_read_missing_words_make_nothing_absent() -> None:
    plain = paper(*STATUS, "Nothing is new.")
    blurred = replace(plain, warnings=("page 1: few_sure_words",))
    assert read(plain)["medicare.msa_amount"].warnings == ()
    assert read(blurred)["medicare.msa_amount"].warnings == ("not_surely_read",)


def test_a_lexicon_may_not_let_silence_follow_from_a_field_that_is_none() -> None:
    schema, lexicon = load_schema("workers_comp"), load_lexicon("workers_comp")
    silence = {"words": ["ring"], "follows": {"no.field": [False]}}
    fields = {**lexicon["fields"], "claimant.occupation": {"silence": silence}}
    with pytest.raises(LexiconError, match="/fields/claimant.occupation/silence/follows/no.field"):
        read_lexicon({**lexicon, "fields": fields}, schema=schema)
