"""Small documents drawn for matching tests: words in a grid of lines, blocks, columns and pages."""

from collections.abc import Sequence

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument, SourceDocument

CHARACTER, LINE = 0.011, 0.02


def source_of(source_id: str, *, sha256: str | None = None) -> SourceDocument:
    return SourceDocument(
        source_id, source_id, f"{source_id}.pdf", sha256 or f"sha-{source_id}", "application/pdf", 1
    )


def line_of(text: str, *, left: float = 0.05, top: float = 0.1) -> list[tuple[str, Box]]:
    """One line's words, set in a fixed pitch; a tab leaves a cell's gap."""
    words = []
    for cell in text.split("\t"):
        for word in cell.split():
            words.append((word, Box(left, top, CHARACTER * len(word), 0.012)))
            left += CHARACTER * (len(word) + 1)
        left += 0.08
    return words


def block_of(
    lines: Sequence[str], *, page: int = 1, left: float = 0.05, top: float = 0.1, kind: str = "Text"
) -> BlockDraft:
    drawn = [line_of(text, left=left, top=top + LINE * number) for number, text in enumerate(lines)]
    return BlockDraft(page, kind, drawn)


def document_of(
    source_id: str,
    blocks: Sequence[BlockDraft],
    *,
    status: DocumentStatus = DocumentStatus.PARSED,
    sha256: str | None = None,
) -> ParsedDocument:
    pages = max((block.page for block in blocks), default=1)
    return compose_document(
        source_of(source_id, sha256=sha256),
        pages=[PageDraft(612, 792)] * pages,
        blocks=blocks,
        parser="drawn",
        parser_version="1",
        status=status,
    )


def text_document(source_id: str, *lines: str) -> ParsedDocument:
    """A document of one page and one block."""
    return document_of(source_id, [block_of(lines)])
