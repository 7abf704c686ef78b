"""Lists compared with the rows on the page."""

from typing import Any

from citation_pipeline.core.completeness import count_rows, find_short_lists
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


def test_rows_are_counted_without_heading_and_total():
    assert count_rows(liens("EDD", "Kaiser & Sons"), [document_of("a", ["text"], tables=[TABLE])]) == 3


def test_a_list_shorter_than_its_table_is_found_and_a_full_one_is_not():
    documents = [document_of("a", ["text"], tables=[TABLE])]
    assert find_short_lists([liens("EDD", "Kaiser & Sons")], documents) == {"liens.filed_liens": 3}
    assert find_short_lists([liens("EDD", "Kaiser & Sons", "Tri-County Imaging")], documents) == {}


def test_a_table_that_holds_none_of_the_items_or_only_one_of_several_says_nothing():
    documents = [document_of("a", ["text"], tables=[TABLE])]
    assert count_rows(liens("Somebody"), documents) is None
    assert count_rows(liens("EDD", "Somebody", "Another"), documents) is None


def test_a_ledger_of_many_rows_is_no_list_of_items():
    rows = "".join(f"<tr><td>EDD</td><td>{n}</td></tr>" for n in range(100))
    assert count_rows(liens("EDD"), [document_of("a", ["x"], tables=[f"<table>{rows}</table>"])]) is None
