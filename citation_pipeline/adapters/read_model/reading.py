"""Documents and schemas as they are read: lists of documents and fields, and pages as numbered lines.

A line is printed as `L12<tab>[340]Date [341]of [342]injury`: its number in the document, and before each word
its number, which is the word's id. Spans that are cited with these numbers are found again by `highlighting`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from citation_pipeline.adapters.read_model.claims import UnknownClaimError
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.viewer.citation_objects import citation_urls, document_id_of, split_document_id


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A printed line: its number in the document (from 1), its page, and the text with word ids."""

    number: int
    page: int
    text: str


def open_document(model: ReadModel, document_id: str) -> tuple[ParsedDocument, Mapping[str, Any]]:
    """Return a readable document and its entry in the dataset; raises UnknownClaimError."""
    try:
        claim_id, source_id = split_document_id(document_id)
    except ValueError as error:
        raise UnknownClaimError(f"{error}: list_documents names them") from error
    source = model.claims.state(claim_id).source(source_id)
    document = model.claims.documents(claim_id).by_id.get(source_id)
    if document is None or not document.is_readable:
        raise UnknownClaimError("that document could not be read: get_page_image may still show it")
    return document, source


def read_lines(document: ParsedDocument, *, every: int) -> Iterator[ReadLine]:
    """Return the document's lines; a word's id stands before every `every`-th word of a line, 0 for none."""
    words = document.words
    start, number = 0, 0
    for word in range(1, len(words) + 1):
        if word < len(words) and words.line[word] == words.line[start]:
            continue
        number += 1
        parts = [
            f"[{w}]{words.texts[w]}" if every and (w - start) % every == 0 else words.texts[w]
            for w in range(start, word)
        ]
        yield ReadLine(number, int(words.page[start]), f"L{number}\t{' '.join(parts)}")
        start = word


def list_documents(model: ReadModel, claim_id: str) -> list[dict[str, Any]]:
    """Return a claim's documents with their pages and states; raises UnknownClaimError."""
    state = model.claims.state(claim_id)
    model.refresh()
    with model.file.reading() as connection:
        dates = dict(
            connection.execute(
                "SELECT source_id, document_date FROM documents WHERE claim_id = ?", (claim_id,)
            ).fetchall()
        )
    return [
        {
            "document_id": document_id_of(claim_id, source["id"]),
            "filename": source["file"],
            "pages": source["pageCount"],
            "status": source.get("status") or "parsed",
            "date": dates.get(source["id"]) or None,
            "duplicate_of": document_id_of(claim_id, source["duplicateOf"])
            if source.get("duplicateOf")
            else None,
            **(
                {"attached_to": document_id_of(claim_id, source["attachedTo"])}
                if source.get("attachedTo")
                else {}
            ),
            "url": citation_urls(claim_id, source["id"], page=None, bbox=None, root=model.root_url).document,
        }
        for source in state.dataset["sources"]
    ]


def list_fields(model: ReadModel, *, claim_id: str | None = None, query: str = "") -> list[dict[str, Any]]:
    """Return the fields that conditions may name; of a claim, each with its value's state.

    Raises UnknownClaimError for a claim that is not there.
    """
    state = model.claims.state(claim_id) if claim_id is not None else None
    unread = {entry["fieldKey"] for entry in state.dataset.get("unreadFields", ())} if state else set()
    wanted = query.casefold().split()
    listed = []
    for field in model.searchable_fields():
        told = f"{field.path} {field.label} {' '.join(field.names)}".casefold()
        if not all(word in told for word in wanted):
            continue
        entry: dict[str, Any] = {"name": field.path, "label": field.label, "type": field.kind}
        if field.enum:
            entry["values"] = list(field.enum)
        if state is not None and not field.member:
            known = state.fields.get(field.key)
            entry["has_value"] = known is not None
            if known is not None:
                entry["status"] = known.get("status")
            else:  # absent: looked for and not found; what was not read is not absent
                entry["status"] = "unread" if field.key in unread else "absent"
        elif state is None:
            entry["has_values"] = field.has_values
        listed.append(entry)
    return listed
