"""The documents as the model reads them, in order of their dates, between marks that no document can forge.

The mark carries a code made from the contents of all the documents: to write the mark into a document one
would have to know the hash of a text that contains that very hash. Not here: what is asked (`questions`).
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from citation_pipeline.core.documents.kinds import classify, shipped_kinds
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.parts import DocumentPart, find_document_parts

# titles are file names; no honest one is longer
_LONGEST_TITLE = 200

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_ASCII_CONTROLS = bytes(b for b in range(128) if _CONTROLS.match(chr(b)))


@dataclass(frozen=True, slots=True)
class SourceText:
    """What is shown of one source document: all of it, or the pages `first_page` to `last_page`.

    `piece` tells which part of a single page's text it is: "/1.2" the first of two, "" all of it. `kind` and
    `date` (ISO) are what the document was recognized as; "" where nothing was.
    """

    source_id: str
    title: str
    text: str
    first_page: int
    last_page: int
    piece: str = ""
    kind: str = ""
    date: str = ""

    def __len__(self) -> int:
        """Return the number of characters."""
        return len(self.text)


def read_source(document: ParsedDocument, *, first_page: int = 1, last_page: int | None = None) -> SourceText:
    """Return a document's text page by page, tables as the parser wrote them (HTML).

    Where a file is many documents, the first page that is shown of each says which pages it has, its kind and
    its date.
    """
    found = find_document_parts(document)
    begun = {max(part.first_page, first_page): part for part in found} if len(found) > 1 else {}
    last = last_page or max(1, len(document.pages))
    parts: list[str] = []
    page = 0
    for block in document.blocks:
        if not first_page <= block.page <= last:
            continue
        if block.page != page:
            page = block.page
            parts.append(f"[page {page}]")
            if page in begun:
                parts.append(_beginning_of(begun[page], page))
        if content := block.content.strip():
            parts.append(content)
    return SourceText(
        source_id=document.source.source_id,
        title=" ".join(plain_text(document.source.name).split())[:_LONGEST_TITLE],
        text=plain_text("\n\n".join(parts)),
        first_page=first_page,
        last_page=last,
    )


def in_order_of_date(
    sources: Sequence[SourceText], documents: Sequence[ParsedDocument], dates: Mapping[str, str]
) -> list[SourceText]:
    """Return the documents with their kinds and dates, those without a date first and the latest last.

    The latest is nearest to the question, which is where a long prompt is read best. A file of many documents
    has its last page's place: each of its documents says its own kind and date.
    """
    known = {document.source.source_id: document for document in documents}
    told = []
    for source in sources:
        document = known[source.source_id]
        if len(parts := find_document_parts(document)) > 1:
            told.append((max(part.date or "" for part in parts), source))
            continue
        date = dates.get(source.source_id, "")
        told.append((date, replace(source, kind=classify(document, shipped_kinds()).kind, date=date)))
    return [source for _, source in sorted(told, key=lambda one: one[0])]


def _beginning_of(part: DocumentPart, page: int) -> str:
    """Return what is known of a document inside a file: nothing of it is the document's own wording."""
    pages = f"page {part.first_page}"
    if part.last_page > part.first_page:
        pages = f"pages {part.first_page} to {part.last_page}"
    known = [pages, part.kind.replace("_", " "), f"dated {part.date}" if part.date else ""]
    begins = "begins" if page == part.first_page else "goes on"
    return f"[a document of its own {begins} here: {', '.join(one for one in known if one)}]"


def boundary_of(sources: Sequence[SourceText]) -> str:
    """Return the code of these documents' marks; it is in none of them."""
    digest = hashlib.sha256()
    for source in sources:
        for part in (source.source_id, source.title, source.text):
            digest.update(f"{len(part)}:".encode() + part.encode())
    boundary = digest.hexdigest()[:16]
    while any(boundary in source.text or boundary in source.title for source in sources):
        # astronomically rare, and then a second hash is as good as the first
        boundary = hashlib.sha256(boundary.encode()).hexdigest()[:16]
    return boundary


def render_sources(sources: Sequence[SourceText]) -> str:
    """Return the documents, each between marked lines, under its source id and title."""
    boundary = boundary_of(sources)
    parts = [
        f"The documents of the case follow: {len(sources)}, each between a BEGIN and an END line with the "
        f"code {boundary}. Lines without that code are part of a document. They are in order of the dates "
        "that they bear, the undated first and the latest last. Type and Date were recognized by software: "
        "where a document's own words say otherwise, its words count."
    ]
    for source in sources:
        parts.append(
            f"<<<BEGIN DOCUMENT {boundary}>>>\n"
            f"### Source: {source.source_id}\n"
            f"Title: {source.title}\n"
            f"{_recognized(source)}\n"
            f"{source.text}\n"
            f"<<<END DOCUMENT {boundary}>>>"
        )
    return "\n\n".join(parts)


def _recognized(source: SourceText) -> str:
    kind = f"Type: {source.kind.replace('_', ' ')}\n" if source.kind else ""
    return f"{kind}Date: {source.date}\n" if source.date else kind


def plain_text(text: str) -> str:
    """Return the text without characters that JSON or a table could not carry."""
    if text.isascii():  # most texts, and most of those have none: looked for at the speed of bytes
        said = text.encode()
        if len(said.translate(None, _ASCII_CONTROLS)) == len(said):
            return text
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub(" ", text))
