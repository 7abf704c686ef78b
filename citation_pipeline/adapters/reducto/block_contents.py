"""The content of a block, made safe and plain: page markers out, tables as clean HTML, text as tokens.

Content comes from a model that read a hostile document, so a table keeps its structure and loses everything
else: no attributes but spans, no tags but a table's. Pure functions on strings.
"""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

_MARKER = re.compile(
    r"^[ \t]*\[\[(?:(?:START|END) OF PAGE \d+|PAGE \d+ (?:BEGINS|ENDS) HERE)\]\][ \t]*$", re.M
)
_HTML_TABLE = re.compile(r"<(?:table|tr|td|th)\b", re.IGNORECASE)
_TABLE_TAGS = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption"})
_BREAKS = frozenset({"br", "p", "div", "li"})
_SKIPPED = frozenset({"script", "style"})
_SEPARATOR_ROW = re.compile(r"^\s*\|?(?:\s*:?-{1,}:?\s*\|)+\s*:?-*:?\s*\|?\s*$")
_LARGEST_SPAN = 1000  # a span beyond any real table is an attempt to blow up whoever lays it out


def page_marker_ranges(content: str) -> list[tuple[int, int]]:
    """Return where markers of page starts and ends are in the content, half-open."""
    return [match.span() for match in _MARKER.finditer(content)]


def without_page_markers(content: str) -> str:
    """Drop all marker lines, however often they are repeated."""
    if "[[" not in content:
        return content
    return re.sub(r"\n{3,}", "\n\n", _MARKER.sub("", content)).strip()


def clean_table(content: str) -> str:
    """Return the table as HTML of rows, cells, spans and text alone; Markdown tables are converted."""
    if "|" in content and not _HTML_TABLE.search(content):
        return _from_markdown(content)
    return _Reader(content).table()


def tokens(content: str) -> list[str]:
    """Return the words of a content, tags and entities resolved, in order."""
    if "<" not in content and "&" not in content:
        return content.split()
    return _Reader(content).text().split()


class _Reader(HTMLParser):
    """Reads a content once, as the text and the table tags that are allowed in it.

    A stream of tags rather than a tree (lxml, as for mails): the service's HTML is kept as it came, unclosed
    cells too, since a tree's repairs would move them.
    """

    def __init__(self, content: str) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[tuple[str, bool]] = []  # each with whether it is a tag
        self._skipping = 0
        self.feed(content)
        self.close()

    def table(self) -> str:
        """Return the content written again from what is allowed in a table."""
        parts = (part if is_tag else html.escape(part, quote=False) for part, is_tag in self._parts)
        written = "".join(parts).strip()
        return written if written.startswith("<table>") else f"<table>{written}</table>"

    def text(self) -> str:
        """Return the text; every tag that ends a cell or a line separates words."""
        return "".join(" " if is_tag else part for part, is_tag in self._parts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipping += 1
        elif tag in ("td", "th"):
            self._parts.append((f"<{tag}{''.join(map(_span, attrs))}>", True))
        elif tag in _TABLE_TAGS:
            self._parts.append((f"<{tag}>", True))
        elif tag in _BREAKS:
            self._parts.append((" ", False))

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self._skipping = max(0, self._skipping - 1)
        elif tag in _TABLE_TAGS:
            self._parts.append((f"</{tag}>", True))
        elif tag in _BREAKS:
            self._parts.append(("", True))

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self._parts.append((data, False))


def _span(attribute: tuple[str, str | None]) -> str:
    name, value = attribute
    if name not in ("rowspan", "colspan") or not value or not re.fullmatch(r"[0-9]{1,4}", value):
        return ""
    return f' {name}="{int(value)}"' if 1 < int(value) <= _LARGEST_SPAN else ""


def _from_markdown(content: str) -> str:
    rows = []
    for line in content.splitlines():
        if not line.strip() or _SEPARATOR_ROW.match(line):
            continue
        cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
        texts = (html.escape(cell.replace("\\|", "|").strip(), quote=False) for cell in cells)
        rows.append("<tr>" + "".join(f"<td>{text}</td>" for text in texts) + "</tr>")
    return f"<table>{''.join(rows)}</table>"
