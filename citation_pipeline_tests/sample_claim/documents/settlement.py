"""Bringing the case to an end: lien, counsel's e-mail, compromise and release."""

from citation_pipeline_tests.sample_claim.documents.board import caption, line_foot
from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Cell, Column, Paper, form_row, table


def lien(new) -> Paper:
    style = Style("Helvetica", 9.6, leading=1.3)
    paper = new(
        style=style, margin=(56, 50, 56, 56), furniture=line_foot("NOTICE AND REQUEST FOR ALLOWANCE OF LIEN")
    )
    paper.title("NOTICE AND REQUEST FOR ALLOWANCE OF LIEN", size=13, align="center")
    box = {"value": style, "label_size": 7}
    form_row(
        paper,
        Cell("Case number", "{adj_number|ADJ20418836}"),
        Cell("Date filed", "{filed_liens#0.date_filed|08/18/2025}"),
        **box,
    )
    form_row(
        paper,
        Cell("Injured employee", "{full_name|Leocadia Barragán}"),
        Cell("Date of injury", "{date_of_injury|09/12/2024}"),
        **box,
    )
    form_row(
        paper,
        Cell("Lien claimant", "{filed_liens#0|Los Cerritos Surgical Pavilion}", 3),
        Cell("Amount of lien", "{filed_liens#0.amount|$18,940.50}", 2),
        **box,
    )
    form_row(
        paper,
        Cell("Employer", "{employer.name|Harbor Loaf Baking Company, Inc.}"),
        Cell("Insurer", "{insurance_carrier|Cordillera Pacific Insurance Company}"),
        **box,
    )
    paper.gap(8)
    paper.line("This request for allowance of lien is made for (mark one):", style=style.bold(), after=3)
    for text, ticked in (
        ("A reasonable attorney's fee for legal services", False),
        (
            "The reasonable expense of {filed_liens#0.lien_type|medical} treatment (Labor Code section "
            "4903(b))",
            True,
        ),
        ("The living expenses of the employee's spouse or minor children", False),
        ("Unemployment compensation disability benefits paid by EDD", False),
        ("Interpreter services", False),
    ):
        paper.y += paper.tick(text, ticked=ticked) + 3
    paper.gap(8)
    paper.section("ITEMIZED STATEMENT")
    columns = [
        Column("Date of service", 18),
        Column("Code", 12),
        Column("Description", 40),
        Column("Charge", 15, "right"),
        Column("Paid", 15, "right"),
        Column("Balance", 15, "right"),
    ]
    rows = [
        [
            "12/17/2024",
            "29881",
            "Knee arthroscopy with meniscectomy, facility",
            "16,250.00",
            "3,814.17",
            "12,435.83",
        ],
        ["12/17/2024", "00400", "Anesthesia supplies", "2,118.00", "0.00", "2,118.00"],
        ["12/17/2024", "C1713", "Disposables", "1,906.67", "0.00", "1,906.67"],
        ["12/17/2024", "99070", "Recovery room, second hour", "2,480.00", "0.00", "2,480.00"],
        ["", "", "Total", "22,754.67", "3,814.17", "18,940.50"],
    ]
    table(paper, columns, rows, style=style.sized(8.8), emphasis=(-1,), padding=3)
    paper.gap(10)
    paper.para(
        "The lien is {filed_liens#0.status|open} and unpaid; a filing fee of $150.00 was paid with it."
    )
    paper.signature("Conrad Abelló", "Collections, Los Cerritos Surgical Pavilion")
    paper.turn()
    paper.section("VERIFICATION UNDER SECTION 4903.8", ruled=True)
    paper.para(
        "The services billed were actually provided to the injured employee.",
        "The statement attached truthfully describes them.",
        "The lien claimant is the original owner of the debt; nothing has been assigned.",
    )
    paper.section("PROOF OF SERVICE", ruled=True)
    paper.para(
        "Served by mail on 08/18/2025: {defense_attorney_name|Gideon Matsunaga}, Matsunaga Fell LLP; "
        "Palisade Claims Alliance."
    )
    paper.signature("Conrad Abelló")
    return paper


def email(new) -> Paper:
    style = Style("Vera", 9, leading=1.45)
    paper = new(style=style, margin=(60, 60, 60, 60))
    paper.line("Desmond Farrow", style=style.bold().sized(12), after=4)
    paper.rule(paper.left, paper.y, paper.right, paper.y, weight=1.4)
    paper.gap(6)
    rows = [
        ("From:", "{defense_attorney_name|Gideon Matsunaga} <gmatsunaga@example.com>"),
        ("To:", "{examiner_name|Desmond Farrow} <dfarrow@example.com>"),
        ("Date:", "Tue, 2 Dec 2025 17:08:41 -0800"),
        ("Subject:", "FW: liens and draft C&R, Barragán v. Harbor Loaf"),
    ]
    paper.pairs(rows, gutter=60)
    paper.para("Desmond,")
    paper.para(
        "Draft 2 of the C&R follows tomorrow at {amount|$68,500}, up from {amount=61000|$61,000} now that we "
        "have the panel report.",
        "My rating of Dr. Achterberg comes to {pd_rating_percent|20%} after apportionment:",
    )
    mono = Style("Courier", 9, leading=1.5)
    paper.line("85% (16.02.01.00 - 8 - [1.4]11 - 351G - 12 - 13) 11", style=mono, x=paper.left + 18)
    paper.line("85% (16.05.04.00 - 7 - [1.4]10 - 351G - 11 - 12) 10", style=mono, x=paper.left + 18)
    paper.line("11 C 10 = {pd_rating_percent|20} final PD", style=mono, x=paper.left + 18, after=8)
    paper.para("As of today EAMS shows three liens, {total_lien_amount|$26,638.85} together:")
    columns = [
        Column("Claimant", 40),
        Column("Kind", 18),
        Column("Filed", 16),
        Column("Amount", 16, "right"),
        Column("Status", 10),
    ]
    rows = [
        [
            "{filed_liens#0|Los Cerritos Surgical Pavilion}",
            "{filed_liens#0.lien_type|medical}",
            "{filed_liens#0.date_filed|08/18/2025}",
            "{filed_liens#0.amount|18,940.50}",
            "{filed_liens#0.status|open}",
        ],
        [
            "{filed_liens#1|Employment Development Department}",
            "{filed_liens#1.lien_type|EDD}",
            "{filed_liens#1.date_filed|02/07/2025}",
            "{filed_liens#1.amount|6,412.00}",
            "{filed_liens#1.status|open}",
        ],
        [
            "{filed_liens#2|Quill & Lantern Records Copy}",
            "{filed_liens#2.lien_type|copy service}",
            "{filed_liens#2.date_filed|09/30/2025}",
            "{filed_liens#2.amount|1,286.35}",
            "{filed_liens#2.status|open}",
        ],
    ]
    table(paper, columns, rows, style=style.sized(7.8), padding=3)
    paper.gap(10)
    paper.para(
        "{expected_liens#0|Ocean Boulevard Interpreting} called too; expect another "
        "{expected_liens#0.estimated_amount|$900.00}.",
        "The MSC is now on {next_hearing_date|January 27, 2026}, so let us have the signed draft out well "
        "before.",
    )
    paper.para("Gideon")
    paper.rule(paper.left, paper.y, paper.right, paper.y, grey=0.6)
    paper.gap(6)
    tiny = style.sized(7)
    paper.para(
        "This message may be privileged. If it reached you by mistake, delete it and tell the sender.",
        style=tiny,
    )
    return paper


def compromise_and_release(new) -> Paper:
    style = Style("Times", 11.5, leading=1.66)

    def furniture(paper: Paper) -> None:
        paper.stamp(
            "DRAFT 2 - NOT SIGNED",
            x=paper.left,
            y=30,
            width=paper.span,
            align="right",
            style=Style("Helvetica", 9, weight=1, grey=0.45),
        )
        line_foot("COMPROMISE AND RELEASE")(paper)

    paper = new(style=style, margin=(70, 58, 70, 64), furniture=furniture)
    caption(paper, "{settlement_type|COMPROMISE AND RELEASE}")
    paper.items(
        [
            "The injured employee, born {date_of_birth|June 23, 1979}, claims to have sustained injury on "
            "{date_of_injury|September 12, 2024} while employed as a {occupation|bakery production lead}.",
            "Parts of body, conditions and systems released: right shoulder, right knee, lumbar spine, "
            "psyche.",
            "Upon approval, and payment of the sum below, the employee releases the employer and its insurer "
            "from all claims, whether now known or not, arising from this injury.",
            "Unless stated otherwise in paragraph 9, nothing in this agreement releases a claim to the "
            "supplemental job displacement benefit.",
        ],
        bullet="1.",
        indent=0,
        spacing=6,
    )
    paper.para(
        "The parties have waived the hearing on this agreement and ask that it be approved on the papers.",
        "Each has been told that a judge may still set the matter if the sum appears inadequate.",
        "The employee has been told that by this agreement she gives up the right to reopen the case within "
        "five years of the injury, and death benefits for those who depend on her.",
    )
    paper.section("5.  EARNINGS AND BENEFITS PAID")
    box = {"value": style, "label_size": 7.5}
    form_row(
        paper,
        Cell("Earnings at time of injury, weekly", "{average_weekly_wage|$1,214.70}"),
        Cell("Temporary disability, weekly rate", "{weekly_rate|$809.80}"),
        Cell("Period paid", "{start_date|9/16/2024} to {end_date|4/9/2025}"),
        **box,
    )
    form_row(
        paper,
        Cell("Temporary disability paid", "$23,831.26"),
        Cell("Permanent disability advances", "$9,280.00"),
        Cell("Permanent disability rating", "{pd_rating_percent|20 percent}"),
        **box,
    )
    paper.gap(10)
    paper.section("6.  THE SUM")
    paper.para(
        "The parties agree to settle for {amount|$68,500.00}, payable by {insurance_carrier|Cordillera "
        "Pacific Insurance Company}.",
        "From this sum are deducted $9,280.00 for permanent disability advances and $10,275.00 for the fee "
        "of {applicant_attorney_firm|Oyelaran & Stroud, APC}.",
        "The balance is $48,945.00.",
    )
    paper.para(
        "Interest does not run if payment is made within 30 days after the order approving this agreement is "
        "served.",
        "Payment goes to applicant in care of counsel.",
        "Penalties and interest on benefits paid before the order are released.",
    )
    paper.section("7.  LIENS")
    paper.para(
        "Defendant will pay, adjust or litigate these liens and hold the applicant harmless:",
        "{filed_liens#0|Los Cerritos Surgical Pavilion}; {filed_liens#1|Employment Development Department}; "
        "{filed_liens#2|Quill & Lantern Records Copy}.",
    )
    paper.section("8.  MEDICARE")
    paper.para(
        "Applicant states that she is {is_medicare_beneficiary|not a Medicare beneficiary}, has not applied "
        "for Social Security disability, and does not expect to within 30 months.",
        "No set-aside is part of this agreement.",
    )
    paper.section("9.  REASONS FOR COMPROMISE AND OTHER TERMS")
    paper.para(
        "The parties dispute {apportionment_percent|15 percent} apportionment, the "
        "{disputed_body_parts#0|lumbar spine} and the {disputed_body_parts#1|psyche}, and the cost of future "
        "medical treatment.",
        "{sjdb_voucher_issued|The SJDB voucher was issued on June 12, 2025} and is not settled.",
    )
    paper.para(
        "The employee has read this agreement, or had it read to her, and understands that it is final once "
        "a judge approves it."
    )
    paper.section("10.  PRIVACY AND TAX")
    paper.para(
        "Neither side gives tax advice.",
        "The parties agree that no part of the sum is paid for wages.",
        "Counsel may show this agreement to lien claimants, with the address and the last digits of the "
        "Social Security number removed.",
    )
    paper.section("11.  SIGNATURES")
    columns = [Column("Party", 38), Column("Signature", 40), Column("Date", 18)]
    rows = [
        ["{full_name|Leocadia Barragán}, applicant", "", ""],
        ["{applicant_attorney_name|Philippa Oyelaran}, for applicant", "", ""],
        ["{defense_attorney_name|Gideon Matsunaga}, for defendants", "", ""],
    ]
    table(paper, columns, rows, padding=8)
    return paper
