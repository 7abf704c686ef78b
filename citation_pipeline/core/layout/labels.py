"""Which of the twelve types a part of a page is, judged by its print, its place and its neighbours.

What only shows by repetition over pages (running headers) is in `documents`.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np

from citation_pipeline.core.layout.marks import MOST_IN_MARKS
from citation_pipeline.core.layout.parts import Edges, Part
from citation_pipeline.core.layout.sheets import Sheet

_PAGE_NUMBER = re.compile(
    r"(page|pg\.?|p\.)?\s*[-–—]?\s*\d{1,4}\s*[-–—]?(\s*(of|/)\s*\d{1,4})?|(page\s+)?[ivxl]{1,6}",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"(signature|signed|/s/|by:|^(very truly yours|sincerely|respectfully|(kind |best )?regards)\b)",
    re.IGNORECASE,
)
_EDGE = 0.08  # share of the height where paper is bound, faxed over and numbered
_SHORTEST_LINE = 60.0  # points of a line to sign on
_MOST_HEADING_WORDS = 14

Sides = tuple[Sequence[float], Sequence[float]]
"""The top edges of a page's parts and their bottom edges, each sorted."""


def label_parts(sheet: Sheet, parts: Sequence[Part]) -> list[Part]:
    """Return the page's parts, given in reading order, under their types."""
    body = _body_size(sheet, parts)
    sides = sorted(part.edges[1] for part in parts), sorted(part.edges[3] for part in parts)
    labelled = [
        _label(sheet, parts, number, part, body, sides) if part.type == "Text" else _in_comment(sheet, part)
        for number, part in enumerate(parts)
    ]
    return _one_title(sheet, labelled, body)


def text_of(sheet: Sheet, part: Part) -> str:
    """Return a part's words in reading order, parted by spaces."""
    return " ".join(sheet.words.texts[i] for line in part.lines for i in line.tolist())


def _body_size(sheet: Sheet, parts: Sequence[Part]) -> float:
    """Return the size that most words of running text are printed in."""
    lines = [line for part in parts if part.type in ("Text", "List Item", "Key Value") for line in part.lines]
    if not lines:
        return 10.0
    sizes = np.round(sheet.words.sizes[np.concatenate(lines)] * 2) / 2
    values, counts = np.unique(sizes, return_counts=True)
    return float(values[counts.argmax()])


def _in_comment(sheet: Sheet, part: Part) -> Part:
    x, y = (part.edges[0] + part.edges[2]) / 2, (part.edges[1] + part.edges[3]) / 2
    for left, top, right, bottom in sheet.drawings.comments.tolist():
        if left <= x <= right and top <= y <= bottom:
            return part.typed("Comment")
    return part


def _label(sheet: Sheet, parts: Sequence[Part], number: int, part: Part, body: float, sides: Sides) -> Part:
    commented = _in_comment(sheet, part)
    if commented.type == "Comment":
        return commented
    text = text_of(sheet, part)
    _, top, _, bottom = part.edges
    high, low = bottom < _EDGE * sheet.height, top > (1 - _EDGE) * sheet.height
    if (high or low) and len(part.lines) == 1 and _PAGE_NUMBER.fullmatch(text):
        return part.typed("Page Number")
    if (
        low
        and len(part.lines) <= 2
        and part.size <= max(body * 1.25, 9.0)
        and _stands_apart(sides, part, above=True)
    ):
        return part.typed("Footer")
    if (
        high
        and len(part.lines) <= 2
        and part.size < body * 1.02
        and not part.bold
        and _stands_apart(sides, part, above=False)
    ):
        return part.typed("Header")
    if _is_heading(sheet, parts, number, part, text, body):
        return part.typed("Section Header")
    return part


def _stands_apart(sides: Sides, part: Part, *, above: bool) -> bool:
    """Tell whether two lines' height is free above (or below) a part, over the whole width."""
    room = 1.6 * part.size
    tops, bottoms = sides
    if above:
        return bisect_right(bottoms, part.edges[1] + 1) <= bisect_right(bottoms, part.edges[1] - room)
    return bisect_left(tops, part.edges[3] + room) <= bisect_left(tops, part.edges[3] - 1)


def _is_heading(sheet: Sheet, parts: Sequence[Part], number: int, part: Part, text: str, body: float) -> bool:
    words = text.split()
    if len(part.lines) > 3 or len(words) > _MOST_HEADING_WORDS or not any(c.isalpha() for c in text):
        return False
    if text[-1] in ",;" or (text[-1] == "." and len(words) > 6):
        return False
    large = part.size > 1.12 * body
    loud = text.upper() == text and sum(c.isalpha() for c in text) > 3
    if not (large or part.bold or loud):
        return False
    if part.bold or large:
        return True
    # capitals alone: only over something that they can head
    following = next((other for other in parts[number + 1 :] if other.edges[1] >= part.edges[3] - 2), None)
    return following is not None and len(part.lines) == 1 and part.size >= body * 0.98


def _one_title(sheet: Sheet, parts: list[Part], body: float) -> list[Part]:
    """Call the largest heading in the upper part of the first page its title."""
    if sheet.number != 1:
        return parts
    candidates = [
        (part.size, -number)
        for number, part in enumerate(parts)
        if part.type == "Section Header" and part.edges[1] < 0.5 * sheet.height and part.size >= 1.12 * body
    ]
    if not candidates:
        candidates = [
            (part.size, -number)
            for number, part in enumerate(parts)
            if part.type == "Section Header"
            and part.edges[1] < 0.3 * sheet.height
            and _is_centred(sheet, part)
        ][:1]
    if candidates:
        chosen = -max(candidates)[1]
        parts[chosen] = parts[chosen].typed("Title")
    return parts


def _is_centred(sheet: Sheet, part: Part) -> bool:
    return abs((part.edges[0] + part.edges[2]) / 2 - sheet.width / 2) < 0.04 * sheet.width


def find_signatures(sheet: Sheet, parts: Sequence[Part]) -> list[Part]:
    """Return the signatures of a page: signature fields, strokes of a pen, pictures of one by its label."""
    found = [
        Part("Signature", (left, top, right, bottom), ())
        for left, top, right, bottom in sheet.drawings.signatures.tolist()
    ]
    labels = [
        part.edges
        for part in parts
        if part.type != "Table" and len(part.lines) <= 3 and _SIGNED.search(text_of(sheet, part))
    ]
    for left, top, right, bottom in sheet.drawings.scribbles.tolist():
        wide, tall = right - left, bottom - top
        if sheet.recognized and not _is_signed(sheet, (left, top, right, bottom), labels):
            continue  # on a scan strokes of a pen are also notes and stamps
        if any(part.type == "Figure" and part.edges == (left, top, right, bottom) for part in parts):
            continue
        if (
            25 <= wide <= 320
            and 4 <= tall <= 80
            and wide > 1.3 * tall
            and not _over_words(sheet, left, top, right, bottom)
        ):
            found.append(Part("Signature", (left, top, right, bottom), ()))
    for left, top, right, bottom in sheet.drawings.images.tolist():
        wide, tall = right - left, bottom - top
        if (
            _is_near(labels, (left, top, right, bottom))
            and 30 <= wide <= 320
            and 8 <= tall <= 90
            and wide > 1.3 * tall
        ):
            found.append(Part("Signature", (left, top, right, bottom), ()))
    return found


def _is_near(labels: Sequence[Edges], edges: Edges) -> bool:
    left, top, right, bottom = edges
    return any(
        left < label[2] + 250 and right > label[0] - 20 and top < label[3] + 50 and bottom > label[1] - 60
        for label in labels
    )


def _is_signed(sheet: Sheet, edges: Edges, labels: Sequence[Edges]) -> bool:
    """Tell whether strokes are near a label that asks for a signature, or on a line to sign on."""
    left, _, right, bottom = edges
    across = sheet.rules.across
    on_line = (
        (across[:, 0] > bottom - 16)
        & (across[:, 0] < bottom + 16)
        & (across[:, 1] < right)
        & (across[:, 2] > left)
        & (across[:, 2] - across[:, 1] > _SHORTEST_LINE)
        & (across[:, 2] - across[:, 1] < 0.6 * sheet.width)
    )
    return _is_near(labels, edges) or bool(on_line.any())


def _over_words(sheet: Sheet, left: float, top: float, right: float, bottom: float) -> bool:
    edges = sheet.words.edges
    x, y = (edges[:, 0] + edges[:, 2]) / 2, (edges[:, 1] + edges[:, 3]) / 2
    printed = ~(sheet.words.confidences <= MOST_IN_MARKS)  # not what the pen runs through
    return int((printed & (x > left) & (x < right) & (y > top) & (y < bottom)).sum()) > 3
