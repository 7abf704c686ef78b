"""What the treating physician reports later: the permanent and stationary report and a progress report."""

from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Cell, Column, Paper, form_row, table


def pr4(new) -> Paper:
    def furniture(paper: Paper) -> None:
        small = Style("Helvetica", 8)
        paper.stamp(
            f"DWC Form PR-4   {paper.page} / {paper.total}", x=paper.left, y=paper.height - 42, style=small
        )

    style = Style("Helvetica", 10.4, leading=1.5)
    paper = new(style=style, margin=(64, 54, 64, 58), furniture=furniture)
    paper.line(
        "{facility|Signal Hill Orthopaedic Associates}",
        style=style.bold().sized(13),
        align="center",
        layout="letterhead",
    )
    paper.line(
        "2650 Temple Avenue, Suite 300, Signal Hill, CA 90755",
        style=style.sized(8.5),
        align="center",
        after=10,
    )
    paper.title(
        "PRIMARY TREATING PHYSICIAN'S PERMANENT AND STATIONARY REPORT (PR-4)", size=11.5, align="center"
    )
    box = {"value": style, "label_size": 7}
    form_row(
        paper,
        Cell("Patient", "{full_name|Leocadia Barragán}", 2),
        Cell("Date of birth", "{date_of_birth|06/23/1979}", 1),
        Cell("Date of injury", "{date_of_injury|09/12/2024}", 1),
        **box,
    )
    form_row(
        paper,
        Cell("Claim number", "{claim_number|PCA-24-0091827}", 2),
        Cell("Occupation", "{occupation|Bakery production lead}", 2),
        **box,
    )
    paper.gap(10)
    paper.section("Status", shaded=True)
    paper.para(
        "The patient is {is_mmi|permanent and stationary} as of {mmi_date|April 10, 2025}, the date of this "
        "examination.",
        "No substantial change is expected in the next year with or without treatment.",
    )
    paper.section("History", shaded=True)
    paper.para(
        "On September 12, 2024 at about 7:15 p.m. {mechanism_of_injury|a caster of the loaded dough rack she "
        "was pushing locked, the rack tipped and dragged her right arm down, and she fell onto her right "
        "knee}.",
        "She was first seen at the Dockside Occupational Clinic and came under my care on October 21, 2024.",
    )
    paper.section("Treatment", shaded=True)
    paper.para(
        "To date she has had {treatment_summary|arthroscopic surgery of the right knee and of the right "
        "shoulder, 34 visits of physical therapy, one corticosteroid injection and anti-inflammatory "
        "medication}."
    )
    paper.section("Job", shaded=True)
    paper.para(
        "She leads a crew of nine on second shift, pushes racks of up to 300 pounds with help, lifts "
        "50-pound bags of flour to waist height some thirty times a shift, and reaches above her head to "
        "load the proofing room.",
        "She stands for seven of eight hours.",
    )
    paper.section("Tests reviewed", shaded=True)
    paper.items(
        [
            "MRI, right shoulder, 11/01/2024: full-thickness tear of the supraspinatus, 1.8 cm",
            "MRI, right knee, 11/04/2024: posterior horn tear of the medial meniscus",
            "X-rays, right knee, 04/10/2025: joint space preserved, no loose body",
        ],
        bullet="-",
    )
    paper.section("Complaints today", shaded=True)
    paper.para(
        "Right shoulder ache of 3/10 at rest and 6/10 with reaching.",
        "Right knee stiffness after sitting; stairs are slow.",
    )
    paper.section("Examination", shaded=True)
    columns = [Column("Motion", 34), Column("Right", 16, "right"), Column("Left", 16, "right")]
    rows = [
        ["Shoulder flexion", "140", "175"],
        ["Shoulder abduction", "130", "170"],
        ["Shoulder internal rotation", "55", "80"],
        ["Knee flexion", "125", "140"],
        ["Knee extension", "0", "0"],
    ]
    table(paper, columns, rows, width=320, style=style.sized(9))
    paper.gap(10)
    paper.section("Diagnoses", shaded=True)
    paper.items(
        [
            "{diagnoses.diagnosis_list#0.icd10+primary_icd10_code|S46.011D}  "
            "{diagnoses.diagnosis_list#0|Strain of right rotator cuff, status post repair}",
            "{diagnoses.diagnosis_list#1.icd10|S83.241D}  {diagnoses.diagnosis_list#1|Medial meniscus tear "
            "of right knee, status post meniscectomy}",
            "{diagnoses.diagnosis_list#2.icd10|M75.01}  {diagnoses.diagnosis_list#2|Adhesive capsulitis of "
            "right shoulder}",
        ],
        bullet="1.",
    )
    paper.section("Activities of daily living", shaded=True)
    columns = [
        Column("Activity", 34),
        Column("Without difficulty", 18),
        Column("With difficulty", 18),
        Column("Cannot", 12),
    ]
    rows = [
        ["Self care, dressing", "", "X", ""],
        ["Writing, typing", "X", "", ""],
        ["Standing, walking", "", "X", ""],
        ["Climbing stairs", "", "X", ""],
        ["Lifting above the head", "", "", "X"],
        ["Driving", "X", "", ""],
        ["Restful sleep", "", "X", ""],
    ]
    table(paper, columns, rows, style=style.sized(9))
    paper.gap(10)
    paper.section("Impairment (AMA Guides, 5th Edition)", shaded=True)
    paper.para(
        "Right shoulder: 10 percent upper extremity, 6 percent whole person.",
        "Right knee: 5 percent whole person.",
        "Combined: {wpi_percent=11|11 percent} whole person impairment.",
    )
    paper.section("Apportionment", shaded=True)
    for text, ticked in (
        (
            "{apportionment_percent=0|None of the disability} would exist without this injury: 100 percent "
            "industrial",
            True,
        ),
        ("Part of the disability is due to other factors:", False),
    ):
        paper.y += paper.tick(text, ticked=ticked) + 3
    paper.gap(6)
    paper.section("Work", shaded=True)
    for text, ticked in (
        ("Can do the usual occupation", False),
        (
            "Usual occupation only with these {current_status|permanent restrictions}: {work_restrictions|no "
            "lifting over 20 pounds with the right arm, no repetitive work above shoulder level, and no "
            "kneeling or squatting}",
            True,
        ),
        ("Cannot work at all", False),
    ):
        paper.y += paper.tick(text, ticked=ticked) + 3
    paper.gap(6)
    paper.section("Discussion", shaded=True)
    paper.para(
        "The repair has healed; the loss of motion that remains comes from capsulitis after the operation "
        "and has not changed over the last two visits.",
        "The knee is stable, and another operation is not planned now.",
        "I read the description of the job that the employer sent on March 28, 2025; lifting flour above the "
        "waist and kneeling at the mixers go beyond what she can do for good.",
    )
    paper.section("Future medical treatment", shaded=True)
    for text, ticked in (("None needed", False), ("{is_recommended|Needed}, as described", True)):
        paper.y += paper.tick(text, ticked=ticked) + 3
    paper.para(
        "{future_medical.description|Orthopaedic visits three times a year, anti-inflammatory medication, "
        "eight visits of therapy for each flare-up, and a possible revision arthroscopy of the right knee.}",
    )
    paper.signature(
        "{declared_by+treating_physician.name|Thuy-Linh Nguyen, M.D.}",
        "{treating_physician.specialty|Orthopaedic Surgery}",
        "Signed at Signal Hill on 04/10/2025",
    )
    return paper


def pr2(new) -> Paper:
    style = Style("Vera", 8.2, leading=1.36)
    paper = new(style=style, margin=(44, 40, 44, 44))
    paper.title("Primary Treating Physician's Progress Report (PR-2)", size=11.5, align="center")
    paper.line("Check why you are reporting (one or more):", style=style.sized(7.5))
    reasons = [
        ("Periodic report", True),
        ("Change in work status", False),
        ("Change in treatment plan", True),
        ("Released from care", False),
        ("Info requested by adjuster", False),
        ("Need for referral", False),
    ]
    for number, (text, ticked) in enumerate(reasons):
        x = paper.left + (number % 3) * paper.span / 3
        height = paper.tick(text, ticked=ticked, x=x, width=paper.span / 3 - 6)
        if number % 3 == 2:
            paper.y += height + 3
    paper.gap(5)
    box = {"value": style, "label_size": 6.3, "height": 25}
    form_row(
        paper,
        Cell("Patient: last, first", "{full_name|Barragán, Leocadia}", 2),
        Cell("Date of injury", "{date_of_injury|09/12/2024}", 1),
        Cell("Date of birth", "{date_of_birth|06/23/1979}", 1),
        **box,
    )
    form_row(
        paper,
        Cell("Claims administrator", "{claims_administrator|Palisade Claims Alliance}", 2),
        Cell("Claim number", "{claim_number|PCA-24-0091827}", 2),
        Cell("Date of exam", "10/30/2025", 1),
        **box,
    )
    form_row(
        paper,
        Cell("Employer", "{employer.name|Harbor Loaf Baking Company, Inc.}", 3),
        Cell("Occupation", "{occupation|Bakery production lead}", 2),
        **box,
    )
    paper.gap(9)
    paper.section("SUBJECTIVE")
    paper.para("Knee pain has risen to 5/10 since September, worse on stairs.", "Shoulder unchanged.")
    paper.section("OBJECTIVE")
    paper.para(
        "Right knee: small effusion, crepitus, flexion 120.", "Right shoulder: flexion 140, strength 4+/5."
    )
    paper.section("DIAGNOSES")
    columns = [Column("ICD-10", 16), Column("Description", 84)]
    rows = [
        [
            "{diagnoses.diagnosis_list#0.icd10+primary_icd10_code|S46.011D}",
            "{diagnoses.diagnosis_list#0|Strain of right rotator cuff, status post repair}",
        ],
        [
            "{diagnoses.diagnosis_list#1.icd10|S83.241D}",
            "{diagnoses.diagnosis_list#1|Medial meniscus tear of right knee, status post meniscectomy}",
        ],
        [
            "{diagnoses.diagnosis_list#2.icd10|M75.01}",
            "{diagnoses.diagnosis_list#2|Adhesive capsulitis of right shoulder}",
        ],
    ]
    table(paper, columns, rows, width=420)
    paper.gap(7)
    paper.section("PLAN")
    paper.para(
        "Request {requested_treatment|hyaluronic acid injections, right knee, series of three}.",
        "Continue {medications#0|meloxicam} {medications#0.dosage|15 mg once a day with food} and "
        "{medications#1|cyclobenzaprine} {medications#1.dosage|5 mg at bedtime as needed}.",
        "Return on {next_appointment_date|January 15, 2026}.",
    )
    paper.section("WORK STATUS")
    for text, ticked in (
        ("Remain off work until", False),
        ("Return to modified work on ____ with these limits:", False),
        ("Return to full duty on ____ with no limits", False),
        (
            "{current_status|Permanent restrictions} of 04/10/2025 remain: {work_restrictions|no lifting "
            "over 20 pounds with the right arm, no repetitive work above shoulder level, and no kneeling or "
            "squatting}",
            True,
        ),
    ):
        paper.y += paper.tick(text, ticked=ticked) + 3
    paper.gap(5)
    paper.line("Patient remains P&S; this visit does not change the date.")
    paper.signature(
        "{treating_physician.name|Thuy-Linh Nguyen, M.D.}",
        "{facility|Signal Hill Orthopaedic Associates}",
        "{treating_physician.specialty|Orthopaedic Surgery}, Cal. Lic. A-118204",
    )
    return paper
