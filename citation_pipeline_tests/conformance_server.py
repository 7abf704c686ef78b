"""Our MCP endpoint with the tools and resources that the official conformance suite asks a server for.

    python -m citation_pipeline_tests.conformance_server PORT

The application, its guard, its transport and its class of server are ours; only what is served is the
suite's. `scripts/conformance` runs the suite against it.
"""

import base64
import io
import json
import sys
import tempfile
import wave
from pathlib import Path
from typing import Any
from unittest import mock

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)
from PIL import Image

from citation_pipeline.serving.api import attaching
from citation_pipeline.serving.entry import server_config
from citation_pipeline.serving.mcp.server import make_server
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.agent_claims import build_searchable_store


def _png() -> bytes:
    held = io.BytesIO()
    Image.new("RGB", (1, 1), (255, 0, 0)).save(held, "PNG")
    return held.getvalue()


def _wav() -> bytes:
    held = io.BytesIO()
    with wave.open(held, "wb") as sound:
        sound.setparams((1, 2, 8000, 8, "NONE", ""))
        sound.writeframes(b"\0\0" * 8)
    return held.getvalue()


def _image() -> ImageContent:
    return ImageContent(type="image", data=base64.b64encode(_png()).decode(), mime_type="image/png")


def _embedded(uri: str, kind: str, text: str) -> EmbeddedResource:
    content = TextResourceContents(uri=uri, mime_type=kind, text=text)
    return EmbeddedResource(type="resource", resource=content)


def _result(*content: ContentBlock) -> CallToolResult:
    return CallToolResult(content=list(content))


def add_demanded_tools(server: MCPServer[Any]) -> None:
    """Register the suite's tools under the names that it calls."""

    @server.tool()
    async def test_simple_text() -> CallToolResult:
        """Return a text."""
        return _result(TextContent(type="text", text="This is a simple text response for testing."))

    @server.tool()
    async def test_image_content() -> CallToolResult:
        """Return an image."""
        return _result(_image())

    @server.tool()
    async def test_audio_content() -> CallToolResult:
        """Return a sound."""
        data = base64.b64encode(_wav()).decode()
        return _result(AudioContent(type="audio", data=data, mime_type="audio/wav"))

    @server.tool()
    async def test_embedded_resource() -> CallToolResult:
        """Return a resource."""
        said = "This is an embedded resource content."
        return _result(_embedded("test://embedded-resource", "text/plain", said))

    @server.tool()
    async def test_multiple_content_types() -> CallToolResult:
        """Return a text, an image and a resource."""
        text = TextContent(type="text", text="Multiple content types test:")
        data = json.dumps({"test": "data", "value": 123})
        return _result(text, _image(), _embedded("test://mixed-content-resource", "application/json", data))

    @server.tool()
    async def test_error_handling() -> CallToolResult:
        """Fail."""
        raise ToolError("This tool intentionally returns an error for testing")

    @server.tool()
    async def json_schema_2020_12_tool(name: str = "", address: dict[str, str] | None = None) -> str:
        """Take arguments that a JSON Schema of 2020-12 describes."""
        return json.dumps({"name": name, "address": address})

    tool = server._tool_manager.get_tool("json_schema_2020_12_tool")
    assert tool is not None
    street = {"street": {"type": "string"}, "city": {"type": "string"}}
    tool.parameters = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"type": "object", "properties": street}},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "additionalProperties": False,
    }


def add_demanded_resources(server: MCPServer[Any]) -> None:
    """Register the suite's resources at the addresses that it reads."""

    @server.resource("test://static-text", mime_type="text/plain")
    async def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    async def static_binary() -> bytes:
        return _png()

    @server.resource("test://template/{number}/data", mime_type="application/json")
    async def template(number: str) -> str:
        return json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})


def demanded_server(*arguments: Any, **options: Any) -> MCPServer[Any]:
    """Return our server with what the suite asks for besides."""
    server = make_server(*arguments, **options)
    add_demanded_tools(server)
    add_demanded_resources(server)
    return server


def main() -> None:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8999
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(attaching, "make_server", demanded_server),
    ):
        store = build_searchable_store(Path(folder)).root
        settings = ServingSettings(store, render_workers=1, host="127.0.0.1", port=port)
        uvicorn.Server(server_config(settings)).run()


if __name__ == "__main__":
    main()
