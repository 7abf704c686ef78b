"""The fake's answer to a parse: a ParseResponse made from what the page really says.

Deterministic: the same bytes and the same request give the same answer, byte for byte. Types are guessed
with simple rules; what matters is that boxes and text are true. Not here: the awkward cases (`oddities`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline_tests.fake_reducto.pages import SeenLine, SeenPage, SeenWord

_PAGE_NUMBER = re.compile(r"^(?:page\s+)?\d+(?:\s*(?:of|/)\s*\d+)?$", re.IGNORECASE)
_KEY_VALUE = re.compile(r"^[A-Z][\w /.'()#-]{1,40}:\s*\S")
_BULLET = re.compile(r"^(?:[•·▪*–-]|\(?\d{1,2}[.)])\s+\S")
_SIGNATURE = re.compile(r"\bsignature\b|^/s/|_{8,}", re.IGNORECASE)
_CELL_GAP = 0.025  # a gap of 2.5 % of the page width separates two cells of a row


def bbox(page: int, words: Sequence[SeenWord]) -> dict[str, Any]:
    """Reducto's box around words: fractions of the page, origin top-left, pages from 1."""
    left, top = min(w.left for w in words), min(w.top for w in words)
    right, bottom = max(w.right for w in words), max(w.bottom for w in words)
    return {
        "left": round(left, 6),
        "top": round(top, 6),
        "width": round(right - left, 6),
        "height": round(bottom - top, 6),
        "page": page,
        "original_page": page,
    }


def parse_response(
    job_id: str, pages: Sequence[SeenPage], config: Mapping[str, Any], *, with_words: bool
) -> dict[str, Any]:
    """The whole ParseResponse with an inline ("full") result."""
    blocks = [block for number, page in enumerate(pages, start=1) for block in _blocks(number, page)]
    if not with_words:
        for block in blocks:
            block["extra"].pop("word_citations", None)
    mode = config.get("retrieval", {}).get("chunking", {}).get("chunk_mode", "disabled")
    agentic = len(config.get("enhance", {}).get("agentic", ()))
    count = len(pages)
    return {
        "response_type": "parse",
        "job_id": job_id,
        "duration": round(0.4 * count, 2),
        "pdf_url": None,
        "studio_link": None,
        "document_properties": None,
        "usage": {
            "num_pages": count,
            "credits": float(count * (2 if agentic else 1)),
            "credit_breakdown": {"page": float(count), **({"agentic": float(count)} if agentic else {})},
            "page_billing_breakdown": {str(n): ["page"] for n in range(1, count + 1)},
            "non_empty_cell_count": None,
            "usage_breakdown": {"parse_model": "R-1" if with_words else "Legacy", "parse_pages": count},
        },
        "result": {"type": "full", "custom": None, "ocr": None, "chunks": _chunks(blocks, mode)},
    }


def _chunks(blocks: list[dict[str, Any]], mode: str) -> list[dict[str, Any]]:
    groups: list[list[dict[str, Any]]] = []
    for block in blocks:
        same = bool(groups) and (
            mode != "block" and (mode != "page" or groups[-1][-1]["bbox"]["page"] == block["bbox"]["page"])
        )
        if same:
            groups[-1].append(block)
        else:
            groups.append([block])
    return [
        {
            "content": (content := "\n\n".join(block["content"] for block in group)),
            "embed": content,
            "enriched": None,
            "enrichment_success": False,
            "blocks": group,
        }
        for group in groups
    ]


def _cells(line: SeenLine) -> list[list[SeenWord]]:
    cells: list[list[SeenWord]] = []
    for word in line.words:
        if cells and word.left - cells[-1][-1].right < _CELL_GAP:
            cells[-1].append(word)
        else:
            cells.append([word])
    return cells


def _blocks(number: int, page: SeenPage) -> list[dict[str, Any]]:
    groups: list[list[SeenLine]] = []
    for line in page:
        if groups and _continues(groups[-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [_block(number, group, first=index == 0) for index, group in enumerate(groups)]


def _continues(group: list[SeenLine], line: SeenLine) -> bool:
    last = group[-1]
    height = last.words[0].bottom - last.words[0].top
    if line.words[0].top - last.words[0].bottom > 0.9 * max(height, 0.001):
        return False
    if _in_margin(last) or _in_margin(line):
        return False
    return (len(_cells(last)) >= 3) == (len(_cells(line)) >= 3)


def _in_margin(line: SeenLine) -> bool:
    return line.words[0].bottom < 0.06 or line.words[0].top > 0.94


def _block(number: int, group: list[SeenLine], *, first: bool) -> dict[str, Any]:
    words = [word for line in group for word in line.words]
    text = "\n".join(line.text for line in group)
    kind = _kind(group, text, first=first and number == 1)
    content, offsets = _table(group) if kind == "Table" else _running(group)
    return {
        "type": kind,
        "content": content,
        "bbox": bbox(number, words),
        "confidence": "high",
        "granular_confidence": {"parse_confidence": 0.97, "extract_confidence": None},
        "image_url": None,
        "chart_data": None,
        "extra": {
            "word_citations": [
                {
                    "text": word.text,
                    "char_start": start,
                    "char_end": end,
                    "bbox": bbox(number, [word]),
                }
                for word, (start, end) in zip(words, offsets, strict=True)
            ]
        },
    }


def _kind(group: list[SeenLine], text: str, *, first: bool) -> str:
    if len(group) == 1 and _in_margin(group[0]):
        if _PAGE_NUMBER.match(text):
            return "Page Number"
        return "Header" if group[0].words[0].bottom < 0.06 else "Footer"
    if len(group) > 1 and all(len(_cells(line)) >= 3 for line in group):
        return "Table"
    if len(group) == 1 and first and len(text) < 90:
        return "Title"
    if len(group) == 1 and text.isupper() and len(text) < 70:
        return "Section Header"
    if all(_KEY_VALUE.match(line.text) for line in group):
        return "Key Value"
    if all(_BULLET.match(line.text) for line in group):
        return "List Item"
    if len(group) == 1 and _SIGNATURE.search(text):
        return "Signature"
    return "Text"


def _running(group: list[SeenLine]) -> tuple[str, list[tuple[int, int]]]:
    content, offsets = "", []
    for line in group:
        for index, word in enumerate(line.words):
            content += ("\n" if content else "") if index == 0 else " "
            offsets.append((len(content), len(content) + len(word.text)))
            content += word.text
    return content, offsets


def _table(group: list[SeenLine]) -> tuple[str, list[tuple[int, int]]]:
    """HTML with a first cell spanning rows whose own first cell is missing, and offsets of words in it."""
    content, offsets = "<table>", []
    widest = max(len(_cells(line)) for line in group)
    for line in group:
        content += "<tr>"
        cells = _cells(line)
        for index, cell in enumerate(cells):
            missing = widest - len(cells)
            span = f' colspan="{missing + 1}"' if missing and index == len(cells) - 1 else ""
            content += f"<td{span}>"
            for position, word in enumerate(cell):
                content += " " if position else ""
                shown = html.escape(word.text, quote=False)
                offsets.append((len(content), len(content) + len(shown)))
                content += shown
            content += "</td>"
        content += "</tr>"
    return content + "</table>", offsets
