"""Scanned pages drawn for `checkboxes.py`: true checkboxes, and much that looks like one, with exact truth.

Two splits: `dev` (for tuning) and `held`, which has other seeds, fonts, sizes of boxes, thickness of lines
and damages. Half of the pages have no checkbox at all.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import matplotlib
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Grey = NDArray[np.uint8]
DPI = 200
SIZE = (1700, 1300)  # pixels: a letter page's upper part
_FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
_FACES = {
    "dev": (
        "DejaVuSans",
        "DejaVuSans-Bold",
        "DejaVuSerif-Bold",
        "DejaVuSansMono-Bold",
        "cmb10",
        "DejaVuSerif",
    ),
    "held": ("STIXGeneralBol", "cmss10", "DejaVuSansMono", "cmtt10", "STIXGeneral", "DejaVuSans-BoldOblique"),
}
_SIDES = {"dev": (6.5, 8.0, 9.0, 10.5, 12.0), "held": (7.0, 7.6, 9.6, 11.0, 12.8)}
_STROKES = {"dev": (2, 2, 3, 4), "held": (1, 2, 3, 5)}
_HAN = "口日目田回国品由甲申困因固四西百白自首石右吉合否问间古台可同司"
_HANGUL = "모든마음미문몸무뭄민본분물품보험맘"
_WORDS = (
    "BOARD ODD BOB DOOR Dose DOB EOB Body Bold Order Doctor Report Date Dated BODILY Bond PROOF Good "
    "Employer Department Disability Address Occupation Box Book Record Boot Deposit "
    "Q Od Bo Db p b d q o D B O"
)
_LABELS = (
    "Yes|No|Full time|Part time|Male|Female|Left|Right|Temporary|Permanent|Initial|Final|Admitted|Denied"
)


@dataclass
class TrueBox:
    """A checkbox as drawn: edges in pixels, whether it is checked, and how it was drawn."""

    edges: tuple[float, float, float, float]
    checked: bool
    style: str


@dataclass
class BoxPage:
    """A drawn page with its checkboxes."""

    name: str
    grey: Grey
    boxes: list[TrueBox] = field(default_factory=list)
    shown: tuple[str, ...] = ()


def points(value: float) -> int:
    return round(value * DPI / 72)


class Sheet:
    """Draws one page from the top."""

    def __init__(self, seed: int, split: str) -> None:
        self.random, self.split = random.Random(f"{split}-{seed}"), split
        self.image = Image.new("L", SIZE, 255)
        self.pen = ImageDraw.Draw(self.image)
        self.y = 60
        self.page = BoxPage(f"{split}-{seed}", np.zeros(0, np.uint8))

    def font(self, size: float) -> ImageFont.FreeTypeFont:
        return ImageFont.truetype(str(_FONTS / f"{self.random.choice(_FACES[self.split])}.ttf"), points(size))

    def text(self, x: float, y: float, text: str, font: ImageFont.FreeTypeFont) -> float:
        self.pen.text((x, y), text, font=font, fill=self.random.choice((0, 0, 40)))
        return x + font.getlength(text)

    def prose(self) -> None:
        size = self.random.choice((7, 8, 9, 10, 11, 12, 14, 16))
        font = self.font(size)
        for _ in range(self.random.randint(1, 3)):
            x = 100.0
            while x < SIZE[0] - 350:
                x = self.text(x, self.y, self.random.choice(_WORDS.split()), font) + points(size) * 0.35
            self.y += round(points(size) * 1.5)

    def initials(self) -> None:
        """Single capitals apart: blood types, eye charts, grades."""
        font = self.font(self.random.choice((9, 10, 12, 14, 16, 18)))
        for _ in range(self.random.randint(4, 12)):
            self.text(self.random.randint(80, 1550), self.y, self.random.choice("ODBQPRUH0D8O"), font)
        self.y += font.size + 20

    def foreign(self) -> None:
        letters = self.random.choice((_HAN, _HAN, _HANGUL))
        if letters is _HANGUL:
            letters = _HAN  # the built-in font has no Hangul
        size = points(self.random.choice((9, 10, 11, 12, 14)))
        face = cv2.FontFace("uni")
        grey = np.array(self.image)
        for _ in range(self.random.randint(1, 3)):
            x = self.random.randint(80, 300)
            for _ in range(self.random.randint(1, 4)):
                text = "".join(self.random.choice(letters) for _ in range(self.random.randint(1, 12)))
                weight = self.random.choice((400, 400, 700))
                end, _ = cv2.putText(grey, text, (x, self.y + size), (0,), face, size, weight)
                x = int(end) + size * self.random.randint(1, 4) if np.isscalar(end) else int(end[0]) + size
                if x > SIZE[0] - 400:
                    break
            self.y += round(size * 1.6)
        self.image = Image.fromarray(grey)
        self.pen = ImageDraw.Draw(self.image)

    def cells(self) -> None:
        """A table of small cells, some with a digit: a calendar, combs for a number's digits."""
        side, wide = points(self.random.choice((9, 11, 13))), self.random.choice((1.0, 1.0, 1.2))
        rows, columns = self.random.choice(((1, 9), (1, 2), (2, 12), (5, 7), (6, 4)))
        font, left = self.font(7.5), self.random.randint(90, 700)
        for row in range(rows):
            for column in range(columns):
                x, y = left + column * side * wide, self.y + row * side
                self.pen.rectangle((x, y, x + side * wide, y + side), outline=0, width=2)
                if self.random.random() < 0.5:
                    self.text(x + side * 0.25, y + 2, str(self.random.randint(0, 9)), font)
        self.y += rows * side + 30

    def logo(self) -> None:
        x, side = self.random.randint(100, 1300), points(self.random.choice((9, 11, 13)))
        kind = self.random.choice(("rings", "matrix", "bullets", "monogram"))
        if kind == "rings":
            for step in range(3):
                inset = step * 6
                self.pen.rectangle(
                    (x + inset, self.y + inset, x + side - inset, self.y + side - inset), outline=0, width=3
                )
        elif kind == "bullets":
            font, side = self.font(10), points(self.random.choice((5.5, 6.5, 8)))
            for _ in range(3):
                self.pen.rectangle((100, self.y, 100 + side, self.y + side), fill=0)
                self.text(100 + side + 16, self.y - 6, "Duties of the office", font)
                self.y += 40
        elif kind == "matrix":
            module = self.random.choice((3, 4))
            for row in range(25):
                for column in range(25):
                    finder = (row < 8 or row > 16) and column < 8 or row < 8 and column > 16
                    r, c = row if row < 8 else row - 18, column if column < 8 else column - 18
                    ring = max(abs(r - 3), abs(c - 3))
                    if (finder and ring in (3, 0, 1)) or (not finder and self.random.random() < 0.5):
                        a, b = x + column * module, self.y + row * module
                        self.pen.rectangle((a, b, a + module - 1, b + module - 1), fill=0)
            side = 25 * module
        else:
            self.pen.rounded_rectangle((x, self.y, x + side, self.y + side), 9, outline=0, width=4)
            self.text(x + side * 0.3, self.y + 1, self.random.choice("MSB"), self.font(7))
        self.y += side + 24

    def boxes(self) -> None:
        """A row of checkboxes with labels, in several states."""
        side = points(self.random.choice(_SIDES[self.split]))
        stroke = self.random.choice(_STROKES[self.split])
        font, labels = self.font(self.random.choice((8, 9, 10, 11))), _LABELS.split("|")
        style = self.random.choice(("plain", "plain", "plain", "shadow", "behind", "tight"))
        x = float(self.random.randint(90, 260))
        while x < SIZE[0] - 420:
            if style == "behind":
                x = self.text(x, self.y, self.random.choice(labels), font) + 12
            self._box(round(x), self.y + 4, side, stroke, style)
            x += side + (5 if style == "tight" else 14)
            if style != "behind":
                x = self.text(x, self.y, self.random.choice(labels), font)
            x += self.random.randint(40, 160)
        self.y += max(side, font.size) + self.random.randint(14, 40)

    def _box(self, x: int, y: int, side: int, stroke: int, style: str) -> None:
        mark = self.random.choice(
            ("", "", "", "cross", "tick", "filled", "wide cross", "wide tick", "erased")
        )
        self.pen.rectangle((x, y, x + side, y + side), outline=0, width=stroke)
        if style == "shadow":
            self.pen.line((x + stroke, y + side + 1, x + side + 1, y + side + 1), fill=0, width=2)
            self.pen.line((x + side + 1, y + stroke, x + side + 1, y + side + 1), fill=0, width=2)
        out = side * (0.35 if mark.startswith("wide") else -0.2)
        if mark.endswith("cross"):
            self.pen.line((x - out, y - out, x + side + out, y + side + out), fill=20, width=3)
            self.pen.line((x - out, y + side + out, x + side + out, y - out), fill=20, width=3)
        elif mark.endswith("tick"):
            path = [(x + side * 0.15, y + side * 0.5), (x + side * 0.4, y + side * 0.85)]
            self.pen.line([*path, (x + side + out, y - out)], fill=20, width=4)
        elif mark == "filled":
            for at in range(3, side - 2, 4):
                self.pen.line((x + 3, y + at, x + side - 3, y + side - at), fill=30, width=4)
        elif mark == "erased":
            part = self.random.uniform(0.25, 0.45) * side
            at = self.random.uniform(0.1, 0.5) * side
            across = self.random.random() < 0.5
            spot = (
                (x + at, y - 3, x + at + part, y + stroke + 2)
                if across
                else (x - 3, y + at, x + stroke + 2, y + at + part)
            )
            self.pen.rectangle(spot, fill=255)
        checked = mark not in ("", "erased")
        self.page.boxes.append(TrueBox((x, y, x + side, y + side), checked, f"{style} {mark or 'empty'}"))


def damaged(grey: Grey, seed: int, *, held: bool) -> tuple[Grey, NDArray[np.float64]]:
    """Return the page as scanned, and the matrix that moves drawn points to scanned ones."""
    chance = np.random.default_rng((seed, held, 18))
    degrees = float(chance.uniform(-0.8, 0.8)) if seed % 4 else 0.0
    there = cv2.getRotationMatrix2D((SIZE[0] / 2, SIZE[1] / 2), degrees, 1.0)
    moved = cv2.warpAffine(grey, there, SIZE, flags=cv2.INTER_CUBIC, borderValue=255)
    kind = seed % 5
    if kind == 3:  # a fax
        small = cv2.resize(moved, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA)
        values = small + chance.normal(0, 18 if held else 14, small.shape)
        moved = cv2.resize(((values > 150) * 255).astype(np.uint8), SIZE, interpolation=cv2.INTER_LINEAR)
        return np.asarray(moved, np.uint8), np.asarray(there)
    if kind in (1, 4):
        moved = cv2.GaussianBlur(moved, (0, 0), 0.9 if held else 0.7)
    spread = (3, 8, 14, 0, 10)[kind]
    values = moved * 0.9 + 12 + chance.normal(0, spread, moved.shape)
    return np.asarray(values.clip(0, 255), np.uint8), np.asarray(there)


def draw_page(seed: int, split: str) -> BoxPage:
    """Return one page of `SIZE`; even seeds have checkboxes."""
    sheet = Sheet(seed, split)
    others: list[Callable[[], None]] = [sheet.prose, sheet.initials, sheet.foreign, sheet.cells, sheet.logo]
    kinds = sheet.random.choices(others, (3, 2, 2, 2, 1), k=12)
    shown = []
    for number, kind in enumerate(kinds):
        if seed % 2 == 0 and number % 2 == 0:
            sheet.boxes()
        kind()
        shown.append(kind.__name__)
        if sheet.y > SIZE[1] - 330:
            break
    page = sheet.page
    page.grey, there = damaged(np.array(sheet.image), seed, held=split == "held")
    for box in page.boxes:
        left, top, right, bottom = box.edges
        corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        moved = corners @ there[:, :2].T + there[:, 2]
        box.edges = (*moved.min(axis=0).tolist(), *moved.max(axis=0).tolist())
    page.shown = tuple(shown)
    return page
