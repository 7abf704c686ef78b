"""Pages of unusual shapes: the work grows with the words, not with their square."""

import time
import tracemalloc

import numpy as np
import pytest

from citation_pipeline.core.documents.composition import PageDraft, compose_document
from citation_pipeline.core.documents.parsed import SourceDocument
from citation_pipeline.core.layout.content import PageContent, PageWords
from citation_pipeline.core.layout.pages import lay_out
from citation_pipeline.core.resolution.regions import regions_of

SHAPES = {
    "cells of one row": lambda at: (30.0 * at, 0.0 * at + 100),
    "one line": lambda at: (13.0 * at, 0.0 * at + 100),
    "lines far apart": lambda at: (0.0 * at + 50, 40.0 * at),
    "labels beside values": lambda at: ((at % 2) * 60.0 + 50, (at // 2) * 13.0),
    "a sheet of 250 columns": lambda at: ((at % 250) * 30.0, (at // 250) * 13.0),
    "rows of 400 apart": lambda at: ((at % 400) * 30.0, (at // 400) * 25.0),
}


def page_of(shape: str, count: int) -> PageContent:
    left, top = SHAPES[shape](np.arange(count))
    edges = np.stack([left, top, left + 10, top + 10], axis=1).astype(np.float64)
    words = PageWords(
        texts=[f"Name{at % 40}:" if at % 2 == 0 else f"{at % 700}.50" for at in range(count)],
        edges=edges,
        sizes=np.full(count, 10.0),
        bold=np.zeros(count, np.bool_),
        turns=np.zeros(count, np.int8),
        confidences=np.full(count, np.nan),
    )
    return PageContent(1, float(edges[:, 2].max()) + 10, float(edges[:, 3].max()) + 10, words)


def seconds(shape: str, count: int) -> float:
    page = page_of(shape, count)
    start = time.process_time()
    lay_out(page)
    return time.process_time() - start


@pytest.mark.parametrize("shape", SHAPES)
def test_four_times_the_words_take_no_ten_times_the_work(shape):
    seconds(shape, 500)
    few = min(seconds(shape, 3000) for _ in range(2))
    assert seconds(shape, 12000) < 10 * few + 0.2


def test_a_place_on_a_line_of_thousands_of_words_is_found_in_little_memory():
    page = page_of("one line", 20_000)
    document = compose_document(
        SourceDocument("a", "a", "a", "", "", 1),
        pages=[PageDraft(page.width_pt, page.height_pt)],
        blocks=lay_out(page),
        parser="test",
        parser_version="1",
    )
    tracemalloc.start()
    regions = regions_of(document.words, [5000, 5001, 5002])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [len(region.boxes) for region in regions] == [1]
    assert peak < 100e6
