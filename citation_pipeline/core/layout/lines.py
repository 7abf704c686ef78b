"""Words become lines: which stand on one baseline, and where a wide gap ends a line.

No blocks here, and no reading order across columns.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PageWords

# words of one sentence are rarely further apart than this share of their size; columns and cells are
_WIDE_GAP = 1.6


def split_lines(words: PageWords) -> list[NDArray[np.int64]]:
    """Return pieces of lines as arrays of word positions, each left to right, from top to bottom.

    Words whose middles overlap vertically share a row; a row breaks where the gap is wide.
    """
    if not len(words):
        return []
    rows = group_rows(words.edges[:, 1], words.edges[:, 3])
    pieces: list[NDArray[np.int64]] = []
    for row in rows:
        ordered = row[np.argsort(words.edges[row, 0], kind="stable")]
        edges, sizes = words.edges[ordered], words.sizes[ordered]
        gaps = edges[1:, 0] - np.maximum.accumulate(edges[:, 2])[:-1]
        wide = np.flatnonzero(gaps > _WIDE_GAP * np.minimum(sizes[1:], sizes[:-1]) + 1.0) + 1
        pieces.extend(np.split(ordered, wide))
    return pieces


def group_rows(tops: NDArray[np.float64], bottoms: NDArray[np.float64]) -> list[NDArray[np.int64]]:
    """Group boxes into rows by their vertical overlap; rows and boxes come from top to bottom."""
    middles = (tops + bottoms) / 2
    order = np.argsort(middles, kind="stable")
    rows: list[NDArray[np.int64]] = []
    start = 0
    heights = bottoms - tops
    ordered, tall = middles[order], heights[order]
    anchors: Sequence[float] = ordered.tolist()
    heights_list: Sequence[float] = tall.tolist()
    anchor, height = anchors[0], heights_list[0]
    for i in range(1, len(anchors)):
        if anchors[i] - anchor > 0.5 * min(height, heights_list[i]):
            rows.append(order[start:i])
            start, anchor, height = i, anchors[i], heights_list[i]
        else:
            # the row follows its words a little: scanned lines climb
            anchor, height = (anchor + anchors[i]) / 2, max(height, heights_list[i])
    rows.append(order[start:])
    return rows
