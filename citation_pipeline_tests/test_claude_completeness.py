"""Lists compared with the rows on the page."""

from typing import Any

from citation_pipeline.core.answers.completeness import ShortList, find_short_lists
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline_tests.claude_scenes import document_of

TABLE = (
    "<table><tr><th>Lienholder</th><th>Amount</th></tr>"
    "<tr><td>EDD</td><td>$5.00</td></tr><tr><td>Kaiser &amp; Sons</td><td>$7.00</td></tr>"
    "<tr><td>Tri-County Imaging</td><td>$9.00</td></tr><tr><td>Total</td><td>$21.00</td></tr></table>"
)


def liens(*holders: str) -> ExtractedField:
    value: list[Any] = [{"lienholder": holder} for holder in holders]
    return ExtractedField(field_key="liens.filed_liens", value=value, value_type="array")


def short(field: ExtractedField, *documents: ParsedDocument) -> dict[str, ShortList]:
    return find_short_lists([field], documents)


def test_a_list_shorter_than_its_table_is_found_without_heading_and_total():
    document = document_of("a", ["text"], tables=[TABLE])
    assert short(liens("EDD", "Kaiser & Sons"), document) == {
        "liens.filed_liens": ShortList(3, "a", is_sure=True)  # a cell of its own for each item
    }


def test_a_full_list_is_not_short():
    document = document_of("a", ["text"], tables=[TABLE])
    assert short(liens("EDD", "Kaiser & Sons", "Tri-County Imaging"), document) == {}


def test_a_table_that_lacks_one_of_the_items_is_another_list():
    document = document_of("a", ["text"], tables=[TABLE])
    assert short(liens("Somebody"), document) == {}
    assert short(liens("EDD", "Kaiser & Sons", "Somebody"), document) == {}


def test_rows_that_only_mention_the_items_are_no_list_of_them():
    notes = (
        "<table><tr><td>Date</td><td>Note</td></tr>"
        "<tr><td>1/1</td><td>Called EDD and asked for papers</td></tr>"
        "<tr><td>1/2</td><td>Letter to Kaiser about the balance</td></tr>"
        "<tr><td>1/3</td><td>Diary</td></tr></table>"
    )
    assert short(liens("EDD", "Kaiser"), document_of("a", ["text"], tables=[notes])) == {}


def test_an_item_of_several_rows_makes_a_ledger_and_no_list():
    rows = "".join(f"<tr><td>EDD</td><td>{n}</td></tr>" for n in range(5))
    assert short(liens("EDD"), document_of("a", ["x"], tables=[f"<table>{rows}</table>"])) == {}
