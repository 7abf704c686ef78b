"""DOCX onto pages: paragraphs, lists, tables, running lines, notes, comments, boxes, pictures, equations.

Deleted revisions, field codes and hidden text are left out; inserted ones are read. The layout is ours
(`typesetting.py`), not Word's: a citation needs a place that stays, not the one a printer would choose.
"""

from collections.abc import Mapping

from lxml import etree

from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.font_metrics import BOLD
from citation_pipeline.adapters.office.hidden_markup import empty_hidden_runs, hidden_word_styles
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.packages import Package
from citation_pipeline.adapters.office.placed_pages import RunningLines, Style
from citation_pipeline.adapters.office.placed_pictures import place_picture
from citation_pipeline.adapters.office.tables import Cell
from citation_pipeline.adapters.office.typesetting import Typesetter
from citation_pipeline.adapters.office.word_markup import (
    CONTAINERS,
    cells_of,
    column_shares,
    is_revised,
    joined_text,
    paper_of,
    paragraphs_of,
    picture_size,
    pictures_of,
    rows_of,
    sections_of,
    style_names,
    text_boxes_of,
    text_of,
    watermark_of,
)
from citation_pipeline.adapters.office.word_numbering import Numbering
from citation_pipeline.adapters.office.xml_names import attribute, child, children, integer, is_on, name_of
from citation_pipeline.core.layout.void_marks import MARKED_VOID, takes_back

_TEXT = Style()
_TITLE = Style("Title", BOLD, 18.0, space_before=0.0)
_HEADINGS = (
    Style("Section Header", BOLD, 14.0, space_before=12.0),
    Style("Section Header", BOLD, 12.0, space_before=10.0),
    Style("Section Header", BOLD, 11.0, space_before=8.0),
)
_NOTES = Style("Section Header", BOLD, 11.0, space_before=14.0)
TRACKED_CHANGES = "tracked_changes"
"""Warning of a page with changes that nobody accepted: what was put in is read, what was taken out is not."""
_COMMENT = Style("Comment", size=9.5, space_before=2.0)


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
        self._is_revised = False
        self._inherited: dict[tuple[str, str], str] = {}  # kind and type of a running line -> relation
        self._numbering = Numbering(package.part(f"{self._folder}/numbering.xml"))
        styles = package.part(f"{self._folder}/styles.xml")
        self._styles = style_names(styles)
        self._hidden_styles = hidden_word_styles(styles)
        # list styles carry their numbering; a paragraph's own goes before it
        self._list_styles = {
            attribute(style, "styleId"): child(style, "pPr")
            for style in children(styles, "style")
            if child(child(style, "pPr"), "numPr") is not None
        }

    def _part(self, name: str) -> etree._Element | None:
        root = self._package.part(name)
        if root is not None:
            empty_hidden_runs(root, self._hidden_styles)
        return root

    def read(self, body: etree._Element) -> Typesetter:
        empty_hidden_runs(body, self._hidden_styles)
        self._sections.extend(sections_of(body))
        first = self._sections[0] if self._sections else None
        setter = Typesetter(paper_of(first), running=self._running(first), on_page=self._options.on_page)
        self._header_pictures(first, setter)
        self._is_revised = is_revised(body)
        self._blocks(body, setter)
        if any(map(self._is_void, self._relations.values())):
            setter.warnings.extend(f"page {page}: {MARKED_VOID}" for page in range(1, len(setter.pages) + 1))
        self._notes(setter)
        self._comments(setter)
        return setter

    def _is_void(self, part: str) -> bool:
        """Tell whether a part is a header with a watermark that takes its pages back."""
        name = part.rpartition("/")[2]
        root = self._package.part(part) if name.startswith("header") else None
        return root is not None and takes_back(watermark_of(root))

    def _warn_of_revisions(self, node: etree._Element, setter: Typesetter) -> None:
        warning = f"page {len(setter.pages)}: {TRACKED_CHANGES}"
        if self._is_revised and warning not in setter.warnings and is_revised(node):
            setter.warnings.append(warning)

    def _running(self, section: etree._Element | None) -> RunningLines:
        """Return a section's running lines; what it does not name is the section's before it."""
        for kind in ("headerReference", "footerReference"):
            for reference in children(section, kind):
                self._inherited[kind, attribute(reference, "type")] = attribute(reference, "id")

        def line(kind: str, which: str) -> str:
            root = self._part(self._relations.get(self._inherited.get((kind, which), ""), ""))
            return joined_text(root) if root is not None else ""

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
        root = self._part(part) if part else None
        if root is not None:
            self._place_pictures(root, self._package.relations(part), setter)

    def _end_section(self, setter: Typesetter) -> None:
        self._section += 1
        if self._section < len(self._sections):
            section = self._sections[self._section]
            is_new_page = attribute(child(section, "type"), "val") != "continuous"
            setter.begin_section(paper_of(section), self._running(section), new_page=is_new_page)
            if is_new_page:
                self._header_pictures(section, setter)

    def _blocks(self, parent: etree._Element, setter: Typesetter) -> None:
        for node in parent:
            kind = name_of(node)
            if kind == "p":
                self._paragraph(node, setter)
            elif kind == "tbl":
                self._table(node, setter)
            elif kind in CONTAINERS:
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
        self._warn_of_revisions(node, setter)
        self._place_pictures(node, self._relations, setter)
        for box in text_boxes_of(node):
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
        for row in rows_of(node):
            cells: list[Cell] = []
            column = integer(child(child(row, "trPr"), "gridBefore"), 0)
            cells.extend([Cell("")] * column)
            for cell in cells_of(row):
                properties = child(cell, "tcPr")
                wide = max(1, integer(child(properties, "gridSpan"), 1))
                merged = child(properties, "vMerge")
                if merged is not None and attribute(merged, "val") != "restart" and column in starts:
                    at, place = starts[column]
                    above = rows[at][place]
                    rows[at][place] = Cell(above.text, above.columns, above.rows + 1)
                else:
                    starts[column] = (len(rows), len(cells))
                    text = "\n".join(text_of(part) for part in paragraphs_of(cell))
                    cells.append(Cell(text.replace("\f", "\n").strip(), wide))
                column += wide
            rows.append(cells)
        setter.table(rows, column_shares(node, rows))
        self._warn_of_revisions(node, setter)
        self._place_pictures(node, self._relations, setter)

    def _notes(self, setter: Typesetter) -> None:
        for part, title in (("footnotes.xml", "Footnotes"), ("endnotes.xml", "Endnotes")):
            root = self._part(f"{self._folder}/{part}")
            if root is None:
                continue
            notes = [
                (attribute(note, "id"), " ".join(text_of(one) for one in paragraphs_of(note)).strip())
                for note in root
                if attribute(note, "type") not in ("separator", "continuationSeparator", "continuationNotice")
            ]
            if any(text for _, text in notes):
                setter.paragraph(title, _NOTES)
            for number, text in notes:
                if text:
                    setter.paragraph(f"{number} {text}", Style(size=9.5, space_before=2.0))

    def _comments(self, setter: Typesetter) -> None:
        root = self._part(f"{self._folder}/comments.xml")
        comments = [] if root is None else [(note, joined_text(note)) for note in children(root, "comment")]
        if any(text for _, text in comments):
            setter.paragraph("Comments", _NOTES)
        for note, text in comments:
            if text:
                author = " ".join(attribute(note, "author").split())
                setter.paragraph(f"{author}: {text}" if author else text, _COMMENT)

    def _place_pictures(self, node: etree._Element, relations: Mapping[str, str], setter: Typesetter) -> None:
        for picture in pictures_of(node):
            size = picture_size(picture)
            for blip in picture.iter():
                target = relations.get(attribute(blip, "embed") or attribute(blip, "id"), "")
                if name_of(blip) in ("blip", "imagedata") and target:
                    content = self._package.content(target)
                    if content is not None:
                        place_picture(setter, content, self._options, size=size)
