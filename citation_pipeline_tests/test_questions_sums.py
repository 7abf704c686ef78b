"""Sums and counts over the rows of a table: computed from rows that are cited, or not at all."""

from collections.abc import Sequence

import pytest

from citation_pipeline.core.retrieval.answering import Answer, answer_from
from citation_pipeline.core.retrieval.candidates import KeptFields, find_candidates
from citation_pipeline.core.retrieval.confidence import answer_model
from citation_pipeline.core.retrieval.questions import read_question
from citation_pipeline.core.retrieval.statements.reading import read_statements
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline_tests.typeset import Line, typeset

ROWS = (
    ("01/05/2026", "1001", "Harbor Imaging", "120.00"),
    ("01/19/2026", "1002", "Quill Copy Service", "88.15"),
    ("02/02/2026", "1003", "Harbor Imaging", "340.50"),
    ("02/16/2026", "1004", "Harbor Imaging", "75.25"),
    ("03/02/2026", "1005", "Quill Copy Service", "61.85"),
)
COLUMNS = (60.0, 160.0, 240.0, 460.0)


def ledger(*rows: Sequence[str], total: str | None) -> list[Statement]:
    told = [("Date", "Check", "Payee", "Amount"), *rows]
    if total is not None:
        told.append(("Total", "", "", total))
    lines = [
        [Line(left, 100.0 + 20 * number, text) for left, text in zip(COLUMNS, row, strict=True) if text]
        for number, row in enumerate(told)
    ]
    return read_statements(
        typeset("payments", [Line(60, 60, "PAYMENT LEDGER"), *(cell for row in lines for cell in row)])
    )


def sums(statements: Sequence[Statement]) -> dict[str, str]:
    return {s.label: s.text for s in statements if s.kind == "sum"}


def asked(question: str, statements: Sequence[Statement]) -> Answer:
    model = answer_model()
    found = find_candidates(read_question(question), statements, KeptFields(), None, model.ranking)
    return answer_from(found, model, threshold=-1.0)


def test_rows_that_name_the_same_are_added_up_where_the_table_adds_up() -> None:
    found = sums(ledger(*ROWS, total="685.75"))
    assert found["Harbor Imaging Amount total"] == "535.75"
    assert found["Quill Copy Service Amount total"] == "150.00"
    assert found["number of Harbor Imaging"] == "3 Harbor Imaging"


@pytest.mark.parametrize("total", [None, "700.00"], ids=["no total is printed", "a row is missing"])
def test_a_table_that_is_not_complete_is_not_added_up(total: str | None) -> None:
    assert sums(ledger(*ROWS, total=total)) == {}


def test_a_sum_is_answered_with_every_row_that_it_was_made_of() -> None:
    statements = ledger(*ROWS, total="685.75")
    answer = asked("How much was paid to Harbor Imaging in total?", statements)
    assert answer.value == 535.75
    cited = set(answer.support[0].statement.words)
    rows = [s for s in statements if s.kind == "row" and "Harbor" in s.text]
    assert len(rows) == 3
    assert all(cited.issuperset(row.words) for row in rows)


def test_one_row_is_no_answer_to_a_question_for_the_sum() -> None:
    answer = asked("How much was paid to Harbor Imaging altogether?", ledger(*ROWS, total="685.75"))
    reasons = {e.near_miss for e in answer.misses if e.statement.kind in ("row", "cell")}
    assert answer.value == 535.75
    assert reasons <= {"it is one of the rows that add up to what was asked about"}


def test_who_asks_for_one_payment_is_not_told_the_sum() -> None:
    answer = asked("How much was check 1003 to Harbor Imaging?", ledger(*ROWS, total="685.75"))
    assert answer.value == 340.5
