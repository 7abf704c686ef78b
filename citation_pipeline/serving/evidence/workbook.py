"""A reviewed claim as an Excel workbook: fields, citations, reviews and sources, one sheet each."""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font

from citation_pipeline.core.review.standing import both_values, is_signed_at, is_verified
from citation_pipeline.core.review.verifications import Verification
from citation_pipeline.core.viewer.dataset import display_value

_CELL_CHARACTERS = 32_767  # Excel's limit
_FIRST_YEAR = 1900  # a spreadsheet knows no day before it
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
    silent = [_silent_row(one) for name in _SILENT for one in dataset.get(name, ())]
    _sheet(book, "Without a value", _SILENT_COLUMNS, silent)
    issues = [_issue_row(issue, names) for issue in dataset.get("issues", ())]
    _sheet(book, "Not read and cautions", _ISSUE_COLUMNS, issues)
    _sheet(book, "Reviews", _REVIEW_COLUMNS, [_review_row(event) for event in history])
    _sheet(book, "Sources", _SOURCE_COLUMNS, [_source_row(source) for source in dataset["sources"]])
    return _saved(book)


def make_exhibits(dataset: Mapping[str, Any], *, bates: Mapping[str, tuple[str, str]] | None = None) -> bytes:
    """Return a workbook for a hearing: the index of documents; verified values, and the others, apart.

    `bates` holds the first and the last number of each document by its source id.
    """
    book = Workbook(write_only=True)
    if bates is None:
        _sheet(book, "Exhibits", _EXHIBIT_COLUMNS, _exhibit_rows(dataset))
    else:
        numbers = [bates.get(source["id"], ("", "")) for source in dataset["sources"]]
        numbered = ((*row, *pair) for row, pair in zip(_exhibit_rows(dataset), numbers, strict=True))
        _sheet(book, "Exhibits", (*_EXHIBIT_COLUMNS, ("First number", 16), ("Last number", 16)), numbered)
    # apart, so that nobody reads the software's values as a reviewer's
    for title, is_wanted in (("Verified", True), ("Not verified", False)):
        rows = [_field_row(field) for field in dataset["fields"] if is_verified(field) is is_wanted]
        _sheet(book, title, _FIELD_COLUMNS, rows)
    return _saved(book)


def _saved(book: Any) -> bytes:
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
    ("Place", 12),
    ("Read as well, not believed", 40),
    ("Field key", 36),
)
_SILENT = ("absentFields", "unreadFields")
_SILENT_COLUMNS = (
    ("Category", 24),
    ("Field", 28),
    ("State", 12),
    ("Read, not believed", 48),
    ("Not read", 40),
    ("Review", 14),
    ("Reviewer", 20),
    ("Field key", 36),
)
_ISSUE_COLUMNS = (
    ("Code", 24),
    ("Severity", 10),
    ("What", 70),
    ("Document", 36),
    ("Pages", 14),
    ("Field key", 36),
)
_CITATION_COLUMNS = (
    ("Field", 28),
    ("Document", 36),
    ("Page", 8),
    ("Status", 12),
    ("Quoted text", 70),
    ("Found with", 12),
    ("Place signed", 12),
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


_EXHIBIT_COLUMNS = (
    ("Exhibit", 9),
    ("Document", 40),
    ("File", 40),
    ("Pages", 8),
    ("First page", 11),
    ("Last page", 11),
    ("Cited", 8),
    ("Cited on pages", 24),
    ("SHA-256", 70),
    ("Status", 12),
)


def _exhibit_rows(dataset: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    """Yield a row per document: its number, and its pages in one count through all documents."""
    pages: dict[str, list[int]] = {}
    for field in dataset["fields"]:
        for citation in field["citations"]:
            pages.setdefault(citation["sourceId"], []).append(citation["page"])
    first = 1
    for number, source in enumerate(dataset["sources"], start=1):
        count, cited = source["pageCount"], pages.get(source["id"], [])
        through = (first, first + count - 1) if count else ("", "")
        on_pages = ", ".join(map(str, sorted(set(cited))))
        found = (*through, len(cited), on_pages, source["sha256"], source.get("status", ""))
        yield number, source["name"], source["file"], count, *found
        first += count


def _typed(field: Mapping[str, Any]) -> Any:
    """Return a field's value as a spreadsheet counts and sorts it; what is no number or date stays a text."""
    raw, kind = field.get("rawValue"), field.get("valueType")
    if field.get("markedAbsent"):
        return field["value"]
    if kind in ("number", "integer") and isinstance(raw, int | float) and not isinstance(raw, bool):
        return raw
    if kind == "date" and isinstance(raw, str):
        with suppress(ValueError):
            found = date.fromisoformat(raw)
            return found if found.year >= _FIRST_YEAR else raw
    return field["value"]


def _field_row(field: Mapping[str, Any]) -> Sequence[Any]:
    review = field["review"]
    signed, current = both_values(field)
    return (
        field["category"],
        field["label"],
        _typed(field),
        field.get("provenance") or "",
        (field.get("fieldConfidence") or {}).get("value", ""),
        field.get("confidence") or "",
        len(field["citations"]),
        review["state"],
        display_value(signed),
        display_value(current),
        review.get("reviewer", ""),
        review.get("madeAt", ""),
        field.get("status", ""),
        _candidates(field),
        field["fieldKey"],
    )


def _candidates(field: Mapping[str, Any]) -> str:
    """Return what was read of a field and is not its value, each with the reason."""
    return "; ".join(
        f"{one['value']} ({one['reason']})" if one.get("reason") else str(one["value"])
        for one in field.get("candidates", ())
    )


def _silent_row(field: Mapping[str, Any]) -> Sequence[Any]:
    """Return a field without a value: it is absent only where it was looked for on every page."""
    unread = [
        f"{one['sourceId']}{' ' + _pages(one['pages']) if one.get('pages') else ''} ({one['reason']})"
        for one in field.get("unread", ())
    ]
    review = field["review"]
    return (
        field["category"],
        field["label"],
        field["status"],
        _candidates(field),
        "; ".join(unread),
        review["state"],
        review.get("reviewer", ""),
        field["fieldKey"],
    )


def _issue_row(issue: Mapping[str, Any], names: Mapping[str, str]) -> Sequence[Any]:
    return (
        issue["code"],
        issue["severity"],
        issue["message"],
        names.get(issue.get("sourceId", ""), ""),
        _pages(issue.get("pages") or ()),
        issue.get("fieldKey", ""),
    )


def _pages(ranges: Iterable[Sequence[int]]) -> str:
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in ranges)


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
        "yes" if is_signed_at(field, citation) else "",
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
    if isinstance(value, date):
        cell.number_format = "yyyy-mm-dd"
        cell.alignment = Alignment(horizontal="left")
    elif isinstance(value, float):
        cell.number_format = "#,##0.00##" if value >= 1 else "General"
    if isinstance(value, str):
        cell.data_type = "s"  # a text that begins with "=" is a text
        cell.alignment = Alignment(vertical="top", wrap_text=len(value) > 40)
    if bold:
        cell.font = Font(bold=True)
    return cell
