"""The panel QME's report: serif, long, a running header, the rating table near the end."""

from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Column, Paper, table


def _furniture(paper: Paper) -> None:
    small = Style("Times", 9.5, weight=2)
    if paper.page > 1:
        paper.stamp("RE: BARRAGÁN, Leocadia", x=paper.left, y=34, style=small)
        paper.stamp("August 19, 2025", x=paper.left, y=46, style=small)
        text = f"Page {paper.page} of {paper.total}"
        paper.stamp(text, x=paper.left, y=34, width=paper.span, style=small, align="right")


def qme_report(new) -> Paper:
    style = Style("Times", 12, leading=1.75)
    paper = new(style=style, margin=(80, 76, 80, 66), furniture=_furniture)
    head = style.bold().sized(14)
    paper.line("{evaluator_name|Winston Achterberg, M.D.}", style=head, align="center", layout="letterhead")
    paper.line(
        "Diplomate, American Board of {medical_evaluators.specialty|Orthopaedic Surgery}",
        align="center",
        style=style.sized(10),
    )
    paper.line(
        "11770 Bellflower Boulevard, Downey, California 90241",
        align="center",
        style=style.sized(10),
        after=18,
    )
    paper.line("August 19, 2025", after=12)
    paper.lines("Oyelaran & Stroud, APC", "Matsunaga Fell LLP", layout="address")
    paper.gap(12)
    paper.title("{evaluator_type|PANEL QUALIFIED MEDICAL EVALUATION}", size=14, align="center", after=10)
    rows = [
        ("Examinee:", "{full_name|Leocadia Barragán}"),
        ("Employer:", "{employer.name|Harbor Loaf Baking Company, Inc.}"),
        ("Injury:", "{date_of_injury|September 12, 2024}"),
        ("Claim:", "{claim_number|PCA-24-0091827}"),
        ("WCAB:", "{adj_number|ADJ20418836}"),
        ("Panel no.:", "7741905"),
        ("Examined:", "{evaluation_date|July 22, 2025}"),
    ]
    paper.pairs(rows, gutter=100)
    paper.para(
        "To the parties: I examined Ms. Barragán in my Downey office.",
        "I spent 55 minutes with her face to face and reviewed 412 pages of records, which were attested to "
        "by the claims administrator.",
        "An interpreter was not needed.",
    )
    paper.section("HISTORY AS GIVEN BY THE EXAMINEE")
    paper.para(
        "Ms. Barragán is right-handed and was born on {date_of_birth|June 23, 1979}.",
        "She has worked as a {occupation|bakery production lead} since 2019 and for this employer since "
        "{date_of_hire|March 4, 2013}.",
    )
    paper.para(
        "In the evening of the injury she was wheeling a full rack into the proofing room.",
        "A caster locked; the rack toppled to her right, wrenched her right arm, and brought her down on the "
        "right knee.",
        "She finished no more work that night.",
    )
    paper.para(
        "She treated at an occupational clinic and then with Dr. Nguyen, who repaired the rotator cuff; Dr. "
        "Salazar-Imai operated on the knee.",
        "She has not returned to work.",
    )
    paper.section("PRESENT COMPLAINTS")
    paper.para(
        "Right shoulder: an ache every day, sharp when she reaches overhead.",
        "Right knee: stiffness, swelling at the end of the day, trouble with stairs and with kneeling in "
        "church.",
        "Lower back: occasional soreness, which she relates to the way she walks.",
        "Sleep: she wakes twice a night.",
    )
    paper.section("DESCRIPTION OF THE JOB")
    paper.para(
        "Ms. Barragán described, and a written job analysis confirms, a crew of nine who mix, divide and "
        "proof dough for restaurants.",
        "She pushes racks on casters, lifts bags of flour of fifty pounds, loads trays from knee height to "
        "above her head, and kneels to clear the mixers.",
        "The analysis counts reaching above the shoulder as frequent and kneeling as occasional.",
    )
    paper.para(
        "She worked forty hours and most weeks some overtime.",
        "She had no second job and had not served in the military.",
    )
    paper.section("ACTIVITIES OF DAILY LIVING")
    paper.para(
        "She dresses slowly and has help with her hair.",
        "She cooks, but a neighbor carries the groceries upstairs.",
        "She drives short distances, and has given up swimming.",
        "The questionnaire she filled in agrees with what she told me.",
    )
    paper.section("PAST HISTORY")
    paper.para(
        "A burn of the hand in 2016 healed without residual.",
        "Records of a community clinic from May 2021 mention pain of the right knee on stairs, treated with "
        "naproxen for six weeks.",
        "She does not remember this.",
    )
    paper.section("PHYSICAL EXAMINATION")
    paper.para(
        "She stands five feet four inches and weighs 162 pounds.",
        "Gait shows a mild limp on the right.",
        "Portal scars are healed.",
    )
    columns = [
        Column("Movement", 40),
        Column("Right", 18, "right"),
        Column("Left", 18, "right"),
        Column("Normal", 18, "right"),
    ]
    rows = [
        ["Shoulder flexion", "130", "175", "180"],
        ["Shoulder extension", "40", "50", "50"],
        ["Shoulder abduction", "120", "170", "180"],
        ["Shoulder adduction", "35", "45", "50"],
        ["Internal rotation", "50", "80", "90"],
        ["External rotation", "70", "90", "90"],
        ["Knee flexion", "118", "140", "140"],
        ["Thigh girth, cm", "46.5", "48.0", ""],
    ]
    table(paper, columns, rows, ruled=False, style=style.sized(10.5))
    paper.gap(12)
    paper.para(
        "Strength of right abduction is 4/5.",
        "McMurray's test is negative, with medial joint line tenderness.",
        "The lumbar spine moves freely and straight leg raising is negative at 80 degrees.",
    )
    paper.section("REVIEW OF RECORDS")
    records = [
        "09/13/2024, Aldo Ferreira, D.O.: sprain of the right shoulder, contusion of the right knee; off "
        "work.",
        "11/01/2024, MRI right shoulder: full-thickness supraspinatus tear, 1.8 cm.",
        "11/04/2024, MRI right knee: tear of the posterior horn of the medial meniscus; early "
        "chondromalacia.",
        "12/17/2024, B. Salazar-Imai, M.D.: partial medial meniscectomy.",
        "01/14/2025, T. Nguyen, M.D.: rotator cuff repair.",
        "02/18/2025, therapy note: first mention of low back soreness.",
        "03/06/2025, T. Nguyen, M.D.: stationary status expected by the end of May.",
        "04/10/2025, T. Nguyen, M.D., PR-4: permanent and stationary; 11 percent whole person; no "
        "apportionment.",
    ]
    paper.items(records, bullet="•", style=style.sized(11), spacing=3)
    paper.section("DIAGNOSES")
    paper.items(
        [
            "{diagnoses.diagnosis_list#0|Strain of right rotator cuff, status post repair}",
            "{diagnoses.diagnosis_list#1|Medial meniscus tear of right knee, status post meniscectomy}",
            "{diagnoses.diagnosis_list#2|Adhesive capsulitis of right shoulder}",
        ],
        bullet="1.",
    )
    paper.section("CAUSATION")
    paper.para(
        "With reasonable medical probability the injuries of the right shoulder and right knee arose out of "
        "and in the course of employment.",
        "I find no industrial injury of the {disputed_body_parts#0|lumbar spine}: there is "
        "{disputed_body_parts#0.reason|no complaint recorded before February 2025}.",
        "The claim of {disputed_body_parts#1|psyche} is outside my specialty.",
    )
    paper.section("ANSWERS TO THE QUESTIONS OF COUNSEL")
    paper.para(
        "Applicant's counsel asks whether a limp can bring about a low back condition.",
        "It can, if it is marked and lasts; here the limp is mild, the back examines normally, and the first "
        "mention in a therapy note comes two months after the knee operation.",
        "I would look at this again if a treating physician orders imaging and it shows something.",
    )
    paper.para(
        "Defense counsel asks whether the treatment was reasonable.",
        "Both operations followed positive images and failed conservative care, and I would have done the "
        "same.",
        "The number of therapy visits is within what is usual after a repair of the cuff.",
    )
    paper.para(
        "Both counsel ask whether surveillance or a functional capacity evaluation would help.",
        "I see no inconsistency that would call for either.",
    )
    paper.section("PERMANENT AND STATIONARY STATUS")
    paper.para(
        "I agree with the treating surgeon that the examinee {is_mmi|reached maximal medical improvement} on "
        "{mmi_date|April 10, 2025}.",
        "She could not work from September 13, 2024 until then.",
    )
    paper.section("IMPAIRMENT")
    columns = [
        Column("Part", 26),
        Column("Method", 44),
        Column("WPI", 12, "right"),
        Column("Industrial", 18, "right"),
    ]
    rows = [
        ["Right shoulder", "Figures 16-40, 16-43, 16-46; Table 16-35", "8%", "85%"],
        ["Right knee", "Tables 17-10 and 17-33", "7%", "85%"],
        ["Combined", "Combined values chart, page 604", "{wpi_percent|14%}", ""],
    ]
    table(paper, columns, rows, style=style.sized(10.5), padding=4, emphasis=(-1,))
    paper.gap(12)
    paper.para(
        "For the shoulder I added the impairments for flexion, extension, abduction, adduction and both "
        "rotations, fourteen percent of the upper extremity in all, which converts to eight percent of the "
        "whole person.",
        "For the knee I combined the diagnosis-based value for a partial medial meniscectomy with the loss "
        "of flexion.",
        "Strength was not rated, because pain and loss of motion already explain it.",
    )
    paper.section("APPORTIONMENT")
    paper.para(
        "As Labor Code section 4663 requires, I find that {apportionment_percent|15 percent} of the "
        "permanent disability is caused by non-industrial factors, namely age-related fraying of the cuff "
        "and earlier knee symptoms.",
        "The remaining 85 percent is the direct result of this injury.",
    )
    paper.section("WORK CAPACITY")
    paper.para(
        "I agree with these permanent preclusions: {work_restrictions|no lifting over 20 pounds with the "
        "right arm, no repetitive work above shoulder level, and no kneeling or squatting}.",
        "She is a {current_status|qualified injured worker with permanent restrictions} and cannot go back "
        "to her job as it was described to me.",
    )
    paper.section("FUTURE MEDICAL CARE")
    paper.para(
        "{is_recommended|Further care is indicated}: {future_medical.description|orthopaedic visits three "
        "times a year, anti-inflammatory medication, eight visits of therapy for each flare-up, and a "
        "possible revision arthroscopy of the right knee}."
    )
    paper.section("DECLARATION")
    paper.para(
        "I declare under penalty of perjury that the information in this report is true and correct to the "
        "best of my knowledge, except what I state I received from others.",
        "I have not violated Labor Code section 139.3.",
    )
    paper.signature(
        "{evaluator_name|Winston Achterberg, M.D.}", "Signed in Los Angeles County on August 19, 2025"
    )
    return paper
