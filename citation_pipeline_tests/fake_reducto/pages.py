"""What the fake sees on a page: words with boxes, read from the uploaded bytes with pypdfium2.

Boxes are (left, top, right, bottom) as fractions of the displayed page, origin top-left: the frame of
Reducto's own boxes. A deliberately separate, simple reading, so that the client's local parser is never
compared with itself. Not here: blocks and types (`results`).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import pypdfium2 as pdfium

# PDFium is not thread-safe and the server answers from many threads.
_PDFIUM = threading.Lock()

_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_TEXT_COLUMNS, _TEXT_ROWS = 100, 60  # the layout of a plain-text upload: characters a line, lines a page


class UnreadableDocumentError(Exception):
    """The uploaded bytes cannot be parsed; `name` is Reducto's error name for it."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(frozen=True)
class SeenWord:
    """A run of characters without white space and its box."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class SeenLine:
    """Words of one baseline, left to right."""

    words: tuple[SeenWord, ...]

    @property
    def text(self) -> str:
        """The words, joined by single spaces."""
        return " ".join(word.text for word in self.words)


SeenPage = tuple[SeenLine, ...]


def read_pages(data: bytes, *, password: str | None = None) -> list[SeenPage]:
    """All pages of a PDF or of UTF-8 text; raises `UnreadableDocumentError` as the service would fail."""
    if not data:
        raise UnreadableDocumentError("DOCUMENT_EMPTY")
    if b"%PDF-" in data[:1024]:
        return _read_pdf(data, password)
    if data.startswith(_IMAGES):
        return [()]  # the fake has no OCR: a page on which it sees nothing
    try:
        return _lay_out_text(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UnreadableDocumentError("DOCUMENT_UNSUPPORTED") from error


def _read_pdf(data: bytes, password: str | None) -> list[SeenPage]:
    with _PDFIUM:
        try:
            document = pdfium.PdfDocument(data, password=password)
        except pdfium.PdfiumError as error:
            locked = "password" in str(error).lower()
            raise UnreadableDocumentError(
                "DOCUMENT_PASSWORD_PROTECTED" if locked else "DOCUMENT_CORRUPT"
            ) from error
        try:
            return [_read_page(page) for page in document]
        except pdfium.PdfiumError as error:
            raise UnreadableDocumentError("DOCUMENT_CORRUPT") from error
        finally:
            document.close()


def _read_page(page: pdfium.PdfPage) -> SeenPage:
    box_left, box_bottom, box_right, box_top = page.get_bbox()
    wide, high = (box_right - box_left) or 1.0, (box_top - box_bottom) or 1.0
    rotation = page.get_rotation()
    textpage = page.get_textpage()
    characters = textpage.get_text_range(0, textpage.count_chars())
    words: list[SeenWord] = []
    run: list[tuple[str, float, float, float, float]] = []

    def close_run() -> None:
        if run:
            corners = [
                _displayed(x, y, rotation)
                for _, left, bottom, right, top in run
                for x, y in (
                    ((left - box_left) / wide, (bottom - box_bottom) / high),
                    ((right - box_left) / wide, (top - box_bottom) / high),
                )
            ]
            xs, ys = [x for x, _ in corners], [y for _, y in corners]
            words.append(SeenWord("".join(c for c, *_ in run), min(xs), min(ys), max(xs), max(ys)))
            run.clear()

    # get_text_range drops some characters that have an index, so read one by one when the counts differ.
    one_by_one = len(characters) != textpage.count_chars()
    for index in range(textpage.count_chars()):
        character = textpage.get_text_range(index, 1) if one_by_one else characters[index]
        if not character or character.isspace():
            close_run()
            continue
        left, bottom, right, top = textpage.get_charbox(index, loose=True)
        if run and left > run[-1][3] + 0.6 * (top - bottom):  # a gap wider than half a letter's height
            close_run()
        run.append((character, left, bottom, right, top))
    close_run()
    textpage.close()
    page.close()
    return _lines(words)


def _displayed(x: float, y: float, rotation: int) -> tuple[float, float]:
    """Fractions from the bottom left of the unrotated page to fractions from the top left as displayed."""
    down = 1.0 - y
    turned = {0: (x, down), 90: (1.0 - down, x), 180: (1.0 - x, 1.0 - down), 270: (down, 1.0 - x)}
    shown_x, shown_y = turned[rotation]
    return min(max(shown_x, 0.0), 1.0), min(max(shown_y, 0.0), 1.0)


def _lines(words: list[SeenWord]) -> SeenPage:
    rows: list[list[SeenWord]] = []
    for word in sorted(words, key=lambda w: ((w.top + w.bottom) / 2, w.left)):
        middle = (word.top + word.bottom) / 2
        if rows and middle < rows[-1][0].bottom - 0.2 * (rows[-1][0].bottom - rows[-1][0].top):
            rows[-1].append(word)
        else:
            rows.append([word])
    return tuple(SeenLine(tuple(sorted(row, key=lambda w: w.left))) for row in rows)


def _lay_out_text(text: str) -> list[SeenPage]:
    lines: list[SeenLine] = []
    pages: list[SeenPage] = []
    for number, raw in enumerate(text.splitlines()):
        top, words, column = (number % _TEXT_ROWS) / _TEXT_ROWS, [], 0
        for token in raw.split():
            column = raw.index(token, column)
            right = min(1.0, (column + len(token)) / _TEXT_COLUMNS)
            words.append(
                SeenWord(token, min(column / _TEXT_COLUMNS, 0.99), top, right, top + 0.8 / _TEXT_ROWS)
            )
            column += len(token)
        if words:
            lines.append(SeenLine(tuple(words)))
        if number % _TEXT_ROWS == _TEXT_ROWS - 1:
            pages.append(tuple(lines))
            lines = []
    return [*pages, tuple(lines)] if lines or not pages else pages
