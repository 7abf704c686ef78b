"""The payment history: landscape, several pages, the heading on the first page only, totals on the last."""

from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Column, Paper, table
from citation_pipeline_tests.sample_claim.passages import mark
from citation_pipeline_tests.sample_claim.payments import PAYMENTS, money, paid


def _foot(paper: Paper) -> None:
    small = Style("Courier", 7.5)
    text = f"PAYHIST   0091827   printed 05-DEC-2025   sheet {paper.page} of {paper.total}"
    paper.stamp(text, x=paper.left, y=paper.height - 36, style=small)


def payment_history(new) -> Paper:
    style = Style("Courier", 8.4, leading=1.2)
    paper = new(style=style, margin=(40, 40, 40, 54), furniture=_foot)
    paper.title("PAYMENT HISTORY BY ISSUE DATE", size=12, after=4)
    head = [
        ("CLAIM", "{claim_number|PCA-24-0091827}"),
        ("CLAIMANT", "{full_name|BARRAGÁN, LEOCADIA}"),
        ("RUN", "{date|05-DEC-2025}"),
        ("LOSS", "{date_of_injury|12-SEP-2024}"),
    ]
    paper.pairs(head, columns=4, gutter=66)
    columns = [
        Column("ISSUED", 11),
        Column("DRAFT", 8),
        Column("PAYEE", 37),
        Column("FOR", 33),
        Column("SERVICE DATES", 24),
        Column("CD", 4),
        Column("AMOUNT", 12, "right"),
    ]
    rows = [
        [
            p.issued.strftime("%m/%d/%Y"),
            str(700_114 + 7 * n),
            p.payee,
            p.description,
            p.period,
            p.coverage,
            f"{p.cents / 100:,.2f}",
        ]
        for n, p in enumerate(PAYMENTS)
    ]
    table(paper, columns, rows, ruled=False, padding=1.2, dates=[p.issued.isoformat() for p in PAYMENTS])
    paper.need(90)
    paper.gap(10)
    paper.rule(paper.left, paper.y, paper.left + 330, paper.y, weight=1)
    paper.gap(4)
    totals = [
        ["IND", "Indemnity paid", mark("indemnity_paid", money(paid("IND")))],
        ["MED", "Medical paid", mark("medical_paid", money(paid("MED")))],
        ["EXP", "Expense paid", money(paid("EXP"))],
        ["", "All payments to date", mark("total_paid", money(paid("IND", "MED", "EXP")))],
    ]
    columns = [Column("", 5), Column("", 30), Column("", 18, "right")]
    table(paper, columns, totals, ruled=False, emphasis=(-1,), width=330)
    return paper
