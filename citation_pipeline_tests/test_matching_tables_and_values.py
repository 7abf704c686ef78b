"""Rows quoted with their header words, and dates and numbers quoted in another form than the page's."""

import re

import pytest

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.composition import BlockDraft
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import PlaceSearch, search_places
from citation_pipeline_tests.drawn_documents import block_of, document_of, text_document

# columns of one width, so that each value is below its header
ROWS = (
    ("Served", "Payee", "Billed", "Paid"),
    ("09/24/2023", "Orsini", "470.81", "329.57"),
    ("10/02/2023", "Barlow", "155.41", "85.48"),
)


def table() -> ParsedDocument:
    blocks = [
        block_of([row[column] for row in ROWS], left=0.05 + 0.2 * column, kind="Table") for column in range(4)
    ]
    return document_of("t", blocks)


def search(snippet: str, document: ParsedDocument) -> PlaceSearch:
    return search_places(DocumentIndex(document), snippet, Hints())


@pytest.mark.parametrize(
    "snippet",
    [
        "Served: 09/24/2023; Payee: Orsini; Billed: 470.81; Paid: 329.57",
        "**Served**: 09/24/2023; **Billed**: 470.81; **Paid**: 329.57",
        "Served = 10/02/2023, Payee = Barlow, Paid = 85.48",
        "Served 10/02/2023\nPayee Barlow\nBilled 155.41",
    ],
)
def test_a_row_quoted_with_its_header_words_is_found(snippet: str) -> None:
    found = search(snippet, table())
    assert found.status is CitationStatus.RESOLVED
    assert found.best is not None
    texts = {table().words.texts[word] for word in found.best.match.words}
    assert set(re.sub(r"[*=:;,]", " ", snippet).split()) == texts


@pytest.mark.parametrize(
    "snippet",
    [
        "Served: 09/24/2023; Payee: Orsini; Billed: 329.57; Paid: 470.81",
        "Served: 09/24/2023; Paid: 470.81; Billed: 329.57",
        "Served: 09/24/2023; Payee: Orsini; Billed: 155.41; Paid: 329.57",
        "Served: 09/24/2023; Payee: Orsini; Paid: 470.81",
    ],
)
def test_a_value_under_another_columns_header_is_refused(snippet: str) -> None:
    assert search(snippet, table()).status is not CitationStatus.RESOLVED


def test_a_wrong_pairing_of_header_and_value_is_named() -> None:
    found = search("Served: 09/24/2023; Payee: Orsini; Paid: 470.81", table())
    assert found.best is not None
    assert "column_differs" in found.best.judgement.warnings


def test_a_line_of_running_text_is_no_table_row() -> None:
    found = search(
        "For Disclosure, Privacy 12, and Notice, see page 23.",
        text_document("a", "For Disclosure, Privacy 12, Notice, and", "(see page 23) they were heard."),
    )
    assert found.status is not CitationStatus.RESOLVED


VALUES = (
    "Surgery was performed on January 5, 2023 at the hospital.",
    "The claim was denied on 9/2/22 by letter of the examiner.",
    "The hearing is set for the 21st day of June, 2023 at nine.",
    "The total value of the claim stands at $1,200,000 including reserves.",
    "A fine of $10,000 was assessed against the uninsured employer.",
    "Disability is payable for one hundred four weeks from then.",
    "The report of 20230612 was received by fax.",
)


@pytest.mark.parametrize(
    ("snippet", "place"),
    [
        ("Surgery was performed on 2023-01-05 at the hospital", "January 5, 2023"),
        ("Surgery was performed on 5 January 2023 at the hospital", "January 5, 2023"),
        ("The claim was denied on September 2, 2022 by letter", "9/2/22"),
        ("hearing is set for June 21, 2023 at nine", "21st day of June, 2023"),
        ("value of the claim stands at $1.2 million", "$1,200,000"),
        ("A fine of ten thousand dollars was assessed", "$10,000"),
        ("Disability is payable for 104 weeks from then", "one hundred four"),
        ("The report of June 12, 2023 was received by fax", "20230612"),
        ("Surgery was performed on 1/5/2023", "January 5, 2023"),
        ("2023-01-05 at the hospital", "January 5, 2023"),
    ],
)
def test_the_same_date_or_number_in_another_form_is_found_and_named(snippet: str, place: str) -> None:
    document = text_document("a", *VALUES)
    found = search(snippet, document)
    assert found.best is not None
    assert (found.status, found.best.judgement.reason) == (CitationStatus.FLAGGED, "rewritten")
    assert place in " ".join(document.words.texts[word] for word in sorted(found.best.match.words))


@pytest.mark.parametrize(
    "snippet",
    [
        "Surgery was performed on 2023-01-06 at the hospital",
        "Surgery was performed on 1/6/2023",
        "2023-01-06 at the hospital",
        "The claim was denied on September 22, 2022 by letter",
        "value of the claim stands at $1.3 million",
        "A fine of two thousand dollars was assessed",
        "Disability is payable for 140 weeks from then",
        "The report of June 13, 2023 was received by fax",
    ],
)
def test_another_date_or_number_is_not_the_same_in_another_form(snippet: str) -> None:
    found = search(snippet, text_document("a", *VALUES))
    assert found.status is not CitationStatus.RESOLVED
    assert found.best is not None
    assert found.best.judgement.reason != "rewritten"


def priced() -> ParsedDocument:
    cells = (
        ("Ware", "Rate / 100", "Note", "Owed"),
        ("Crates", "12,40 €", "late", "96,10 €"),
        ("Barrels", "38,75 €", "", "15,00 €"),
    )
    columns = [
        [close_set(row[at], 0.05 + 0.22 * at, 0.1 + 0.02 * n) for n, row in enumerate(cells)]
        for at in range(4)
    ]
    return document_of("p", [BlockDraft(1, "Table", column) for column in columns])


def close_set(text: str, left: float, top: float) -> list[tuple[str, Box]]:
    """The words of one cell, a blank of half a letter between them."""
    words = []
    for word in text.split():
        words.append((word, Box(left, top, 0.008 * len(word), 0.012)))
        left += 0.008 * len(word) + 0.005
    return words


@pytest.mark.parametrize(
    ("snippet", "words"),
    [
        ("Ware: Crates; Rate / 100: 12,40 €; Owed: 96,10 €", "Ware Rate / 100 Owed Crates 12,40 € 96,10 €"),
        ("Ware: Barrels; Note: ; Owed: 15,00 €", "Ware Note Owed Barrels 15,00 €"),
        ("Ware: Barrels; Note: null; Owed: 15,00 €", "Ware Note Owed Barrels 15,00 €"),
        ("12,40 € – Note: late, Owed: 96,10 €", "Note Owed 12,40 € late 96,10 €"),
        ("Ware:Crates;Note:late;Owed:96,10 €", "Ware Note Owed Crates late 96,10 €"),
        ("Ware：Crates，Note：late；Owed：96,10 €", "Ware Note Owed Crates late 96,10 €"),
        ('{"Ware":"Crates","Owed":"96,10 €"}', "Ware Owed Crates 96,10 €"),
    ],
)
def test_signs_empty_cells_and_a_leading_cell_belong_to_a_headed_row(snippet: str, words: str) -> None:
    found = search(snippet, priced())
    assert found.status is CitationStatus.RESOLVED
    assert found.best is not None
    texts = priced().words.texts
    assert sorted(texts[word] for word in found.best.match.words) == sorted(words.split())


@pytest.mark.parametrize(
    "snippet",
    [
        "Ware: Crates; Note: ; Owed: 96,10 €",
        "Ware: Crates; Rate / 100: 12,40 $; Owed: 96,10 €",
        "15,00 € – Note: late, Owed: 96,10 €",
        "Ware:Barrels;Note:late;Owed:96,10 €",
    ],
)
def test_a_cell_quoted_as_empty_or_with_another_sign_is_refused(snippet: str) -> None:
    assert search(snippet, priced()).status is not CitationStatus.RESOLVED


def test_a_row_with_its_headers_and_its_day_in_another_form_is_rewritten() -> None:
    found = search("Served: September 24, 2023; Payee: Orsini; Paid: 329.57", table())
    assert found.best is not None
    assert (found.status, found.best.judgement.reason) == (CitationStatus.FLAGGED, "rewritten")
    assert "09/24/2023" in [table().words.texts[word] for word in found.best.match.words]


def test_a_cell_that_says_what_another_header_says_is_the_value_of_the_header_before_it() -> None:
    rows = (("Kind", "Code", "Units"), ("Code", "Units", "7"), ("Kind", "9", "8"))
    blocks = [
        block_of([row[column] for row in rows], left=0.05 + 0.2 * column, kind="Table") for column in range(3)
    ]
    found = search("Kind: Code; Code: Units; Units: 7", document_of("t", blocks))
    assert found.status is CitationStatus.RESOLVED
    assert found.best is not None
    assert found.best.match.words == (0, 3, 6, 1, 4, 7)
