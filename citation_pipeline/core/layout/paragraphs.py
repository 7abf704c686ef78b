"""Pieces of lines become paragraphs, list items, and runs of labels with values.

One column at a time; tables and boxed forms are already gone.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from citation_pipeline.core.layout.fields import field_of_piece, write_fields
from citation_pipeline.core.layout.lines import LIST_MARKER, Piece
from citation_pipeline.core.layout.parts import Part, around
from citation_pipeline.core.layout.sheets import Sheet

_LONGEST_FIELD = 40  # words; more is a paragraph with its heading run in
_STRIP = 72.0  # points
_LOOSEST = 1.05  # share of the size between lines that still belong together (double spacing)


@dataclass(eq=False, slots=True)
class _Run:
    """Pieces that belong together so far, how the first of them begins, and between which x they are."""

    kind: str
    pieces: list[Piece]
    left: float
    right: float

    def take(self, piece: Piece) -> None:
        """Go on with a piece."""
        self.pieces.append(piece)
        self.left, self.right = min(self.left, piece.left), max(self.right, piece.right)


def group_paragraphs(sheet: Sheet, pieces: Sequence[Piece]) -> list[Part]:
    """Return the parts that pieces of one column form; their order is not settled yet."""
    gap = _usual_gap(pieces)
    runs: list[_Run] = []
    # by strips of the width: a row of a thousand pieces has a thousand open runs, each piece few near it
    strips: dict[int, dict[int, _Run]] = defaultdict(dict)
    for piece in sorted(pieces, key=lambda p: (round(p.top), p.left)):
        kind = _kind(sheet, piece)
        near: dict[int, _Run] = {}
        for strip in _strips(piece.left, piece.right):
            passed = [
                number
                for number, run in strips[strip].items()
                if piece.top - run.pieces[-1].bottom >= 3 * piece.size + 20
            ]
            for number in passed:
                del strips[strip][number]
            near.update(strips[strip])
        for number in sorted(near, reverse=True):
            if _goes_on(sheet, near[number], piece, kind, gap, pieces):
                run = near[number]
                run.take(piece)
                break
        else:
            number, run = len(runs), _Run(kind, [piece], piece.left, piece.right)
            runs.append(run)
        for strip in _strips(run.left, run.right):
            strips[strip][number] = run
    return [_part(sheet, run.pieces, run.kind) for run in runs]


def _strips(left: float, right: float) -> range:
    return range(int(left // _STRIP), int(right // _STRIP) + 1)


def _usual_gap(pieces: Sequence[Piece]) -> float:
    """Return the usual distance of lines as a share of their size."""
    ordered = sorted(pieces, key=lambda p: p.top)
    gaps = [
        (b.top - a.bottom) / max(a.size, 1.0)
        for a, b in zip(ordered, ordered[1:], strict=False)
        if b.left < a.right and a.left < b.right and -0.3 * a.size < b.top - a.bottom < 1.5 * a.size
    ]
    return float(np.median(gaps)) if len(gaps) >= 3 else 0.3


def _kind(sheet: Sheet, piece: Piece) -> str:
    """Return how a piece begins: "item", "field", "head" (all bold) or "text"."""
    words = sheet.words
    first = int(piece.words[0])
    texts = words.texts
    is_bold = bool(words.bold[piece.words].all())
    if len(piece.words) > 1 and not is_bold and LIST_MARKER.fullmatch(texts[first]):
        return "item"
    if sheet.marks[first] >= 0:
        return "tick"
    if field_of_piece(sheet, piece) is not None:
        return "field"
    return "head" if is_bold else "text"


def _goes_on(
    sheet: Sheet,
    run: _Run,
    piece: Piece,
    beginning: str,
    usual: float,
    column: Sequence[Piece],
) -> bool:
    """Tell whether a piece goes on with a run; `column` is all that is in their column."""
    last, kind, left, right = run.pieces[-1], run.kind, run.left, run.right
    size = max(last.size, piece.size)
    gap = piece.top - last.bottom
    if not -0.5 * size < gap <= min(max(0.55, 1.35 * usual), _LOOSEST) * size:
        return False
    alike = 0.7 if sheet.recognized else 0.84
    if min(last.size, piece.size) < alike * size or beginning in ("item", "tick"):
        return False
    if _is_ruled(sheet, last, piece):
        return False
    if min(right, piece.right) - max(left, piece.left) < 0.3 * min(piece.width, right - left):
        return False
    aligned = abs(piece.left - left) < 0.6 * size
    if beginning == "field":
        return kind == "field" and aligned
    if kind == "field":
        # a value that wraps is under its value, or begins at the left after a full line
        goes_on = piece.left > left + 0.8 * size or (
            beginning == "text" and aligned and _is_full(sheet, last, piece, column)
        )
        return goes_on and not _is_of_another_row(piece, left, column)
    if kind == "item":
        return beginning == "text" and piece.left > left - 0.3 * size
    if beginning != kind:
        return False
    centred = abs((piece.left + piece.right) - (last.left + last.right)) < size
    return aligned or centred or piece.left > left - 3 * size


def _is_of_another_row(piece: Piece, left: float, column: Sequence[Piece]) -> bool:
    """Tell whether a piece has a row of its own: a label below the one at `left`, or the value beside it."""
    beside = [
        other
        for other in column
        if other is not piece
        and min(other.bottom, piece.bottom) - max(other.top, piece.top) > 0.5 * piece.size
    ]
    if abs(piece.left - left) < 0.6 * piece.size:
        return any(other.left > piece.right for other in beside)
    return any(abs(other.left - left) < 0.6 * piece.size for other in beside)


def _is_full(sheet: Sheet, last: Piece, piece: Piece, column: Sequence[Piece]) -> bool:
    """Tell whether the first word of a piece would not have fitted on the line before it."""
    left, _, right, _ = sheet.words.edges[piece.words[0]]
    # how far lines go shows in the lines around that begin where this one does
    edge = max(
        other.right
        for other in column
        if abs(other.left - piece.left) < 3 * piece.size and abs(other.top - piece.top) < 12 * piece.size
    )
    return bool(last.right + 0.25 * last.size + (right - left) > edge)


def _is_ruled(sheet: Sheet, last: Piece, piece: Piece) -> bool:
    across = sheet.rules.across
    if not len(across):
        return False
    between = (across[:, 0] > last.bottom - 0.25 * last.size) & (across[:, 0] < piece.top + 0.25 * piece.size)
    if not between.any():
        return False
    rules = across[between]
    reach = np.minimum(rules[:, 2], piece.right) - np.maximum(rules[:, 1], piece.left)
    # an underline is as long as its word; a rule that parts goes on
    return bool((reach > 0.8 * piece.width).any())


def _is_run_in(sheet: Sheet, run: Sequence[Piece]) -> bool:
    """Tell whether a label only leads a paragraph in: one label, and prose after it."""
    labels = [field_of_piece(sheet, piece) for piece in run]
    words = sum(len(piece.words) for piece in run)
    return len(run) > 1 and sum(label is not None for label in labels) == 1 and words > _LONGEST_FIELD


def _part(sheet: Sheet, run: Sequence[Piece], kind: str) -> Part:
    lines = [piece.words for piece in run]
    positions = np.concatenate(lines)
    if kind == "field" and _is_run_in(sheet, run):
        kind = "text"
    content = write_fields(sheet, run) if kind == "field" else None
    return Part(
        type={"field": "Key Value", "item": "List Item", "tick": "List Item"}.get(kind, "Text"),
        edges=around(run),
        lines=lines,
        content=content,
        size=median([piece.size for piece in run]),
        bold=bool(sheet.words.bold[positions].all()),
    )
