"""Characters become words: where one ends and the next begins, whatever direction they read in.

Pure geometry on columns; lines come later.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.characters import Characters, to_paper
from citation_pipeline.core.layout.content import NO_PAGE_WORDS, EdgeArray, PageWords
from citation_pipeline.core.layout.glyphs import of_one_glyph, reads_leftward

# readers of PDFs agree on a tenth of the font size: kerning stays below, the narrowest space above
_WORD_GAP = 0.1
# kerning and italics overlap a little; a step back beyond this is a new word drawn over or before the old one
_STEP_BACK = 0.35
# a font whose widths are not known has letters of one em: the next one is drawn where it belongs, inside
_NO_WIDTH, _IDEOGRAPHS = 0.95, 0x2E80
# PDFium makes up a space by the letters' advances, boxes by their ink: a slanted letter's fills the gap
_MADE_UP_GAP = 0.03
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
REPLACED = {
    **_LIGATURES,
    **_SYMBOLS,
    0xAD: "-",
    0x02: "-",
}  # PDFium says U+0002 for a hyphen at a line's end
_LEAST_DOTS = 4  # in a row are a leader: an ellipsis has three


_LAST = 0xFFFF  # of the basic plane; no character has this code, so it stands for all beyond


def _table(codes: Iterable[int]) -> NDArray[np.bool_]:
    """Return for each code of the basic plane whether it is one of `codes`."""
    table = np.zeros(_LAST + 1, np.bool_)
    table[list(codes)] = True
    return table


def _among(table: NDArray[np.bool_], codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = table[np.minimum(codes, _LAST)]
    return found


_DOTS = _table([ord("."), 0xB7, 0x2026])
_REPLACED_CODES = _table(REPLACED)
_SPACES = _table(
    [0, *range(9, 14), 32, 0x85, 0xA0, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF]
)


def split_words(characters: Characters, *, width: float, height: float) -> tuple[PageWords, NDArray[np.int8]]:
    """Return the words of a page and, for each, whether it is hidden (see `Characters`).

    A word ends at a space, a gap, a change of line, size or direction. Glyphs struck twice to look bold
    count once. `width` and `height` are the paper's, in points.
    """
    printed = ~_among(_SPACES, characters.codes)
    at = np.flatnonzero(printed)
    if not len(at):
        return NO_PAGE_WORDS, np.zeros(0, np.int8)
    at = at[~_struck_again(characters, at)]
    spaces = np.concatenate([[0], np.cumsum(~printed)])
    joined = _joined(characters, at) & (spaces[at[1:]] == spaces[at[:-1]])
    dots = _in_leaders(characters.codes[at], joined)
    # a leader is no part of the label before it, nor of the value after it
    joined &= dots[1:] == dots[:-1]
    starts = np.flatnonzero(np.concatenate([[True], ~joined]))
    ends = np.append(starts[1:], len(at))
    edges, first = characters.edges[at], at[starts]
    pieces = _Pieces(
        texts=_texts(characters.codes[at], starts, ends),
        edges=np.column_stack(
            [
                np.minimum.reduceat(edges[:, 0], starts),
                np.minimum.reduceat(edges[:, 1], starts),
                np.maximum.reduceat(edges[:, 2], starts),
                np.maximum.reduceat(edges[:, 3], starts),
            ]
        ),
        first=first,
        last=at[ends - 1],
    )
    gone = _close_seams(pieces, characters, printed, dots[starts])
    words, turns = pieces.edges, characters.turns[first]
    for quarter in (1, 2, 3):
        where = turns == quarter
        if where.any():
            words[where] = to_paper(words[where], quarter, width=width, height=height)
    columns = PageWords(
        texts=pieces.texts,
        edges=words,
        sizes=np.maximum.reduceat(characters.sizes[at], starts),
        bold=characters.bold[first],
        turns=turns,
        confidences=np.full(len(starts), np.nan),
    )
    kept = ~(_struck_twice(columns) | gone)
    hidden = characters.hidden[first]
    return (columns, hidden) if kept.all() else (columns.chosen(kept), hidden[kept])


@dataclass(eq=False, slots=True)
class _Pieces:
    """Words while they are mended; `first` and `last` are positions of their characters."""

    texts: list[str]
    edges: EdgeArray
    first: NDArray[np.int64]
    last: NDArray[np.int64]


def _same_line(characters: Characters, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which pairs of characters share direction, visibility, size and (to an eighth of it) baseline."""
    sizes, base = characters.sizes, characters.baselines
    size = np.maximum(sizes[a], sizes[b])
    same: NDArray[np.bool_] = (
        (np.abs(base[b] - base[a]) <= 0.12 * size)
        & (np.minimum(sizes[a], sizes[b]) > 0.9 * size)
        & (characters.turns[a] == characters.turns[b])
        & (characters.hidden[a] == characters.hidden[b])
    )
    return same


def _struck_again(characters: Characters, at: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark characters printed right over the one before them, as fake bold does."""
    again = np.zeros(len(at), np.bool_)
    a, b = at[:-1], at[1:]
    step = np.abs(characters.edges[b, 0] - characters.edges[a, 0])
    again[1:] = (
        (characters.codes[a] == characters.codes[b])
        & (step < 0.1 * characters.sizes[b])
        & ~of_one_glyph(characters, a, b)  # the two f of an ffi
        & _same_line(characters, a, b)
    )
    return again


def _joined(characters: Characters, at: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which neighbours in drawing order belong to one word, spaces aside."""
    a, b, codes = at[:-1], at[1:], characters.codes
    left, right = characters.edges[:, 0], characters.edges[:, 2]
    size = np.maximum(characters.sizes[a], characters.sizes[b])
    gap, advance = left[b] - right[a], left[b] - left[a]
    leftward = reads_leftward(codes)
    if leftward.any():
        # a full stop, too, stands to the left of the letter before it
        gap = np.where((leftward[a] | leftward[b]) & (advance < 0), left[a] - right[b], gap)
    one_run = characters.runs[a] == characters.runs[b]
    # a ligature's letters share a box; a run that goes on to the right has wrong widths, not a new word
    onward = one_run | ((_width(characters, a) > _NO_WIDTH * size) & (codes[a] < _IDEOGRAPHS))
    close = (gap > -_STEP_BACK * size) | (np.abs(advance) < 0.01) | (onward & (advance > 0.2 * size))
    # a bullet is of another font than what it touches; a letter that its font does not name is of the same
    readable = one_run | (_is_odd(codes[a]) == _is_odd(codes[b]))
    level = close & (gap < _WORD_GAP * size) & _same_line(characters, a, b)
    whole: NDArray[np.bool_] = readable & (level | (one_run & characters.slanted[a]))
    return whole


def _in_leaders(codes: NDArray[np.uint32], joined: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the characters of dotted leaders; `joined` tells which neighbours touch."""
    dots = _among(_DOTS, codes)
    if dots.sum() < _LEAST_DOTS:
        return np.zeros(len(codes), np.bool_)
    starts = np.flatnonzero(np.concatenate([[True], ~joined | (dots[1:] != dots[:-1])]))
    lengths = np.diff(np.append(starts, len(codes)))
    return dots & np.repeat(lengths >= _LEAST_DOTS, lengths)


def _is_odd(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Tell which codes stand for a sign beside the letters: private use, where fonts of symbols have theirs.

    A glyph of which nothing is known stays with its neighbours: less than the word would be another word.
    """
    odd: NDArray[np.bool_] = ((codes >= 0x7F) & (codes < 0xA0)) | ((codes >= 0xE000) & (codes < 0xF900))
    return odd


def _width(characters: Characters, at: NDArray[np.int64]) -> NDArray[np.float64]:
    widths: NDArray[np.float64] = characters.edges[at, 2] - characters.edges[at, 0]
    return widths


def _close_seams(
    pieces: _Pieces, characters: Characters, printed: NDArray[np.bool_], leaders: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Join words whose halves were drawn at different times; mark the pieces that were taken in.

    Only where the halves touch, and no space was printed between them. `leaders` marks dotted leaders.
    """
    gone = np.zeros(len(pieces.texts), np.bool_)
    base, turns = characters.baselines[pieces.first], characters.turns[pieces.first]
    order = np.lexsort((pieces.edges[:, 0], np.round(base * 2), turns))
    a, b = order[:-1], order[1:]
    widths = characters.edges[:, 2] - characters.edges[:, 0]
    spaces = np.concatenate([[False], ~printed & (widths > 0.01), [False]])
    gap = pieces.edges[b, 0] - pieces.edges[a, 2]
    size = characters.sizes[pieces.first[b]]
    first, last = pieces.first, pieces.last
    parted = (first[b] == last[a] + 2) & ~printed[np.minimum(last[a] + 1, len(printed) - 1)]
    seams = np.flatnonzero(
        (np.abs(gap) < np.where(parted, _MADE_UP_GAP, _WORD_GAP) * size)
        & ~spaces[last[a] + 2]
        & ~spaces[first[b]]
        & _same_line(characters, last[a], first[b])
        & ~characters.slanted[last[a]]
        & ~reads_leftward(characters.codes[first[b]])
        & (leaders[a] == leaders[b])
        & (_is_odd(characters.codes[last[a]]) == _is_odd(characters.codes[first[b]]))
    )
    for seam in seams[::-1].tolist():
        left, right = int(a[seam]), int(b[seam])
        pieces.texts[left] += pieces.texts[right]
        pieces.edges[left] = np.concatenate(
            [
                np.minimum(pieces.edges[left, :2], pieces.edges[right, :2]),
                np.maximum(pieces.edges[left, 2:], pieces.edges[right, 2:]),
            ]
        )
        gone[right] = True
    return gone


def _texts(codes: NDArray[np.uint32], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> list[str]:
    wrong = (codes > 0x10FFFF) | ((codes >= 0xD800) & (codes < 0xE000)) | (codes < 0x20) & (codes != 2)
    whole = np.where(wrong, 0xFFFD, codes).astype("<u4").tobytes().decode("utf-32-le")
    texts = [whole[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    if _among(_REPLACED_CODES, codes).any():
        texts = [text.translate(REPLACED) for text in texts]
    return texts


def _struck_twice(words: PageWords) -> NDArray[np.bool_]:
    """Mark words printed again at the same place (shadows, fake bold drawn word by word)."""
    again = np.zeros(len(words), np.bool_)
    seen: dict[tuple[str, int, int], list[int]] = {}
    centres = (words.edges[:, :2] + words.edges[:, 2:]) / 2
    # cells of 4 points: twins lie within a point, so only the four nearest corners need a look
    cells = list(zip(words.texts, *np.round(centres / 4).astype(np.int64).T.tolist(), strict=True))
    if len(set(cells)) == len(cells):
        return again
    sizes, middles = words.sizes.tolist(), centres.tolist()
    for i, cell in enumerate(cells):
        near = seen.get(cell)
        if near is None:
            seen[cell] = [i]
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
