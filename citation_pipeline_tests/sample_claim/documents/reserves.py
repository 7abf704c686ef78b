"""The reserve worksheet: what is held before and after a request."""

from datetime import date

from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Cell, Column, Paper, form_row, table
from citation_pipeline_tests.sample_claim.passages import mark
from citation_pipeline_tests.sample_claim.payments import OUTSTANDING, incurred, money, paid


def reserve_worksheet(new) -> Paper:
    style = Style("Times", 10.5)
    paper = new(style=style, margin=(72, 60, 72, 60))
    paper.title("RESERVE CHANGE REQUEST", size=14, align="center", after=10)
    form_row(
        paper,
        Cell("CLAIM", "{claim_number|PCA-24-0091827}"),
        Cell("CLAIMANT", "{full_name|Leocadia Barragán}"),
        Cell("DATE OF REQUEST", "12/04/2025"),
        value=style,
    )
    form_row(
        paper,
        Cell("INSURED", "{employer.name|Harbor Loaf Baking Company, Inc.}", 2),
        Cell("REQUESTED BY", "{examiner_name|D. Farrow}"),
        value=style,
    )
    paper.gap(16)
    paper.section("A. Present reserves (set 03/18/2025)")
    columns = [Column("", 30)] + [Column(h, 22, "right") for h in ("Paid to date", "Outstanding", "Incurred")]
    old = {"IND": 2_100_000, "MED": 1_500_000, "EXP": 500_000}
    paper.as_of, today = "2025-03-18", paper.as_of
    past = {code: paid(code, until=date(2025, 3, 18)) for code in old}
    keys = {"IND": "indemnity_reserve", "MED": "medical_reserve"}
    names = {"IND": "Indemnity", "MED": "Medical", "EXP": "Expense"}

    def superseded(key: str, cents: int) -> str:
        return mark(f"{key}={cents / 100:.2f}", money(cents))

    rows = []
    for code, name in names.items():
        held = superseded(keys[code], old[code]) if code in keys else money(old[code])
        rows.append([name, money(past[code]), held, money(past[code] + old[code])])
    was = sum(past.values()) + sum(old.values())
    rows.append(
        ["Total", money(sum(past.values())), money(sum(old.values())), superseded("total_incurred", was)]
    )
    table(paper, columns, rows, ruled=False, emphasis=(-1,), padding=3)
    paper.as_of = today
    paper.gap(14)
    paper.section("B. Reserves after this request (approved 12/04/2025)")
    spent = {
        "IND": mark("indemnity_paid", money(paid("IND"))),
        "MED": mark("medical_paid", money(paid("MED"))),
    }
    rows = []
    for code, name in names.items():
        held = money(OUTSTANDING[code])
        rows.append(
            [
                name,
                spent.get(code, money(paid(code))),
                mark(keys[code], held) if code in keys else held,
                money(incurred(code)),
            ]
        )
    everything = ("IND", "MED", "EXP")
    rows.append(
        [
            "Total",
            mark("total_paid", money(paid(*everything))),
            money(sum(OUTSTANDING.values())),
            mark("total_incurred", money(incurred(*everything))),
        ]
    )
    table(paper, columns, rows, ruled=True, emphasis=(-1,), padding=3)
    paper.gap(14)
    paper.section("C. Why")
    paper.para(
        "The panel report of 08/19/2025 raised permanent disability and left future medical open, and the "
        "first surgical facility filed a lien.",
        "Defense counsel values a full release at {amount|$68,500.00}.",
        "The earlier valuation of {amount=61000|$61,000.00} left out the knee.",
    )
    paper.signature("Desmond Farrow", "Senior Claims Examiner")
    return paper
