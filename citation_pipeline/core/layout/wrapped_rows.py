"""Texts that wrap in a table's row: which lines belong to which row, wherever its figures are beside them.

A row that has the first column and most others is an anchor; lines without the first column and without
figures belong to the anchor above or below.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.layout.grids import Rules
from citation_pipeline.core.layout.lines import Row
from citation_pipeline.core.layout.table_rows import Placed, is_figure, is_ruled_between

_FULL = 0.6  # share of the fullest row's cells that an anchor has
_DISTINCT = 0.15  # share of the size by which the room between rows exceeds that between lines


def group_around_anchors(
    words: PageWords, rows: Sequence[Row], placed: Sequence[Placed], rules: Rules
) -> list[list[int]] | None:
    """Return the rows of print that make each row of a table; None when the lines do not tell."""
    most = max(len(row) for row in placed)
    anchors = [
        at
        for at, row in enumerate(placed)
        if row and row[0][0] == 0 and len(row) > 1 and len(row) >= _FULL * most
    ]
    wraps = [at for at, row in enumerate(placed) if _is_wrap(words, row)]
    if len(anchors) < 2 or not wraps or len(anchors) + len(wraps) < len(rows):
        return None
    columns = [column for at in wraps for column, _, _ in placed[at]]
    column = max(set(columns), key=columns.count)
    if any(c != column for c in columns):
        return None
    lines = sorted(
        (_middle(words, piece), at) for at, row in enumerate(placed) for c, _, piece in row if c == column
    )
    owners = _by_room(rows, lines, anchors, rules) or _by_count(lines, anchors, wraps)
    if owners is None:
        return None
    groups: dict[int, list[int]] = {anchor: [anchor] for anchor in anchors}
    for at, anchor in owners.items():
        if at != anchor:
            groups[anchor].append(at)
    return [sorted(groups[anchor]) for anchor in anchors]


def _is_wrap(words: PageWords, row: Placed) -> bool:
    return (
        bool(row)
        and row[0][0] > 0
        and not any(is_figure(words.texts[int(piece[0])]) and len(piece) < 3 for _, _, piece in row)
    )


def _middle(words: PageWords, piece: NDArray[np.int64]) -> float:
    edges = words.edges[piece]
    return float((edges[:, 1] + edges[:, 3]).mean() / 2)


def _by_room(
    rows: Sequence[Row], lines: Sequence[tuple[float, int]], anchors: Sequence[int], rules: Rules
) -> dict[int, int] | None:
    """Give each line to the anchor of its stretch, where more room or a rule parts stretches of lines."""
    steps = np.diff([y for y, _ in lines])
    size = max(row.size for row in rows)
    left, right = min(row.left for row in rows), max(row.right for row in rows)
    ruled = [
        is_ruled_between(rules, y, other, left, right)
        for (y, _), (other, _) in zip(lines, lines[1:], strict=False)
    ]
    if not any(ruled):
        if not len(steps) or steps.max() - steps.min() < _DISTINCT * size:
            return None
        least, room = float(steps.min()), float(steps.max())
        ruled = [float(step) > (least + min(room, least + size)) / 2 for step in steps]
    starts = [0, *(i + 1 for i, parts in enumerate(ruled) if parts)]
    owners: dict[int, int] = {}
    free = set(anchors)
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        stretch = lines[start:stop]
        held = [at for at in anchors if stretch[0][0] - 1 <= _height(rows[at]) <= stretch[-1][0] + 1]
        if len(held) != 1:
            return None
        free.discard(held[0])
        owners.update({at: held[0] for _, at in stretch})
    # anchors without a line of this text are rows by themselves
    return owners if all(owners.get(at, at) == at for at in anchors) else None


def _height(row: Row) -> float:
    first = row.pieces[0]
    return (first.top + first.bottom) / 2


def _by_count(
    lines: Sequence[tuple[float, int]], anchors: Sequence[int], wraps: Sequence[int]
) -> dict[int, int] | None:
    """Give each line to an anchor where all lines are equally far apart: as many above it as below."""
    if wraps[0] > anchors[0]:
        return None  # figures at the top: the lines below go on with the row
    if wraps[-1] < anchors[-1]:
        return {at: next(anchor for anchor in anchors if anchor > at) for at in wraps}
    owners: dict[int, int] = {}
    pending = [at for at in wraps if at < anchors[0]]
    for number, anchor in enumerate(anchors):
        end = anchors[number + 1] if number + 1 < len(anchors) else wraps[-1] + 1
        between = [at for at in wraps if anchor < at < end]
        if len(between) < len(pending):
            return None
        owners.update({at: anchor for at in [*pending, *between[: len(pending)]]})
        pending = between[len(pending) :]
    return owners if not pending else None
