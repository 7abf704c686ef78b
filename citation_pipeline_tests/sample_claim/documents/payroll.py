"""The employer's payroll: 52 weeks of earnings."""

import random
from datetime import date, timedelta

from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Column, Paper, table


def wage_statement(new) -> Paper:
    def foot(paper: Paper) -> None:
        small = Style("Helvetica", 7.5)
        paper.stamp(
            f"Harbor Loaf payroll register, page {paper.page}", x=paper.left, y=paper.height - 34, style=small
        )

    style = Style("Helvetica", 8.8, leading=1.25)
    paper = new(style=style, margin=(70, 52, 70, 50), furniture=foot)
    paper.title("52-WEEK EARNINGS BEFORE INJURY", size=13)
    paper.pairs(
        [
            ("Employee", "{full_name|Barragán, Leocadia}"),
            ("Employee no.", "HL-0442"),
            ("Position", "{occupation|Bakery production lead}"),
            ("Hire date", "{date_of_hire|03/04/2013}"),
            ("Base pay", "{hourly_rate|$27.40} an hour"),
            ("Prepared", "01/21/2025"),
        ],
        columns=2,
        gutter=80,
    )
    draw = random.Random(52)
    rows, straight_total, overtime_total = [], 0, 0
    last = date(2024, 9, 8)
    overtimes = [draw.randint(0, 16) * 50 for _ in range(51)]
    # 52 weeks of $1,096.00 and overtime must come to 52 x $1,214.70: the last week holds what is missing.
    goal = 52 * (121_470 - 109_600)
    overtimes = [cents * goal * 98 // (100 * sum(overtimes)) for cents in overtimes]
    overtimes.append(goal - sum(overtimes))
    for number, overtime in enumerate(overtimes):
        ending = last - timedelta(days=7 * (51 - number))
        straight_total, overtime_total = straight_total + 109_600, overtime_total + overtime
        gross = f"{(109_600 + overtime) / 100:,.2f}"
        rows.append(
            [
                str(number + 1),
                ending.strftime("%m/%d/%Y"),
                "40.0",
                "1,096.00",
                f"{overtime / 100:,.2f}",
                gross,
            ]
        )
    columns = [
        Column("Wk", 6, "right"),
        Column("Week ending", 18, "right"),
        Column("Reg hrs", 12, "right"),
        Column("Regular", 16, "right"),
        Column("Overtime", 16, "right"),
        Column("Gross", 18, "right"),
    ]
    table(paper, columns, rows, ruled=False, repeat=True, padding=1.3)
    paper.gap(4)
    totals = [
        [
            "",
            "",
            "",
            f"{straight_total / 100:,.2f}",
            f"{overtime_total / 100:,.2f}",
            f"{(straight_total + overtime_total) / 100:,.2f}",
        ]
    ]
    totals[0][1] = "52 weeks"
    table(paper, [Column("", c.share, c.align) for c in columns], totals, ruled=True, emphasis=(0,))
    paper.gap(8)
    paper.line(
        "Average per week, overtime included: {average_weekly_wage|$1,214.70}",
        style=style.bold(),
        layout="kv",
    )
    paper.signature("Odalys Trent", "HR generalist")
    return paper
