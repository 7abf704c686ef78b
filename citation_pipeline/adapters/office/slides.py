"""PPTX onto pages: each slide a page of its texts, tables and pictures, then its notes and remarks.

DrawingML is read directly: what is needed of it are a dozen elements.
"""

from collections.abc import Mapping

from lxml import etree

from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.font_metrics import BOLD
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.packages import Package
from citation_pipeline.adapters.office.placed_pages import Paper, Style
from citation_pipeline.adapters.office.placed_pictures import UNREAD_PICTURE, place_picture
from citation_pipeline.adapters.office.struck_text import struck
from citation_pipeline.adapters.office.tables import Cell
from citation_pipeline.adapters.office.typesetting import Typesetter
from citation_pipeline.adapters.office.xml_names import attribute, child, children, name_of

HIDDEN_SLIDE = "hidden_slide"
"""Warning of a page with a slide that the presentation leaves out."""

_Area = tuple[int, int, int, int]  # left, top, right, bottom in the file's own units

_PAPER = Paper(792.0, 612.0, 54.0, 54.0, 54.0, 54.0)
_TITLE = Style("Title", BOLD, 18.0, space_before=0.0)
_TEXT = Style()
_NOTES = Style("Section Header", BOLD, 11.0, space_before=14.0)
_COMMENT = Style("Comment", size=9.5, space_before=2.0)


def set_slides(data: bytes, *, options: OfficeOptions) -> Typesetter:
    """Lay out a PPTX; a damaged or hostile package is a RefusedDocumentError."""
    package = Package(data, unpacked_bytes=options.limits.unpacked_bytes)
    main = package.main_part() or "ppt/presentation.xml"
    root = package.part(main)
    if root is None:
        raise refusals.corrupt("it has no presentation")
    relations = package.relations(main)
    area = _area(child(root, "sldSz"), None)
    setter: Typesetter | None = None
    for number in children(child(root, "sldIdLst"), "sldId"):
        part = relations.get(_relation_id(number), "")
        slide = package.part(part) if part else None
        if slide is None:
            continue
        if setter is None:
            setter = Typesetter(_PAPER, on_page=options.on_page)
        else:
            setter.break_page()
        first = len(setter.pages)
        _Slide(package, part, setter, options, area).add(slide)
        if attribute(slide, "show") in ("0", "false"):
            pages = range(first, len(setter.pages) + 1)
            setter.warnings.extend(f"page {page}: {HIDDEN_SLIDE}" for page in pages)
    if setter is None:
        raise refusals.empty_file()
    return setter


def _relation_id(node: etree._Element) -> str:
    """Return the relation a slide's number refers to; it has an id of its own beside it."""
    return next((str(value) for key, value in node.attrib.items() if str(key).endswith("}id")), "")


class _Slide:
    """One slide on its way to a page."""

    def __init__(
        self, package: Package, part: str, setter: Typesetter, options: OfficeOptions, area: _Area | None
    ) -> None:
        self._package, self._setter, self._options, self._area = package, setter, options, area
        self._relations: Mapping[str, str] = package.relations(part)

    def add(self, slide: etree._Element) -> None:
        """Set the slide, its notes and its remarks."""
        self._shapes(child(child(slide, "cSld"), "spTree"))
        for target in self._relations.values():
            if "/notesSlides/" in target:
                self._notes(self._package.part(target))
        for target in self._relations.values():
            if "/comments/" in target:
                self._comments(self._package.part(target))

    def _shapes(self, parent: etree._Element | None) -> None:
        for node in parent if parent is not None else ():
            kind = name_of(node)
            if self._area is not None and _is_outside(node, self._area):
                if any(name_of(one) in ("t", "blip") for one in node.iter()):
                    self._setter.warn("hidden_text")
            elif kind == "sp":
                style = _TITLE if _placeholder(node) in ("title", "ctrTitle") else _TEXT
                for paragraph in children(child(node, "txBody"), "p"):
                    self._paragraph(paragraph, style)
            elif kind == "graphicFrame":
                self._table(node)
            elif kind == "pic":
                self._picture(node)
            elif kind in ("grpSp", "AlternateContent", "Choice"):
                self._shapes(node)

    def _paragraph(self, node: etree._Element, style: Style) -> None:
        text = _text_of(node)
        if not text.strip():
            return
        properties = child(node, "pPr")
        level = attribute(properties, "lvl")
        if style is _TEXT and (child(properties, "buChar") is not None or level.isdigit()):
            style = Style("List Item", indent=18.0 * (int(level or 0) + 1), space_before=2.0)
        self._setter.paragraph(text, style)

    def _table(self, frame: etree._Element) -> None:
        table = next((node for node in frame.iter() if name_of(node) == "tbl"), None)
        rows = []
        for row in children(table, "tr"):
            cells = []
            for cell in children(row, "tc"):
                if attribute(cell, "hMerge") in ("1", "true") or attribute(cell, "vMerge") in ("1", "true"):
                    continue
                text = "\n".join(_text_of(one) for one in children(child(cell, "txBody"), "p"))
                wide, high = attribute(cell, "gridSpan"), attribute(cell, "rowSpan")
                cells.append(Cell(text.strip(), int(wide or 1), int(high or 1)))
            rows.append(cells)
        if rows:
            columns = max(sum(cell.columns for cell in row) for row in rows)
            self._setter.table(rows, [1.0] * max(columns, 1))

    def _picture(self, node: etree._Element) -> None:
        for blip in node.iter():
            target = self._relations.get(attribute(blip, "embed"), "")
            if name_of(blip) == "blip" and target:
                content = self._package.content(target)
                if content is None:
                    self._setter.warn(UNREAD_PICTURE)
                else:
                    place_picture(self._setter, content, self._options)

    def _notes(self, root: etree._Element | None) -> None:
        shapes = child(child(root, "cSld"), "spTree")
        notes = [
            _text_of(paragraph)
            for shape in children(shapes, "sp")
            if _placeholder(shape) not in ("sldImg", "sldNum", "dt", "hdr", "ftr")
            for paragraph in children(child(shape, "txBody"), "p")
        ]
        if any(text.strip() for text in notes):
            self._setter.paragraph("Notes", _NOTES)
        for text in notes:
            if text.strip():
                self._setter.paragraph(text, _TEXT)

    def _comments(self, root: etree._Element | None) -> None:
        for comment in root if root is not None else ():
            if name_of(comment) != "cm":
                continue
            texts = [one.text or "" for one in comment.iter() if name_of(one) in ("text", "t")]
            if any(text.strip() for text in texts):
                self._setter.paragraph(" ".join(texts), _COMMENT)


def _is_outside(shape: etree._Element, area: _Area) -> bool:
    """Tell whether all of a shape is beside the slide; one without a place of its own has its layout's."""
    properties = child(shape, "grpSpPr" if name_of(shape) == "grpSp" else "spPr")
    place = child(properties, "xfrm") if properties is not None else child(shape, "xfrm")
    bounds = _area(child(place, "ext"), child(place, "off"))
    return bounds is not None and (
        bounds[2] <= area[0] or bounds[3] <= area[1] or bounds[0] >= area[2] or bounds[1] >= area[3]
    )


def _area(size: etree._Element | None, corner: etree._Element | None) -> _Area | None:
    """Return the edges of something with a size (at 0, 0 without a corner), or None where it has none."""
    try:
        wide, high = int(attribute(size, "cx")), int(attribute(size, "cy"))
        left, top = int(attribute(corner, "x") or 0), int(attribute(corner, "y") or 0)
    except ValueError:
        return None
    return left, top, left + wide, top + high


def _placeholder(shape: etree._Element) -> str:
    place = next((node for node in shape.iter() if name_of(node) == "ph"), None)
    return attribute(place, "type")


def _text_of(paragraph: etree._Element) -> str:
    parts = []
    for node in paragraph.iter():
        kind = name_of(node)
        if kind == "t":
            strike = attribute(child(node.getparent(), "rPr"), "strike")
            parts.append(struck(node.text or "") if strike not in ("", "noStrike") else node.text or "")
        elif kind == "br":
            parts.append("\n")
        elif kind == "tab":
            parts.append("\t")
    return "".join(parts)
