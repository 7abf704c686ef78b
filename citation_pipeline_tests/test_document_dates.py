"""A document's own date, as its first page tells it."""

import pytest

from citation_pipeline.core.documents.dates import date_of_text, dates_of
from citation_pipeline_tests.claude_scenes import document_of


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Claim no. 7\nRun date: 19-Oct-2026\nDOI 08/05/2026", "2026-10-19"),
        ("October 20, 2025\nRE: Jane Roe\nDate of birth: 01/02/1980", "2025-10-20"),
        ("Date: 03/04/2024\nNext appointment 05/06/2024", "2024-03-04"),
        ("Date of injury 01/17/2020. Seen 01/27/2020. Return on 02/10/2020.", "2020-01-27"),
        ("Hearing set for 02/05/2026", None),
        ("no date at all", None),
    ],
)
def test_a_labelled_date_comes_first_and_else_the_latest_that_is_past(text: str, date: str | None):
    assert date_of_text(text) == date


def test_documents_without_a_date_are_left_out():
    documents = [document_of("a", ["Report date: 01/05/2020"]), document_of("b", ["words"])]
    assert dates_of(documents) == {"a": "2020-01-05"}
