"""Words with boxes for Reducto's blocks: the service's own where it gives them, else the local parser's.

The local parser saw every word with its box, Reducto saw what belongs together. A local word goes to the
block that holds its centre; where blocks overlap, to the one whose text has the word, then to the smallest.
Its text stays as the text layer has it; on OCR pages Reducto's reading of the same word is taken. What
Reducto read and the page's local words lack (handwriting, stamps) becomes words too, whose box is the
block's: the finest place known, never an invented one. Pure functions; not here: the document (`conversion`).
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from citation_pipeline.core.boxes import Box, BoxArray, box_from_edges, clamp

UNPLACED = 0.0
"""Confidence of a word whose place is known only as its block's."""

_MARGIN = 0.004  # 3 pt on a letter page: detectors cut ascenders and last letters
_SAME_WORD = 50.0  # similarity of two readings (0-100) from which OCR misread one word, not two words


_UNCITED_LINES = 1_000_000  # line numbers of local words among cited ones begin here, beyond any block's


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word on a page; neighbours with one `line` number share a line, below 0 its place is not known."""

    text: str
    box: Box
    line: int
    confidence: float
    second_reading: str | None = None


@dataclass(frozen=True, slots=True)
class LocalWords:
    """The local parser's words of one page, in its reading order, as columns of one length n.

    `boxes` (n, 4) left, top, width, height in the page frame.
    """

    texts: Sequence[str]
    boxes: BoxArray
    lines: Sequence[int]
    blocks: Sequence[int]
    confidences: Sequence[float]
    from_ocr: bool
    second_readings: Mapping[int, str] = field(default_factory=dict)

    def placed(self, index: int, text: str | None = None) -> PlacedWord:
        """Return one word, perhaps with a better reading of it: then ours is the second one."""
        left, top, width, height = (float(number) for number in self.boxes[index])
        second = self.second_readings.get(index)
        if text is not None and plain(text) != plain(self.texts[index]):
            second = self.texts[index]
        return PlacedWord(
            self.texts[index] if text is None else text,
            Box(left, top, width, height),
            self.lines[index],
            self.confidences[index],
            None if second == text else second,
        )


def plain(text: str) -> str:
    """Return only letters and digits, case folded: what two readings of one word share."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


def assign_words(
    local: LocalWords, boxes: Sequence[Box], contents: Sequence[Sequence[str]]
) -> tuple[list[list[int]], list[int]]:
    """Give each local word to a block: per block the word indices in order, and the words outside all.

    `boxes` and `contents` (tokens) describe the page's blocks.
    """
    given: list[list[int]] = [[] for _ in boxes]
    if not boxes or not local.texts:
        return given, list(range(len(local.texts)))
    edges = np.array(
        [(b.left - _MARGIN, b.top - _MARGIN, b.right + _MARGIN, b.bottom + _MARGIN) for b in boxes]
    )
    has = [Counter(map(plain, content)) for content in contents]
    x = (local.boxes[:, 0] + local.boxes[:, 2] / 2)[:, None]
    y = (local.boxes[:, 1] + local.boxes[:, 3] / 2)[:, None]
    inside = (x >= edges[:, 0]) & (x <= edges[:, 2]) & (y >= edges[:, 1]) & (y <= edges[:, 3])
    outside = []
    for index in range(len(local.texts)):
        holders = np.flatnonzero(inside[index]).tolist()
        if not holders:
            outside.append(index)
            continue
        word = plain(local.texts[index]) if len(holders) > 1 else ""
        lacking = [bool(word) and not has[block][word] for block in holders]
        _, _, best = min(zip(lacking, (boxes[block].area for block in holders), holders, strict=True))
        given[best].append(index)
    return given, outside


def words_of_block(
    local: LocalWords, indices: Sequence[int], content: Sequence[str], *, box: Box, on_page: str
) -> list[PlacedWord]:
    """Return a block's words: its local ones, and what its content says beyond anything on the page.

    `content` are the block's tokens; `on_page` all local words of the page, made plain and joined: a token
    found there is not missing, it only went to another block or was cut elsewhere.
    """
    wanted = [(token, plain(token)) for token in content]
    wanted = [(token, key) for token, key in wanted if key]
    seen = [plain(local.texts[index]) for index in indices]
    words: list[PlacedWord] = []
    for step in Levenshtein.opcodes(seen, [key for _, key in wanted]):
        mine, theirs = indices[step.src_start : step.src_end], wanted[step.dest_start : step.dest_end]
        if step.tag == "equal":
            words += [
                local.placed(index, token if local.from_ocr else None)
                for index, (token, _) in zip(mine, theirs, strict=True)
            ]
            continue
        if local.from_ocr and len(mine) == len(theirs):
            read = list(zip(mine, theirs, strict=True))
            if all(fuzz.ratio(plain(local.texts[index]), key) >= _SAME_WORD for index, (_, key) in read):
                words += [local.placed(index, token) for index, (token, _) in read]
                continue
        words += [local.placed(index) for index in mine]
        together = "".join(plain(local.texts[index]) for index in mine)
        for token, key in theirs:
            # On an OCR page a token that replaces words is another reading of them, not an addition.
            if key not in on_page and key not in together and not (local.from_ocr and mine):
                words.append(unplaced(token, box))
    return words


def unplaced(token: str, box: Box, *, line: int = 0) -> PlacedWord:
    """Return a word that is somewhere in `box`; its line's number is negative, as no place is known."""
    return PlacedWord(token, box, -1 - line, UNPLACED)


def cited_words(
    cited: Sequence[tuple[str, Box | None]],
    *,
    local: LocalWords | None,
    indices: Sequence[int],
    box: Box,
    confidence: float,
) -> list[PlacedWord]:
    """Return the words that the service itself located.

    One without a box takes that of the same local word of the block, if there is one, else the block's. Local
    words that no citation names or covers follow at the end.
    """
    found: dict[int, Box] = {}
    if local is not None and any(place is None for _, place in cited):
        steps = Levenshtein.opcodes(
            [plain(local.texts[index]) for index in indices], [plain(text) for text, _ in cited]
        )
        for step in steps:
            if step.tag == "equal":
                for mine, theirs in zip(
                    range(step.src_start, step.src_end), range(step.dest_start, step.dest_end), strict=True
                ):
                    found[theirs] = local.placed(indices[mine]).box
    words: list[PlacedWord] = []
    line = 0
    for position, (text, place) in enumerate(cited):
        where = place or found.get(position)
        if where is None:
            words += [unplaced(token, box) for token in text.split()]
            continue
        placed = [word for word in words if word.line >= 0]
        if placed and not _same_line(placed[-1].box, where):
            line += 1
        words += [PlacedWord(token, part, line, confidence) for token, part in _split(text, clamp(where))]
    return words + ([] if local is None else _uncited(local, indices, words))


def _uncited(local: LocalWords, indices: Sequence[int], cited: Sequence[PlacedWord]) -> list[PlacedWord]:
    """Return the local words that are neither named by a citation nor covered by one's box."""
    named = Counter(plain(word.text) for word in cited)
    covering = [word.box for word in cited if word.line >= 0]  # an unplaced word's box is the whole block's
    left_over = []
    for index in indices:
        key, box = plain(local.texts[index]), local.placed(index).box
        x, y = box.left + box.width / 2, box.top + box.height / 2
        if named[key] > 0:
            named[key] -= 1
        elif not any(b.left <= x <= b.right and b.top <= y <= b.bottom for b in covering):
            left_over.append(replace(local.placed(index), line=_UNCITED_LINES + local.lines[index]))
    return left_over


def _same_line(before: Box, box: Box) -> bool:
    middle = box.top + box.height / 2
    return before.top <= middle <= before.bottom and box.left >= before.left - _MARGIN


def _split(text: str, box: Box) -> list[tuple[str, Box]]:
    """Cut a cited run of several words by the share of characters, as nothing finer is known."""
    tokens = text.split()
    if len(tokens) < 2:
        return [(token, box) for token in tokens]
    total, at, parts = len(" ".join(tokens)), 0, []
    for token in tokens:
        left, right = (box.left + box.width * edge / total for edge in (at, at + len(token)))
        parts.append((token, box_from_edges(left, box.top, right, box.bottom)))
        at += len(token) + 1
    return parts


def in_lines(words: Sequence[PlacedWord]) -> list[list[PlacedWord]]:
    """Group neighbours with one line number."""
    lines: list[list[PlacedWord]] = []
    for word in words:
        if lines and lines[-1][-1].line == word.line:
            lines[-1].append(word)
        else:
            lines.append([word])
    return lines
