"""The text of an HTML mail body: what a reader sees, as lines, without scripts, styles and hidden parts.

Read as a tree (lxml): what is hidden hides all below it, which a stream of unclosed tags cannot tell.
"""

from lxml import etree, html

from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.struck_text import struck
from citation_pipeline.adapters.office.web_styles import (
    add_generated_text,
    hide_by_style_sheets,
    is_hidden,
    is_struck,
    order_turned_text,
)

HIDDEN = ("script", "style", "head", "title", "template", "noscript", "svg", "object", "iframe")
_BLOCKS = (
    "p", "div", "br", "tr", "li", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote",
    "pre", "hr", "section", "article", "header", "footer", "dt", "dd", "address",
)  # fmt: skip
_PARTED = ("p", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "blockquote")
FIELDS = ("option", "textarea", "button", "select")
"""What a form shows beside its text: their contents are words of their own."""

DEEPEST = 256  # elements in elements: deeper ones the parser leaves out, with all that comes behind them


def parsed_page(content: str | bytes, *, encoding: str | None = None) -> html.HtmlElement:
    """Return a page as a tree, without comments; nothing is fetched.

    Raises RefusedDocumentError for elements nested too deep, and lxml's errors or ValueError where there is
    nothing to read.
    """
    parser = html.HTMLParser(
        no_network=True, remove_comments=True, remove_pis=True, huge_tree=False, encoding=encoding
    )
    root = html.document_fromstring(content, parser=parser)
    limit = etree.ErrorTypes.ERR_RESOURCE_LIMIT
    if any(entry.type == limit and "depth" in entry.message for entry in parser.error_log):
        raise refusals.too_many_levels(limit=DEEPEST)
    add_generated_text(root)
    order_turned_text(root)
    return root


def text_of_html(content: str) -> str:
    """Return the visible text; blocks end lines, paragraphs are parted by an empty line, cells by a tab.

    Raises RefusedDocumentError for elements nested too deep.
    """
    if not content.strip():
        return ""
    try:
        root = parsed_page(content)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return ""
    hide_by_style_sheets(root)
    return text_of_node(root)


def text_of_node(root: html.HtmlElement) -> str:
    """Return an element's visible text, lines and paragraphs parted as `text_of_html` does."""
    parts: list[str] = []
    _collect(root, parts, 0)
    lines = [" ".join(line.split(" ")).strip() for line in "".join(parts).split("\n")]
    text: list[str] = []
    for line in lines:
        if line or (text and text[-1]):
            text.append(line)
    return "\n".join(text).strip()


def _collect(node: html.HtmlElement, parts: list[str], depth: int, strikes: bool = False) -> None:
    name = node.tag if isinstance(node.tag, str) else ""
    if name in HIDDEN or depth > DEEPEST or is_hidden(node):
        return
    if name in _BLOCKS:
        parts.append("\n\n" if name in _PARTED else "\n")
    if name == "li":
        parts.append("• ")
    if name in FIELDS:
        parts.append(" ")
    strikes = strikes or is_struck(node)
    parts.append(_flowing(node.text, strikes))
    for child in node:
        _collect(child, parts, depth + 1, strikes)
        parts.append(_flowing(child.tail, strikes))
    if name in ("td", "th"):
        parts.append("\t")
    elif name in _BLOCKS and name != "br":
        parts.append("\n\n" if name in _PARTED else "\n")


def _flowing(text: str | None, strikes: bool) -> str:
    flowing = (text or "").replace("\xa0", " ").replace("\n", " ")
    return struck(flowing) if strikes else flowing
