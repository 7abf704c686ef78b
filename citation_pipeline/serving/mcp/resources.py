"""Claims, documents and pages as resources, and the page that clients with MCP Apps show a citation in."""

import json
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from mcp.server import MCPServer
from mcp.server.apps import Apps
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp_types import Resource

from citation_pipeline.adapters.read_model import listings, reading
from citation_pipeline.adapters.read_model.claims import UnknownClaimError
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.core.viewer.citation_objects import document_id_of
from citation_pipeline.serving.mcp.arguments import answer
from citation_pipeline.serving.mcp.reading_tools import PAGE_APP

MOST_LISTED = 100
"""Claims in the list of resources; the others are read by their ids all the same."""


def page_app() -> Apps:
    """Return the extension with the page that shows a cited page; `get_page_image` is bound to it."""
    apps = Apps()
    html = (files("citation_pipeline.serving") / "mcp" / "cited-page.html").read_text(encoding="utf-8")
    apps.add_html_resource(
        PAGE_APP, html, title="Cited page", description="A document's page with the cited place marked"
    )
    return apps


def claim_resources(model: ReadModel) -> list[Resource]:
    """Return the claims as resources."""
    listed = listings.list_claims(model, limit=MOST_LISTED)
    return [
        Resource(
            uri=f"claim://{quote(view.claim_id)}",
            name=view.claim_id,
            title=f"Claim {view.claim_id}",
            description=f"{view.documents} documents, {view.fields} values",
            mime_type="application/json",
        )
        for view in listed.claims
    ]


def add_resources(server: MCPServer[Any], model: ReadModel) -> None:
    """Register the templates of claims and documents."""

    @server.resource(
        "claim://{claim_id}",
        name="claim",
        title="One claim",
        description="A claim's documents and the values that were read, each with its citation",
        mime_type="application/json",
    )
    async def read_claim(claim_id: str) -> str:
        def work() -> str:
            found = listings.get_claim(model, claim_id)
            documents = reading.list_documents(model, claim_id)
            fields = [
                {"name": f.name, "label": f.label, "value": f.value, "citation": f.citation}
                for f in found.fields
            ]
            return json.dumps(
                {"claim_id": claim_id, "documents": documents, "fields": fields}, ensure_ascii=False
            )

        return await _found(work)

    @server.resource(
        "document://{claim_id}/{source_id}",
        name="document",
        title="One document's text",
        description="A document's text as numbered lines",
        mime_type="text/plain",
    )
    async def read_document(claim_id: str, source_id: str) -> str:
        def work() -> str:
            document, _ = reading.open_document(model, document_id_of(claim_id, source_id))
            return "\n".join(line.text for line in reading.read_lines(document, every=0))

        return await _found(work)


async def _found(work: Any) -> str:
    def tried() -> str:
        try:
            return str(work())
        except UnknownClaimError as error:
            raise ResourceNotFoundError(str(error)) from error

    return await answer(tried)
