"""Words in pictures that a printed page holds: a pasted letter, a label. No text layer has them."""

from dataclasses import replace

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from citation_pipeline.adapters.pdfium.paper import Paper, render
from citation_pipeline.core.layout.content import (
    NO_PAGE_WORDS,
    EdgeArray,
    PageWords,
    RecognizePage,
    has_few_sure_words,
    words_of_boxes,
)

_LEAST = 0.05  # of the page; smaller ones are logos and signs
_SURE = 0.8  # what a photograph is taken for is less sure
_PAPER = 255


def pasted_pictures(images: EdgeArray, words: PageWords, paper: Paper) -> EdgeArray:
    """Return the edges of pictures on a page that are large enough to hold text and have no words on them."""
    limit = np.array([paper.width, paper.height] * 2)
    edges = np.clip(images, 0.0, limit)
    areas = (edges[:, 2] - edges[:, 0]) * (edges[:, 3] - edges[:, 1])
    large = edges[areas >= _LEAST * paper.width * paper.height]
    bare = [not _middles_in(words, area[None]).any() for area in large]
    return large[bare]


def words_in_pictures(
    page: raw.FPDF_PAGE,
    number: int,
    paper: Paper,
    pictures: EdgeArray,
    recognize_page: RecognizePage,
    *,
    dpi: float,
) -> PageWords:
    """Return what a recognizer surely reads in some pictures of a page; of photographs that is nothing."""
    drawn = render(page, number=number, paper=paper, dpi=dpi)
    grey = np.full_like(drawn.grey, _PAPER)
    scale = drawn.grey.shape[1] / paper.width
    for left, top, right, bottom in (pictures * scale).astype(int).tolist():
        grey[top : bottom + 1, left : right + 1] = drawn.grey[top : bottom + 1, left : right + 1]
    found = words_of_boxes(
        recognize_page(replace(drawn, grey=grey), known=()), width_pt=paper.width, height_pt=paper.height
    )
    found = found.chosen(_middles_in(found, pictures))
    if not len(found) or has_few_sure_words(found):
        return NO_PAGE_WORDS
    return found.chosen(found.confidences >= _SURE)


def _middles_in(words: PageWords, areas: EdgeArray) -> NDArray[np.bool_]:
    """Tell which words have their middle in one of some areas."""
    x, y = (words.edges[:, 0] + words.edges[:, 2]) / 2, (words.edges[:, 1] + words.edges[:, 3]) / 2
    inside = np.zeros(len(words), np.bool_)
    for left, top, right, bottom in areas.tolist():
        inside |= (x > left) & (x < right) & (y > top) & (y < bottom)
    return inside
