"""A layout result into pages, blocks and words: the one place where the service's JSON enters.

Polygons are in the page's own unit from its top left corner; here they become upright boxes in fractions
of the page. A word belongs to the table or paragraph whose span holds it; one that belongs to none keeps its
line. What of a result cannot be read is left out and counted.
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument

_TYPES = {
    "title": "Title",
    "sectionHeading": "Section Header",
    "pageHeader": "Header",
    "pageFooter": "Footer",
    "pageNumber": "Page Number",
    "footnote": "Footer",
}
_POINTS = {"inch": 72.0, "pixel": 0.75}  # a picture of no known size is shown at 96 pixels to the inch


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    box: Box
    confidence: float
    offset: int
    line: int


class LayoutResultError(ValueError):
    """A result that is none; names what is missing."""


def convert(
    source: SourceDocument, result: Mapping[str, Any], *, parser: str, parser_version: str
) -> ParsedDocument:
    """Return the document of an `analyzeResult`; raises LayoutResultError where it has no pages."""
    given = result.get("pages")
    if not isinstance(given, list) or not given:
        raise LayoutResultError("the result has no pages")
    pages, words, left_out = [], [], 0
    for number, page in enumerate(given, start=1):
        draft, found, bad = _page(page, number)
        pages.append(draft)
        words.append(found)
        left_out += bad
    blocks = [
        block
        for number in range(1, len(pages) + 1)
        for block in _blocks(number, words[number - 1], _regions(result, number))
    ]
    return compose_document(
        source,
        pages=pages,
        blocks=blocks,
        parser=parser,
        parser_version=parser_version,
        warnings=("words_left_out",) if left_out else (),
    )


@dataclass(frozen=True, slots=True)
class _Region:
    """A table or a paragraph on one page: where its text is in the whole, and what it becomes."""

    type: str
    spans: tuple[tuple[int, int], ...]
    content: str | None = None

    def holds(self, offset: int) -> bool:
        return any(start <= offset < end for start, end in self.spans)


def _page(page: Any, number: int) -> tuple[PageDraft, list[_Word], int]:
    try:
        width, height = float(page["width"]), float(page["height"])
        scale = _POINTS.get(str(page.get("unit")), 72.0)
    except (KeyError, TypeError, ValueError) as error:
        raise LayoutResultError(f"page {number} has no size") from error
    if not (width > 0 and height > 0):
        raise LayoutResultError(f"page {number} has no size")
    lines = [_spans(line) for line in _list(page.get("lines"))]
    words, bad = [], 0
    for raw in _list(page.get("words")):
        word = _word(raw, width, height, lines)
        if word is None:
            bad += 1
        elif word.text:
            words.append(word)
    draft = PageDraft(width * scale, height * scale, has_text_layer=False, words_from="ocr")
    return draft, words, bad


def _word(
    raw: Any, width: float, height: float, lines: Sequence[tuple[tuple[int, int], ...]]
) -> _Word | None:
    try:
        points = [float(value) for value in raw["polygon"]]
        text, offset = str(raw["content"]).strip(), int(raw["span"]["offset"])
        confidence = float(raw.get("confidence", 1.0))
    except (KeyError, TypeError, ValueError):
        return None
    if len(points) < 6 or len(points) % 2:
        return None
    across, down = points[0::2], points[1::2]
    left, right = (min(1.0, max(0.0, edge / width)) for edge in (min(across), max(across)))
    top, bottom = (min(1.0, max(0.0, edge / height)) for edge in (min(down), max(down)))
    if right <= left or bottom <= top:
        return None
    line = next(
        (n for n, spans in enumerate(lines) if any(a <= offset < b for a, b in spans)), len(lines) + offset
    )
    return _Word(
        text, Box(left, top, right - left, bottom - top), min(1.0, max(0.0, confidence)), offset, line
    )


def _regions(result: Mapping[str, Any], page: int) -> list[_Region]:
    """Return the tables and paragraphs of a page; a table's own paragraphs come after it and stay empty."""
    found = [
        _Region("Table", _spans(table), _table(table))
        for table in _list(result.get("tables"))
        if _is_on(table, page)
    ]
    return found + [
        _Region(_TYPES.get(str(paragraph.get("role")), "Text"), _spans(paragraph))
        for paragraph in _list(result.get("paragraphs"))
        if _is_on(paragraph, page)
    ]


def _blocks(page: int, words: Sequence[_Word], regions: Sequence[_Region]) -> list[BlockDraft]:
    """Return a page's blocks in the order of their first words."""
    groups: dict[int, list[_Word]] = {}
    for word in words:
        within = next((n for n, one in enumerate(regions) if one.holds(word.offset)), None)
        # what is in no region is a block a line
        groups.setdefault(within if within is not None else len(regions) + word.line, []).append(word)
    blocks = []
    for place, held in sorted(groups.items(), key=lambda group: min(word.offset for word in group[1])):
        region = regions[place] if place < len(regions) else None
        lines: dict[int, list[_Word]] = {}
        for word in sorted(held, key=lambda word: word.offset):
            lines.setdefault(word.line, []).append(word)
        blocks.append(
            BlockDraft(
                page=page,
                type=region.type if region else "Text",
                lines=[[(word.text, word.box) for word in line] for line in lines.values()],
                content=region.content if region else None,
                confidences=[[word.confidence for word in line] for line in lines.values()],
            )
        )
    return blocks


def _table(table: Mapping[str, Any]) -> str:
    """Return a table as HTML, with the spans of its cells."""
    rows: dict[int, list[str]] = {}
    for cell in _list(table.get("cells")):
        tag = "th" if str(cell.get("kind", "")).endswith("Header") else "td"
        spans = "".join(
            f' {name}="{int(cell[key])}"'
            for name, key in (("rowspan", "rowSpan"), ("colspan", "columnSpan"))
            if isinstance(cell.get(key), int) and cell[key] > 1
        )
        text = html.escape(str(cell.get("content") or ""), quote=False)
        rows.setdefault(int(cell.get("rowIndex") or 0), []).append(f"<{tag}{spans}>{text}</{tag}>")
    inner = "".join(f"<tr>{''.join(cells)}</tr>" for _, cells in sorted(rows.items()))
    return f"<table>{inner}</table>"


def _is_on(part: Mapping[str, Any], page: int) -> bool:
    return any(region.get("pageNumber") == page for region in _list(part.get("boundingRegions")))


def _spans(part: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    found = []
    for span in _list(part.get("spans")):
        offset, length = span.get("offset"), span.get("length")
        if isinstance(offset, int) and isinstance(length, int):
            found.append((offset, offset + length))
    return tuple(found)


def _list(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
