"""Characters become words: where one ends and the next begins, whatever direction they read in.

Pure geometry on columns. Which characters a page shows is the parser's business; lines come later.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import NO_PAGE_WORDS, EdgeArray, PageWords

# poppler breaks words at a tenth of the font size; a little more keeps loosely tracked capitals together
_WORD_GAP = 0.115
# kerning and italics overlap a little; a step back beyond this is a new word drawn over or before the old one
_STEP_BACK = 0.35
_LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
# Symbol and Wingdings put their glyphs at U+F000 + code; these are the ones that forms and lists use
_SYMBOLS = {
    0xF0B7: "•",
    0xF0A7: "▪",
    0xF0A8: "☐",
    0xF06F: "☐",
    0xF071: "☐",
    0xF0FE: "☑",
    0xF0FD: "☒",
    0xF078: "☒",
    0xF0FC: "✓",
    0xF0FB: "✗",
    0xF0D8: "➢",
    0xF0E0: "→",
    0xF02D: "-",
    0xF02A: "*",
}
_REPLACED = {
    **_LIGATURES,
    **_SYMBOLS,
    0xAD: "-",
    0x02: "-",
}  # PDFium says U+0002 for a hyphen at a line's end
_REPLACED_CODES = np.array(sorted(_REPLACED), np.uint32)
_SPACES = np.array(
    [
        0,
        9,
        10,
        11,
        12,
        13,
        32,
        0x85,
        0xA0,
        *range(0x2000, 0x200C),
        0x2028,
        0x2029,
        0x202F,
        0x205F,
        0x3000,
        0xFEFF,
    ],
    np.uint32,
)


@dataclass(frozen=True, eq=False)
class Characters:
    """The characters of one page as columns of one length n, in drawing order, spaces included.

    `codes` are Unicode code points; `edges` (n, 4) and `baselines` are in the reading frame of each
    character's own `turns` (see `to_reading`); `sizes` in points; `hidden` marks what no reader sees.
    """

    codes: NDArray[np.uint32]
    edges: EdgeArray
    baselines: NDArray[np.float64]
    sizes: NDArray[np.float64]
    bold: NDArray[np.bool_]
    turns: NDArray[np.int8]
    hidden: NDArray[np.bool_]


def to_reading(edges: EdgeArray, turns: int, *, width: float, height: float) -> EdgeArray:
    """Turn edges of the paper frame so that text read in `turns` quarter turns clockwise lies upright."""
    left, top, right, bottom = edges.T
    if turns == 1:
        return np.column_stack([top, width - right, bottom, width - left])
    if turns == 2:
        return np.column_stack([width - right, height - bottom, width - left, height - top])
    if turns == 3:
        return np.column_stack([height - bottom, left, height - top, right])
    return edges


def to_paper(edges: EdgeArray, turns: int, *, width: float, height: float) -> EdgeArray:
    """Undo `to_reading`; `width` and `height` are the paper's, in points."""
    left, top, right, bottom = edges.T
    if turns == 1:
        return np.column_stack([width - bottom, left, width - top, right])
    if turns == 2:
        return np.column_stack([width - right, height - bottom, width - left, height - top])
    if turns == 3:
        return np.column_stack([top, height - right, bottom, height - left])
    return edges


def split_words(
    characters: Characters, *, width: float, height: float
) -> tuple[PageWords, NDArray[np.bool_]]:
    """Return the words of a page and, for each, whether it is hidden.

    A word ends at a space, a gap, a change of line, size or direction. Glyphs struck twice to look bold
    count once. `width` and `height` are the paper's, in points.
    """
    codes = characters.codes
    printed = ~np.isin(codes, _SPACES)
    at = np.flatnonzero(printed)
    if not len(at):
        return NO_PAGE_WORDS, np.zeros(0, np.bool_)
    edges, base, sizes = characters.edges[at], characters.baselines[at], characters.sizes[at]
    turns, hidden, shown = characters.turns[at], characters.hidden[at], codes[at]
    size = np.maximum(sizes[1:], sizes[:-1])
    same_line = np.abs(base[1:] - base[:-1]) <= 0.12 * size
    struck = np.zeros(len(at), np.bool_)
    struck[1:] = (
        (shown[1:] == shown[:-1])
        & same_line
        & (np.abs(edges[1:, 0] - edges[:-1, 0]) < 0.1 * size)
        & (turns[1:] == turns[:-1])
    )
    if struck.any():
        keep = ~struck
        at, edges, base, sizes = at[keep], edges[keep], base[keep], sizes[keep]
        turns, hidden, shown = turns[keep], hidden[keep], shown[keep]
        size = np.maximum(sizes[1:], sizes[:-1])
        same_line = np.abs(base[1:] - base[:-1]) <= 0.12 * size
    gap = edges[1:, 0] - edges[:-1, 2]
    spaces_before = np.concatenate([[0], np.cumsum(~printed)])[at]
    joined = (
        (spaces_before[1:] == spaces_before[:-1])
        & same_line
        & (gap < _WORD_GAP * size)
        & (gap > -_STEP_BACK * size)
        & (turns[1:] == turns[:-1])
        & (hidden[1:] == hidden[:-1])
        & (np.minimum(sizes[1:], sizes[:-1]) > 0.9 * size)
    )
    starts = np.flatnonzero(np.concatenate([[True], ~joined]))
    ends = np.append(starts[1:], len(at))
    words = np.column_stack(
        [
            np.minimum.reduceat(edges[:, 0], starts),
            np.minimum.reduceat(edges[:, 1], starts),
            np.maximum.reduceat(edges[:, 2], starts),
            np.maximum.reduceat(edges[:, 3], starts),
        ]
    )
    turn = turns[starts]
    for quarter in (1, 2, 3):
        where = turn == quarter
        if where.any():
            words[where] = to_paper(words[where], quarter, width=width, height=height)
    texts = _texts(shown, starts, ends)
    columns = PageWords(
        texts=texts,
        edges=words,
        sizes=np.maximum.reduceat(sizes, starts),
        bold=characters.bold[at][starts],
        turns=turn,
        confidences=np.full(len(starts), np.nan),
    )
    kept = ~_struck_twice(columns)
    if kept.all():
        return columns, hidden[starts]
    return columns.chosen(kept), hidden[starts][kept]


def _texts(codes: NDArray[np.uint32], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> list[str]:
    wrong = (codes > 0x10FFFF) | ((codes >= 0xD800) & (codes < 0xE000)) | (codes < 0x20) & (codes != 2)
    whole = np.where(wrong, 0xFFFD, codes).astype("<u4").tobytes().decode("utf-32-le")
    texts = [whole[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    if np.isin(codes, _REPLACED_CODES).any():
        texts = [text.translate(_REPLACED) for text in texts]
    return texts


def _struck_twice(words: PageWords) -> NDArray[np.bool_]:
    """Mark words printed again at the same place (shadows, fake bold drawn word by word)."""
    again = np.zeros(len(words), np.bool_)
    seen: dict[tuple[str, int, int], list[int]] = {}
    centres = (words.edges[:, :2] + words.edges[:, 2:]) / 2
    # cells of 4 points: twins lie within a point, so only the four nearest corners need a look
    cells = np.round(centres / 4).astype(np.int64).tolist()
    sizes, middles = words.sizes.tolist(), centres.tolist()
    for i, (text, (x, y)) in enumerate(zip(words.texts, cells, strict=True)):
        near = seen.get((text, x, y))
        if near is None:
            seen[text, x, y] = [i]
            continue
        reach = 0.15 * sizes[i]
        if any(
            abs(middles[i][0] - middles[j][0]) < reach and abs(middles[i][1] - middles[j][1]) < reach
            for j in near
        ):
            again[i] = True
        else:
            near.append(i)
    return again
