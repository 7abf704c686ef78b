"""Texts of scripts without spaces that go on over a page's end, and parts of their lines."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline_tests.drawn_documents import block_of, document_of, text_document
from citation_pipeline_tests.matches import best_place

HELD, GOES_ON = "水門は五月に開かれ、舟は", "夜明けとともに出る。"


def crossing(foot: str = "港務所 – 1", head: str = "航行規則") -> DocumentIndex:
    drawn = [
        block_of(["渡し場の決まり。", HELD], top=0.5),
        block_of([foot], top=0.9),
        block_of([head], page=2, top=0.05),
        block_of([GOES_ON], page=2, top=0.2),
    ]
    return DocumentIndex(document_of("a", drawn))


@pytest.mark.parametrize(
    "quoted", [HELD + GOES_ON, "舟は夜明けとともに出る。", "五月に開かれ、舟は夜明けとともに出る"]
)
def test_a_sentence_that_goes_on_over_a_page_is_found_without_foot_and_head(quoted: str) -> None:
    index = crossing()
    best = best_place(index, quoted)
    assert best.judgement.status is CitationStatus.RESOLVED
    texts = [index.words.texts[word] for word in best.match.words]
    assert texts == [HELD, GOES_ON]


@pytest.mark.parametrize(
    ("index", "quoted"),
    [
        (crossing(foot="ただし例外がある。"), "舟は夜明けとともに出る。"),
        (crossing(), "舟は夕方とともに出る。"),
    ],
    ids=["sentence-between", "altered"],
)
def test_a_sentence_between_the_pages_or_another_word_is_not_passed_over(
    index: DocumentIndex, quoted: str
) -> None:
    best = search_places(index, quoted, Hints()).best
    assert best is None or best.judgement.status is not CitationStatus.RESOLVED


def test_a_part_of_a_line_is_found_beside_signs_that_repeat_or_count() -> None:
    index = DocumentIndex(text_document("a", "二〇一九年、人々は渡し場の鐘を聞いた。"))
    assert best_place(index, "渡し場の鐘を聞いた").judgement.status is CitationStatus.RESOLVED
