"""Awkward but legitimate features that the contract describes, added to an otherwise plain result.

Each is a function over the ParseResponse, named as on the command line. They change the wrapping, never
the truth: words and boxes still come from the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

Response = dict[str, Any]


def _blocks(response: Response) -> Iterator[dict[str, Any]]:
    for chunk in response["result"]["chunks"]:
        yield from chunk["blocks"]


def low_confidence(response: Response) -> None:
    """Every fourth block was hard to read."""
    for block in list(_blocks(response))[3::4]:
        block["confidence"] = "low"
        block["granular_confidence"] = {"parse_confidence": 0.41, "extract_confidence": None}


def null_confidence(response: Response) -> None:
    """Every second block carries no numeric confidence."""
    for block in list(_blocks(response))[1::2]:
        block["granular_confidence"] = None


def missing_original_page(response: Response) -> None:
    """No box names the page of the source file."""
    for block in _blocks(response):
        block["bbox"].pop("original_page", None)
        for word in block["extra"].get("word_citations", ()):
            word["bbox"].pop("original_page", None)


def unknown_type(response: Response) -> None:
    """The first plain text block has a type that is not one of the twelve."""
    for block in _blocks(response):
        if block["type"] == "Text":
            block["type"] = "Watermark"
            return


def null_credits(response: Response) -> None:
    """An account on the newer pricing: quantities, no credits."""
    response["usage"]["credits"] = None
    response["usage"].pop("credit_breakdown", None)
    response["usage"].pop("page_billing_breakdown", None)


def no_response_type(response: Response) -> None:
    """An older server."""
    response.pop("response_type", None)


def figure_summary(response: Response) -> None:
    """Each page's last block becomes a figure whose content a model wrote; no such word is on the page."""
    last: dict[int, dict[str, Any]] = {}
    for block in _blocks(response):
        last[block["bbox"]["page"]] = block
    for block in last.values():
        block["type"] = "Figure"
        block["content"] = "Summary: an illustrative depiction conveying an overall impression."
        block["extra"] = {"is_chart": False}


def doubled_page_markers(response: Response) -> None:
    """Markers as text lines and as blocks, each of them twice, in both spellings."""
    for chunk in response["result"]["chunks"]:
        marked: list[dict[str, Any]] = []
        for block in chunk["blocks"]:
            page = block["bbox"]["page"]
            if not marked or marked[-1]["bbox"]["page"] != page:
                for text in (f"[[START OF PAGE {page}]]", f"[[PAGE {page} BEGINS HERE]]") * 2:
                    marked.append(_marker(text, block["bbox"]))
            block["content"] += f"\n[[END OF PAGE {page}]]\n[[END OF PAGE {page}]]"
            marked.append(block)
        chunk["blocks"] = marked
        chunk["content"] = "\n\n".join(block["content"] for block in marked)


def _marker(text: str, box: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Text", "content": text, "bbox": dict(box), "extra": {}}


def merged_tables(response: Response) -> None:
    """Tables that follow each other on consecutive pages become one block with `merged_tables`."""
    growing: dict[str, Any] | None = None
    for chunk in response["result"]["chunks"]:
        kept: list[dict[str, Any]] = []
        for block in chunk["blocks"]:
            if block["type"] != "Table":
                kept.append(block)
                continue
            last_page = (growing.get("merged_tables") or [growing])[-1]["bbox"]["page"] if growing else 0
            if growing is None or last_page + 1 != block["bbox"]["page"]:
                growing = block
                kept.append(block)
                continue
            growing.setdefault("merged_tables", [_piece(growing)]).append(_piece(block))
            rows = block["content"].removeprefix("<table>")
            growing["content"] = growing["content"].removesuffix("</table>") + rows
            growing["extra"].pop("word_citations", None)
        chunk["blocks"] = kept


def _piece(block: dict[str, Any]) -> dict[str, Any]:
    return {"bbox": block["bbox"], "content": block["content"], "image_url": None}


def rowspan(response: Response) -> None:
    """The first cell of every table's first row spans two rows."""
    for block in _blocks(response):
        rows = block["content"].split("<tr>") if block["type"] == "Table" else []
        if len(rows) > 2 and rows[1].startswith("<td>"):
            rows[1] = '<td rowspan="2">' + rows[1].removeprefix("<td>")
            block["content"] = "<tr>".join(rows)
            block["extra"].pop("word_citations", None)


def text_words_null_boxes(response: Response) -> None:
    """Every third cited word has no box, as the contract allows."""
    for block in _blocks(response):
        for word in block["extra"].get("word_citations", [])[2::3]:
            word["bbox"] = None


ODDITIES: dict[str, Callable[[Response], None]] = {
    function.__name__: function
    for function in (
        rowspan,
        merged_tables,
        low_confidence,
        null_confidence,
        missing_original_page,
        unknown_type,
        null_credits,
        no_response_type,
        figure_summary,
        text_words_null_boxes,
        doubled_page_markers,
    )
}
"""By name, in the order in which they are applied."""


def apply_oddities(response: Response, names: Iterable[str]) -> Response:
    """Add the named oddities in their fixed order and hand the response back."""
    wanted = set(names)
    for name, function in ODDITIES.items():
        if name in wanted:
            function(response)
    return response
