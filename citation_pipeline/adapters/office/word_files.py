"""DOCX onto pages: paragraphs, lists, tables, running lines, notes, comments, boxes, pictures, equations.

Deleted revisions, field codes and hidden text are left out; inserted ones are read. The layout is ours
(`typesetting.py`), not Word's: a citation needs a place that stays, not the one a printer would choose.
"""

from collections.abc import Iterator, Mapping

from lxml import etree

from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.font_metrics import BOLD
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.packages import Package
from citation_pipeline.adapters.office.placed_pictures import place_picture
from citation_pipeline.adapters.office.tables import Cell
from citation_pipeline.adapters.office.typesetting import Paper, RunningLines, Style, Typesetter
from citation_pipeline.adapters.office.word_numbering import Numbering
from citation_pipeline.adapters.office.xml_names import attribute, child, children, integer, is_on, name_of

_TEXT = Style()
_TITLE = Style("Title", BOLD, 18.0, space_before=0.0)
_HEADINGS = (
    Style("Section Header", BOLD, 14.0, space_before=12.0),
    Style("Section Header", BOLD, 12.0, space_before=10.0),
    Style("Section Header", BOLD, 11.0, space_before=8.0),
)
_NOTES = Style("Section Header", BOLD, 11.0, space_before=14.0)
_COMMENT = Style("Comment", size=9.5, space_before=2.0)
_EQUATIONS = ("oMath", "oMathPara")
_CONTAINERS = ("sdt", "sdtContent", "smartTag", "customXml", "ins", "moveTo", "hyperlink", "fldSimple")
# Wingdings and Webdings code points with which forms draw their boxes
_SYMBOLS = {
    "F0A8": "☐", "F06F": "☐", "F071": "☐", "F0FE": "☒", "F0FD": "☒", "F078": "☒",
    "F052": "☑", "F0FC": "✓", "F0FB": "✗", "F0B7": "•", "F0A7": "▪",
}  # fmt: skip


def set_word_file(data: bytes, *, options: OfficeOptions) -> Typesetter:
    """Lay out a DOCX; a damaged or hostile package is a RefusedDocumentError."""
    package = Package(data, unpacked_bytes=options.limits.unpacked_bytes)
    document = package.part(package.main_part() or "word/document.xml")
    body = child(document, "body")
    if body is None:
        raise refusals.corrupt("it has no document body")
    return _Reader(package, options).read(body)


class _Reader:
    """One package on its way to pages."""

    def __init__(self, package: Package, options: OfficeOptions) -> None:
        self._package, self._options = package, options
        main = package.main_part() or "word/document.xml"
        self._folder = main.rpartition("/")[0]
        self._relations = package.relations(main)
        self._sections: list[etree._Element] = []
        self._section = 0
        self._inherited: dict[tuple[str, str], str] = {}  # kind and type of a running line -> relation
        self._numbering = Numbering(package.part(f"{self._folder}/numbering.xml"))
        styles = package.part(f"{self._folder}/styles.xml")
        self._styles = _style_names(styles)
        # list styles carry their numbering; a paragraph's own goes before it
        self._list_styles = {
            attribute(style, "styleId"): child(style, "pPr")
            for style in children(styles, "style")
            if child(child(style, "pPr"), "numPr") is not None
        }

    def read(self, body: etree._Element) -> Typesetter:
        self._sections.extend(_sections(body))
        first = self._sections[0] if self._sections else None
        setter = Typesetter(_paper(first), running=self._running(first), on_page=self._options.on_page)
        self._header_pictures(first, setter)
        self._blocks(body, setter)
        self._notes(setter)
        self._comments(setter)
        return setter

    def _running(self, section: etree._Element | None) -> RunningLines:
        """Return a section's running lines; what it does not name is the section's before it."""
        for kind in ("headerReference", "footerReference"):
            for reference in children(section, kind):
                self._inherited[kind, attribute(reference, "type")] = attribute(reference, "id")

        def line(kind: str, which: str) -> str:
            root = self._package.part(self._relations.get(self._inherited.get((kind, which), ""), ""))
            return _joined_text(root) if root is not None else ""

        has_first = is_on(child(section, "titlePg"))
        return RunningLines(
            line("headerReference", "default"),
            line("footerReference", "default"),
            (line("headerReference", "first"), line("footerReference", "first")) if has_first else None,
        )

    def _header_pictures(self, section: etree._Element | None, setter: Typesetter) -> None:
        """Place a letterhead that is a picture at the top of the section's first page, where it is seen."""
        which = "first" if is_on(child(section, "titlePg")) else "default"
        part = self._relations.get(self._inherited.get(("headerReference", which), ""), "")
        root = self._package.part(part) if part else None
        if root is not None:
            self._place_pictures(root, self._package.relations(part), setter)

    def _end_section(self, setter: Typesetter) -> None:
        self._section += 1
        if self._section < len(self._sections):
            section = self._sections[self._section]
            is_new_page = attribute(child(section, "type"), "val") != "continuous"
            setter.begin_section(_paper(section), self._running(section), new_page=is_new_page)
            if is_new_page:
                self._header_pictures(section, setter)

    def _blocks(self, parent: etree._Element, setter: Typesetter) -> None:
        for node in parent:
            kind = name_of(node)
            if kind == "p":
                self._paragraph(node, setter)
            elif kind == "tbl":
                self._table(node, setter)
            elif kind in _CONTAINERS:
                self._blocks(node, setter)

    def _paragraph(self, node: etree._Element, setter: Typesetter) -> None:
        properties = child(node, "pPr")
        style = self._style(properties)
        own = child(properties, "numPr") is not None
        listed = self._list_styles.get(attribute(child(properties, "pStyle"), "val"))
        label = self._numbering.label(properties if own else listed)
        for number, page in enumerate(text_of(node).split("\f")):
            if number:
                setter.break_page()
            text = page.strip("\n")
            if number == 0 and label is not None and text.strip():
                mark, level = label
                text = f"{mark} {text}".strip()
                if style is _TEXT:
                    style = Style("List Item", indent=18.0 * (level + 1), space_before=2.0)
            setter.paragraph(text, style)
        self._place_pictures(node, self._relations, setter)
        for box in _text_boxes(node):
            self._blocks(box, setter)
        if child(properties, "sectPr") is not None:
            self._end_section(setter)

    def _style(self, properties: etree._Element | None) -> Style:
        name = self._styles.get(attribute(child(properties, "pStyle"), "val"), "")
        if name == "title":
            return _TITLE
        if name.startswith("heading "):
            level = name.removeprefix("heading ")
            return _HEADINGS[min(int(level), 3) - 1] if level.isdigit() and level != "0" else _HEADINGS[2]
        return _TEXT

    def _table(self, node: etree._Element, setter: Typesetter) -> None:
        rows: list[list[Cell]] = []
        starts: dict[int, tuple[int, int]] = {}  # column -> where in `rows` the cell above began
        for row in _rows(node):
            cells: list[Cell] = []
            column = integer(child(child(row, "trPr"), "gridBefore"), 0)
            cells.extend([Cell("")] * column)
            for cell in _cells(row):
                properties = child(cell, "tcPr")
                wide = max(1, integer(child(properties, "gridSpan"), 1))
                merged = child(properties, "vMerge")
                if merged is not None and attribute(merged, "val") != "restart" and column in starts:
                    at, place = starts[column]
                    above = rows[at][place]
                    rows[at][place] = Cell(above.text, above.columns, above.rows + 1)
                else:
                    starts[column] = (len(rows), len(cells))
                    text = "\n".join(text_of(part) for part in _paragraphs(cell))
                    cells.append(Cell(text.replace("\f", "\n").strip(), wide))
                column += wide
            rows.append(cells)
        setter.table(rows, _shares(node, rows))
        self._place_pictures(node, self._relations, setter)

    def _notes(self, setter: Typesetter) -> None:
        for part, title in (("footnotes.xml", "Footnotes"), ("endnotes.xml", "Endnotes")):
            root = self._package.part(f"{self._folder}/{part}")
            if root is None:
                continue
            notes = [
                (attribute(note, "id"), " ".join(text_of(one) for one in _paragraphs(note)).strip())
                for note in root
                if attribute(note, "type") not in ("separator", "continuationSeparator", "continuationNotice")
            ]
            if any(text for _, text in notes):
                setter.paragraph(title, _NOTES)
            for number, text in notes:
                if text:
                    setter.paragraph(f"{number} {text}", Style(size=9.5, space_before=2.0))

    def _comments(self, setter: Typesetter) -> None:
        root = self._package.part(f"{self._folder}/comments.xml")
        comments = [] if root is None else [(note, _joined_text(note)) for note in children(root, "comment")]
        if any(text for _, text in comments):
            setter.paragraph("Comments", _NOTES)
        for note, text in comments:
            if text:
                author = " ".join(attribute(note, "author").split())
                setter.paragraph(f"{author}: {text}" if author else text, _COMMENT)

    def _place_pictures(self, node: etree._Element, relations: Mapping[str, str], setter: Typesetter) -> None:
        for picture in _pictures(node):
            size = _picture_size(picture)
            for blip in picture.iter():
                target = relations.get(attribute(blip, "embed") or attribute(blip, "id"), "")
                if name_of(blip) in ("blip", "imagedata") and target:
                    content = self._package.content(target)
                    if content is not None:
                        place_picture(setter, content, self._options, size=size)


def text_of(paragraph: etree._Element) -> str:
    """Return a paragraph's text as displayed: tabs, line breaks (newline) and page breaks (form feed) too."""
    parts: list[str] = []
    in_code = 0
    for node in _runs(paragraph):
        kind = name_of(node)
        if kind == "fldChar":
            state = attribute(node, "fldCharType")
            in_code += {"begin": 1, "separate": -1}.get(state, 0)
            if state == "begin" and (tick := _form_tick(node)):
                parts.append(tick)
            if state == "end" and in_code > 0:
                in_code -= 1  # a field without a result has no "separate"
        elif in_code:
            continue
        elif kind == "t":
            parts.append(node.text or "")
        elif kind == "tab":
            parts.append("\t")
        elif kind in ("br", "cr"):
            parts.append("\f" if attribute(node, "type") == "page" else "\n")
        elif kind == "noBreakHyphen":
            parts.append("-")
        elif kind == "sym":
            parts.append(_SYMBOLS.get(attribute(node, "char").upper(), ""))
        elif kind in ("footnoteReference", "endnoteReference"):
            parts.append(f" [{attribute(node, 'id')}]")
    return "".join(parts)


def _runs(parent: etree._Element) -> Iterator[etree._Element]:
    """Yield the contents of a paragraph's runs, without deleted and hidden ones and text boxes."""
    for node in parent:
        kind = name_of(node)
        if kind in _EQUATIONS:
            yield from (one for one in node.iter() if name_of(one) == "t")
        elif kind == "r":
            if not is_on(child(child(node, "rPr"), "vanish")):
                yield from node
        elif kind in _CONTAINERS:
            yield from _runs(node)


def _text_boxes(paragraph: etree._Element) -> Iterator[etree._Element]:
    """Yield the contents of the text boxes anchored in a paragraph, each once (Word stores a fallback)."""
    for node in paragraph.iter():
        if name_of(node) == "txbxContent" and not any(
            name_of(above) in ("Fallback", "txbxContent", "del") for above in node.iterancestors()
        ):
            yield node


def _pictures(parent: etree._Element) -> Iterator[etree._Element]:
    """Yield the pictures drawn in a paragraph or a header, each once (Word stores a fallback)."""
    for node in parent.iter():
        if name_of(node) in ("drawing", "pict", "object") and not any(
            name_of(above) in ("Fallback", "txbxContent", "del") for above in node.iterancestors()
        ):
            yield node


def _picture_size(drawing: etree._Element) -> tuple[float, float] | None:
    """Return the size in points in which a single picture is shown (stored in 12,700ths of one)."""
    if sum(name_of(node) == "blip" for node in drawing.iter()) != 1:
        return None
    extent = next((node for node in drawing.iter() if name_of(node) == "extent"), None)
    across, down = attribute(extent, "cx"), attribute(extent, "cy")
    return (int(across) / 12700, int(down) / 12700) if across.isdigit() and down.isdigit() else None


def _sections(body: etree._Element) -> list[etree._Element]:
    """Return the sections' properties in order: each is stored at its section's end."""
    ends = [child(child(node, "pPr"), "sectPr") for node in children(body, "p")]
    return [section for section in (*ends, child(body, "sectPr")) if section is not None]


def _joined_text(parent: etree._Element) -> str:
    return " ".join(text_of(one) for one in _paragraphs(parent)).strip()


def _paragraphs(parent: etree._Element) -> Iterator[etree._Element]:
    """Yield the paragraphs of a cell or a header, those of tables inside it included."""
    for node in parent:
        kind = name_of(node)
        if kind == "p":
            yield node
        elif kind in (*_CONTAINERS, "tbl", "tr", "tc"):
            yield from _paragraphs(node)


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    for node in table:
        if name_of(node) == "tr" and child(child(node, "trPr"), "del") is None:
            yield node
        elif name_of(node) in _CONTAINERS:
            yield from _rows(node)


def _cells(row: etree._Element) -> Iterator[etree._Element]:
    for node in row:
        if name_of(node) == "tc":
            yield node
        elif name_of(node) in _CONTAINERS:
            yield from _cells(node)


def _shares(table: etree._Element, rows: list[list[Cell]]) -> list[float]:
    columns = max((sum(cell.columns for cell in row) for row in rows), default=0)
    given = [attribute(node, "w") for node in children(child(table, "tblGrid"), "gridCol")]
    shares = [float(width) for width in given if width.isdigit() and int(width) > 0]
    return shares if len(shares) >= columns else [1.0] * max(columns, 1)


def _form_tick(node: etree._Element) -> str:
    """Return a legacy form field's box, ticked or not; "" for other fields."""
    box = child(child(node, "ffData"), "checkBox")
    if box is None:
        return ""
    checked = child(box, "checked")
    return "☒" if is_on(checked if checked is not None else child(box, "default")) else "☐"


def _style_names(root: etree._Element | None) -> dict[str, str]:
    return {
        attribute(style, "styleId"): attribute(child(style, "name"), "val").lower()
        for style in children(root, "style")
    }


def _paper(section: etree._Element | None) -> Paper:
    """Return the section's sheet; sizes are stored in twentieths of a point."""
    size, margin = child(section, "pgSz"), child(section, "pgMar")

    def points(node: etree._Element | None, name: str, default: float, least: float, most: float) -> float:
        value = attribute(node, name)
        return min(most, max(least, int(value) / 20)) if value.isdigit() else default

    wide, high = points(size, "w", 612, 200, 2000), points(size, "h", 792, 200, 2000)
    return Paper(
        wide,
        high,
        left=points(margin, "left", 72, 18, wide / 4),
        right=points(margin, "right", 72, 18, wide / 4),
        top=points(margin, "top", 72, 36, high / 4),
        bottom=points(margin, "bottom", 72, 36, high / 4),
    )
