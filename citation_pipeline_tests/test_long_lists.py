"""A ledger of a thousand rows: asked for in windows, checked against its rows, none lost or paid twice."""

import html
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.claude.errors import ClaudeUnavailableError
from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.core.answers.long_lists import align, long_tables, table_of_items
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline_tests.chat_scenes import ChatDesk
from citation_pipeline_tests.claude_scenes import Desk, document_of, field_of
from citation_pipeline_tests.fake_anthropic.prompts import ReadPrompt
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.fake_openai import FakeChat

INVOICE = load_schema("invoice")
KEY = "amounts.line_items"
_ROW = re.compile(r"<tr><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>")


def item(number: int) -> dict[str, Any]:
    """Rows differ by little, and every tenth says the same as another."""
    part = number - 1 if number % 10 == 0 else number
    return {
        "description": f"Bolt M{part % 7} lot {part}",
        "quantity": part % 5 + 1,
        "unit_price": 2.5,
        "amount": 10,
    }


def ledger(rows: int, *, per_page: int = 40) -> ParsedDocument:
    head = "<tr><th>Description</th><th>Qty</th><th>Unit price</th><th>Amount</th></tr>"
    from citation_pipeline.core.boxes import Box
    from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
    from citation_pipeline.core.documents.parsed import SourceDocument

    blocks = []
    for page, start in enumerate(range(0, rows, per_page), start=1):
        told, words = [], []
        for number in range(start, min(rows, start + per_page)):
            one = item(number)
            cells = [one["description"], str(one["quantity"]), "$2.50", "$10.00"]
            told.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
            words.append([(word, Box(0.1, 0.1, 0.1, 0.01)) for word in " ".join(cells).split()])
        told.append("<tr><td>Carried forward</td><td></td><td></td><td>$400.00</td></tr>")
        blocks.append(
            BlockDraft(page=page, type="Table", lines=words, content=f"<table>{head}{''.join(told)}</table>")
        )
        foot = [[(word, Box(0.1, 0.9, 0.1, 0.01)) for word in ("page", str(page))]]
        blocks.append(BlockDraft(page=page, type="Page Number", lines=foot))
    return compose_document(
        SourceDocument("ledger", "ledger.pdf", "ledger.pdf", "0" * 64, "application/pdf", 1),
        pages=[PageDraft(612, 792) for _ in range(len(blocks) // 2)],
        blocks=blocks,
        parser="test",
        parser_version="1",
    )


class Clerk:
    """Copies the rows that it is shown: of a long table the first ten, unless it does not listen.

    `skips` says of a row, and of how often it was shown, whether it is left out.
    """

    def __init__(
        self, skips: Callable[[str, int], bool] = lambda row, times: False, *, listens: bool = True
    ) -> None:
        self.skips, self.listens, self.seen = skips, listens, Counter[str]()
        self.largest = 0

    def answer(self, prompt: ReadPrompt) -> list[dict[str, Any]]:
        return [self._record(key, prompt) for key in prompt.asked]

    def _record(self, key: str, prompt: ReadPrompt) -> dict[str, Any]:
        record = {
            "field_key": key,
            "value": None,
            "confidence": "high",
            "provenance": "extracted",
            "citations": [],
        }
        if key != KEY:
            return record
        items, citations = [], []
        found = [(name, row) for name, text in prompt.sources.items() for row in _ROW.findall(text)]
        rows = [(name, row) for name, row in found if not row[0].startswith("Carried")]
        rows = rows[:10] if self.listens and len(rows) > 60 else rows
        for source_id, cells in rows:
            self.seen[cells[0]] += 1
            if self.skips(cells[0], self.seen[cells[0]]):
                continue
            what, count, price, amount = (html.unescape(cell) for cell in cells)
            items.append(
                {
                    "description": what,
                    "quantity": int(count),
                    "unit_price": float(price[1:]),
                    "amount": float(amount[1:]),
                }
            )
            citations.append({"source_id": source_id, "text_snippet": f"{what} {count} {price}", "page": 0})
        self.largest = max(self.largest, len(items))
        return {**record, "value": json.dumps(items), "citations": citations}


def read_items(value: Any) -> list[dict[str, Any]]:
    return [dict(one) for one in value]


def expected(rows: int) -> list[dict[str, Any]]:
    return [item(number) for number in range(rows)]


@pytest.mark.parametrize("listens", [True, False])
def test_a_ledger_of_a_thousand_rows_comes_without_loss_in_the_order_of_its_rows(
    tmp_path: Path, listens: bool
) -> None:
    clerk = Clerk(listens=listens)
    with FakeAnthropic(clerk) as claude:
        desk = Desk(claude, tmp_path, schema=INVOICE)
        replies, extraction = desk.run([ledger(1000)])
        again = desk.run([ledger(1000)])[1]
    lines = field_of(extraction, KEY)
    assert read_items(lines.value) == expected(1000)
    assert "list_incomplete" not in lines.warnings
    cited = {snippet.item_path for snippet in lines.snippets}
    assert len(cited) == 1000, "each row is cited at itself, also one of two that say the same"
    for snippet in lines.snippets[:40]:
        number = int(snippet.item_path[1:-1])
        assert snippet.text.startswith(item(number)["description"])
    assert again == extraction
    assert desk.paid == len(replies) <= 30, "a second run pays nothing"


def test_the_same_ledger_comes_whole_from_a_model_server_with_short_answers(tmp_path: Path) -> None:
    from dataclasses import replace

    from citation_pipeline_tests.chat_scenes import PROFILE

    clerk = Clerk()
    with FakeChat(answers=clerk) as chat:  # type: ignore[arg-type]
        desk = ChatDesk(chat, tmp_path, schema=INVOICE, profile=replace(PROFILE, output_tokens=4_000))
        _, extraction = desk.run([ledger(300)])
    assert read_items(field_of(extraction, KEY).value) == expected(300)
    assert clerk.largest <= 26, "an answer of 4,000 tokens has room for so many rows"


def test_rows_that_an_answer_left_out_are_asked_for_once_more(tmp_path: Path) -> None:
    # the first showing is that of the first question, for the first ten rows
    clerk = Clerk(lambda row, times: row.endswith("3") and times < 2)
    with FakeAnthropic(clerk) as claude:
        desk = Desk(claude, tmp_path, schema=INVOICE)
        _, extraction = desk.run([ledger(200)])
    lines = field_of(extraction, KEY)
    assert read_items(lines.value) == expected(200)
    assert "list_incomplete" not in lines.warnings


def test_a_list_whose_rows_never_all_come_says_so_and_keeps_what_came(tmp_path: Path) -> None:
    clerk = Clerk(lambda row, times: row.endswith("lot 77"))
    with FakeAnthropic(clerk) as claude:
        desk = Desk(claude, tmp_path, schema=INVOICE)
        replies, extraction = desk.run([ledger(200)])
    lines = field_of(extraction, KEY)
    assert read_items(lines.value) == [
        one for one in expected(200) if one["description"] != item(77)["description"]
    ]
    assert "list_incomplete" in lines.warnings
    assert len(replies) <= 8, "asked once more, and no third time"


def test_windows_end_where_the_claims_limit_of_them_does_and_the_list_says_so(tmp_path: Path) -> None:
    with FakeAnthropic(Clerk()) as claude:
        desk = Desk(claude, tmp_path, schema=INVOICE)
        replies, extraction = desk.run([ledger(300)], window_requests=2)
    lines = field_of(extraction, KEY)
    assert len(replies) == 3
    assert 90 <= len(lines.value) <= 110
    assert "list_incomplete" in lines.warnings


def test_a_run_that_dies_between_windows_pays_only_for_those_that_had_not_come(tmp_path: Path) -> None:
    with FakeAnthropic(Clerk()) as claude:
        desk = Desk(claude, tmp_path, schema=INVOICE)
        claude.add("messages", "status", status=529, skip=3, times=6)
        with pytest.raises(ClaudeUnavailableError):
            desk.run([ledger(400)])
        before = desk.paid
        replies, extraction = desk.run([ledger(400)])
        assert before >= 1
        assert desk.paid == len(replies)
    assert read_items(field_of(extraction, KEY).value) == expected(400)
    assert not any("Bolt" in str(row) for row in desk.rows)


def test_a_window_that_is_cut_is_asked_for_in_halves(tmp_path: Path) -> None:
    with FakeAnthropic(Clerk()) as claude:
        claude.records.settings.characters_per_token = 3.5
        desk = Desk(claude, tmp_path, schema=INVOICE)
        # some answers are longer than was thought: a window of 13 rows does not fit 1,100 tokens here
        _, extraction = desk.run([ledger(130)], answer_tokens=1_100, fields_per_request=10)
    assert read_items(field_of(extraction, KEY).value) == expected(130)


def test_payments_that_differ_by_one_member_alone_are_told_apart_when_one_is_left_out() -> None:
    [table] = long_tables([ledger(80)])
    items = [item(number) for number in range(80) if number != 41]
    rows = align(items, table, table.data)
    missing = set(table.data) - set(rows.values())
    assert [table.rows[number].row.cells[0] for number in missing] == [item(41)["description"]]


def test_a_table_goes_on_over_pages_and_its_headings_and_sums_are_no_rows() -> None:
    [table] = long_tables([ledger(200)])
    assert len(table.data) == 200
    assert table.head is not None
    assert [row.page for row in table.rows if row.is_data][::40] == [1, 2, 3, 4, 5]
    assert long_tables([ledger(60)]) == []
    assert long_tables([document_of("a", ["no table"])]) == []


def test_the_plan_prices_the_windows_of_a_table_that_is_headed_like_a_list_of_the_schema(
    tmp_path: Path,
) -> None:
    with FakeAnthropic(Clerk()) as claude:
        desk = Desk(claude, tmp_path, schema=INVOICE)
        planned = desk.extractor().estimate([ledger(1000)], INVOICE)
        replies, _ = desk.run([ledger(1000)])
        of_short = desk.extractor().estimate([ledger(50)], INVOICE)
    assert of_short.calls == 1
    assert planned.calls == 21
    assert abs(planned.calls - len(replies)) <= 2
    paid = sum(reply.cost_usd for reply in replies)
    assert 0.5 < planned.cost_usd / paid < 2


def pharmacy(rows: int) -> ParsedDocument:
    drugs = ("Tizanidine", "Etodolac", "Lidocaine", "Gabapentin")
    told = "".join(
        f"<tr><td>{1 + n % 28:02d}/03/2024</td><td>{drugs[n % 4]}</td><td>${10 + n}.00</td></tr>"
        for n in range(rows)
    )
    head = "<tr><th>Filled</th><th>Drug</th><th>Paid</th></tr>"
    return document_of("pharmacy", ["x"], tables=[f"<table>{head}{told}</table>"])


def test_a_short_list_whose_items_are_in_many_rows_of_a_ledger_is_not_taken_for_the_ledger() -> None:
    tables = long_tables([pharmacy(90)])
    assert len(tables) == 1
    names = [{"name": "Tizanidine"}, {"name": "Etodolac"}, {"name": "Lidocaine"}, {"name": "Gabapentin"}]
    assert table_of_items(names, tables) is None
    assert table_of_items(["Tizanidine", "Etodolac", "Gabapentin"], tables) is None
    # two payments far apart are no beginning of it, and one item is none of anything
    paid = [{"drug": "Lidocaine", "paid": 12.0 + 4 * n} for n in (1, 9, 20)]
    assert table_of_items(paid, tables) is None
    assert table_of_items(paid[:1], tables) is None
    first = [
        {"drug": drug, "paid": 10.0 + n} for n, drug in enumerate(("Tizanidine", "Etodolac", "Lidocaine"))
    ]
    assert table_of_items(first, tables) is tables[0]


def test_a_list_is_a_ledgers_beginning_where_half_of_its_items_are_of_one_row_alone() -> None:
    (table,) = tables = long_tables([pharmacy(90)])
    drugs = ("Tizanidine", "Etodolac", "Lidocaine", "Gabapentin", "Tizanidine")
    shared = [{"drug": drug} for drug in drugs]
    own = [{"drug": drug, "paid": 10.0 + n} for n, drug in enumerate(drugs)]
    assert table_of_items([*own[:2], *shared[2:4]], tables) is table
    assert table_of_items([*own[:2], *shared[2:5]], tables) is None


def test_of_two_ledgers_that_a_list_begins_alike_the_first_is_meant() -> None:
    tables = [*long_tables([pharmacy(90)]), *long_tables([pharmacy(90)])]
    drugs = ("Tizanidine", "Etodolac", "Lidocaine")
    items = [{"drug": drug, "paid": 10.0 + n} for n, drug in enumerate(drugs)]
    assert table_of_items(items, tables) is tables[0]
    assert table_of_items(items, tables[::-1]) is tables[1]
