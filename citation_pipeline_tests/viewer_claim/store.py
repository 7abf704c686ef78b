"""A store with one small finished claim, written with the pipeline's own writers."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import document_tables
from citation_pipeline.core.boxes import Box, union
from citation_pipeline.core.citations import Candidate, Citation, CitationStatus, Region
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import (
    DocumentError,
    DocumentStatus,
    ParsedDocument,
    SourceDocument,
    unread_document,
)
from citation_pipeline.core.extraction import Confidence, ExtractedField, Provenance, Value
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline.core.schemas import Schema
from citation_pipeline.core.viewer.dataset import build_viewer_dataset
from citation_pipeline_tests.viewer_claim import papers
from citation_pipeline_tests.viewer_claim.papers import DrawnPage

CLAIM_ID = "HF-2023-0417"

_TEXT = {"type": "string"}
_DATE = {"type": "string", "format": "date"}
_NUMBER = {"type": "number"}
SCHEMA: Schema = flatten(
    {
        "title": "Small claim",
        "type": "object",
        "properties": {
            "metadata": {
                "type": "object",
                "properties": {
                    "claim_number": _TEXT,
                    "date_of_injury": _DATE,
                    "claim_status": {"type": "string", "enum": ["open", "closed", "reopened"]},
                },
            },
            "claimant": {
                "type": "object",
                "properties": {
                    "name": _TEXT,
                    "date_of_birth": _DATE,
                    "occupation": _TEXT,
                    "hire_date": _DATE,
                },
            },
            "financials": {
                "type": "object",
                "properties": {
                    "average_weekly_wage": _NUMBER,
                    "td_paid": _NUMBER,
                    "total_paid": _NUMBER,
                    "reserve": _NUMBER,
                },
            },
            "mmi_status": {
                "type": "object",
                "properties": {"mmi_date": _DATE, "treating_physician": _TEXT, "note": _TEXT},
            },
        },
    },
    name="small_claim",
)


def documents(folder: Path) -> list[ParsedDocument]:
    """Write the papers into the folder and return them as a parser would have read them."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [
        ("adjuster-letter", "Adjuster Letter", "Adjuster Letter.pdf", *papers.letter(), "text"),
        ("payment-ledger", "Payment Ledger", "ledger.pdf", *papers.ledger(), "text"),
        ("employer-fax", "Employer Fax", "scan0041.pdf", *papers.fax(), "ocr"),
        (
            "hostile",
            papers.HOSTILE_NAME,
            papers.HOSTILE_NAME.replace("/", "_"),
            *papers.hostile_letter(),
            "text",
        ),
    ]
    read = [
        _document(folder, source_id, name, file, data, pages, words_from)
        for source_id, name, file, data, pages, words_from in made
    ]
    _write(folder / "locked.pdf", b"%PDF-1.7 not really")
    locked = _source("locked", "Locked", "locked.pdf", b"%PDF-1.7 not really")
    error = DocumentError("encrypted", "The file needs a password.", "Ask the sender for an open copy.")
    return [
        *read,
        unread_document(locked, DocumentStatus.ENCRYPTED, error, parser="local", parser_version="1"),
    ]


def _write(paper: Path, data: bytes) -> None:
    """Write a paper that is not there yet: one that a viewer shows now would be half written for a moment."""
    if not paper.exists() or paper.read_bytes() != data:
        paper.write_bytes(data)


def _source(source_id: str, name: str, file: str, data: bytes) -> SourceDocument:
    digest = hashlib.sha256(data).hexdigest()
    return SourceDocument(source_id, name, file, digest, "application/pdf", len(data))


def _document(
    folder: Path,
    source_id: str,
    name: str,
    file: str,
    data: bytes,
    pages: Sequence[DrawnPage],
    words_from: str,
) -> ParsedDocument:
    _write(folder / file, data)
    return compose_document(
        _source(source_id, name, file, data),
        pages=[PageDraft(p.width, p.height, p.rotation, words_from == "text", words_from) for p in pages],
        blocks=[
            BlockDraft(number, "Text", [[(word.text, word.box) for word in line]])
            for number, page in enumerate(pages, start=1)
            for line in page.lines
        ],
        parser="local",
        parser_version="1",
    )


def places_of(document: ParsedDocument, text: str) -> list[tuple[int, range]]:
    """Every (page, word ids) where the document's words say `text`."""
    wanted = text.split(" ")
    words = document.words
    return [
        (int(words.page[start]), range(start, start + len(wanted)))
        for start in range(len(words) - len(wanted) + 1)
        if list(words.texts[start : start + len(wanted)]) == wanted
    ]


def _union(document: ParsedDocument, ids: range) -> Box:
    return union([document.words.box(i) for i in ids])


def cite(
    document: ParsedDocument,
    field_key: str,
    snippet: str,
    value: str,
    *,
    place: int = 0,
    index: int = 0,
    status: CitationStatus = CitationStatus.RESOLVED,
    warnings: Sequence[str] = (),
) -> Citation:
    """The citation of a text at the place-th of its places, the others as candidates."""
    places = places_of(document, snippet)
    page, ids = places[place]
    block = document.blocks[int(document.words.block[ids.start])]
    inner = next(
        ([_union(document, found)] for _, found in places_of(document, value) if found.start in ids), []
    )
    source_id = document.source.source_id
    return Citation(
        citation_id=f"{field_key}#{index}",
        field_key=field_key,
        citation_index=index,
        item_path="",
        cited_source_id=source_id,
        source_id=source_id,
        snippet_text=snippet,
        status=status,
        method="exact",
        score=1.0,
        confidence=0.97 if status is CitationStatus.RESOLVED else 0.44,
        page=page,
        block=[Region(page, [block.box])],
        snippet=[Region(page, [_union(document, ids)])],
        value=[Region(page, inner)] if inner else [],
        text_start=int(document.words.text_start[ids.start]),
        text_end=int(document.words.text_end[ids.stop - 1]),
        word_ranges=[(ids.start, ids.stop)],
        candidates=[
            Candidate(
                source_id,
                at,
                [(found.start, found.stop)],
                1.0,
                "first" if number == 0 else "record_order",
                [_union(document, found)],
            )
            for number, (at, found) in enumerate(places)
        ]
        if len(places) > 1
        else [],
        margin=0.0 if len(places) > 1 else 1.0,
        warnings=warnings,
    )


def lost(field_key: str, source_id: str, snippet: str, *, index: int = 0) -> Citation:
    return Citation(
        citation_id=f"{field_key}#{index}",
        field_key=field_key,
        citation_index=index,
        item_path="",
        cited_source_id=source_id,
        source_id=source_id,
        snippet_text=snippet,
        status=CitationStatus.UNRESOLVED,
        method="none",
        score=0.31,
        confidence=0.0,
        reason="not_found",
    )


def field(
    key: str,
    value: Value,
    *,
    confidence: Confidence = Confidence.HIGH,
    provenance: Provenance = Provenance.EXTRACTED,
) -> ExtractedField:
    return ExtractedField(key, value, SCHEMA.by_key[key].value_type, (), confidence, provenance)


def answers(read: Sequence[ParsedDocument]) -> tuple[list[ExtractedField], list[Citation]]:
    letter, ledger, fax, hostile = read[:4]
    fields = [
        field("metadata.claim_number", "HF-2023-0417"),
        field("metadata.date_of_injury", "2023-03-14"),
        field("claimant.name", "Marisol Quintanar"),
        field("claimant.date_of_birth", "1984-07-02"),
        field("claimant.occupation", "Forklift operator"),
        field("financials.average_weekly_wage", 1182.5, confidence=Confidence.MEDIUM),
        field("financials.td_paid", 12840.12, confidence=Confidence.LOW),
        field("financials.total_paid", 21219.12),
        field("mmi_status.treating_physician", "Amelia Prado, M.D."),
        field("mmi_status.note", papers.HOSTILE_TEXT, provenance=Provenance.INFERRED),
    ]
    citations = [
        cite(letter, "metadata.claim_number", "Claim number: HF-2023-0417", "HF-2023-0417"),
        cite(letter, "metadata.date_of_injury", "Date of injury: March 14, 2023", "March 14, 2023"),
        cite(letter, "claimant.name", "Marisol Quintanar", "Marisol Quintanar"),
        cite(letter, "claimant.date_of_birth", "Date of birth: 07/02/1984", "07/02/1984"),
        cite(fax, "claimant.occupation", "Occupation: Forklift operator", "Forklift operator"),
        cite(letter, "financials.average_weekly_wage", "Average weekly wage: $1,182.50", "$1,182.50"),
        cite(
            ledger,
            "financials.td_paid",
            "Temporary disability paid 12,804.12",
            "12,804.12",
            status=CitationStatus.FLAGGED,
            warnings=["digits_differ"],
        ),
        cite(ledger, "financials.total_paid", "Total paid 21,219.12", "21,219.12"),
        lost("financials.total_paid", "payment-ledger", "Total of all payments $21,219.12", index=1),
        lost("mmi_status.treating_physician", "adjuster-letter", "PTP: Dr. Amelia Prado"),
        cite(hostile, "mmi_status.note", papers.HOSTILE_TEXT.split(" ")[0], "-"),
    ]
    return fields, citations


def build_store(root: Path, claim_id: str = CLAIM_ID) -> ClaimStore:
    """Write the claim's folder (`root/folders`) and its store (`root/store`)."""
    folder = root / "folders" / claim_id
    store = ClaimStore(root / "store")
    store.register(Claim(claim_id, str(folder), str(folder)))
    read = documents(folder)
    store.write_stage("parsed_documents", claim_id, tables=document_tables(claim_id, read), inputs={})
    write_dataset(store, read, *answers(read), claim_id=claim_id)
    return store


def write_dataset(
    store: ClaimStore,
    read: Sequence[ParsedDocument],
    fields: Sequence[ExtractedField],
    citations: Sequence[Citation],
    *,
    claim_id: str = CLAIM_ID,
) -> None:
    dataset = build_viewer_dataset(
        claim_id, schema=SCHEMA, documents=read, fields=fields, citations=citations
    )
    store.write_viewer_dataset(claim_id, dataset, inputs={})
