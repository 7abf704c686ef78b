"""A reviewed claim as an Excel workbook: fields, citations, reviews and sources, one sheet each."""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font

from citation_pipeline.core.review.standing import both_values
from citation_pipeline.core.review.verifications import Verification
from citation_pipeline.core.viewer.dataset import display_value

_CELL_CHARACTERS = 32_767  # Excel's limit
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def make_workbook(dataset: Mapping[str, Any], history: Iterable[Verification]) -> bytes:
    """Return the XLSX file's bytes; every text is written as text, so that none is taken for a formula."""
    book = Workbook(write_only=True)
    names = {source["id"]: source["name"] for source in dataset["sources"]}
    _sheet(book, "Fields", _FIELD_COLUMNS, [_field_row(field) for field in dataset["fields"]])
    _sheet(
        book,
        "Citations",
        _CITATION_COLUMNS,
        [
            _citation_row(field, citation, names)
            for field in dataset["fields"]
            for citation in (*field["citations"], *field.get("unresolvedCitations", []))
        ],
    )
    _sheet(book, "Reviews", _REVIEW_COLUMNS, [_review_row(event) for event in history])
    _sheet(book, "Sources", _SOURCE_COLUMNS, [_source_row(source) for source in dataset["sources"]])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


_FIELD_COLUMNS = (
    ("Category", 24),
    ("Field", 28),
    ("Value", 48),
    ("Provenance", 14),
    ("Confidence", 12),
    ("Extractor's word", 14),
    ("Citations", 10),
    ("Review", 14),
    ("Verified value", 28),
    ("Value read now", 28),
    ("Reviewer", 20),
    ("Reviewed at", 26),
    ("Field key", 36),
)
_CITATION_COLUMNS = (
    ("Field", 28),
    ("Document", 36),
    ("Page", 8),
    ("Status", 12),
    ("Quoted text", 70),
    ("Confidence", 12),
    ("Method", 16),
    ("Left", 10),
    ("Top", 10),
    ("Width", 10),
    ("Height", 10),
    ("Field key", 36),
)
_REVIEW_COLUMNS = (
    ("Event", 8),
    ("When", 26),
    ("Who", 20),
    ("What", 12),
    ("Field key", 36),
    ("Value given", 40),
    ("Value seen", 40),
    ("Comment", 60),
)
_SOURCE_COLUMNS = (("Document", 40), ("File", 40), ("Pages", 8), ("Status", 12), ("SHA-256", 70))


def _field_row(field: Mapping[str, Any]) -> Sequence[Any]:
    review = field["review"]
    signed, current = both_values(field)
    return (
        field["category"],
        field["label"],
        field["value"],
        field.get("provenance") or "",
        (field.get("fieldConfidence") or {}).get("value", ""),
        field.get("confidence") or "",
        len(field["citations"]),
        review["state"],
        display_value(signed),
        display_value(current),
        review.get("reviewer", ""),
        review.get("madeAt", ""),
        field["fieldKey"],
    )


def _citation_row(
    field: Mapping[str, Any], citation: Mapping[str, Any], names: Mapping[str, str]
) -> Sequence[Any]:
    box = citation.get("bbox", {})
    return (
        field["label"],
        names.get(citation.get("sourceId", ""), ""),
        citation.get("page", ""),
        citation.get("status", ""),
        citation.get("snippet", ""),
        citation.get("confidence", ""),
        citation.get("method", ""),
        *(box.get(side, "") for side in ("left", "top", "width", "height")),
        field["fieldKey"],
    )


def _review_row(event: Verification) -> Sequence[Any]:
    return (
        event.verification_id,
        event.made_at,
        event.reviewer,
        event.action.value,
        event.field_key,
        display_value(event.value),
        display_value(event.seen_value),
        event.comment,
    )


def _source_row(source: Mapping[str, Any]) -> Sequence[Any]:
    return source["name"], source["file"], source["pageCount"], source.get("status", ""), source["sha256"]


def _sheet(book: Any, title: str, columns: Sequence[tuple[str, int]], rows: Iterable[Sequence[Any]]) -> None:
    sheet = book.create_sheet(title)
    for number, (_, width) in enumerate(columns):
        sheet.column_dimensions[chr(ord("A") + number)].width = width
    sheet.freeze_panes = "A2"
    sheet.append([_cell(sheet, name, bold=True) for name, _ in columns])
    for row in rows:
        sheet.append([_cell(sheet, value) for value in row])


def _cell(sheet: Any, value: Any, *, bold: bool = False) -> Any:
    if isinstance(value, str):
        value = _CONTROLS.sub("\ufffd", value)[:_CELL_CHARACTERS]
    cell = WriteOnlyCell(sheet, value=value)
    if isinstance(value, str):
        cell.data_type = "s"  # a text that begins with "=" is a text
        cell.alignment = Alignment(vertical="top", wrap_text=len(value) > 40)
    if bold:
        cell.font = Font(bold=True)
    return cell
