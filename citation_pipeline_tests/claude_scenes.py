"""What the Claude tests share: documents made of text, an extractor on a loopback server, a patient clock."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pypdfium2

from citation_pipeline.adapters.claude.extractor import ClaudeExtractor
from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.outbound_ledger import OutboundRequest
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.claims import Claim, source_ids_of
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument
from citation_pipeline.core.extraction import ExtractedField, Extraction
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline.core.schemas import Schema
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

PROJECT = Path(__file__).resolve().parent.parent
CLAIM = Claim(claim_id="claim-1", folder="unused", documents_dir="unused", extractor="claude")
API_KEY = "test-key"


def workers_comp() -> Schema:
    path = PROJECT / "citation_pipeline" / "schemas" / "workers_comp.json"
    return flatten(json.loads(path.read_text(encoding="utf-8")), name="workers_comp")


def document_of(
    source_id: str, pages: Sequence[str], *, name: str | None = None, tables: Sequence[str] = ()
) -> ParsedDocument:
    """A parsed document of these page texts; each of `tables` (HTML) is one more block on the last page."""
    blocks = []
    for number, text in enumerate(pages, start=1):
        lines = [[(word, Box(0.1, 0.1, 0.1, 0.01)) for word in line.split()] for line in text.splitlines()]
        lines = [line for line in lines if line]
        if lines:
            blocks.append(BlockDraft(page=number, type="Text", lines=lines))
    for table in tables:
        words = [(word, Box(0.1, 0.1, 0.1, 0.01)) for word in table.split()]
        blocks.append(BlockDraft(page=len(pages), type="Table", lines=[words], content=table))
    return compose_document(
        SourceDocument(
            source_id, name or f"{source_id}.pdf", f"{source_id}.pdf", "0" * 64, "application/pdf", 1
        ),
        pages=[PageDraft(612, 792) for _ in pages],
        blocks=blocks,
        parser="test",
        parser_version="1",
    )


def claim_documents(folder: Path) -> list[ParsedDocument]:
    """The documents of a shared claim, from its page texts."""
    texts = json.loads((folder / "page_texts.json").read_text(encoding="utf-8"))
    names = sorted(texts)
    return [
        document_of(source_id, texts[name] or [""], name=name)
        for name, source_id in zip(names, source_ids_of(names), strict=True)
    ]


def pdf_documents(folder: Path) -> list[ParsedDocument]:
    """A folder's PDFs by their text layers, as PDFium reads them; a scan has none."""
    paths = sorted(folder.glob("*.pdf"))
    documents = []
    for path, source_id in zip(paths, source_ids_of([path.name for path in paths]), strict=True):
        pdf = pypdfium2.PdfDocument(path, password="")
        pages = [pdf[number].get_textpage().get_text_range() for number in range(len(pdf))]
        pdf.close()
        documents.append(document_of(source_id, pages, name=path.name))
    return documents


def field_of(extraction: Extraction, key: str) -> ExtractedField:
    return next(one for one in extraction.fields if one.field_key == key)


def answers_of(records: Mapping[str, tuple[Any, str, str]]) -> dict[str, Any]:
    """A neutral answer of field key → (value, source id, snippet)."""
    return {
        "extractions": [
            {"field_key": key, "value": value, "citations": [{"source_id": source, "text_snippet": snippet}]}
            for key, (value, source, snippet) in records.items()
        ]
    }


@dataclass
class PatientClock:
    """Waits without time passing; remembers how long it would have waited."""

    waits: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def clock(self) -> Clock:
        return Clock(
            now=lambda: datetime.now(UTC),
            monotonic=lambda: self.seconds,
            sleep=self.waits.append,
            chance=lambda: 0.5,
        )


@dataclass
class Desk:
    """An extractor on a fake Claude, with everything it wrote down."""

    claude: FakeAnthropic
    root: Path
    schema: Schema = field(default_factory=workers_comp)
    rows: list[OutboundRequest] = field(default_factory=list)
    time: PatientClock = field(default_factory=PatientClock)

    def extractor(self, *, api_key: str | None = API_KEY, **settings: Any) -> ClaudeExtractor:
        extractor = ClaudeExtractor(
            ClaudeSettings(**{"base_url": self.claude.url, "silence_timeout_s": 60.0, **settings}),
            archive=ReplyArchive(self.root),
            api_key=api_key,
            ledger=self.rows.append,
            clock=self.time.clock(),
        )
        self.claude.callers.callback(extractor.close)
        return extractor

    def run(
        self, documents: Sequence[ParsedDocument], **settings: Any
    ) -> tuple[list[StoredReply], Extraction]:
        """Ask and read."""
        extractor = self.extractor(**settings)
        try:
            replies = extractor.ask(CLAIM, documents, self.schema)
        finally:
            extractor.close()
        return replies, extractor.read(replies, documents, self.schema)

    @property
    def paid(self) -> int:
        """How many answers the fake has given, and billed."""
        return self.claude.records.counters["answers"]
