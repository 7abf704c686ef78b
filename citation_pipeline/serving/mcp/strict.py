"""Tools that take exactly the arguments they name, and answer compactly.

An argument that a tool does not have is refused by its name with the nearest that it has; the SDK's own tools
would ignore it, and an agent would believe that its filter was applied.
"""

import difflib
import json
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, ContentBlock, TextContent, ToolAnnotations
from pydantic import BaseModel, ValidationError

READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


class StrictTool(Tool):
    """A tool whose arguments are checked by name, and whose answer is sent without empty members."""

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Run the tool; raises ToolError naming the arguments that cannot be taken and what to send."""
        known = list(self.parameters.get("properties", {}))
        unknown = [name for name in arguments if name not in known]
        if unknown:
            raise ToolError(f"{self.name}: {_unknown(unknown, known)}")
        truths = [name for name, value in arguments.items() if value is True or value is False]
        for name in truths:
            if _takes_number(self.parameters["properties"][name]):
                raise ToolError(f"{self.name}: {name}: a number is needed, not true or false")
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            raise ToolError(f"{self.name}: {_invalid(error)}") from None
        result = await super().run(arguments, context, convert_result=False)
        return _as_result(result) if convert_result else result


def _takes_number(schema: dict[str, Any]) -> bool:
    """Tell whether an argument takes a number and no truth value: true would be read as 1."""
    types = {each.get("type") for each in (schema, *schema.get("anyOf", ()))}
    return not types.isdisjoint({"integer", "number"}) and "boolean" not in types


def strict_tool(
    function: Callable[..., Any], *, title: str, meta: dict[str, Any] | None = None
) -> StrictTool:
    """Return a function as a tool that only reads; its docstring is the description."""
    tool = StrictTool.from_function(function, title=title, annotations=READS, meta=meta)
    assert isinstance(tool, StrictTool)
    tool.description = " ".join(tool.description.split())
    tool.parameters["additionalProperties"] = False
    _without_titles(tool.parameters)
    if tool.fn_metadata.output_schema is not None:
        _without_titles(tool.fn_metadata.output_schema)
    return tool


def _as_result(result: Any) -> CallToolResult:
    if isinstance(result, CallToolResult):
        return result
    if isinstance(result, BaseModel):
        result = result.model_dump(mode="json", exclude_none=True)
    return result_of(result)


def result_of(data: dict[str, Any], *beside: ContentBlock) -> CallToolResult:
    """Return data as text and as structured content, with other content after it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[TextContent(type="text", text=text), *beside], structured_content=data)


_MEANT = {
    "filter": "where",
    "filters": "where",
    "condition": "where",
    "group": "group_by",
    "sort": "order",
    "sort_by": "order_by",
    "top_k": "limit",
    "n": "limit",
    "q": "query",
    "quote": "text",
    "box": "bbox",
}
"""Names that agents give for an argument that is spelled quite differently."""


def _unknown(unknown: list[str], known: list[str]) -> str:
    parts = []
    for name in unknown:
        meant = _MEANT.get(name.lower(), name.lower())
        near = sorted(known, key=lambda other: -difflib.SequenceMatcher(None, meant, other.lower()).ratio())
        hint = f": did you mean {near[0]!r}?" if near else ""
        parts.append(f"unknown argument {name[:60]!r}{hint}")
    return f"{' '.join(parts)} It takes: {', '.join(known) or 'nothing'}. Nothing was done."


def _invalid(error: ValidationError) -> str:
    """Return what is wrong with which argument; the values stay out, they may come from a document."""
    found = []
    for wrong in error.errors(include_url=False, include_input=False, include_context=False):
        name = ".".join(str(part) for part in wrong["loc"]) or "arguments"
        found.append(f"{name}: {wrong['msg']}")
    return "; ".join(dict.fromkeys(found))


def _without_titles(schema: Any) -> None:
    """Take the generated titles out of a schema: they repeat the names and cost every agent tokens."""
    if isinstance(schema, dict):
        if isinstance(schema.get("title"), str):
            schema.pop("title")
        for value in schema.values():
            _without_titles(value)
    elif isinstance(schema, list):
        for value in schema:
            _without_titles(value)
