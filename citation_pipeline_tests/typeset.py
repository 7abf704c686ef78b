"""Small documents set in type without a PDF: lines of words at places of a letter page, in points.

Every letter is half an em wide. What is drawn here has the words' boxes that a parser would report.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument

WIDTH, HEIGHT = 612.0, 792.0


@dataclass(frozen=True)
class Line:
    """Text whose top left corner stands at (left, top); `type` is its block's type."""

    left: float
    top: float
    text: str
    size: float = 10.0
    type: str = "Text"
    page: int = 1


def words_of(line: Line) -> list[tuple[str, Box]]:
    """Return the line's words with their boxes in the page frame."""
    words: list[tuple[str, Box]] = []
    at = line.left
    for text in line.text.split(" "):
        width = 0.5 * line.size * len(text)
        if text:
            words.append((text, Box(at / WIDTH, line.top / HEIGHT, width / WIDTH, line.size / HEIGHT)))
        at += width + 0.3 * line.size
    return words


def source(name: str) -> SourceDocument:
    """Return a source document of that name; the name stands for its bytes."""
    digest = hashlib.sha256(name.encode()).hexdigest()
    return SourceDocument(name, name, f"{name}.pdf", digest, "application/pdf", len(name))


def typeset(name: str, lines: Sequence[Line | Sequence[Line]]) -> ParsedDocument:
    """Compose a document of lines; lines given together are one block (a paragraph)."""
    blocks: list[BlockDraft] = []
    for group in lines:
        block = [group] if isinstance(group, Line) else list(group)
        blocks.append(
            BlockDraft(page=block[0].page, type=block[0].type, lines=[words_of(line) for line in block])
        )
    pages = max((block.page for block in blocks), default=1)
    return compose_document(
        source(name),
        pages=[PageDraft(WIDTH, HEIGHT) for _ in range(pages)],
        blocks=blocks,
        parser="typeset",
        parser_version="1",
    )


def column(texts: Sequence[str], *, left: float = 72, top: float = 72, step: float = 18) -> list[Line]:
    """Return one line under the other, far enough apart to be blocks of their own."""
    return [Line(left, top + number * step, text) for number, text in enumerate(texts)]
