"""Dotted leaders between a label and its values: out of the rows while columns are looked for, then back.

A leader fills the gap that parts two columns, so with it a table's row is one run of text.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.layout.lines import Piece, Row, split_pieces
from citation_pipeline.core.layout.table_rows import TextCell, TextTable

_DOTS = re.compile(r"[.…·]+")
_LEAST_LONE = 3  # dots that are words of their own: two are an ellipsis with a gap
_LEAST_DOTS = 4

Followers = dict[int, list[int]]
"""The leader words behind a word, by its position."""


def without_leaders(words: PageWords, rows: Sequence[Row]) -> tuple[list[Row], Followers]:
    """Return the rows cut at their leaders and without them, and which word each leader follows."""
    texts = words.texts
    behind: Followers = {}
    found: list[Row] = []
    for row in rows:
        at = [position for piece in row.pieces for position in piece.words.tolist()]
        dots = [len(texts[i]) if texts[i][0] in ".…·" and _DOTS.fullmatch(texts[i]) else 0 for i in at]
        spots = _leaders(dots) if any(dots) else ()
        if not any(spots):
            found.append(row)
            continue
        pieces = _pieces_between(words, row, at, spots, behind)
        if pieces:
            found.append(replace(row, pieces=pieces))
    return found, behind


def _leaders(dots: Sequence[int]) -> list[bool]:
    """Tell which words of a row are leaders, from how many dots each has (0: it is no dots)."""
    found = [False] * len(dots)
    start = 0
    while start < len(dots):
        end = start
        while end < len(dots) and dots[end]:
            end += 1
        if end - start >= _LEAST_LONE or max(dots[start:end], default=0) >= _LEAST_DOTS:
            found[start:end] = [True] * (end - start)
        start = end + 1
    return found


def _pieces_between(
    words: PageWords, row: Row, at: Sequence[int], spots: Sequence[bool], behind: Followers
) -> list[Piece]:
    pieces: list[Piece] = []
    run: list[int] = []
    before = -1
    for position, is_leader in zip(at, spots, strict=True):
        if not is_leader:
            run.append(position)
            before = position
            continue
        if run:
            pieces.extend(split_pieces(words, np.array(run)))
            run = []
        behind.setdefault(before, []).append(position)
    if run:
        pieces.extend(split_pieces(words, np.array(run)))
    if -1 in behind and pieces:  # dots at the start of a row go with its first word
        behind.setdefault(int(pieces[0].words[0]), [])[:0] = behind.pop(-1)
    return pieces


def with_leaders(table: TextTable, behind: Followers) -> TextTable:
    """Return a table with the leaders back behind the words that they follow."""
    if not behind:
        return table
    cells = [_with_dots(cell, behind) for cell in table.cells]
    return replace(table, cells=tuple(cells))


def _with_dots(cell: TextCell, behind: Followers) -> TextCell:
    if not any(position in behind for line in cell.lines for position in line.tolist()):
        return cell
    lines: list[NDArray[np.int64]] = []
    for line in cell.lines:
        whole: list[int] = []
        for position in line.tolist():
            whole.append(position)
            whole.extend(behind.get(position, ()))
        lines.append(np.array(whole, np.int64))
    return replace(cell, lines=tuple(lines))
