"""What is doubted although a form prints it, and what one paper alone may tell."""

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline_tests.rules_papers import paper, read
from citation_pipeline_tests.typeset import Line, typeset

STATUS = ("CLAIM STATUS REPORT", "Report date: 05/06/2024")


def first_report(known: str, *, name: str = "first") -> ParsedDocument:
    return paper(
        "EMPLOYER'S REPORT OF OCCUPATIONAL INJURY OR ILLNESS",
        "Date of injury: 03/04/2024",
        f"Date employer first knew of injury: {known}",
        "Date: 03/11/2024",
        name=name,
    )


REPORTED = "claimed_injury_description.date_reported"


def claim_form(known: str) -> ParsedDocument:
    return paper(
        "WORKERS' COMPENSATION CLAIM FORM (DWC 1)",
        "Today's Date: 03/11/2024",
        "Date of Injury: 03/04/2024",
        f"Date employer first knew of injury: {known}",
        name="form",
    )


def test_a_day_of_knowledge_after_the_injury_that_first_reports_alone_tell_is_a_candidate() -> None:
    found = read(first_report("03/11/2024"), claim_form("03/11/2024"))[REPORTED]
    assert found.value is None
    assert [candidate.value for candidate in found.candidates] == ["2024-03-11"]


def test_a_day_of_knowledge_that_is_the_injury_s_or_a_later_paper_s_is_believed() -> None:
    assert read(first_report("03/04/2024"), claim_form("03/04/2024"))[REPORTED].value == "2024-03-04"
    status = paper(*STATUS, "Date reported to employer: 03/05/2024", name="status")
    assert read(first_report("03/05/2024"), status)[REPORTED].value == "2024-03-05"


def test_a_last_day_of_exposure_that_a_later_paper_gives_otherwise_is_a_candidate() -> None:
    early = [
        paper("Letter", "May 2, 2023", f"Last day of exposure: {day}", name=name)
        for name, day in (("a", "01/17/2023"), ("b", "01/17/2023"))
    ]
    late = paper(*STATUS, "Last day of exposure: 01/22/2023", name="late")
    assert read(*early, late)["claimed_injury_description.date_of_injury"].value is None


def test_an_earlier_decision_that_is_told_again_is_no_rival_of_the_last_one() -> None:
    letter = paper(
        "NOTICE OF DENIAL OF PART OF YOUR CLAIM",
        "July 9, 2024",
        "Dear Ms. Oyelaran:",
        "The claim was accepted on February 1, 2024 for your left knee.",
        "We have denied liability for your claim of an injury to the neck.",
        name="letter",
    )
    assert read(letter)["compensability.decision_date"].value == "2024-07-09"


def test_letters_that_give_their_day_in_two_languages_each_speak_for_their_own() -> None:
    def page(number: int, day: str, text: str) -> list[Line]:
        told = ("Quorn Mutual Insurance Company", day, "Dear Ms. Reo:", text)
        return [Line(72, 60 + 30 * n, line, page=number) for n, line in enumerate(told)]

    packet = typeset(
        "packet",
        [
            *page(1, "May 2, 2023 / 2 de mayo de 2023", "Your average weekly wage is $700.00."),
            *page(2, "June 5, 2024 / 5 de junio de 2024", "Your average weekly wage is $731.50."),
        ],
    )
    assert read(packet)["wages.average_weekly_wage"].value == 731.5


def test_a_form_s_label_that_names_two_roles_names_no_carrier() -> None:
    told = "Name and address of insurance carrier or adjusting agency: Ferris & Moll, Tulsa"
    found = read(paper("WORKERS' COMPENSATION CLAIM FORM (DWC 1)", "Today's Date: 05/06/2024", told))
    assert found["coverage.insurance_carrier"].value is None


def test_a_policy_is_read_with_all_its_letters() -> None:
    assert read(paper(*STATUS, "Policy no. QRN-WC 0061145"))["coverage.policy_number"].value == (
        "QRN-WC 0061145"
    )


def test_counsel_whose_firm_stands_between_name_and_role_is_the_person() -> None:
    hearing = paper(
        "NOTICE OF HEARING",
        "Date: 05/06/2024",
        "Copies to:",
        "Ada N. Verhoeven, Esq., Verhoeven & Ilk, P.A., Attorney for Claimant",
        "Rufus Tamblyn, Esq., Tamblyn Orr, Attorney for Employer/Carrier",
        name="hearing",
    )
    found = read(hearing)
    assert found["attorneys.applicant_attorney_name"].value == "Ada N. Verhoeven"
    assert found["attorneys.applicant_attorney_firm"].value == "Verhoeven & Ilk, P.A."
    assert found["attorneys.defense_attorney_name"].value == "Rufus Tamblyn"


def test_a_doctor_s_surname_becomes_the_name_that_is_printed_with_the_degree_elsewhere() -> None:
    note = paper(*STATUS, "Dr. Quillfeather placed the claimant at MMI on 05/02/2024.")
    other = paper("Letter", "May 3, 2024", "I spoke with Dr. Orla Quillfeather today.", name="other")
    assert read(note, other)["mmi_status.declared_by"].value == "Orla Quillfeather"


def test_where_an_accident_was_is_not_how_it_happened() -> None:
    told = "Accident: 05/02/2024, receiving dock, store 9, 114 Larch Way, Salem, OR 97301"
    assert read(paper(*STATUS, told))["claimed_injury_description.mechanism_of_injury"].value is None


def test_a_decision_that_is_taken_back_is_not_the_review_s() -> None:
    letter = paper(
        "UTILIZATION REVIEW DETERMINATION",
        "Determination date: 05/06/2024",
        "We have reversed our decision of 04/22/2024, by which the request was not certified.",
        "Work hardening for two weeks is certified.",
    )
    assert read(letter)["utilization_review.decision"].value != "denied"


def test_a_state_of_healing_is_no_diagnosis() -> None:
    found = read(
        paper(
            "PRIMARY TREATING PHYSICIAN'S PROGRESS REPORT (PR-2)",
            "Date of exam: 05/06/2024",
            "Assessment: Stable after repair of the tendon.",
        )
    )
    assert not found["diagnoses.diagnosis_list"].value


def test_a_denial_behind_another_one_is_a_no() -> None:
    found = read(paper(*STATUS, "No sign of fraud, not referred to SIU."))
    assert found["fraud_siu.siu_referral"].value is False


def test_what_an_examiner_finds_his_report_alone_may_tell_however_old() -> None:
    exam = paper(
        "PANEL QUALIFIED MEDICAL EVALUATION",
        "Date of evaluation: May 6, 2023",
        "Teo Quorn, MD",
        name="exam",
    )
    later = paper("CLAIM STATUS REPORT", "Report date: 05/06/2024", "Nothing new.", name="later")
    last = paper("CLAIM STATUS REPORT", "Report date: 05/08/2024", "Nothing.", name="last")
    assert read(exam, later, last)["medical_evaluators.evaluator_type"].value == "PQME"


def test_an_address_below_the_employer_s_name_is_the_employer_s_and_another_s_is_not() -> None:
    def form(owner: str) -> ParsedDocument:
        return paper(
            "EMPLOYER'S REPORT OF OCCUPATIONAL INJURY OR ILLNESS",
            owner,
            "Federal ID: 00-4471982",
            "Mailing address: 14 Larch Way, Salem, OR 97301",
            "Date: 03/11/2024",
        )

    employers = read(form("Employer name: Ostrava Tile, Inc."))["employer.address"]
    assert employers.value == "14 Larch Way, Salem, OR 97301"
    assert read(form("Employee name: Lucinda Ferro"))["employer.address"].value is None


def test_what_an_examiner_says_that_somebody_will_need_is_recommended() -> None:
    def exam(said: str) -> ExtractedField:
        lines = ("INDEPENDENT MEDICAL EXAMINATION", "May 6, 2024", said)
        return read(paper(*lines))["future_medical.is_recommended"]

    assert exam("She will probably need two injections in the years ahead.").value is True
    assert exam("She will need an interpreter before two visits.").value is None


def test_counsel_whom_the_carrier_retained_is_not_the_claimant_s() -> None:
    found = read(paper(*STATUS, "We retained Rufus Tamblyn for the defense."))
    field = found["attorneys.applicant_attorney_name"]
    assert field.value is None
    assert not field.candidates
