"""What made values of claims by unknown hands wrong: tables that run on, lone old papers, mixed columns."""

from collections.abc import Sequence

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.rules.pages.tables import rows_of_table
from citation_pipeline_tests.rules_papers import paper, read
from citation_pipeline_tests.typeset import Line, column, typeset

STATUS = ("CLAIM STATUS REPORT", "Report date: 05/06/2024")


def sheet(*rows: Sequence[str], name: str = "sheet") -> ParsedDocument:
    lines = [
        Line(60 + 150 * c, 130 + 18 * r, cell)
        for r, row in enumerate(rows)
        for c, cell in enumerate(row)
        if cell
    ]
    return typeset(name, [*column(list(STATUS)), *lines])


def test_a_table_ends_at_its_sums() -> None:
    rows = [
        ("Adair Imaging", "05/01/2024", "120.00"),
        ("Total liens", "120.00"),
        ("Call Ms. Reo", "05/09/2024"),
    ]
    assert rows_of_table(rows) == 1


def test_a_table_ends_at_another_ones_title_and_heads() -> None:
    rows = [("Adair Imaging", "05/01/2024"), ("Tasks",), ("Task", "Due"), ("Call Ms. Reo", "05/09/2024")]
    assert rows_of_table(rows) == 1


def test_an_operation_that_is_called_total_is_no_sum() -> None:
    rows = [("Total knee arthroplasty", "05/01/2024", "12,400.00"), ("Manipulation", "07/01/2024", "900.00")]
    assert rows_of_table(rows) == 2


TO_DO = (
    ("Due", "Action"),
    ("06/01/2024", "Send the first notice to Ms. Reo"),
    ("06/09/2024", "Ask the clinic for its notes"),
)


def to_do(*rows: Sequence[str]) -> list[str]:
    items = read(sheet(*TO_DO, *rows))["next_actions.action_items"].value
    assert isinstance(items, list)
    return [item["action"] for item in items]


def test_what_stands_below_completed_is_not_still_to_do() -> None:
    assert len(to_do(("COMPLETED",), ("05/02/2024", "Review of the reserve"))) == 2


def test_what_its_row_calls_done_is_not_still_to_do() -> None:
    assert len(to_do(("06/11/2024", "Review of the reserve", "Done"))) == 2
    assert len(to_do(("06/11/2024", "Review of the reserve", "Open"))) == 3


def test_the_keys_of_a_screen_are_no_rows_of_its_table() -> None:
    assert len(to_do(("PF3=EXIT", "PF8=NEXT PAGE"))) == 2


def test_dots_and_a_colon_part_a_label_from_its_value() -> None:
    found = read(paper(*STATUS, "WORK STAT..: PR PERM RESTR"))
    assert found["work_status.current_status"].value == "permanently_restricted"


def test_a_count_of_none_is_an_empty_list() -> None:
    found = read(paper(*STATUS, "LIENS FILED: 0 NONE ON FILE", "RED FLAGS: 0 NONE NOTED"))
    assert found["liens.filed_liens"].value == []
    assert found["fraud_siu.indicators"].value == []


NEWER = (paper(*STATUS, name="newer"), paper("CLAIM STATUS REPORT", "Report date: 05/16/2024", name="newest"))


def test_what_one_old_paper_alone_tells_is_a_candidate() -> None:
    old = paper("PROGRESS NOTE", "Date of exam: 01/06/2024", "Work status: off work", name="old")
    field = read(old, *NEWER)["work_status.current_status"]
    assert field.value is None
    assert [(one.value, one.reason) for one in field.candidates] == [("off_work", "weak_evidence")]
    assert read(old)["work_status.current_status"].value == "off_work"


def test_what_two_old_papers_tell_is_shown() -> None:
    said = ("Work status: off work",)
    old = paper("PROGRESS NOTE", "Date of exam: 01/06/2024", *said, name="old")
    second = paper("PROGRESS NOTE", "Date of exam: 01/04/2024", *said, name="second")
    assert read(old, second, *NEWER)["work_status.current_status"].value == "off_work"


def test_a_value_beside_one_label_and_below_another_is_doubted() -> None:
    mixed = sheet(("", "Medicare"), ("Litigated", "Yes"))
    plain = sheet(("Litigated", "Yes"))
    assert read(plain)["litigation.is_litigated"].value is True
    assert read(mixed)["litigation.is_litigated"].value is None


def test_what_a_payment_makes_up_for_is_no_rate() -> None:
    found = read(
        paper("PAYMENT REGISTER", "Run date: 05/06/2024", "05/02/2024 TTD rate correction 4 wk @ 93.92")
    )
    assert found["temporary_disability.weekly_rate"].value is None


def test_a_line_that_ends_a_sentence_with_a_day_begins_no_letter() -> None:
    head = [
        "INDEPENDENT MEDICAL EXAMINATION",
        "Ana Quorn, M.D.",
        "Report date: May 6, 2024",
        "Injury: March 9, 2023",
    ]
    body = [Line(72, 40 + 16 * n, text) for n, text in enumerate(head)]
    second = ["Page 2", "The doctor wrote that he had reached this stage", "on April 26, 2024."]
    more = [Line(72, 40 + 16 * n, text, page=2) for n, text in enumerate(second)]
    found = read(typeset("exam", [*body, *more]))
    assert found["medical_evaluators.evaluator_type"].value == "IME"


def test_a_condition_in_brackets_behind_a_part_is_no_part() -> None:
    found = read(paper(*STATUS, "Accepted: Bilateral wrists (carpal tunnel)"))
    parts = found["body_parts.accepted_body_parts"].value
    assert isinstance(parts, list)
    assert [item["body_part"] for item in parts] == ["wrists"]


def test_what_one_of_many_papers_tells_needs_more_belief() -> None:
    told = paper("PROGRESS NOTE", "Date of exam: 05/14/2024", "She must remain off work.", name="told")
    others = [
        paper("CLAIM STATUS REPORT", f"Report date: 05/{n:02}/2024", name=f"p{n}") for n in range(8, 14)
    ]
    assert read(told)["work_status.current_status"].value == "off_work"
    field = read(told, *others)["work_status.current_status"]
    assert field.value is None
    assert [(one.value, one.reason) for one in field.candidates] == [("off_work", "weak_evidence")]


def test_the_next_label_in_capitals_ends_a_name() -> None:
    lines = ("OPERATIVE REPORT", "Date of surgery: 05/02/2024", "Procedure: right knee arthroscopy")
    found = read(paper(*lines, "SURGEON: Ana Quorn, M.D. ASSISTANT: Teo Reo, P.A."))
    items = found["treatment.surgeries"].value
    assert isinstance(items, list)
    assert items[0]["surgeon"] == "Ana Quorn, M.D."


def test_the_side_of_a_diagnosis_is_read_in_full() -> None:
    found = read(
        paper("PROGRESS NOTE", "Date of exam: 05/06/2024", "Diagnosis: L rotator cuff tear S46.012D")
    )
    items = found["diagnoses.diagnosis_list"].value
    assert isinstance(items, list)
    assert items[0]["description"] == "left rotator cuff tear"


def test_how_a_person_takes_part_is_no_part_of_the_name() -> None:
    found = read(paper(*STATUS, "Employee name: PETITIONER Ines Quorn"))
    assert found["claimant.full_name"].value == "Ines Quorn"
    rows = [
        ("Employee: Ines Quorn Accident: 01-25-2024 Employer: Reo Resort, LLC",),
        ("Employee: Ines Quorn",),
    ]
    found = read(*(paper(*STATUS, *lines, name=f"p{n}") for n, lines in enumerate(rows)))
    assert found["claimant.full_name"].value == "Ines Quorn"


def test_a_number_in_groups_is_read_to_its_end() -> None:
    found = read(paper(*STATUS, "Policy number: SWK 0093388 25"))
    assert found["coverage.policy_number"].value == "SWK 0093388 25"
    found = read(paper(*STATUS, "Policy number: SWK-0093388 25"))
    assert found["coverage.policy_number"].value == "SWK-0093388"


def test_a_part_that_one_paper_accepts_and_disputes_is_neither() -> None:
    found = read(paper(*STATUS, "Accepted body parts: left knee", "Disputed body parts: left knee"))
    assert found["body_parts.accepted_body_parts"].value is None
    assert found["body_parts.disputed_body_parts"].value is None
