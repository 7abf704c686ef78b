"""HTML onto pages: headings, paragraphs, lists and tables as a reader sees them; nothing is fetched."""

import base64
import binascii
import codecs

from lxml import etree, html

from citation_pipeline.adapters.file_types import text_encoding
from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.font_metrics import BOLD, MONO
from citation_pipeline.adapters.office.html_text import DEEPEST, FIELDS, HIDDEN, parsed_page, text_of_node
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.placed_pages import Paper, Style
from citation_pipeline.adapters.office.placed_pictures import UNREAD_PICTURE, place_picture
from citation_pipeline.adapters.office.struck_text import struck
from citation_pipeline.adapters.office.tables import Cell
from citation_pipeline.adapters.office.typesetting import Typesetter
from citation_pipeline.adapters.office.web_styles import hide_by_style_sheets, is_hidden, is_struck

_TEXT = Style()
_HEADINGS = {
    "h1": Style("Title", BOLD, 16.0, space_before=10.0),
    "h2": Style("Section Header", BOLD, 13.0, space_before=10.0),
    "h3": Style("Section Header", BOLD, 12.0, space_before=8.0),
    **{name: Style("Section Header", BOLD, 11.0, space_before=8.0) for name in ("h4", "h5", "h6")},
}
_PREFORMATTED = Style(font=MONO, size=9.0, keeps_spaces=True)
_ITEM = Style("List Item", indent=18.0, space_before=2.0)
_BLOCKS = (
    "p", "div", "ul", "ol", "table", "blockquote", "pre", "hr", "section", "article", "header", "footer",
    "main", "nav", "aside", "dl", "dt", "dd", "address", "li", "body", "form", "fieldset", "figure", "center",
    "figcaption", "details", "summary", *_HEADINGS,
)  # fmt: skip
_MOST_SPAN = 1000  # what HTML itself allows


def set_web_page(data: bytes, *, options: OfficeOptions) -> Typesetter:
    """Lay out an HTML file; one without an element, or with too many levels, is a RefusedDocumentError."""
    return set_html(_root(data), options=options)


def set_html(
    root: html.HtmlElement, *, options: OfficeOptions, setter: Typesetter | None = None
) -> Typesetter:
    """Lay out a parsed page, on pages already begun if they are given."""
    hide_by_style_sheets(root)
    writer = _Writer(setter or Typesetter(Paper(), on_page=options.on_page), options)
    writer.add(root, _TEXT, 0)
    writer.flush(_TEXT)
    return writer.setter


def _root(data: bytes) -> html.HtmlElement:
    codec = text_encoding(data)
    is_sure = codec is not None and (codec.startswith("utf-16") or data.startswith(codecs.BOM_UTF8))
    if codec == "utf-8-sig" and not data.isascii():
        is_sure = True  # bytes above 127 that are UTF-8 throughout are nothing else
    content = data.decode(codec, "replace").encode() if is_sure and codec else data
    try:
        return parsed_page(content, encoding="utf-8" if is_sure else None)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise refusals.corrupt("no element of the page can be read") from error


class _Writer:
    """Collects running text and sets it when a block begins or ends."""

    def __init__(self, setter: Typesetter, options: OfficeOptions) -> None:
        self.setter = setter
        self._options = options
        self._text: list[str] = []
        self._strikes = 0  # elements around what comes next that strike it out

    def flush(self, style: Style) -> None:
        """Set what was collected."""
        lines = [" ".join(line.split()) for line in "".join(self._text).split("\n")]
        self._text = []
        text = "\n".join(line for line in lines if line)
        if text:
            self.setter.paragraph(text, style)

    def add(self, node: html.HtmlElement, style: Style, depth: int) -> None:
        """Add an element and what is in it."""
        name = node.tag if isinstance(node.tag, str) else ""
        if name in HIDDEN or depth > DEEPEST or is_hidden(node):
            return
        if name in _BLOCKS:
            self.flush(style)
        if name == "table":
            self._table(node, style, depth)
            return
        if name == "pre":
            self.setter.paragraph(node.text_content().strip("\n"), _PREFORMATTED)
            return
        inner = _HEADINGS.get(name, _ITEM if name == "li" else style)
        self._text.append(_mark(node, name))
        strikes = is_struck(node)
        self._strikes += strikes
        self._add_text(node.text)
        if name == "img":
            self._picture(node, style)
        for one in node:
            self.add(one, inner, depth + 1)
            self._add_text(one.tail)
        self._strikes -= strikes
        if name in _BLOCKS:
            self.flush(inner)

    def _add_text(self, text: str | None) -> None:
        flowing = (text or "").replace("\n", " ")
        self._text.append(struck(flowing) if self._strikes else flowing)

    def _table(self, node: html.HtmlElement, style: Style, depth: int) -> None:
        rows = [
            row
            for row in node.iter("tr")
            if next(row.iterancestors("table"), None) is node
            and not is_hidden(row)
            and not is_hidden(row.getparent())
        ]
        cells = [[one for one in row if one.tag in ("td", "th") and not is_hidden(one)] for row in rows]
        if max(map(len, cells), default=0) < 2 or any(row.find(".//table") is not None for row in rows):
            # a table that only places things: its cells are read one after another
            for one in node:
                self.add_cells(one, style, depth + 1)
            return
        for caption in node.iterchildren("caption"):
            self.setter.paragraph(" ".join(text_of_node(caption).split()), _TEXT)
        table = [
            [Cell(text_of_node(one), _span(one, "colspan"), _span(one, "rowspan")) for one in row]
            for row in cells
            if row
        ]
        columns = max(sum(cell.columns for cell in row) for row in table)
        if any(cell.text for row in table for cell in row):
            self.setter.table(table, [1.0] * columns)
        for picture in node.iter("img"):
            self._picture(picture, style)

    def add_cells(self, node: html.HtmlElement, style: Style, depth: int) -> None:
        """Add the cells of rows, each a block of its own."""
        if node.tag in ("tr", "tbody", "thead", "tfoot"):
            for one in node:
                self.add_cells(one, style, depth + 1)
        elif depth <= DEEPEST:
            self.flush(style)
            self.add(node, style, depth)
            self.flush(style)

    def _picture(self, node: html.HtmlElement, style: Style) -> None:
        kind, _, content = (node.get("src") or "").partition(";base64,")
        if kind.startswith("data:image/") and content:
            self.flush(style)
            try:
                place_picture(self.setter, base64.b64decode(content), self._options)
            except binascii.Error:
                self.setter.warn(UNREAD_PICTURE)
        elif alternative := node.get("alt"):
            self._text.append(f" {alternative} ")


def _mark(node: html.HtmlElement, name: str) -> str:
    """Return what an element prints by itself: a bullet, a line break, a ticked box, a field's value."""
    if name == "li":
        parent = node.getparent()
        if parent is not None and parent.tag == "ol":
            return f"{sum(1 for one in node.itersiblings('li', preceding=True)) + 1}. "
        return "• "
    if name == "input":
        kind = (node.get("type") or "text").lower()
        if kind in ("checkbox", "radio"):
            return "☒ " if node.get("checked") is not None else "☐ "
        return f" {node.get('value') or ''} " if kind not in ("hidden", "password", "file") else ""
    if name in FIELDS:
        return " "
    return "\n" if name == "br" else ""


def _span(node: html.HtmlElement, name: str) -> int:
    value = node.get(name) or "1"
    return min(_MOST_SPAN, max(1, int(value))) if value.isdigit() else 1
