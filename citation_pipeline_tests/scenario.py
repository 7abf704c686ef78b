"""One tiny claim, awkward on purpose, that every layer's tests read, and a parser fit for it.

Two letters that contradict each other on the P&S date, the same letter filed twice under another name, an
empty file, and an answer that quotes one line exactly, one with other spaces, and one that is nowhere.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import (
    DocumentError,
    DocumentStatus,
    ParsedDocument,
    SourceDocument,
    unread_document,
)

FILES = {
    "Older Letter.txt": (
        "RE: Claim Number: ZX-2025-000417\n"
        "Dr. Okafor finds the worker permanent and stationary as of 03/02/2025.\n\n"
        "Temporary disability is paid at $412.50 per week."
    ),
    "newer_letter.txt": (
        "RE: Claim Number: ZX-2025-000417\n"
        "Dr. Okafor corrects the P&S date: it is 03/12/2025, not 03/02/2025.\f"
        "Page two repeats: P&S 03/12/2025."
    ),
    "copy of newer.txt": "",  # filled below: the same bytes as newer_letter.txt
    "nothing.txt": "",
}
FILES["copy of newer.txt"] = FILES["newer_letter.txt"]

ANSWER = {
    "extractions": [
        {
            "field_key": "metadata.claim_number",
            "value": "ZX-2025-000417",
            "citations": [{"source_id": "newer-letter", "text_snippet": "Claim Number: ZX-2025-000417"}],
        },
        {
            "field_key": "mmi_status.mmi_date",
            "value": "2025-03-12",
            "citations": [
                {"source_id": "newer-letter", "text_snippet": "corrects the  P&S date: it is 03/12/2025"},
            ],
        },
        {
            "field_key": "treating_physician.facility",
            "value": "Ludlow Street Clinic",
            "citations": [
                {"source_id": "newer-letter", "text_snippet": "seen weekly at the Ludlow Street Clinic"}
            ],
        },
        {
            "field_key": "temporary_disability.weekly_rate",
            "value": 412.5,
            "citations": [{"source_id": "older-letter", "text_snippet": "paid at $412.50 per week"}],
        },
        {"field_key": "mmi_status.is_mmi", "value": None, "citations": []},
    ]
}


def write_claim(folder: Path, *, answer: object = ANSWER) -> Path:
    """Write the claim's folder with its documents and a recorded answer, and return it."""
    documents = folder / "documents"
    documents.mkdir(parents=True)
    for name, text in FILES.items():
        (documents / name).write_bytes(text.encode())
    (folder / "extraction_raw.json").write_text(json.dumps(answer))
    return folder


class LineParser:
    """Parses text files: a line of text is a line of words, an empty line parts blocks, a form feed pages.

    Files that hold only `CRASH`, `BUSY` or nothing come back as rows with an error; `parsed` counts calls.
    """

    name = "lines"
    fingerprint = "lines-1"

    def __init__(self) -> None:
        self.parsed: list[str] = []

    def parse_many(
        self,
        sources: Sequence[tuple[SourceDocument, Path]],
        *,
        on_parsed: Callable[[ParsedDocument, bool], None] | None = None,
        claim_id: str = "",
    ) -> list[ParsedDocument]:
        documents = []
        for source, path in sources:
            self.parsed.append(source.source_id)
            document = self._parse(source, path.read_text())
            if on_parsed is not None:
                on_parsed(document, False)
            documents.append(document)
        return documents

    def _parse(self, source: SourceDocument, text: str) -> ParsedDocument:
        if not text:
            return self._unread(source, DocumentStatus.EMPTY, "empty")
        if text == "CRASH":
            raise RuntimeError(f"a defect that quotes the document: {text}")
        if text == "BUSY":
            return self._unread(source, DocumentStatus.TIMED_OUT, "timed_out", transient=True)
        pages = text.split("\f")
        return compose_document(
            source,
            pages=[PageDraft(612, 792) for _ in pages],
            blocks=[block for number, page in enumerate(pages, start=1) for block in _blocks(number, page)],
            parser=self.name,
            parser_version="1",
        )

    def _unread(
        self, source: SourceDocument, status: DocumentStatus, code: str, *, transient: bool = False
    ) -> ParsedDocument:
        error = DocumentError(code, f"The file is {code}.", "Send it again.", transient=transient)
        return unread_document(source, status, error, parser=self.name, parser_version="1")


def _blocks(page: int, text: str) -> list[BlockDraft]:
    blocks, top = [], 0.05
    for paragraph in text.split("\n\n"):
        lines = []
        for line in paragraph.split("\n"):
            words, left = [], 0.1
            for word in line.split():
                width = 0.01 * len(word)
                words.append((word, Box(round(left, 4), round(top, 4), round(width, 4), 0.012)))
                left += width + 0.008
            lines.append(words)
            top += 0.02
        blocks.append(BlockDraft(page=page, type="Text", lines=lines))
        top += 0.02
    return blocks
