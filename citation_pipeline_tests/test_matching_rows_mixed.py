"""A row is quoted as the page has it: no cell of it is a neighbour's; what goes on below is no other row."""

from collections.abc import Sequence

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import PlaceSearch, search_places
from citation_pipeline.core.resolution.queries import read_words
from citation_pipeline_tests.drawn_documents import block_of, document_of

ROWS = (
    ("Motion", "Right", "Left", "Impairment"),
    ("Flexion", "146", "176", "2%"),
    ("Extension", "44", "52", "1%"),
    ("Adduction", "36", "48", "0%"),
)


def index_of(rows: Sequence[Sequence[str]], *, by_cell: bool) -> DocumentIndex:
    """A table of four columns; a parser may make a block of every cell, or of every row."""
    words, blocks = [], []
    for number, row in enumerate(rows):
        begin = len(words)
        for column, cell in enumerate(row):
            first = len(words)
            for at, word in enumerate(cell.split()):
                words.append([word, 1, 0.05 + 0.24 * column + 0.07 * at, 0.1 + 0.02 * number, 0.06, 0.012])
            if by_cell:
                blocks.append({"words": [first, len(words)]})
        if not by_cell:
            blocks.append({"words": [begin, len(words)]})
    return DocumentIndex(read_words({"words": words, "blocks": blocks}))


def search(snippet: str, rows: Sequence[Sequence[str]] = ROWS, *, by_cell: bool = True) -> PlaceSearch:
    return search_places(index_of(rows, by_cell=by_cell), snippet, Hints())


@pytest.mark.parametrize("by_cell", [True, False])
@pytest.mark.parametrize(
    "snippet",
    [
        "Flexion 146 52 2%",
        "Extension 44 52 0%",
        "Flexion 146 176 1%",
        "Flexion 44 52 1%",
        "Adduction 44 48 0%",
    ],
)
def test_a_row_with_a_cell_of_its_neighbour_is_not_resolved(snippet: str, by_cell: bool) -> None:
    assert search(snippet, by_cell=by_cell).status is not CitationStatus.RESOLVED


def test_the_cell_of_another_row_is_named() -> None:
    codes = {
        code for place in search("Flexion 146 176 0%").places for code in place.match.findings.contradictions
    }
    assert "row_differs" in codes


@pytest.mark.parametrize("by_cell", [True, False])
@pytest.mark.parametrize(
    "snippet", ["Flexion 146 176 2%", "Extension | 44 | 52 | 1%", "Flexion 2%", "Right 146"]
)
def test_a_row_and_a_label_over_its_value_are_resolved(snippet: str, by_cell: bool) -> None:
    assert search(snippet, by_cell=by_cell).status is CitationStatus.RESOLVED


def test_a_cell_of_two_lines_is_no_other_row() -> None:
    rows = (
        ("Dr. Paula", "410.00", "288.40", "paid"),
        ("Zelenka",),
        ("Fox Hollow", "520.00", "361.04", "open"),
    )
    assert search("Dr. Paula Zelenka", rows).status is CitationStatus.RESOLVED
    assert search("Dr. Paula 520.00 361.04", rows).status is not CitationStatus.RESOLVED


def test_lines_of_text_in_two_columns_go_on_at_the_top_of_the_next() -> None:
    left = ("the claimant was seen by the surgeon and", "told to rest until the end of the month")
    right = ("when he was released to light work with", "no lifting above the shoulder of any kind")
    words, blocks = [], []
    for column, lines in enumerate((left, right)):
        first = len(words)
        for number, line in enumerate(lines):
            for at, word in enumerate(line.split()):
                words.append([word, 1, 0.05 + 0.48 * column + 0.05 * at, 0.1 + 0.02 * number, 0.045, 0.012])
        blocks.append({"words": [first, len(words)]})
    index = DocumentIndex(read_words({"words": words, "blocks": blocks}))
    found = search_places(index, "until the end of the month when he was released", Hints())
    assert found.status is CitationStatus.RESOLVED


STOCK = (
    ("Goggles", "6", "$91.00"),
    ("Gloves", "12", "$17.40"),
    ("Helmet", "3", "$66.20"),
    ("Apron", "6", "$38.10"),
)


@pytest.mark.parametrize("snippet", ["Apron 6 $91.00", "Helmet 3 $66.20 Apron 6 $91.00"])
def test_a_row_is_not_ended_with_the_cell_that_a_parser_of_columns_reads_next(snippet: str) -> None:
    columns = [block_of([row[at] for row in STOCK], left=0.05 + 0.3 * at) for at in range(3)]
    index = DocumentIndex(document_of("a", columns))
    assert search_places(index, snippet, Hints()).status is not CitationStatus.RESOLVED
    assert search_places(index, "Apron 6 $38.10", Hints()).status is CitationStatus.RESOLVED


DOSES = (
    ("Naproxen", "500 mg", "daily"),
    ("Tizanidine", "4 mg", "nightly"),
    ("Omeprazole", "20 mg", "weekly"),
)


DOSES = (
    ("Naproxen", "500 mg", "daily"),
    ("Tizanidine", "4 mg", "nightly"),
    ("Omeprazole", "20 mg", "weekly"),
)


@pytest.mark.parametrize("snippet", ["daily Tizanidine", "nightly Omeprazole"])
def test_the_end_of_a_row_and_the_beginning_of_the_next_are_no_statement(snippet: str) -> None:
    assert search(snippet, DOSES, by_cell=False).status is CitationStatus.FLAGGED


def test_a_dose_and_the_next_rows_drug_are_no_statement() -> None:
    rows = [row[:2] for row in DOSES]
    assert search("500 mg Tizanidine", rows, by_cell=False).status is CitationStatus.FLAGGED


@pytest.mark.parametrize(
    "snippet",
    [
        "Naproxen 500 mg daily Tizanidine 4 mg nightly",
        "Tizanidine 4 mg nightly",
        "500 mg daily Tizanidine",
        "daily Tizanidine 4 mg",
    ],
)
def test_a_quotation_that_goes_on_from_row_to_row_is_as_printed(snippet: str) -> None:
    assert search(snippet, DOSES, by_cell=False).status is CitationStatus.RESOLVED
