"""The day that a document speaks for, as its pages show it: one answer for everybody who asks."""

from dataclasses import replace

import pytest

from citation_pipeline.core.documents.dates import date_of, dates_of, page_key
from citation_pipeline.core.documents.part_documents import dates_by_part
from citation_pipeline.core.documents.parts import find_document_parts
from citation_pipeline_tests.drawn_documents import block_of, document_of, text_document


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Claim no. 7\nRun date: 19-Oct-2026\nDOI 08/05/2026", "2026-10-19"),
        ("October 20, 2025\nRE: Jane Roe\nDate of birth: 01/02/1980", "2025-10-20"),
        ("Date: 03/04/2024\nNext appointment 05/06/2024", "2024-03-04"),
        ("Date of injury 01/17/2020. Seen 01/27/2020. Return on 02/10/2020.", "2020-01-27"),
        ("From: a@example.com\nDate: 03/04/2024\nThe report of 05/06/2024 is awaited.", "2024-03-04"),
        ("Hearing set for 02/05/2026", None),
        ("no date at all", None),
    ],
)
def test_a_labelled_date_comes_first_and_else_the_latest_that_is_past(text: str, date: str | None):
    assert date_of(text_document("a", *text.split("\n"))) == date


def test_documents_without_a_date_are_left_out():
    documents = [text_document("a", "Report date: 01/05/2020"), text_document("b", "words")]
    assert dates_of(documents) == {"a": "2020-01-05"}


def test_a_part_of_a_file_has_the_date_that_it_would_have_as_a_file():
    letters = [
        ["October 20, 2025", "Dear Ms. Roe,", "The visit of 11/30/2025 is authorized.", "Sincerely, A. Lee"],
        ["November 3, 2025", "Dear Mr. Doe,", "The claim is accepted.", "Sincerely, A. Lee"],
    ]
    file = document_of("file", [block_of(lines, page=page) for page, lines in enumerate(letters, start=1)])
    file = replace(file, part_starts=(1, 2))
    alone = [date_of(text_document("alone", *lines)) for lines in letters]
    assert [part.date for part in find_document_parts(file)] == alone == ["2025-10-20", "2025-11-03"]
    assert dates_by_part([file])[page_key("file", 2)] == "2025-11-03"
