"""Spreadsheets onto pages: each sheet a section of its own, on paper as wide as its columns need.

XLSX is read by openpyxl (MIT), XLS by xlrd (BSD). Values are those that were stored: no formula is computed.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import openpyxl
import xlrd
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.cell_range import CellRange

from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.font_metrics import BOLD, REGULAR, width
from citation_pipeline.adapters.office.number_formats import shown_value
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.packages import Package
from citation_pipeline.adapters.office.placed_pages import Paper, RunningLines, Style
from citation_pipeline.adapters.office.placed_pictures import place_picture
from citation_pipeline.adapters.office.stale_results import is_stale
from citation_pipeline.adapters.office.struck_text import struck, unmarked
from citation_pipeline.adapters.office.tables import Cell
from citation_pipeline.adapters.office.typesetting import Typesetter
from citation_pipeline.adapters.office.unseen_cells import column_widths, is_too_narrow, is_unseen

_TITLE = Style("Section Header", BOLD, 12.0, space_before=0.0)
_COMMENT = Style("Comment", size=9.5, space_before=2.0)
HIDDEN_CELLS = "hidden_cells"
"""Warning of a page with what no screen shows."""
_SIZE, _PADDING = 9.5, 8.0
_NARROWEST, _WIDEST = 30.0, 260.0  # points of a column
_WIDEST_PAPER = 14000.0  # a PDF page may have 14,400
_HIGHEST_SPAN = 1000  # rows of a merged area
_HIDDEN_CELLS, _HIDDEN_SHEET = "(hidden rows and columns)", "(hidden sheet)"
# a formula whose cell ends behind it, or has nothing for its value
_NO_RESULT = re.compile(rb"</(?:\w+:)?f>\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>")
_MANY_BYTES = 20 * 2**20  # of XML: openpyxl holds fifty times as much, unless it only reads on


@dataclass(slots=True)
class _Sheet:
    """A sheet's name, its rows of shown values, merged areas (by 0-based place) and remarks.

    `numbers` are the rows' own: long stretches of empty ones are left out.
    """

    name: str
    rows: list[list[str]] = field(default_factory=list)
    spans: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    comments: list[tuple[str, str]] = field(default_factory=list)
    pictures: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    last_row: int = -1
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    lacks_results: bool = False
    has_stale_results: bool = False
    unseen: set[tuple[int, int]] = field(default_factory=set)

    def parted(self) -> "list[_Sheet]":
        """Return the sheet as it is displayed and, after it and named so, what of it no screen shows."""
        if not self.hidden_rows and not self.hidden_columns and not self.unseen:
            return [self]
        shown, hidden = replace(self, rows=[], numbers=[]), _Sheet(f"{self.name} {_HIDDEN_CELLS}")
        for number, row in zip(self.numbers, self.rows, strict=True):
            covered = number in self.hidden_rows
            split = [
                covered or column in self.hidden_columns or (number, column) in self.unseen
                for column in range(len(row))
            ]
            shown.rows.append(["" if out else text for text, out in zip(row, split, strict=True)])
            hidden.rows.append([text if out else "" for text, out in zip(row, split, strict=True)])
            shown.numbers.append(number)
            hidden.numbers.append(number)
        return [shown, hidden] if any(map(any, hidden.rows)) else [self]


def set_xlsx(data: bytes, *, options: OfficeOptions) -> Typesetter:
    """Lay out an XLSX; a damaged or hostile one is a RefusedDocumentError."""
    package = Package(data, unpacked_bytes=options.limits.unpacked_bytes)
    return _set_sheets(_xlsx_sheets(data, package), options)


def set_xls(data: bytes, *, options: OfficeOptions) -> Typesetter:
    """Lay out an XLS; a damaged one is a RefusedDocumentError."""
    try:
        book = xlrd.open_workbook(file_contents=data, formatting_info=True, logfile=io.StringIO())
    except xlrd.XLRDError as error:
        if "encrypted" in str(error).lower():
            raise refusals.encrypted() from error
        raise refusals.corrupt("its workbook cannot be followed") from error
    except Exception as error:  # xlrd trusts offsets: a damaged file raises whatever Python raises
        raise refusals.corrupt("its workbook cannot be followed") from error
    return _set_sheets((_xls_sheet(book, sheet) for sheet in book.sheets()), options)


def _set_sheets(sheets: Iterator[_Sheet], options: OfficeOptions) -> Typesetter:
    setter: Typesetter | None = None
    for sheet in chain.from_iterable(sheet.parted() for sheet in sheets):
        shares = _column_widths(sheet)
        paper = Paper(width=min(_WIDEST_PAPER, max(612.0, sum(shares) + 108.0)), left=54.0, right=54.0)
        if setter is None:
            setter = Typesetter(paper, on_page=options.on_page)
        else:
            setter.begin_section(paper, RunningLines())
        setter.paragraph(sheet.name, _TITLE)
        first = len(setter.pages)
        if sheet.lacks_results:
            setter.warn("formulas_without_results")
        if sheet.has_stale_results:
            setter.warn("stale_results")
        for rows in _tables(sheet):
            setter.table(rows, shares, size=_SIZE)
        for author, text in sheet.comments:
            setter.paragraph(f"{author}: {text}" if author else text, _COMMENT)
        for picture in sheet.pictures:
            place_picture(setter, picture, options)
        if sheet.name.endswith((_HIDDEN_CELLS, _HIDDEN_SHEET)):
            pages = range(first, len(setter.pages) + 1)
            setter.warnings.extend(f"page {page}: {HIDDEN_CELLS}" for page in pages)
    if setter is None:
        raise refusals.empty_file()
    return setter


def _tables(sheet: _Sheet) -> Iterator[list[list[Cell]]]:
    """Yield the stretches of rows that hold something; empty rows part them."""
    columns = max(map(len, sheet.rows), default=0)
    covered: set[tuple[int, int]] = set()
    for (row, column), (high, wide) in sheet.spans.items():
        covered.update(
            (row + below, column + beside)
            for below in range(min(high, _HIGHEST_SPAN))
            for beside in range(min(wide, columns))
            if below or beside
        )
    open_rows: list[list[Cell]] = []
    for number, texts in zip(sheet.numbers, sheet.rows, strict=True):
        if not any(texts) and not any((number, column) in covered for column in range(columns)):
            if open_rows:
                yield open_rows
            open_rows = []
            continue
        cells = []
        for column, text in enumerate(texts):
            if (number, column) not in covered:
                high, wide = sheet.spans.get((number, column), (1, 1))
                cells.append(Cell(text, wide, min(high, _HIGHEST_SPAN)))
            elif text:  # hidden under its neighbour on the screen, but stored
                cells.append(Cell(text))
        open_rows.append(cells)
    if open_rows:
        yield open_rows


def _column_widths(sheet: _Sheet) -> list[float]:
    columns = max(map(len, sheet.rows), default=0)
    widths = [_NARROWEST] * columns
    for number, row in zip(sheet.numbers, sheet.rows, strict=True):
        for column, text in enumerate(row):
            if text and sheet.spans.get((number, column), (1, 1))[1] == 1:
                shown = unmarked(text)
                whole = width(shown, font=REGULAR, size=_SIZE) + _PADDING
                longest = max((width(word, font=REGULAR, size=_SIZE) for word in shown.split()), default=0.0)
                # a word is never cut; a sentence is broken where its column gets too wide
                widths[column] = max(widths[column], min(whole, _WIDEST), longest + _PADDING)
    return widths


# what openpyxl raises of a damaged file: it trusts what is written, packed and well-formed
_FOLLOWED_NOWHERE = (
    InvalidFileException,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    SyntaxError,  # the XML library's errors are of its kind
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    OSError,
)


def _xlsx_sheets(data: bytes, package: Package) -> Iterator[_Sheet]:
    only_reads = package.unpacked_bytes > _MANY_BYTES
    try:
        lacking = _sheets_without_results(data, package)
        formulas = {} if only_reads else _formulas_of(data, package)
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=only_reads, data_only=True)
        for sheet in book.worksheets:
            is_shown = getattr(sheet, "sheet_state", "visible") == "visible"
            found = _Sheet(str(sheet.title) if is_shown else f"{sheet.title} {_HIDDEN_SHEET}")
            found.lacks_results = sheet.title in lacking
            if not only_reads:
                found.hidden_rows = frozenset(
                    number - 1
                    for number, row in sheet.row_dimensions.items()
                    if row.hidden or row.height == 0
                )
                found.hidden_columns = _hidden_columns(sheet)
                found.has_stale_results = _has_stale_results(formulas.get(sheet.title, {}), sheet)
            if only_reads:
                sheet.reset_dimensions()  # what the file says of its size may be a million columns
            widths = {} if only_reads else column_widths(sheet)
            styled = () if only_reads else _styled_areas(sheet)
            cells = chain.from_iterable(sheet.iter_rows()) if only_reads else _stored_cells(sheet)
            for cell in cells:
                if text := _shown(cell):
                    _put(found, cell.row - 1, cell.column - 1, text)
                    if not only_reads and _is_nowhere_seen(cell, text, widths, styled):
                        found.unseen.add((cell.row - 1, cell.column - 1))
                if not only_reads and cell.comment is not None:
                    found.comments.append(_comment(cell.comment))
            if not only_reads:
                for area in sheet.merged_cells.ranges:
                    high, wide = area.max_row - area.min_row + 1, area.max_col - area.min_col + 1
                    found.spans[area.min_row - 1, area.min_col - 1] = (high, wide)
                found.pictures.extend(picture._data() for picture in sheet._images)
            yield found
    except _FOLLOWED_NOWHERE as error:
        raise refusals.corrupt("its workbook cannot be followed") from error


def _sheets_without_results(data: bytes, package: Package) -> frozenset[str]:
    """Return the sheets with a formula whose result the file does not hold: its writer computes none."""
    parts = [name for name in package.names if "worksheets/" in name]
    if not any(_NO_RESULT.search(package.content(name) or b"") for name in parts):
        return frozenset()
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True)
    return frozenset(
        sheet.title
        for sheet in book.worksheets
        if _NO_RESULT.search(package.content(str(sheet._worksheet_path)) or b"")
    )


def _formulas_of(data: bytes, package: Package) -> dict[str, dict[tuple[int, int], str]]:
    """Return the formulas of each sheet that has some, by row and column."""
    parts = [name for name in package.names if "worksheets/" in name]
    if not any(b"<f" in (package.content(name) or b"") for name in parts):
        return {}
    book = openpyxl.load_workbook(io.BytesIO(data))
    return {
        sheet.title: {place: cell.value for place, cell in sheet._cells.items() if cell.data_type == "f"}
        for sheet in book.worksheets
    }


def _has_stale_results(formulas: Mapping[tuple[int, int], Any], sheet: Any) -> bool:
    if not formulas:
        return False
    values = {place: cell.value for place, cell in sheet._cells.items()}
    return any(
        isinstance(formula, str) and is_stale(formula, values.get(place), values)
        for place, formula in formulas.items()
    )


def _styled_areas(sheet: Any) -> Sequence[tuple[int, int, int, int]]:
    """Return the areas whose grounds are set elsewhere than in their cells: tables, rules of formatting."""
    ranges = [CellRange(table.ref) for table in sheet.tables.values()]
    ranges += [one for rule in sheet.conditional_formatting for one in rule.sqref.ranges]
    ranges += sheet.merged_cells.ranges
    return [one.bounds for one in ranges]


def _is_nowhere_seen(
    cell: Any, text: str, widths: dict[str, float], styled: Sequence[tuple[int, int, int, int]]
) -> bool:
    is_lost = is_unseen(cell) or is_too_narrow(cell, text, widths)
    return is_lost and not any(
        left <= cell.column <= right and top <= cell.row <= bottom for left, top, right, bottom in styled
    )


def _hidden_columns(sheet: Any) -> frozenset[int]:
    """Return the hidden columns, counted from 0; the file keeps neighbours of one width as one range."""
    return frozenset(
        column - 1
        for given in sheet.column_dimensions.values()
        if (given.hidden or given.width == 0) and given.min and given.max
        for column in range(given.min, given.max + 1)
    )


def _stored_cells(sheet: Any) -> Iterator[Any]:
    """Yield the cells that the file has; walking rows would visit every empty one of an inflated sheet."""
    return (cell for _, cell in sorted(sheet._cells.items()))


def _put(sheet: _Sheet, row: int, column: int, text: str) -> None:
    """Keep a cell's text; of many empty rows in a row only one is kept, which parts what is around it."""
    gap = row - sheet.last_row
    if gap > 2:
        gap = 2
    sheet.last_row = row
    while gap > 0:
        sheet.rows.append([])
        sheet.numbers.append(row - gap + 1)
        gap -= 1
    cells = sheet.rows[-1]
    cells.extend([""] * (column + 1 - len(cells)))
    cells[column] = text


def _shown(cell: object) -> str:
    value = getattr(cell, "value", None)
    text = shown_value(value, str(getattr(cell, "number_format", "") or "General"))
    return struck(text) if text and getattr(getattr(cell, "font", None), "strike", None) else text


def _comment(comment: object) -> tuple[str, str]:
    return " ".join(str(getattr(comment, "author", "") or "").split()), str(getattr(comment, "text", ""))


def _xls_sheet(book: xlrd.book.Book, sheet: xlrd.sheet.Sheet) -> _Sheet:
    found = _Sheet(sheet.name if not sheet.visibility else f"{sheet.name} {_HIDDEN_SHEET}")
    found.hidden_rows = frozenset(number for number, row in sheet.rowinfo_map.items() if row.hidden)
    found.hidden_columns = frozenset(number for number, column in sheet.colinfo_map.items() if column.hidden)
    for number in range(sheet.nrows):
        for column, cell in enumerate(sheet.row(number)):
            if text := _xls_value(book, cell):
                _put(found, number, column, struck(text) if _is_struck(book, cell) else text)
    for top, bottom, left, right in sheet.merged_cells:
        found.spans[top, left] = (bottom - top, right - left)
    for note in sheet.cell_note_map.values():
        found.comments.append((" ".join(str(note.author or "").split()), str(note.text)))
    return found


def _is_struck(book: xlrd.book.Book, cell: xlrd.sheet.Cell) -> bool:
    return bool(book.font_list[book.xf_list[cell.xf_index].font_index].struck_out)


def _xls_value(book: xlrd.book.Book, cell: xlrd.sheet.Cell) -> str:
    form = book.format_map.get(book.xf_list[cell.xf_index].format_key) if cell.xf_index is not None else None
    pattern = form.format_str if form is not None else "General"
    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            return shown_value(xlrd.xldate.xldate_as_datetime(cell.value, book.datemode), pattern)
        except (xlrd.xldate.XLDateError, OverflowError):
            return shown_value(cell.value, "General")
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return shown_value(bool(cell.value), pattern)
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#ERR"))
    return shown_value(cell.value, pattern) if cell.ctype != xlrd.XL_CELL_EMPTY else ""
