"""The referee for words: poppler's `pdftotext -bbox`, and how two sets of words are compared.

poppler is measured against, never shipped.
"""

import html
import re
import subprocess
import unicodedata
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

import numpy as np

Word = tuple[str, float, float, float, float]
"""Text, then left, top, right, bottom as shares of the page."""

_PAGE = re.compile(r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', re.DOTALL)
_LEFTWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LAM_ALEF = re.compile("\u0644[\u0622\u0623\u0625\u0627]|.", re.DOTALL)
_MOST_READINGS = 64
_CONTROL = re.compile("[\x00-\x1f]")
_WORD = re.compile(r'<word xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">(.*?)</word>')


@dataclass
class WordScore:
    """Counts over the pages compared."""

    referee: int = 0
    ours: int = 0
    matched: int = 0
    ious: list[float] | None = None

    def add(self, other: "WordScore") -> None:
        self.referee += other.referee
        self.ours += other.ours
        self.matched += other.matched
        self.ious = [*(self.ious or []), *(other.ious or [])]

    @property
    def recall(self) -> float:
        return self.matched / max(self.referee, 1)

    @property
    def precision(self) -> float:
        return self.matched / max(self.ours, 1)

    @property
    def median_iou(self) -> float:
        return float(np.median(self.ious)) if self.ious else 0.0


def referee_pages(path: Path) -> list[list[Word]] | None:
    """Return the referee's words page by page, or None when it cannot open the file."""
    try:
        done = subprocess.run(
            ["pdftotext", "-bbox", "-cropbox", str(path), "-"], capture_output=True, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    pages = []
    turned = _turned_pages(path)
    found = _PAGE.findall(done.stdout.decode("utf-8", "replace"))
    for number, (width, height, body) in enumerate(found, start=1):
        w, h = float(width) or 1.0, float(height) or 1.0
        if number in turned:
            w, h = h, w  # words come as displayed, the page's size does not
        pages.append(
            [
                (html.unescape(text), float(a) / w, float(b) / h, float(c) / w, float(d) / h)
                for a, b, c, d, text in _WORD.findall(body)
            ]
        )
    return pages


def _turned_pages(path: Path) -> set[int]:
    done = subprocess.run(
        ["pdfinfo", "-f", "1", "-l", "100000", str(path)], capture_output=True, timeout=120, check=False
    )
    rotations = re.findall(r"Page +(\d+) rot: +(\d+)", done.stdout.decode("utf-8", "replace"))
    return {int(number) for number, rotation in rotations if rotation in ("90", "270")}


def _same(text: str) -> str:
    # ligatures, soft hyphens and width variants are one text to a reader; a glyph that nothing is known of is
    # one mark for us, and its number for the referee
    unknown = _CONTROL.sub("\ufffd", text.replace("\u00ad", "-"))
    return unicodedata.normalize("NFKC", unknown)


def _readings(text: str) -> set[str]:
    """Return what a word of the referee's may be read as.

    It prints right-to-left words now as they are read, now as they lie; then lam and alef are in the order of
    reading where they are one glyph.
    """
    if not _LEFTWARD.search(text):
        return {_same(text)}
    lying = [(piece, piece[::-1]) if len(piece) == 2 else (piece,) for piece in _LAM_ALEF.findall(text)[::-1]]
    return {_same(text), *(_same("".join(way)) for way in islice(product(*lying), _MOST_READINGS))}


def compare(ours: list[Word], referee: list[Word]) -> WordScore:
    """Match words of equal text whose boxes overlap, best overlap first."""
    score = WordScore(len(referee), len(ours), 0, [])
    by_text: dict[str, list[int]] = {}
    for i, word in enumerate(ours):
        by_text.setdefault(_same(word[0]), []).append(i)
    pairs = []
    for j, word in enumerate(referee):
        for i in {i for reading in _readings(word[0]) for i in by_text.get(reading, ())}:
            overlap = _iou(ours[i], word)
            if overlap > 0.3:
                pairs.append((overlap, i, j))
    used_ours: set[int] = set()
    used_referee: set[int] = set()
    for overlap, i, j in sorted(pairs, reverse=True):
        if i not in used_ours and j not in used_referee:
            used_ours.add(i)
            used_referee.add(j)
            score.ious.append(overlap)
    score.matched = len(used_ours)
    return score


def _iou(a: Word, b: Word) -> float:
    width = min(a[3], b[3]) - max(a[1], b[1])
    height = min(a[4], b[4]) - max(a[2], b[2])
    if width <= 0 or height <= 0:
        return 0.0
    common = width * height
    areas = (a[3] - a[1]) * (a[4] - a[2]) + (b[3] - b[1]) * (b[4] - b[2])
    return common / (areas - common)
