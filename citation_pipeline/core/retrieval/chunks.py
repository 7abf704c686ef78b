"""Documents cut into the pieces that are searched: whole tables, whole runs of labels, text with an overlap.

A chunk knows its words, pages and offsets, and carries what a searcher may name it by although it is not
printed there: the document's name, type and date, the heading above, the claim's identifiers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citation_pipeline.core.documents.kinds import classify, shipped_kinds
from citation_pipeline.core.documents.parsed import Block, ParsedDocument
from citation_pipeline.core.documents.part_documents import split_document
from citation_pipeline.core.documents.parts import find_document_parts
from citation_pipeline.core.retrieval.identifiers import find_identifiers

CHUNK_WORDS = 180
"""Words of running text in a chunk: about half a page, so that a hit names a place and not a document."""

OVERLAP_WORDS = 30
"""Words that two neighbours share: a sentence that lies across the cut is whole in one of them."""

_MOST_TABLE_WORDS = 900  # a table longer than this is cut between rows of the page, or one hit is ten pages
_HEADINGS = ("Title", "Section Header")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a source document on one page or, for text, on neighbouring pages.

    `word_start`/`word_end` and `text_start`/`text_end` are half-open ranges; `kind` is text, table or pairs;
    `identifiers` are normal forms.
    """

    chunk_id: str
    source_id: str
    kind: str
    page: int
    page_end: int
    word_start: int
    word_end: int
    text_start: int
    text_end: int
    text: str
    heading: str
    title: str
    document_type: str
    document_date: str
    identifiers: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: str
    word_start: int
    word_end: int
    heading: str


def cut_document(document: ParsedDocument, *, document_date: str = "", claim_id: str = "") -> list[Chunk]:
    """Return a document's chunks in reading order; every word is in at least one.

    In a file of many documents no chunk crosses from one to the next, and each has its part's title, kind and
    date.
    """
    parts = find_document_parts(document)
    chunks: list[Chunk] = []
    for part, one in zip(parts, split_document(document, parts), strict=True) if len(parts) > 1 else ():
        found = cut_pages(one, first=len(chunks), claim_id=claim_id)
        kind, day = part.kind.replace("_", " "), part.date or ""
        title = f"{document.source.name} — {part.title}" if part.title else document.source.name
        chunks.extend(replace(chunk, title=title, document_type=kind, document_date=day) for chunk in found)
    if chunks:
        return chunks
    found_kind = classify(document, shipped_kinds()).kind.replace("_", " ")
    return [
        replace(chunk, document_type=found_kind, document_date=document_date)
        for chunk in cut_pages(document, claim_id=claim_id)
    ]


def cut_pages(document: ParsedDocument, *, first: int = 0, claim_id: str = "") -> list[Chunk]:
    """Return the chunks of one document or of one part of a file, numbered from `first`, in the file's
    offsets."""
    return [
        _chunk(document, piece, number, claim_id)
        for number, piece in enumerate(_pieces(document), start=first)
    ]


def _pieces(document: ParsedDocument) -> Iterator[_Piece]:
    heading, run, kind = "", _Run(), ""
    for block in document.blocks:
        if block.word_end == block.word_start:
            continue
        if block.type in _HEADINGS:
            yield from run.close(kind, heading)
            heading, kind = block.text[:160], ""
        group = _group_of(block)
        same_page = run.page in (0, block.page) or group == "text"
        if kind and (group != kind or not same_page):
            yield from run.close(kind, heading)
        kind = group
        run.add(block)
        if group != "text" and len(run) > _MOST_TABLE_WORDS:
            yield from run.close(kind, heading)
    yield from run.close(kind, heading)


def _group_of(block: Block) -> str:
    if block.type == "Table":
        return "table"
    return "pairs" if block.type == "Key Value" else "text"


class _Run:
    """Neighbouring blocks of one group while they are collected."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []

    def __len__(self) -> int:
        return self.blocks[-1].word_end - self.blocks[0].word_start if self.blocks else 0

    @property
    def page(self) -> int:
        return self.blocks[-1].page if self.blocks else 0

    def add(self, block: Block) -> None:
        self.blocks.append(block)

    def close(self, kind: str, heading: str) -> Iterator[_Piece]:
        blocks, self.blocks = self.blocks, []
        if not blocks:
            return
        start, end = blocks[0].word_start, blocks[-1].word_end
        if kind != "text" and end - start <= 2 * _MOST_TABLE_WORDS:
            yield _Piece(kind, start, end, heading)
            return
        seams = [block.word_start for block in blocks]
        while start < end:
            stop = min(end, start + CHUNK_WORDS)
            if stop < end:  # rather at a block's end than inside it
                stop = max((s for s in seams if start + CHUNK_WORDS // 2 < s <= stop), default=stop)
            yield _Piece(kind, start, stop, heading)
            if stop == end:
                return
            start = max(start + 1, stop - OVERLAP_WORDS)


def _chunk(
    document: ParsedDocument,
    piece: _Piece,
    number: int,
    claim_id: str,
) -> Chunk:
    words, source = document.words, document.source
    start, end = int(words.text_start[piece.word_start]), int(words.text_end[piece.word_end - 1])
    text = document.text[start:end]
    return Chunk(
        chunk_id=f"{source.source_id}#{number}",
        source_id=source.source_id,
        kind=piece.kind,
        page=int(words.page[piece.word_start]),
        page_end=int(words.page[piece.word_end - 1]),
        word_start=document.word_offset + piece.word_start,
        word_end=document.word_offset + piece.word_end,
        text_start=document.text_offset + start,
        text_end=document.text_offset + end,
        text=text,
        heading=piece.heading,
        title=source.name,
        document_type="",
        document_date="",
        identifiers=tuple(dict.fromkeys([*find_identifiers(claim_id), *find_identifiers(text)])),
    )
