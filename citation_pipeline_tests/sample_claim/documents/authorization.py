"""Asking for treatment and paying for it: RFA, utilization review letter, explanation of review."""

from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Cell, Column, Paper, form_row, table


def request(new) -> Paper:
    style = Style("Helvetica", 9.2)
    paper = new(style=style, margin=(46, 44, 46, 46))
    paper.title("REQUEST FOR AUTHORIZATION, DWC FORM RFA", size=12.5, align="center", after=4)
    x = paper.left
    for text, ticked in (
        ("New request", True),
        ("Resubmission, change in facts", False),
        ("Expedited", False),
    ):
        height = paper.tick(text, ticked=ticked, x=x, width=170)
        x += 172
    paper.y += height + 6
    box = {"value": style, "label_size": 6.8}

    def band(text: str) -> None:
        paper.gap(5)
        paper.section(text, shaded=True, after=1)

    band("Employee")
    form_row(
        paper,
        Cell("Name", "{full_name|Leocadia Barragán}", 2),
        Cell("Injury date (MM/DD/YYYY)", "{date_of_injury|09/12/2024}"),
        Cell("Birth date (MM/DD/YYYY)", "{date_of_birth|06/23/1979}"),
        **box,
    )
    form_row(
        paper,
        Cell("Claim number", "{claim_number|PCA-24-0091827}"),
        Cell("Employer", "{employer.name|Harbor Loaf Baking Company, Inc.}"),
        **box,
    )
    band("Physician")
    form_row(
        paper,
        Cell("Name", "{treating_physician.name|Thuy-Linh Nguyen, M.D.}"),
        Cell("Practice", "{facility|Signal Hill Orthopaedic Associates}"),
        **box,
    )
    form_row(
        paper,
        Cell("Address", "2650 Temple Avenue, Suite 300, Signal Hill 90755", 2),
        Cell("Specialty", "{treating_physician.specialty|Orthopaedic Surgery}", 1),
        **box,
    )
    band("Claims administrator")
    form_row(
        paper,
        Cell("Company", "{claims_administrator|Palisade Claims Alliance}"),
        Cell("Contact", "{examiner_name|Desmond Farrow}"),
        Cell("Fax", "562 555 0171"),
        **box,
    )
    band("Requested treatment")
    columns = [
        Column("Diagnosis", 30),
        Column("ICD", 13),
        Column("Service requested", 34),
        Column("CPT", 10),
        Column("Frequency", 18),
    ]
    rows = [
        [
            "{diagnoses.diagnosis_list#1|Medial meniscus tear of right knee, status post meniscectomy}",
            "{diagnoses.diagnosis_list#1.icd10|S83.241D}",
            "{requested_treatment|Hyaluronic acid injections, right knee, series of three}",
            "20611",
            "once a week, 3 weeks",
        ],
        ["", "", "", "", ""],
    ]
    table(paper, columns, rows, style=style.sized(8.6), padding=4)
    paper.gap(12)
    paper.line("Signed 11/10/2025. Progress report of 10/30/2025 attached.")
    paper.signature("Thuy-Linh Nguyen, M.D.")
    band("Answer of the claims administrator")
    for text in ("Approved", "Denied or modified (see separate letter)", "Delay", "Liability disputed"):
        paper.y += paper.tick(text) + 2
    return paper


def determination(new) -> Paper:
    def furniture(paper: Paper) -> None:
        small = Style("Vera", 7)
        paper.stamp(
            f"Review CUR-2511-40882, page {paper.page} of {paper.total}",
            x=paper.left,
            y=paper.height - 40,
            style=small,
        )

    style = Style("Times", 11, leading=1.33)
    paper = new(style=style, margin=(72, 60, 72, 60), furniture=furniture)
    paper.line("CLEARLINE UTILIZATION REVIEW", style=Style("Vera", 13, weight=1), align="right")
    paper.line("P.O. Box 9951, Sacramento, CA 95812", style=Style("Vera", 7.5), align="right", after=14)
    paper.line("{utilization_review.decision_date|November 17, 2025}", after=10)
    paper.lines(
        "Thuy-Linh Nguyen, M.D.",
        "Signal Hill Orthopaedic Associates",
        "by fax 562 555 0122",
        layout="address",
    )
    paper.gap(12)
    rows = [
        ("Patient:", "{full_name|Leocadia Barragán}"),
        ("Our client:", "{claims_administrator|Palisade Claims Alliance}"),
        ("Client claim:", "{claim_number|PCA-24-0091827}"),
        ("Injury:", "{date_of_injury|September 12, 2024}"),
        ("RFA received:", "November 10, 2025"),
    ]
    paper.pairs(rows, gutter=90)
    paper.frame(paper.left, paper.y, paper.span, 48, weight=1.2)
    paper.y += 7
    paper.line(
        "Decision: {utilization_review.decision|NON-CERTIFIED}",
        style=style.bold(),
        x=paper.left + 8,
        layout="kv",
        after=3,
    )
    paper.line(
        "Request: {requested_treatment|Hyaluronic acid injections, right knee, series of three}",
        x=paper.left + 8,
        layout="kv",
    )
    paper.gap(18)
    paper.para(
        "A physician reviewer compared the request with the Medical Treatment Utilization Schedule.",
        "The guideline (ACOEM, Knee Disorders) recommends the series for osteoarthritis that has not "
        "improved after six months of other care.",
        "The records sent show a meniscus tear after surgery but no film or report of osteoarthritis.",
    )
    paper.para(
        "The reviewer tried to reach Dr. Nguyen on November 13 and November 14, 2025 and left messages.",
        "No call came back before the five working days ended.",
    )
    paper.section("Records reviewed")
    paper.items(
        ["PR-2, 10/30/2025", "PR-4, 04/10/2025", "Operative reports, 12/17/2024 and 01/14/2025"], bullet="-"
    )
    paper.section("If you disagree")
    paper.para(
        "The employee may ask for independent medical review (IMR) within 30 days of this letter.",
        "The form is enclosed, already filled in; it needs only a signature.",
        "This decision stays in force for 12 months unless the facts change.",
    )
    paper.signature(
        "Ravindra Holloway, M.D.", "Reviewer, board certified in orthopaedic surgery, Cal. Lic. G-60417"
    )
    paper.turn()
    paper.section("Earlier reviews in this claim")
    columns = [Column("Date", 18), Column("Request", 58), Column("Outcome", 24)]
    rows = [
        [
            "{utilization_review.decision_date=2024-12-30|12/30/2024}",
            "Arthroscopic rotator cuff repair, right shoulder",
            "{utilization_review.decision=certified|Certified}",
        ],
        ["12/04/2024", "Arthroscopic partial meniscectomy, right knee", "Certified"],
    ]
    table(paper, columns, rows)
    paper.gap(12)
    paper.section("Copies")
    paper.para(
        "Employee; Oyelaran & Stroud, APC; Palisade Claims Alliance, attention {examiner_name|Desmond "
        "Farrow}."
    )
    return paper


_BILLS = (
    (
        "SH-77120, received 11/03/2025",
        [
            [
                "1",
                "10/30/2025",
                "99214",
                "Office visit, established patient",
                "1",
                "265.00",
                "135.11",
                "129.89",
                "G1",
            ],
            ["2", "10/30/2025", "WC002", "Progress report (PR-2)", "1", "20.00", "5.44", "14.56", "G1"],
            ["3", "10/30/2025", "73562", "X-ray, knee, 3 views", "1", "98.00", "56.17", "41.83", "G1, B4"],
            ["4", "10/30/2025", "A4565", "Sling", "1", "35.00", "35.00", "0.00", "D2"],
            ["", "", "", "Total of this bill", "4", "418.00", "231.72", "186.28", ""],
        ],
    ),
    (
        "SH-76844, received 11/05/2025",
        [
            [
                "1",
                "10/08/2025",
                "99213",
                "Office visit, established patient",
                "1",
                "190.00",
                "98.36",
                "91.64",
                "G1",
            ],
            ["2", "10/08/2025", "20610", "Injection, major joint", "1", "210.00", "122.75", "87.25", "G1"],
            ["3", "10/08/2025", "J3301", "Triamcinolone, per 10 mg", "4", "48.00", "39.84", "8.16", "G1"],
            ["", "", "", "Total of this bill", "6", "448.00", "260.95", "187.05", ""],
        ],
    ),
)


def review(new) -> Paper:
    """Stored sideways, one bill a page: landscape pages behind /Rotate 90."""
    style = Style("Helvetica", 8.8, leading=1.3)

    def furniture(paper: Paper) -> None:
        paper.stamp(
            f"Sheet {paper.page} of {paper.total}", x=paper.left, y=paper.height - 34, style=style.sized(7.5)
        )

    paper = new(style=style, margin=(44, 42, 44, 40), furniture=furniture)
    columns = [
        Column("Line", 5),
        Column("Service", 12),
        Column("Code", 9),
        Column("Description", 34),
        Column("Units", 7, "right"),
        Column("Billed", 12, "right"),
        Column("Reduction", 12, "right"),
        Column("Allowed", 12, "right"),
        Column("Reason", 10),
    ]
    for number, (bill, rows) in enumerate(_BILLS):
        if number:
            paper.turn()
        paper.title("EXPLANATION OF REVIEW", size=13, after=2)
        paper.line("This is not a bill. Esta no es una factura.", style=style.sized(7.8), after=6)
        head = [
            ("Payer", "{insurance_carrier|Cordillera Pacific Insurance Company}"),
            ("Provider", "Signal Hill Orthopaedic Associates"),
            ("Patient", "{full_name|Leocadia Barragán}"),
            ("Claim", "{claim_number|PCA-24-0091827}"),
            ("Bill", bill),
            ("Reviewed", "11/12/2025"),
            ("Injury", "{date_of_injury|09/12/2024}"),
            ("Tax ID", "XX-XXX4410"),
        ]
        paper.pairs(head, columns=2, gutter=70)
        table(paper, columns, rows, emphasis=(-1,), padding=3)
        paper.gap(10)
    paper.section("Reasons")
    paper.items(
        [
            "G1 Reduced to the official medical fee schedule.",
            "B4 Technical component only.",
            "D2 No order for this item in the report.",
        ],
        bullet="•",
    )
    paper.para(
        "A provider who disagrees may ask for a second review (SBR) within 90 days, and then for independent "
        "bill review (IBR).",
        style=style.sized(8),
    )
    return paper
