"""Totals of tables: wrong only where no sum of the rows gives them, and then always."""

import pytest

from citation_pipeline.core.consistency.sums import wrong_sums
from citation_pipeline.core.layout.tables import Cell


def totals_that_are_wrong(head: str, *rows: str) -> list[str]:
    """Return the texts of the totals that are found wrong in a table written with `|` between cells."""
    body = [
        {
            column: Cell(row, column, 1, 1, False, range(0), text.strip())
            for column, text in enumerate(line.split("|"))
        }
        for row, line in enumerate(rows, 1)
    ]
    header = [name.strip() for name in head.split("|")]
    return [wrong.total.cell.text for wrong in wrong_sums(header, body)]


SOUND = {
    "all rows": ("Payee|Amount", "A|10.50", "B|20.25", "Total|30.75"),
    "subtotals of groups": (
        ("Item|Amount", "A|100.00", "B|50.00", "Subtotal|150.00", "C|25.00", "D|25.00")
        + ("Subtotal|50.00", "Total|200.00")
    ),
    "a tax after the subtotal": (
        "Item|Amount", "A|20.00", "B|15.00", "Subtotal|35.00", "Tax 10%|3.50", "Total|38.50",
    ),
    "what was paid counts against it": (
        "Item|Amount", "A|20.00", "B|15.00", "Total|35.00", "Less paid|10.00", "Balance due|25.00",
    ),
    "a credit in brackets": ("Payee|Amount", "A|500.00", "Refund|(100.00)", "B|50.00", "Total|450.00"),
    "the total is the first row": ("Item|Amount", "Total|60.00", "A|10.00", "B|20.00", "C|30.00"),
    "an average below": ("Week|Wage", "1|400.00", "2|380.00", "Total|780.00", "Average|390.00"),
    "the highest below": ("Day|Wage", "Mon|400.00", "Tue|380.00", "Wed|420.00", "Highest|420.00"),
    "a running balance": (
        "Day|Amount|Balance", "1 May|100.00|100.00", "2 May|50.00|150.00", "Total|150.00|150.00",
    ),
    "a cell that is no amount": ("Payee|Paid", "A|400.00", "B|pending", "C|50.00", "Total|475.00"),
    "blank cells": ("Payee|Paid", "A|400.00", "B|", "C|—", "D|20.00", "Total|420.00"),
    "rounded thousands": ("Item|In thousands", "A|10", "B|11", "C|12", "Total|34"),
    "rounded hours": ("Part|Hours", "A|10.33", "B|10.33", "C|10.33", "Total|31.00"),
    "shares that combine": ("Part|Impairment", "Neck|30%", "Back|20%", "Total|44%"),
    "decimal commas": ("Posten|Betrag", "A|1.200,50", "B|300,00", "Summe|1.500,50"),
    "columns that are added across": (
        "Part|Q1|Q2|Total", "A|10.00|20.00|30.00", "B|1.00|2.00|3.00", "Total|11.00|22.00|33.00",
    ),
    "billed, written off and paid": (
        "Payee|Billed|Written off|Total", "A|100.00|20.00|80.00", "B|50.00|10.00|40.00",
    ),
    "a total that is a word": ("Name|Note", "Ann|Total knee replacement", "Bob|Total 3", "Cy|4"),
}  # fmt: skip

WRONG = {
    "another digit": (("Payee|Amount", "A|10.50", "B|20.25", "Total|31.75"), ["31.75"]),
    "one cent": (("Payee|Amount", "A|10.50", "B|20.25", "Total|30.76"), ["30.76"]),
    "turned digits": (("Payee|Amount", "A|100.00", "B|53.00", "Grand total|135.00"), ["135.00"]),
    "another name of a total": (("Payee|Amount", "A|10.50", "B|20.25", "Amount due|31.75"), ["31.75"]),
    "a subtotal": (
        ("Item|Amount", "A|100.00", "B|50.00", "Subtotal|160.00", "C|25.00", "Total|185.00"), ["160.00"],
    ),
    "the total after a tax": (
        ("Item|Amount", "A|20.00", "B|15.00", "Subtotal|35.00", "Tax|3.50", "Total|48.50"), ["48.50"],
    ),
    "a credit that was added": (
        ("Payee|Amount", "A|500.00", "Refund|(100.00)", "B|50.00", "Total|650.00"), ["650.00"],
    ),
    "one column of two": (
        ("Payee|Billed|Paid", "A|500.00|400.00", "B|50.00|50.00", "Total|550.00|540.00"), ["540.00"],
    ),
    "the first row": (("Item|Amount", "Total|90.00", "A|10.00", "B|20.00", "C|30.00"), ["90.00"]),
    "a note below": (("Payee|Amount", "A|10.50", "B|20.25", "Total|31.75", "Subject to audit|"), ["31.75"]),
    "decimal commas": (("Posten|Betrag", "A|1.200,50", "B|300,00", "Summe|1.600,50"), ["1.600,50"]),
    "one row across": (
        ("Part|Q1|Q2|Total", "A|10|20|30", "B|1|2|3", "C|5|5|10", "D|2|2|5"), ["5"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SOUND)
def test_a_total_that_some_sum_of_its_rows_gives_is_no_fault(name: str):
    assert totals_that_are_wrong(*SOUND[name]) == []


@pytest.mark.parametrize("name", WRONG)
def test_a_total_that_no_sum_of_its_rows_gives_is_a_fault(name: str):
    rows, wrong = WRONG[name]
    assert totals_that_are_wrong(*rows) == wrong
