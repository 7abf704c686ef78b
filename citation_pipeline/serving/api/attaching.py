"""Hangs search, questions, uploads and the MCP endpoint onto the viewer's application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from starlette.routing import Route

from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.serving.api import (
    document_routes,
    intake_routes,
    published_routes,
    question_routes,
    search_routes,
)
from citation_pipeline.serving.api.agent_settings import AgentSettings
from citation_pipeline.serving.mcp.server import GuardedMcp, make_server
from citation_pipeline.serving.rates import RateLimit
from citation_pipeline.serving.rendering.cited_pages import CitedPages

LARGE_BODIES = "/upload"
"""The one path whose bodies may be as large as a document."""


def open_read_model(
    settings: AgentSettings, store: ClaimStore, verifications: VerificationStore
) -> ReadModel:
    """Return the read model that the settings ask for."""
    return ReadModel(
        store,
        verifications,
        index_path=Path(settings.index_path) if settings.index_path else None,
        schemas=[load_schema(name) for name in settings.schemas],
        embeddings=settings.embeddings,
        min_similarity=settings.min_similarity,
        confidence_rules=settings.confidence_rules,
        root_url=settings.public_url.rstrip("/"),
    )


def attach_agents(
    app: FastAPI,
    settings: AgentSettings,
    store: ClaimStore,
    verifications: VerificationStore,
    *,
    pages: CitedPages,
) -> None:
    """Add the routes and the MCP endpoint; `agents_running` must be entered by the application's lifespan."""
    model = open_read_model(settings, store, verifications)
    app.state.read_model = model
    app.state.answerer = settings.answerer
    app.state.asks = RateLimit(per_second=settings.asks_per_second, burst=settings.ask_burst)
    app.include_router(published_routes.published_search)  # before ours of the same path
    app.include_router(document_routes.published)
    for module in (search_routes, published_routes, question_routes, document_routes, intake_routes):
        app.include_router(module.router)
    endpoint = GuardedMcp(make_server(model, pages, answerer=settings.answerer), app)
    app.state.mcp = endpoint
    # a route, not a mount: a mount would send `/mcp` on to `/mcp/`
    app.router.routes.append(Route("/mcp", endpoint=endpoint, include_in_schema=False))


@asynccontextmanager
async def agents_running(app: FastAPI) -> AsyncIterator[None]:
    """Answer MCP calls while the application runs."""
    async with app.state.mcp.running():
        yield
