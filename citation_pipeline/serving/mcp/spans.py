"""Spans as an agent gives them, checked before they are looked for, and their highlights cut to a size."""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from citation_pipeline.serving.mcp.trimming import MOST_CHARACTERS, short, size_of

_MEMBERS = ("start_token", "end_token", "start_text", "end_text", "substr", "source_id")
_MOST_CITED = 2_000  # characters of a highlight's words
_MOST_POLYGONS = 30


def check_spans(spans: Sequence[Mapping[str, Any]], *, source_id: str, words: int) -> None:
    """Raise ToolError for a span that is not wholly understood, or whose words the document does not have."""
    for number, span in enumerate(spans):
        place = f"spans[{number}]"
        unknown = [name for name in span if name not in _MEMBERS]
        if unknown:
            raise ToolError(f"{place}: unknown {unknown[0][:60]!r}: a span takes {', '.join(_MEMBERS)}")
        if span.get("source_id") not in (None, source_id):
            raise ToolError(f"{place}: source_id is of another document than document_id")
        start, end = span.get("start_token"), span.get("end_token")
        if type(start) is not int or type(end) is not int:
            raise ToolError(f"{place}: start_token and end_token must be whole numbers")
        if span.get("start_text") or span.get("end_text"):
            continue  # moved to where its guards are, or refused
        if start > end:
            raise ToolError(f"{place}: start_token is behind end_token")
        if start < 0 or end >= words:
            raise ToolError(f"{place}: the document's word ids go from 0 to {words - 1}")


def shortened(made: dict[str, Any]) -> dict[str, Any]:
    """Return a highlight as it is, or with fewer polygons and shorter words where it is too large to send."""
    if size_of(made) <= MOST_CHARACTERS - 200:
        return made
    kept = {**made, "citation": short(made["citation"], _MOST_CITED)}
    for name in ("context", "answer"):
        kept[name] = made[name][:_MOST_POLYGONS]
        if len(made[name]) > _MOST_POLYGONS:
            kept[f"{name}_left_out"] = len(made[name]) - _MOST_POLYGONS
    return kept
