"""One page's words and drawings become blocks in reading order."""

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents import BlockDraft
from citation_pipeline.core.layout.content import PageContent
from citation_pipeline.core.layout.lines import split_lines


def lay_out(page: PageContent) -> list[BlockDraft]:
    """Return the page's blocks in reading order; the same for words of a text layer and recognized ones."""
    pieces = split_lines(page.words)
    blocks: list[list[NDArray[np.int64]]] = []
    edges = page.words.edges
    for piece in pieces:
        box = edges[piece]
        left, top, right = box[:, 0].min(), box[:, 1].min(), box[:, 2].max()
        height = float((box[:, 3] - box[:, 1]).mean())
        for block in reversed(blocks):
            last = edges[block[-1]]
            if (
                -0.5 * height < top - last[:, 3].max() < 0.7 * height
                and left < last[:, 2].max()
                and right > last[:, 0].min()
            ):
                block.append(piece)
                break
        else:
            blocks.append([piece])
    scale = np.array([page.width_pt, page.height_pt] * 2)
    frame = np.clip(edges / scale, 0.0, 1.0)
    drafts = []
    for block in blocks:
        lines = [
            [
                (page.words.texts[i], Box(*frame[i, :2].tolist(), *(frame[i, 2:] - frame[i, :2]).tolist()))
                for i in line.tolist()
            ]
            for line in block
        ]
        known = page.words.confidences
        drafts.append(
            BlockDraft(
                page=page.number,
                type="Text",
                lines=lines,
                confidences=[known[line].tolist() for line in block],
            )
        )
    return drafts
