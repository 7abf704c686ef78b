"""How certain a statement without the rest of its sentence is, and what stays nearly certain."""

import pytest

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.confidence import CLIPPED_CEILING, confidence_at
from citation_pipeline_tests.drawn_documents import block_of, document_of, text_document
from citation_pipeline_tests.matches import best_place

BEFORE, BEHIND = "The guild keeps its minutes in a chest.", "The rest was written down a year later."


def certainty_of(quoted: str, *printed: str) -> float:
    index = DocumentIndex(text_document("a", BEFORE, *printed, BEHIND))
    best = best_place(index, quoted)
    return confidence_at(index, best.match, best.judgement)


@pytest.mark.parametrize(
    ("printed", "quoted"),
    [
        (
            "Pursuant to an understanding since abandoned the ferry leaves at dawn.",
            "the ferry leaves at dawn",
        ),
        ("The sluice was repaired in the eyes of nobody but the miller.", "The sluice was repaired"),
        ("Wording of the first clerk: The bridge was never closed.", "The bridge was never closed."),
        ("“The bridge was never closed and nobody fell.”", "The bridge was never closed and nobody fell."),
        (
            "The heron nests, so the warden once thought, below the weir.",
            "The heron nests ... below the weir.",
        ),
        ("水车已经修好这句话谁也不信。", "水车已经修好"),
    ],
    ids=["before", "behind", "labelled", "quoted", "ellipsis", "unspaced"],
)
def test_a_statement_without_its_sentence_is_not_nearly_certain(printed: str, quoted: str) -> None:
    assert 0.5 < certainty_of(quoted, printed) <= CLIPPED_CEILING


@pytest.mark.parametrize(
    ("printed", "quoted"),
    [
        ("The ferry leaves at dawn.", "The ferry leaves at dawn."),
        ("4. The ferry leaves at dawn from the lower pier.", "The ferry leaves at dawn from the lower pier."),
        ("The pilot, Oriel Tansley, was heard on 4 June 2021 in Wexham.", "Oriel Tansley"),
        ("The pilot was heard on 4 June 2021 in Wexham.", "4 June 2021"),
        ("Keel\toak with copper nails\t1,204.50", "oak with copper nails"),
    ],
    ids=["sentence", "numbered", "name", "date", "cell"],
)
def test_whole_sentences_names_dates_and_cells_stay_nearly_certain(printed: str, quoted: str) -> None:
    assert certainty_of(quoted, printed) >= 0.98


@pytest.mark.parametrize(
    ("quoted", "blocks"),
    [
        ("The ferry leaves at dawn.", ("TIMETABLE – AS FIRST PRINTED", "The ferry leaves at dawn.")),
        ("The ferry leaves at dawn.", ("3.2 Misprints. The ferry leaves at dawn. Nobody waits.",)),
        ("The ferry leaves at dawn.", ("The ferry leaves at dawn.* Nobody waits.",)),
        ("The ferry leaves at dawn.", ("The ferry leaves at dawn. That notice hung there by oversight.",)),
    ],
    ids=["heading", "run-in", "footnote", "next"],
)
def test_a_sentence_with_something_beside_it_that_may_qualify_it_is_not_nearly_certain(
    quoted: str, blocks: tuple[str, ...]
) -> None:
    drawn = [block_of([text], top=0.1 + 0.1 * at) for at, text in enumerate(blocks)]
    index = DocumentIndex(document_of("a", drawn))
    best = best_place(index, quoted)
    assert 0.5 < confidence_at(index, best.match, best.judgement) <= CLIPPED_CEILING
