"""The published data model's three caches: chunks, word geometry by chunk, sentences by chunk.

Ids carry our own numbers (`w_0012` is word 12, `ade_c_0003` block 3, `l_0007` line 7 of the document), so
that both can be used together. Boxes are `[x0, y0, x1, y1]` in points, origin top left of the page as
displayed; offsets index the chunk's own text.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from citation_pipeline.core.boxes import Box, union_of_rows
from citation_pipeline.core.documents.exports import sentence_ranges
from citation_pipeline.core.documents.parsed import Block, ParsedDocument

_DECIMALS = 2  # a hundredth of a point


def chunk_id(block_id: int) -> str:
    """Return the published id of a block."""
    return f"ade_c_{block_id:04d}"


def word_id(word: int) -> str:
    """Return the published id of a word."""
    return f"w_{word:04d}"


def line_id(line: int) -> str:
    """Return the published id of a printed line."""
    return f"l_{line:04d}"


def chunk_list(document: ParsedDocument) -> list[dict[str, Any]]:
    """Return `ade_chunks.json`: each block's text, where it is, who read it and under which heading."""
    sizes = _sizes(document)
    chunks = []
    heading = ""
    for block in document.blocks:
        if block.type in ("Title", "Section Header"):
            heading = " ".join(block.text.split())
        chunks.append(
            {
                "chunk_id": chunk_id(block.block_id),
                "text": block.text,
                "groundings": [{"page": block.page, "bbox": in_points(block.box, sizes[block.page])}],
                "meta": {
                    "source": document.parser,
                    "section_tags": [tag for tag in (block.type, heading) if tag],
                },
            }
        )
    return chunks


def fine_geometry(document: ParsedDocument) -> dict[str, Any]:
    """Return `fine_geometry.json`: the words and lines of each chunk."""
    sizes = _sizes(document)
    return {chunk_id(block.block_id): _geometry(document, block, sizes) for block in document.blocks}


def sentence_index(document: ParsedDocument) -> dict[str, Any]:
    """Return `sentence_index.json`: the half-open ranges of each chunk's sentences in the chunk's text."""
    index = {}
    number = 0
    for block in document.blocks:
        rows = []
        for start, end in sentence_ranges(block):
            rows.append(
                {
                    "sent_id": f"s_{number:04d}",
                    "start": start - block.text_start,
                    "end": end - block.text_start,
                }
            )
            number += 1
        index[chunk_id(block.block_id)] = rows
    return index


def in_points(box: Box, size: tuple[float, float]) -> list[float]:
    """Return a box of the page frame as `[x0, y0, x1, y1]` in points of a page of this size."""
    width, height = size
    edges = (box.left * width, box.top * height, box.right * width, box.bottom * height)
    return [round(edge, _DECIMALS) for edge in edges]


def _geometry(
    document: ParsedDocument, block: Block, sizes: Mapping[int, tuple[float, float]]
) -> dict[str, Any]:
    words = document.words
    of_block = range(block.word_start, block.word_end)
    lines: dict[int, list[int]] = {}
    for word in of_block:
        lines.setdefault(int(words.line[word]), []).append(word)
    return {
        "words": [
            {
                "word_id": word_id(word),
                "text": words.texts[word],
                "page": int(words.page[word]),
                "bbox": box_of_words(document, [word], sizes[int(words.page[word])]),
            }
            for word in of_block
        ],
        "lines": [
            {
                "line_id": line_id(line),
                "page": int(words.page[on_line[0]]),
                "bbox": box_of_words(document, on_line, sizes[int(words.page[on_line[0]])]),
                "word_ids": [word_id(word) for word in on_line],
            }
            for line, on_line in lines.items()
        ],
    }


def box_of_words(document: ParsedDocument, words: Sequence[int], size: tuple[float, float]) -> list[float]:
    """Return the box around words of one page in points."""
    return in_points(union_of_rows(document.words.boxes[np.asarray(words)]), size)


def _sizes(document: ParsedDocument) -> dict[int, tuple[float, float]]:
    return {page.page: (page.width_pt, page.height_pt) for page in document.pages}
