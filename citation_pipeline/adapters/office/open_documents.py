"""OpenDocument files (ODT, ODS, ODP) onto pages: paragraphs, headings, lists, tables, notes and pictures."""

from collections.abc import Iterable, Iterator

from lxml import etree

from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.font_metrics import BOLD
from citation_pipeline.adapters.office.hidden_markup import empty_hidden_texts, mark_struck_texts
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.packages import Package
from citation_pipeline.adapters.office.placed_pages import Paper, RunningLines, Style
from citation_pipeline.adapters.office.placed_pictures import place_picture
from citation_pipeline.adapters.office.tables import Cell
from citation_pipeline.adapters.office.typesetting import Typesetter
from citation_pipeline.adapters.office.xml_names import attribute, child, name_of

_TEXT = Style()
_TITLE = Style("Title", BOLD, 18.0, space_before=0.0)
_HEADINGS = (
    Style("Section Header", BOLD, 14.0, space_before=12.0),
    Style("Section Header", BOLD, 12.0, space_before=10.0),
    Style("Section Header", BOLD, 11.0, space_before=8.0),
)
_COMMENT = Style("Comment", size=9.5, space_before=2.0)
_MOST_REPEATS = 200  # rows and columns; a sheet says that its last row repeats a million times
_CONTAINERS = ("section", "index-body", "frame", "text-box", "g", "table-of-content", "list-header", "page")


def set_open_document(data: bytes, *, options: OfficeOptions) -> Typesetter:
    """Lay out an OpenDocument file; a damaged, hostile or encrypted one is a RefusedDocumentError."""
    package = Package(data, unpacked_bytes=options.limits.unpacked_bytes)
    manifest = package.part("META-INF/manifest.xml")
    if manifest is not None and any(name_of(node) == "encryption-data" for node in manifest.iter()):
        raise refusals.encrypted()
    root = package.part("content.xml")
    body = child(root, "body")
    if body is None:
        raise refusals.corrupt("it has no document body")
    styles = package.part("styles.xml")
    empty_hidden_texts(body, styles)
    mark_struck_texts(body, styles)
    return _Reader(package, options).read(body)


class _Reader:
    """One document on its way to pages."""

    def __init__(self, package: Package, options: OfficeOptions) -> None:
        self._package, self._options = package, options
        self._pages = 0

    def read(self, body: etree._Element) -> Typesetter:
        setter = Typesetter(Paper(), running=self._running(), on_page=self._options.on_page)
        for kind in body:
            self._blocks(kind, setter, _TEXT)
        return setter

    def _blocks(self, parent: Iterable[etree._Element], setter: Typesetter, style: Style) -> None:
        for node in parent:
            kind = name_of(node)
            if kind == "page":
                self._pages += 1
                if self._pages > 1:
                    setter.break_page()
            if kind == "p":
                self._paragraph(node, setter, style)
            elif kind == "h":
                level = attribute(node, "outline-level")
                self._paragraph(node, setter, _HEADINGS[min(int(level or 1), 3) - 1])
            elif kind == "list":
                self._list(node, setter, 0)
            elif kind == "table":
                self._table(node, setter)
            elif kind == "notes":
                self._blocks(node, setter, _COMMENT)
            elif kind in _CONTAINERS:
                self._blocks(node, setter, style)
            elif kind == "image":
                self._picture(node, setter)

    def _paragraph(self, node: etree._Element, setter: Typesetter, style: Style) -> None:
        if style is _TEXT and attribute(node, "style-name") == "Title":
            style = _TITLE
        setter.paragraph(_text_of(node), style)
        self._attached(node, setter)

    def _attached(self, node: etree._Element, setter: Typesetter) -> None:
        """Set what is anchored in a paragraph: pictures, text boxes, notes and remarks."""
        for one in node:
            kind = name_of(one)
            if kind == "frame":
                self._blocks(
                    [*one][0:1] if len(one) else one, setter, _TEXT
                )  # the rest are other forms of it
            elif kind == "note":
                body = child(one, "note-body")
                for paragraph in body if body is not None else ():
                    setter.paragraph(f"[{_citation(one)}] {_text_of(paragraph)}", _COMMENT)
            elif kind == "annotation":
                author = next((part.text or "" for part in one if name_of(part) == "creator"), "")
                text = " ".join(_text_of(part) for part in one if name_of(part) == "p")
                setter.paragraph(f"{author}: {text}" if author else text, _COMMENT)
            elif kind in ("span", "a", "custom-shape"):
                if kind == "custom-shape":
                    self._blocks(one, setter, _TEXT)
                self._attached(one, setter)

    def _list(self, node: etree._Element, setter: Typesetter, level: int) -> None:
        style = Style("List Item", indent=18.0 * (level + 1), space_before=2.0)
        for item in node:
            if name_of(item) not in ("list-item", "list-header"):
                continue
            for at, one in enumerate(item):
                if name_of(one) == "list":
                    self._list(one, setter, level + 1)
                elif name_of(one) in ("p", "h"):
                    text = _text_of(one)
                    setter.paragraph(f"• {text}" if at == 0 and text.strip() else text, style)
                    self._attached(one, setter)

    def _table(self, node: etree._Element, setter: Typesetter) -> None:
        rows = [cells for row in _rows(node) for cells in self._cells(row)]
        while rows and not any(cell.text for cell in rows[-1]):
            rows.pop()
        if rows:
            if name_of(node.getparent()) == "spreadsheet":
                setter.paragraph(attribute(node, "name"), _HEADINGS[1])
            columns = max(sum(cell.columns for cell in row) for row in rows)
            setter.table(rows, [1.0] * columns)
        for one in node.iter():
            if name_of(one) == "image":
                self._picture(one, setter)

    def _cells(self, row: etree._Element) -> Iterator[list[Cell]]:
        cells: list[Cell] = []
        for cell in row:
            if name_of(cell) != "table-cell":  # covered ones belong to their neighbour
                continue
            text = "\n".join(_text_of(one) for one in cell.iter() if name_of(one) in ("p", "h"))
            wide, high = _number(cell, "number-columns-spanned"), _number(cell, "number-rows-spanned")
            repeats = _number(cell, "number-columns-repeated")
            cells.extend([Cell(text.strip(), wide, high)] * min(repeats, _MOST_REPEATS))
        while cells and not cells[-1].text:
            cells.pop()
        repeats = _number(row, "number-rows-repeated")
        for _ in range(min(repeats, _MOST_REPEATS) if cells else 1):
            yield cells

    def _picture(self, node: etree._Element, setter: Typesetter) -> None:
        target = attribute(node, "href").removeprefix("./")
        content = self._package.content(target) if target and "://" not in target else None
        if content is not None:
            place_picture(setter, content, self._options)

    def _running(self) -> RunningLines:
        styles = self._package.part("styles.xml")
        found = {"header": "", "footer": ""}
        for node in styles.iter() if styles is not None else ():
            kind = name_of(node)
            if kind in found and not found[kind]:
                found[kind] = " ".join(_text_of(one) for one in node.iter() if name_of(one) == "p").strip()
        return RunningLines(found["header"], found["footer"])


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    for node in table:
        if name_of(node) == "table-row":
            yield node
        elif name_of(node) in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(node)


def _number(node: etree._Element, name: str) -> int:
    value = attribute(node, name)
    return max(1, int(value)) if value.isdigit() else 1


def _citation(note: etree._Element) -> str:
    return next((_text_of(one) for one in note if name_of(one) == "note-citation"), "")


def _text_of(node: etree._Element) -> str:
    """Return a paragraph's text: spaces, tabs and line breaks are elements; what is anchored is left out."""
    parts = [node.text or ""]
    for one in node:
        kind = name_of(one)
        if kind == "s":
            parts.append(" " * min(_number(one, "c"), _MOST_REPEATS))
        elif kind == "tab":
            parts.append("\t")
        elif kind == "line-break":
            parts.append("\n")
        elif kind == "note":
            parts.append(f" [{_citation(one)}]")
        elif kind not in ("frame", "annotation", "tracked-changes", "custom-shape", "note-citation"):
            parts.append(_text_of(one))
        parts.append(one.tail or "")
    return "".join(parts)
