"""The first months of treatment: first report and operation."""

from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Cell, Column, Paper, form_row, table


def first_report(new) -> Paper:
    style = Style("Times", 10)
    paper = new(style=style, margin=(50, 46, 50, 50))
    paper.title("DOCTOR'S FIRST REPORT OF OCCUPATIONAL INJURY OR ILLNESS", size=12.5, align="center")
    box = {"value": style, "label_size": 6.8}
    form_row(paper, Cell("1. Insurer", "{insurance_carrier|Cordillera Pacific Insurance Company}"), **box)
    form_row(
        paper,
        Cell("2. Employer", "{employer.name|Harbor Loaf Baking Company, Inc.}", 3),
        Cell("4. Nature of business", "Bakery", 1),
        **box,
    )
    form_row(
        paper, Cell("3. Address", "{employer.address|2275 W. Anaheim Street, Long Beach, CA 90813}"), **box
    )
    form_row(
        paper,
        Cell("5. Patient", "{full_name|Leocadia Barragán}", 3),
        Cell("6. Sex", "F", 1),
        Cell("7. Date of birth", "{date_of_birth|6/23/1979}", 2),
        **box,
    )
    form_row(
        paper,
        Cell("10. Occupation", "{occupation|Bakery production lead}", 2),
        Cell("12. Injured at", "{injury_location|Plant B, proofing room 2}", 2),
        Cell("County", "Los Angeles", 1),
        **box,
    )
    form_row(
        paper,
        Cell("13. Date and hour of injury", "{date_of_injury=2024-09-11|9/11/2024}, 7:15 p.m.", 2),
        Cell("14. Date last worked", "9/12/2024", 1),
        Cell("15. First examination", "9/13/2024, 10:20 a.m.", 2),
        **box,
    )
    paper.gap(10)
    paper.para(
        "17. How it happened (patient's words): A rack of dough started to fall and I tried to hold it.",
        "It pulled my arm and I went down on my knee.",
    )
    paper.para(
        "18. Complaints: Pain of the right shoulder 8/10, cannot lift the arm over the head. Right knee pain "
        "6/10 with swelling."
    )
    paper.para(
        "19. Findings: Right shoulder abduction 70 degrees, drop-arm sign positive. Right knee effusion 1+, "
        "medial joint line tender, McMurray equivocal. X-rays: no fracture of shoulder or knee."
    )
    paper.section("20. DIAGNOSIS")
    columns = [Column("", 8), Column("Description", 60), Column("ICD-10", 20)]
    rows = [
        ["a", "Sprain of right shoulder", "{primary_icd10_code=S43.401A|S43.401A}"],
        ["b", "Contusion of right knee", "S80.01XA"],
    ]
    table(paper, columns, rows, width=360)
    paper.gap(8)
    paper.para("21. Are your findings consistent with the patient's account? Yes.")
    paper.para(
        "23. Treatment rendered: sling, knee sleeve, ibuprofen 600 mg; MRI of shoulder and knee ordered; "
        "referral to an orthopaedic surgeon."
    )
    paper.para(
        "22. Is there any other condition that will impede or delay recovery? No. The patient reports no "
        "earlier treatment of either joint."
    )
    paper.turn()
    paper.title("Doctor's First Report, continuation: BARRAGÁN, L.", size=10.5)
    paper.section("HOME INSTRUCTIONS GIVEN")
    paper.items(
        [
            "Ice to shoulder and knee, fifteen minutes, four times a day",
            "Sling by day; take it off to move elbow and wrist",
            "Ibuprofen with food; stop if stomach pain begins",
            "Come back at once with numbness of the hand or swelling of the calf",
        ],
        bullet="-",
    )
    paper.section("24-26. WORK STATUS")
    for text, ticked in (
        ("Perform usual work today", False),
        ("{current_status=off_work|Cannot work} until next visit on 9/27/2024", True),
        ("Modified work, as follows:", False),
    ):
        paper.y += paper.tick(text, ticked=ticked) + 3
    paper.gap(8)
    paper.para("I declare under penalty of perjury that I have not violated Labor Code section 139.3.")
    paper.signature(
        "{treating_physician.name=Aldo Ferreira, D.O.|Aldo Ferreira, D.O.}",
        "{facility=Dockside Occupational Clinic|Dockside Occupational Clinic}",
        "900 Santa Fe Avenue, Long Beach, CA 90813",
    )
    return paper


def operative_report(new) -> Paper:
    """Two narrow columns: the surgeon's dictation left, the nurse's record right."""

    def furniture(paper: Paper) -> None:
        small = Style("Helvetica", 7.5)
        paper.stamp("LOS CERRITOS SURGICAL PAVILION", x=paper.left, y=30, style=small.bold())
        paper.stamp(
            f"MRN 40-77182   sheet {paper.page} of {paper.total}",
            x=paper.left,
            y=30,
            width=paper.span,
            style=small,
            align="right",
        )

    style = Style("Times", 10.2, leading=1.3)
    paper = new(style=style, margin=(48, 54, 48, 52), furniture=furniture)
    paper.title("Operative Report", size=16, after=4)
    paper.pairs(
        [
            ("Patient", "{full_name|Barragán, Leocadia}"),
            ("Date of operation", "{surgeries#1.date|January 14, 2025}"),
            ("Born", "{date_of_birth|06/23/1979}"),
            ("Surgeon", "{surgeries#1.surgeon|Thuy-Linh Nguyen, M.D.}"),
        ],
        columns=2,
        gutter=92,
    )
    paper.rule(paper.left, paper.y, paper.right, paper.y)
    paper.gap(6)
    top, left, right = paper.y, paper.left, paper.right
    middle = (left + right) / 2
    paper.right = middle - 10
    paper.section("BEFORE THE OPERATION")
    paper.para("Full-thickness tear of the right supraspinatus tendon with impingement.")
    paper.section("AFTER THE OPERATION")
    paper.para("The same; tear of 1.8 cm, moderate retraction.")
    paper.section("OPERATION")
    paper.para(
        "{surgeries#1|Arthroscopic rotator cuff repair, right shoulder}, with subacromial decompression."
    )
    paper.section("WHY")
    paper.para(
        "Four months after a fall at work the patient cannot raise the arm above 80 degrees.",
        "Therapy and an injection did not help.",
        "She understands the risks and agreed.",
    )
    paper.section("WHAT WAS DONE")
    paper.para(
        "Under general anesthesia and an interscalene block the patient was placed in the beach chair "
        "position.",
        "Posterior, lateral and anterior portals were made.",
        "The biceps anchor was intact.",
        "The footprint was decorticated and two double-loaded anchors were placed.",
        "The tendon was brought to bone without tension.",
    )
    paper.para("Blood loss was 15 ml.", "There were no complications.")
    paper.left, paper.right, paper.y = middle + 10, right, top
    small = style.sized(9.2)
    paper.section("NURSING RECORD")
    paper.pairs(
        [
            ("In room", "07:32"),
            ("Time out", "07:51"),
            ("Incision", "07:58"),
            ("Closure", "09:10"),
            ("Out of room", "09:24"),
            ("Position", "Beach chair"),
            ("Prep", "Chlorhexidine"),
            ("Counts", "Correct x2"),
            ("Specimens", "None"),
            ("Implants", "Two suture anchors 4.75 mm, lot 88-1407"),
        ],
        gutter=84,
        style=small,
        label_style=small.bold(),
        spacing=3,
    )
    paper.section("RECOVERY ROOM")
    paper.para(
        "Awake at 09:31.", "Pain 3/10 with block.", "Sling fitted.", "Discharged home at 11:15.", style=small
    )
    paper.left, paper.right = left, right
    paper.turn()
    paper.section("AFTERCARE")
    paper.items(
        [
            "Sling for four weeks, pendulum exercises from day 3",
            "Oxycodone 5 mg, 20 tablets, no refill",
            "Physical therapy begins in week 5",
            "Off work; review on 01/28/2025",
        ],
        bullet="1.",
    )
    paper.section("EARLIER OPERATION")
    paper.para(
        "On {surgeries#0.date|December 17, 2024} {surgeries#0.surgeon|Bertrand Salazar-Imai, M.D.} did an "
        "{surgeries#0|arthroscopic partial medial meniscectomy, right knee}, in this facility."
    )
    paper.signature("Thuy-Linh Nguyen, M.D.", "dictated 01/14/2025, transcribed 01/15/2025")
    return paper
