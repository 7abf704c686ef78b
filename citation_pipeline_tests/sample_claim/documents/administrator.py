"""What the claims administrator's system prints: snapshots and the activity log."""

from citation_pipeline_tests.sample_claim.documents.log_entries import ENTRIES
from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Column, Paper, table


def _screen(paper: Paper) -> None:
    """Furniture of a printed screen."""
    small = Style("Vera", 6.5, grey=0.35)
    paper.stamp("PALISADE CLAIMS ALLIANCE  |  ClaimView 7", x=paper.left, y=30, style=small)
    page = f"{paper.page}/{paper.total}"
    paper.stamp(page, x=paper.left, y=30, width=paper.span, style=small, align="right")
    paper.rule(paper.left, 42, paper.right, 42, grey=0.6)
    foot = "Barragán L. / 0091827 / internal use - not for release without supervisor approval"
    paper.stamp(foot, x=paper.left, y=paper.height - 38, style=small)


def claim_metadata_snapshot(new) -> Paper:
    paper = new(style=Style("Vera", 8.2, leading=1.35), margin=(46, 56, 46, 52), furniture=_screen)
    paper.title("Claim Metadata Snapshot", size=13, after=2)
    paper.line(
        "Snapshot taken {date|12/05/2025} 06:02 PT by scheduler; values as stored at that time.", after=8
    )
    paper.section("Claim", shaded=True)
    grid = {"columns": 2, "gutter": 92}
    rows = [
        ("Claim no.", "{claim_number|PCA-24-0091827}"),
        ("File status", "{claim_status|OPEN}"),
        ("Adjuster", "{examiner_name|Desmond Farrow} (since 06/02/2025)"),
        ("Admin. office", "{claims_administrator|Palisade Claims Alliance}"),
        ("Carrier", "{insurance_carrier|Cordillera Pacific Insurance Company}"),
        ("Policy", "{policy_number|CPI-WC-5530217-03}"),
    ]
    paper.pairs(rows, **grid)
    paper.section("Injured worker and employer", shaded=True)
    rows = [
        ("Worker", "{full_name|BARRAGÁN, LEOCADIA}"),
        ("Born", "{date_of_birth|06/23/1979}"),
        ("Job", "{occupation|Bakery production lead}"),
        ("Hired", "{date_of_hire|03/04/2013}"),
        ("Insured", "{employer.name|Harbor Loaf Baking Company, Inc.}"),
        ("Site", "{employer.address|2275 W. Anaheim Street, Long Beach, CA 90813}"),
    ]
    paper.pairs(rows, **grid)
    paper.section("Loss", shaded=True)
    rows = [
        ("Loss date", "{date_of_injury|09/12/2024}"),
        ("Loss time", "about 19:15"),
        ("Known to ER", "{date_reported|09/13/2024}"),
        ("Kind", "{injury_type|SPECIFIC}"),
        ("Where", "{injury_location|Plant B, proofing room 2}"),
        ("On premises", "{on_employer_premises|Y}"),
        ("Compensability", "{compensability.decision|ACCEPTED} {compensability.decision_date|12/06/2024}"),
        ("TD rate / AWW", "{weekly_rate|$809.80} / {average_weekly_wage|$1,214.70}"),
    ]
    paper.pairs(rows, **grid)
    paper.section("Litigation", shaded=True)
    rows = [
        ("Board case", "{adj_number|ADJ20418836}"),
        ("District office", "{wcab_venue|Long Beach}"),
        ("Litigated", "{is_litigated|Y}"),
        ("Next event", "MSC {next_hearing_date|01/27/2026} 8:30 a.m."),
        (
            "AA",
            "{applicant_attorney_name|Philippa Oyelaran}, {applicant_attorney_firm|Oyelaran & Stroud, APC}",
        ),
        ("DA", "{defense_attorney_name|Gideon Matsunaga}, Matsunaga Fell LLP"),
    ]
    paper.pairs(rows, **grid)
    paper.section("Indicators", shaded=True)
    rows = [
        ("Medicare", "{is_medicare_beneficiary|Not a Medicare beneficiary (Section 111 query 11/28/2025)}"),
        ("SIU", "{siu_referral|Not referred to SIU}"),
        ("Recovery", "{has_subrogation_potential|No subrogation potential; no third party involved}"),
        ("SJDB", "{sjdb_voucher_issued|Voucher issued 06/12/2025}"),
        ("Diary", "{next_diary_date|01/05/2026}"),
    ]
    paper.pairs(rows, columns=1, gutter=92)
    return paper


def medical_status_snapshot(new) -> Paper:
    style = Style("Helvetica", 9.6, leading=1.38)
    paper = new(style=style, margin=(58, 60, 58, 56), furniture=_screen)
    paper.title("Medical Status and Treating Physician Snapshot", size=15, after=3)
    small = style.sized(8.2)
    paper.line("Prepared 12/05/2025 from reports on file through 10/30/2025", style=small, after=9)
    paper.section("1  Where treatment stands", ruled=True)
    points = [
        "{is_mmi|P&S/MMI declared} {mmi_date|04/10/2025} by PTP {declared_by+treating_physician.name|Dr. "
        "Nguyen} for all accepted conditions.",
        "Accepted: {accepted_body_parts#0|right shoulder} and {accepted_body_parts#1|right knee}.",
        "Disputed: {disputed_body_parts#0|lumbar spine} ({disputed_body_parts#0.reason|no complaint recorded "
        "before February 2025}) and {disputed_body_parts#1|psyche} ({disputed_body_parts#1.reason|barred as "
        "a compensable consequence by Labor Code section 4660.1(c)}).",
        "Released with {current_status|permanent restrictions}: {work_restrictions|no lifting over 20 pounds "
        "with the right arm, no repetitive work above shoulder level, and no kneeling or squatting}.",
        "Harbor Loaf cannot accommodate; {sjdb_voucher_issued|SJDB voucher was mailed 06/12/2025}.",
    ]
    paper.items(points, bullet="•", spacing=3)
    paper.section("2  Physicians over the life of the claim", ruled=True)
    columns = [Column("From", 14), Column("To", 14), Column("Physician", 34), Column("Specialty / group", 44)]
    rows = [
        [
            "09/13/2024",
            "10/20/2024",
            "{treating_physician.name=Aldo Ferreira, D.O.|Aldo Ferreira, D.O.}",
            "{treating_physician.specialty=Occupational Medicine|Occupational Medicine}, "
            "{facility=Dockside Occupational Clinic|Dockside Occupational Clinic}",
        ],
        [
            "10/21/2024",
            "present",
            "{treating_physician.name|Thuy-Linh Nguyen, M.D.}",
            "{treating_physician.specialty|Orthopaedic Surgery}, {facility|Signal Hill Orthopaedic "
            "Associates}",
        ],
    ]
    table(paper, columns, rows, style=style.sized(8.8), padding=3.5)
    paper.gap(10)
    paper.section("3  Surgery", ruled=True)
    columns = [Column("Date", 14), Column("Procedure", 58), Column("Surgeon", 34)]
    rows = [
        [
            "{surgeries#0.date|12/17/2024}",
            "{surgeries#0|Arthroscopic partial medial meniscectomy, right knee}",
            "{surgeries#0.surgeon|Bertrand Salazar-Imai, M.D.}",
        ],
        [
            "{surgeries#1.date|01/14/2025}",
            "{surgeries#1|Arthroscopic rotator cuff repair, right shoulder}",
            "{surgeries#1.surgeon|Thuy-Linh Nguyen, M.D.}",
        ],
    ]
    table(paper, columns, rows, style=style.sized(8.8), ruled=False, padding=3)
    paper.gap(10)
    paper.section("4  Medication now", ruled=True)
    drugs = [
        "{medications#0|Meloxicam} {medications#0.dosage|15 mg once a day with food}",
        "{medications#1|Cyclobenzaprine} {medications#1.dosage|5 mg at bedtime as needed}",
        "Tramadol stopped 03/06/2025",
    ]
    paper.items(drugs, bullet="•", spacing=2)
    paper.section("5  Utilization review, most recent first", ruled=True)
    columns = [Column("Decided", 15), Column("Request", 60), Column("Outcome", 25)]
    rows = [
        [
            "{utilization_review.decision_date|11/17/2025}",
            "{requested_treatment|Hyaluronic acid injections, right knee, series of three}",
            "{utilization_review.decision|Non-certified}",
        ],
        [
            "{utilization_review.decision_date=2024-12-30|12/30/2024}",
            "{requested_treatment=Arthroscopic rotator cuff repair, right shoulder|Arthroscopic rotator cuff "
            "repair, right shoulder}",
            "{utilization_review.decision=certified|Certified}",
        ],
    ]
    table(paper, columns, rows, style=style.sized(8.8), padding=3.5)
    paper.gap(10)
    paper.section("6  What comes next", ruled=True)
    paper.para(
        "Next visit with Dr. Nguyen is on {next_appointment_date|01/15/2026}.",
        "{is_recommended|Future care is expected}: {future_medical.description|orthopaedic visits three "
        "times a year, anti-inflammatory medication, eight visits of therapy for each flare-up, and a "
        "possible revision arthroscopy of the right knee}.",
    )
    paper.section("7  Imported lines (not reviewed)", ruled=True)
    paper.line(
        "Carried over by the June 2025 system conversion. Do not rely on dates in this list.", style=small
    )
    imported = ["PT 3x/wk ends 01/31/2025.", "TTD ends 02/29/2025.", "MRI R knee rec'd 11/04/2024."]
    paper.items(imported, bullet="-", spacing=1)
    paper.section("8  Medical-legal", ruled=True)
    paper.para(
        "Panel QME {evaluator_name|Winston Achterberg, M.D.} ({medical_evaluators.specialty|orthopaedic "
        "surgery}) examined on {evaluation_date|07/22/2025}.",
        "He finds {wpi_percent|14 percent} whole person impairment with {apportionment_percent|15 percent} "
        "non-industrial, which rates to {pd_rating_percent|20 percent} permanent disability.",
    )
    return paper


def activity_log(new) -> Paper:
    style = Style("Vera", 8.8, leading=1.45)
    paper = new(style=style, margin=(40, 58, 40, 52), furniture=_screen)
    paper.title("Adjuster Activity Log", size=14, after=3)
    paper.pairs(
        [
            ("Claim", "{claim_number|PCA-24-0091827}"),
            ("Printed", "{date|12/05/2025} 07:40"),
            ("Worker", "{full_name|Leocadia Barragán}"),
            ("Order", "newest entry first"),
        ],
        columns=2,
        gutter=60,
    )
    columns = [Column("Entered", 14), Column("By", 6), Column("Topic", 19), Column("Note", 77)]
    rows = [[entry.entered, entry.by, entry.topic, entry.note] for entry in ENTRIES]
    dates = [entry.date for entry in ENTRIES]
    table(paper, columns, rows, repeat=True, padding=4, dates=dates)
    paper.gap()
    paper.line("End of log", style=style.sized(6.5), align="center")
    return paper
