"""Documents as the resolver benchmark stores them, drawn word by word: pages, words with boxes, lines and
blocks. Also where a text stands in one. What is written on them belongs elsewhere."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

WIDTH, HEIGHT = 612, 792
LEFT, RIGHT, TOP, BOTTOM = 0.06, 0.94, 0.05, 0.94
CHARACTER, GAP, LINE, PITCH = 0.0088, 0.006, 0.012, 0.016
WIDE = re.compile("[\u1100-\u11ff\u3000-\u9fff\uac00-\ud7af]")

Range = tuple[int, int]
"""First word and the word after the last."""


def width_of(word: str) -> float:
    return sum(2 * CHARACTER if WIDE.match(letter) else CHARACTER for letter in word)


@dataclass
class Sheet:
    """One document while it is drawn."""

    name: str
    words: list[list[Any]] = field(default_factory=list)
    blocks: list[dict[str, Any]] = field(default_factory=list)
    line_starts: list[int] = field(default_factory=list)
    page: int = 1
    top: float = TOP

    def turn(self) -> None:
        """Start the next page."""
        self.page += 1
        self.top = TOP

    def write(self, text: str, *, rtl: bool = False, kind: str = "Text") -> Range:
        """Write a paragraph; where it does not fit, it goes on upon the next page as another block."""
        first = start = len(self.words)
        left = LEFT
        self._line()
        for word in text.split():
            width = width_of(word)
            if left > LEFT and left + width > RIGHT:
                left = LEFT
                self.top += PITCH
                if self.top + LINE > BOTTOM:
                    self._block(start, kind)
                    start = len(self.words)
                    self.turn()
                self._line()
            shown = LEFT + RIGHT - left - width if rtl else left
            self.words.append([word, self.page, round(shown, 5), round(self.top, 5), round(width, 5), LINE])
            left += width + GAP
        self._block(start, kind)
        self.top += PITCH * 1.8
        return first, len(self.words)

    def rows(self, table: Sequence[Sequence[str]], lefts: Sequence[float]) -> list[list[Range]]:
        """Write a table, one range per cell; a table must fit what is left of the page."""
        start = len(self.words)
        cells = []
        for row in table:
            self._line()
            ranges = []
            for left, cell in zip(lefts, row, strict=True):
                first = len(self.words)
                for word in cell.split():
                    width = width_of(word)
                    self.words.append([word, self.page, round(left, 5), round(self.top, 5), width, LINE])
                    left += width + GAP
                ranges.append((first, len(self.words)))
            cells.append(ranges)
            self.top += PITCH
        self._block(start, "Table")
        return cells

    def room(self, lines: int = 3) -> None:
        """Turn the page unless so many lines fit below."""
        if self.top + lines * PITCH > BOTTOM:
            self.turn()

    def _line(self) -> None:
        if not self.line_starts or self.line_starts[-1] != len(self.words):
            self.line_starts.append(len(self.words))

    def _block(self, start: int, kind: str) -> None:
        held = self.words[start:]
        if not held:
            return
        left, top = min(w[2] for w in held), min(w[3] for w in held)
        bbox = {
            "page": held[0][1],
            "left": left,
            "top": top,
            "width": round(max(w[2] + w[4] for w in held) - left, 5),
            "height": round(max(w[3] + w[5] for w in held) - top, 5),
        }
        content = " ".join(w[0] for w in held)
        identity = f"b{len(self.blocks)}"
        self.blocks.append(
            {"id": identity, "type": kind, "page": held[0][1], "bbox": bbox, "content": content}
            | {"words": [start, len(self.words)]}
        )

    def record(self) -> dict[str, Any]:
        pages = [{"page": n, "width": WIDTH, "height": HEIGHT} for n in range(1, self.page + 1)]
        return {
            "doc_id": self.name,
            "pages": pages,
            "words": self.words,
            "blocks": self.blocks,
            "line_starts": [start for start in self.line_starts if start < len(self.words)],
        }


def tokens(text: str) -> list[str]:
    """Return the words by which texts are compared here: case and marks at their ends do not count."""
    return [word.casefold().strip(".,;:!?\"'“”‘’") or word for word in text.split()]


def occurrences(record: dict[str, Any], text: str) -> list[Range]:
    """Return every place where the text stands word by word. The record keeps its words as compared here."""
    wanted = tokens(text)
    page_words = record.get("_tokens")
    if page_words is None:
        page_words = record["_tokens"] = tokens_of(record)
    return [
        (start, start + len(wanted))
        for start in range(len(page_words) - len(wanted) + 1)
        if page_words[start] == wanted[0] and page_words[start : start + len(wanted)] == wanted
    ]


def tokens_of(record: Mapping[str, Any]) -> list[str]:
    return [word[0].casefold().strip(".,;:!?\"'“”‘’") or word[0] for word in record["words"]]


def text_of(record: Mapping[str, Any], span: Range) -> str:
    return " ".join(word[0] for word in record["words"][span[0] : span[1]])


def pages_of(record: Mapping[str, Any], span: Range) -> set[int]:
    return {word[1] for word in record["words"][span[0] : span[1]]}


def runs(record: Mapping[str, Any], length: int) -> Iterator[Range]:
    """Yield every range of so many words that stays inside one block."""
    for block in record["blocks"]:
        first, last = block["words"]
        for start in range(first, last - length + 1):
            yield start, start + length
