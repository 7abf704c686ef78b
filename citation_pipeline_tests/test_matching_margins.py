"""Line numbers and running titles are beside the text: a quotation over a line's or a page's end has none."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline_tests.drawn_documents import block_of, document_of
from citation_pipeline_tests.matches import best_place

FIRST = (
    "1 Q. Where were you when the shelf came down?",
    "2 A. I was beside the loading dock with",
    "3 two other men from the night crew.",
    "4 Q. Did you lift anything that evening?",
    "5 A. Yes, boxes of about",
    "6 40 pounds each, all of them to the",
    "7 upper shelf, and I was alone when I",
)
SECOND = (
    "1 turned and felt my knee give way.",
    "2 Q. Had the knee hurt before that day?",
    "3 A. No.",
    "4 Q. Did you see a doctor that week?",
    "5 A. I saw the nurse.",
    "6 Q. And the week after?",
    "7 A. The doctor.",
)
TITLE = "Examination of Ines Quintal, volume II,"


def index_of(first: tuple[str, ...] = FIRST, *, titles: tuple[str, str] = (TITLE, TITLE)) -> DocumentIndex:
    blocks = []
    for page, lines in ((1, first), (2, SECOND)):
        blocks += [
            block_of([f"{page + 30}"], page=page, left=0.9, top=0.02),
            block_of(list(lines), page=page),
            block_of([f"{titles[page - 1]} page {page + 30}"], page=page, top=0.9),
        ]
    return DocumentIndex(document_of("a", blocks))


@pytest.mark.parametrize(
    "snippet",
    [
        "I was beside the loading dock with two other men from the night crew.",
        "Q: Did you lift anything that evening? A: Yes, boxes of about 40 pounds each",
        "all of them to the upper shelf, and I was alone when I turned and felt my knee give way.",
        "Q. Had the knee hurt before that day? A. No. Q. Did you see a doctor that week?",
    ],
)
def test_a_quotation_over_the_ends_of_numbered_lines_is_as_printed(snippet: str) -> None:
    index = index_of()
    best = best_place(index, snippet)
    assert best.judgement.status is CitationStatus.RESOLVED
    assert best.judgement.warnings == ()
    printed = [index.words.texts[word] for word in best.match.words]
    assert len(printed) == len(snippet.split())


def test_line_numbers_may_be_quoted_too() -> None:
    best = best_place(
        index_of(), "4 Q. Did you lift anything that evening? 5 A. Yes, boxes of about 6 40 pounds each"
    )
    assert best.judgement.status is CitationStatus.RESOLVED


@pytest.mark.parametrize(
    "snippet",
    [
        "Did you lift anything that evening? A. Yes, boxes of about pounds each",
        "Q. Had the knee hurt before that day? A. Yes, boxes of about 40 pounds each",
        "Q. Did you see a doctor that week? A. The doctor.",
        "upper shelf, and I was alone when I felt my knee give way.",
    ],
)
def test_other_numbers_and_words_may_not_be_left_out(snippet: str) -> None:
    best = best_place(index_of(), snippet)
    told = best.judgement.status is CitationStatus.FLAGGED or "word_dropped" in best.judgement.warnings
    assert told


def test_a_count_inside_a_row_is_no_line_number() -> None:
    names = ("Okonjo", "Barrow", "Castro", "Delgan", "Eriksn", "Farrel", "Guptas")
    rows = tuple(f"{name} {number} {number * 7 + 20} of them" for number, name in enumerate(names, start=1))
    best = best_place(index_of(rows), "Delgan 48 of them")
    assert "number_skipped" in best.judgement.warnings


def test_a_last_line_that_is_no_running_title_may_not_be_left_out() -> None:
    index = index_of(titles=("unless the surgeon wrote otherwise", TITLE))
    snippet = "and I was alone when I turned and felt my knee give way."
    assert best_place(index, snippet).judgement.status is CitationStatus.FLAGGED
