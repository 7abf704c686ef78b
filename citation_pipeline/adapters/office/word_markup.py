"""What a DOCX's markup (WordprocessingML) says, read without a layout: runs, boxes, rows, sections."""

from collections.abc import Iterator

from lxml import etree

from citation_pipeline.adapters.office.placed_pages import Paper
from citation_pipeline.adapters.office.struck_text import struck
from citation_pipeline.adapters.office.tables import Cell
from citation_pipeline.adapters.office.xml_names import attribute, child, children, is_on, name_of

_REVISIONS = ("ins", "del", "moveFrom", "moveTo")
EQUATIONS = ("oMath", "oMathPara")
CONTAINERS = ("sdt", "sdtContent", "smartTag", "customXml", "ins", "moveTo", "hyperlink", "fldSimple")
# Wingdings and Webdings code points with which forms draw their boxes
_SYMBOLS = {
    "F0A8": "☐", "F06F": "☐", "F071": "☐", "F0FE": "☒", "F0FD": "☒", "F078": "☒",
    "F052": "☑", "F0FC": "✓", "F0FB": "✗", "F0B7": "•", "F0A7": "▪",
}  # fmt: skip


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
            text = node.text or ""
            parts.append(struck(text) if _is_struck(node.getparent()) else text)
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


def _is_struck(run: etree._Element | None) -> bool:
    looks = child(run, "rPr")
    return is_on(child(looks, "strike")) or is_on(child(looks, "dstrike"))


def _runs(parent: etree._Element) -> Iterator[etree._Element]:
    """Yield the contents of a paragraph's runs, without deleted and hidden ones and text boxes."""
    for node in parent:
        kind = name_of(node)
        if kind in EQUATIONS:
            yield from (one for one in node.iter() if name_of(one) == "t")
        elif kind == "r":
            if not is_on(child(child(node, "rPr"), "vanish")):
                yield from node
        elif kind in CONTAINERS:
            yield from _runs(node)


def is_revised(parent: etree._Element) -> bool:
    """Tell whether what a node holds was put in, taken out or moved, and nobody accepted that."""
    return any(name_of(node) in _REVISIONS and len(node) for node in parent.iter())


def watermark_of(header: etree._Element) -> str:
    """Return what a header's drawn text says, which is printed across the page."""
    return " ".join(attribute(node, "string") for node in header.iter() if name_of(node) == "textpath")


def text_boxes_of(paragraph: etree._Element) -> Iterator[etree._Element]:
    """Yield the contents of the text boxes anchored in a paragraph, each once (Word stores a fallback)."""
    for node in paragraph.iter():
        if name_of(node) == "txbxContent" and not any(
            name_of(above) in ("Fallback", "txbxContent", "del") for above in node.iterancestors()
        ):
            yield node


def pictures_of(parent: etree._Element) -> Iterator[etree._Element]:
    """Yield the pictures drawn in a paragraph or a header, each once (Word stores a fallback)."""
    for node in parent.iter():
        if name_of(node) in ("drawing", "pict", "object") and not any(
            name_of(above) in ("Fallback", "txbxContent", "del") for above in node.iterancestors()
        ):
            yield node


def picture_size(drawing: etree._Element) -> tuple[float, float] | None:
    """Return the size in points in which a single picture is shown (stored in 12,700ths of one)."""
    if sum(name_of(node) == "blip" for node in drawing.iter()) != 1:
        return None
    extent = next((node for node in drawing.iter() if name_of(node) == "extent"), None)
    across, down = attribute(extent, "cx"), attribute(extent, "cy")
    return (int(across) / 12700, int(down) / 12700) if across.isdigit() and down.isdigit() else None


def sections_of(body: etree._Element) -> list[etree._Element]:
    """Return the sections' properties in order: each is stored at its section's end."""
    ends = [child(child(node, "pPr"), "sectPr") for node in children(body, "p")]
    return [section for section in (*ends, child(body, "sectPr")) if section is not None]


def joined_text(parent: etree._Element) -> str:
    """Return the text of all paragraphs below a node, on one line."""
    return " ".join(text_of(one) for one in paragraphs_of(parent)).strip()


def paragraphs_of(parent: etree._Element) -> Iterator[etree._Element]:
    """Yield the paragraphs of a cell or a header, those of tables inside it included."""
    for node in parent:
        kind = name_of(node)
        if kind == "p":
            yield node
        elif kind in (*CONTAINERS, "tbl", "tr", "tc"):
            yield from paragraphs_of(node)


def rows_of(table: etree._Element) -> Iterator[etree._Element]:
    """Yield the rows of a table but for deleted ones."""
    for node in table:
        if name_of(node) == "tr" and child(child(node, "trPr"), "del") is None:
            yield node
        elif name_of(node) in CONTAINERS:
            yield from rows_of(node)


def cells_of(row: etree._Element) -> Iterator[etree._Element]:
    """Yield the cells of a row."""
    for node in row:
        if name_of(node) == "tc":
            yield node
        elif name_of(node) in CONTAINERS:
            yield from cells_of(node)


def column_shares(table: etree._Element, rows: list[list[Cell]]) -> list[float]:
    """Return the columns' stored widths; equal ones where the file does not say."""
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


def style_names(root: etree._Element | None) -> dict[str, str]:
    """Return the names of the styles, in small letters, by their ids."""
    return {
        attribute(style, "styleId"): attribute(child(style, "name"), "val").lower()
        for style in children(root, "style")
    }


def paper_of(section: etree._Element | None) -> Paper:
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
