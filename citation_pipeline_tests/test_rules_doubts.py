"""What is read beside a label, a name or a code, and what of it is doubted."""

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline_tests.typeset import Line, column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")


def read(*documents):
    return {field.field_key: field for field in extract(documents, SCHEMA, LEXICON).fields}


def paper(*lines, name="paper"):
    return typeset(name, column(lines))


STATUS = ("CLAIM STATUS REPORT", "Report date: 05/06/2024")


def test_the_end_of_a_longer_label_labels_nothing():
    found = read(paper(*STATUS, "Rate of pay on the day of the accident: $48.10 an hour, seven hours a day"))
    field = found["claimed_injury_description.mechanism_of_injury"]
    assert field.value is None
    assert not field.candidates


def test_a_text_whose_line_goes_on_unread_is_doubted():
    cut = paper("PROGRESS NOTE", "Date of exam: 05/06/2024", "Work restrictions: No overhead work,")
    assert read(cut)["work_status.work_restrictions"].value is None


def test_a_wage_after_the_return_is_not_that_of_the_injury():
    found = read(paper(*STATUS, "Her wage at return is $22.60 per hour."))
    assert found["wages.hourly_rate"].value is None


def test_a_share_of_an_arm_is_none_of_the_person():
    lines = ("INDEPENDENT MEDICAL EXAMINATION", "May 6, 2024", "Impairment: right arm, 17.5 percent.")
    assert read(paper(*lines))["permanent_disability.wpi_percent"].value is None


def test_the_file_of_the_nurse_that_closes_leaves_the_claim_open():
    found = read(paper(*STATUS, "Her NCM file closed on 05/01/2024."))
    assert found["metadata.claim_status"].value is None


def test_a_clinic_is_no_operation():
    told = "Right shoulder arthroscopy was done 10/08/2023. Surgery done 10/08/2023 Cedar Surgery Center."
    items = read(paper(*STATUS, told))["treatment.surgeries"].value or []
    assert not any("Center" in item["procedure"] for item in items)


def test_sides_are_read_in_full():
    found = read(paper(*STATUS, "Accepted body parts: R shoulder, L knee"))
    parts = found["body_parts.accepted_body_parts"].value
    assert parts == [
        {"body_part": "right shoulder", "side": "right"},
        {"body_part": "left knee", "side": "left"},
    ]


def test_what_one_paper_prints_beside_a_doubted_name_is_doubted_too():
    old = paper(
        "March 1, 2020", "Dear Ms. Reo,", "Provider: Ana Quorn, D.O. (occupational medicine)", name="old"
    )
    note = paper("May 2, 2024", "Dear Mr. Ode,", "We have your letter.", name="note")
    found = read(old, note, paper(*STATUS, name="new"))
    assert found["treating_physician.name"].value is None
    assert found["treating_physician.specialty"].value is None


def test_who_heads_and_signs_an_examination_is_its_evaluator():
    body = [f"The {n}th of the findings was normal." for n in range(20)]
    lines = ["Re: Brandt", "SECTION 12 EXAMINATION", "Teo Quorn, MD", "Date of examination August 5, 2025"]
    head = [Line(72, 40 + 16 * n, text) for n, text in enumerate([*lines, *body])]
    signed = [Line(72, 420 + 16 * n, text) for n, text in enumerate(["Sincerely,", "Teo Quorn, MD"])]
    found = read(typeset("exam", [*head, *signed]))
    assert found["medical_evaluators.evaluator_name"].value == "Teo Quorn, MD"
    assert found["medical_evaluators.evaluation_date"].value == "2025-08-05"


def test_lines_with_a_code_are_diagnoses():
    lines = [
        "PROGRESS NOTE",
        "Date of exam: 05/06/2024",
        "Today",
        "S83.241D Other tear of medial meniscus, right knee",
        "M54.50 Low back pain, unspecified",
    ]
    found = read(paper(*lines))
    assert found["diagnoses.diagnosis_list"].value == [
        {"description": "Other tear of medial meniscus, right knee", "icd10": "S83.241D"},
        {"description": "Low back pain, unspecified", "icd10": "M54.50"},
    ]
    assert found["diagnoses.primary_icd10_code"].value == "S83.241D"


def test_a_candidate_that_is_hardly_believed_refutes_no_value():
    sheet = ["CLAIM STATUS REPORT", "Report date: 05/06/2024"]
    rows = [
        ("", "Paid", "Outstanding"),
        ("Indemnity", "80,816.59", "1,000.00"),
        ("Medical", "38,412.77", "500.00"),
    ]
    cells = [
        Line(60 + 130 * c, 130 + 18 * r, cell)
        for r, row in enumerate(rows)
        for c, cell in enumerate(row)
        if cell
    ]
    old = paper("all paid 95,400.62", "01/05/2024", name="old")
    found = read(typeset("sheet", [*column(sheet), *cells]), old)
    assert found["payments.indemnity_paid"].value == 80816.59
    assert found["payments.medical_paid"].value == 38412.77


def test_a_row_called_all_is_the_total():
    rows = [
        ("", "Paid", "O/S", "Incurred"),
        ("IND", "30,876.44", "55,250.00", "86,126.44"),
        ("MED", "48,912.37", "8,640.00", "57,552.37"),
        ("ALL", "79,788.81", "63,890.00", "143,678.81"),
    ]
    cells = [
        Line(60 + 110 * c, 130 + 18 * r, cell)
        for r, row in enumerate(rows)
        for c, cell in enumerate(row)
        if cell
    ]
    found = read(typeset("sheet", [*column(list(STATUS)), *cells]))
    assert found["payments.total_paid"].value == 79788.81
    assert found["reserves.total_incurred"].value == 143678.81


def test_what_an_examiner_only_adds_is_not_the_whole_of_the_restrictions():
    lines = ("INDEPENDENT MEDICAL EXAMINATION", "May 6, 2024", "I would add: no climbing of scaffolds.")
    assert read(paper(*lines))["work_status.work_restrictions"].value is None


def test_a_part_of_a_number_is_no_sum():
    packed = paper(*STATUS, "WAGE / CR: 1,038.44 / 692.29")
    assert not read(packed)["temporary_disability.weekly_rate"].candidates


def test_a_sum_told_beside_another_one_is_believed():
    found = read(
        paper(*STATUS, "The vendor proposes a set-aside of $8,215.00 (its first letter said $9,140.00).")
    )
    assert found["medicare.msa_amount"].value == 8215
