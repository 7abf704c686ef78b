"""Puts the application together: one router per concern, one error shape, one guard around all."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, fields

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import State
from starlette.exceptions import HTTPException

from citation_pipeline.adapters.assignments.presence import PresenceStore
from citation_pipeline.adapters.assignments.store import AssignmentStore
from citation_pipeline.adapters.observability.figures import FigureReader
from citation_pipeline.adapters.oidc.provider import OidcProvider
from citation_pipeline.adapters.redactions.store import RedactionStore
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.store_errors import StoreError
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.sessions import SessionStore
from citation_pipeline.adapters.verifications.sign_ins import SignInStore
from citation_pipeline.adapters.verifications.signing import read_signer
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.adapters.verifications.tokens import TokenStore
from citation_pipeline.serving.api.answers import ERRORS
from citation_pipeline.serving.api.attaching import LARGE_BODIES, agents_running, attach_agents
from citation_pipeline.serving.api.description import describe_security, invalid_request, methods_of
from citation_pipeline.serving.datasets import Datasets
from citation_pipeline.serving.errors import RequestError
from citation_pipeline.serving.guard import Guard
from citation_pipeline.serving.guesses import Guesses
from citation_pipeline.serving.oauth import TokenReader
from citation_pipeline.serving.originals import Originals
from citation_pipeline.serving.rates import RateLimit
from citation_pipeline.serving.rendering.cited_pages import CitedPages
from citation_pipeline.serving.rendering.image_cache import ImageCache
from citation_pipeline.serving.rendering.page_images import PageImages
from citation_pipeline.serving.rendering.pool import RenderPool
from citation_pipeline.serving.routes import (
    claims,
    downloads,
    held,
    metrics,
    pages,
    parts,
    productions,
    reviews,
    shell,
    sign_in,
    watching,
)
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline.serving.static_folder import StaticFolder
from citation_pipeline.serving.strangers import OPEN_BODIES, KnownSendersOnly
from citation_pipeline.serving.team import figures_routes, people_routes, pictures_routes, queue_routes
from citation_pipeline.serving.team.claim_queue import ClaimQueue
from citation_pipeline.serving.team.notices import Notices
from citation_pipeline.serving.warming import build_routes, warm
from citation_pipeline.serving.watchers import Watchers

_ROUTERS = (
    claims.router,
    pages.router,
    reviews.router,
    watching.router,
    held.router,
    queue_routes.router,
    figures_routes.router,
    pictures_routes.router,
    people_routes.router,
    downloads.router,
    productions.router,
    parts.router,
    metrics.router,
    sign_in.router,
    shell.session_router,
    shell.router,
)


@dataclass(frozen=True)
class _Decisions:
    """What people decided, who they are and what they have in hand: stores of one database."""

    verifications: VerificationStore
    sessions: SessionStore
    tokens: TokenStore
    sign_ins: SignInStore
    redactions: RedactionStore
    assignments: AssignmentStore
    presence: PresenceStore

    @classmethod
    def opened(cls, database: str, settings: ServingSettings) -> "_Decisions":
        """Open them at a database's address."""
        return cls(
            VerificationStore(database, signer=read_signer(settings.audit_key)),
            SessionStore(database),
            TokenStore(database),
            SignInStore(database),
            RedactionStore(database),
            AssignmentStore(database),
            PresenceStore(database),
        )

    def close(self) -> None:
        """Close their connections."""
        for part in fields(self):
            getattr(self, part.name).close()


def create_app(settings: ServingSettings) -> FastAPI:
    """Return the viewer's application; raises ServingSettingsError when it would lie open to others."""
    settings.check()
    store = settings.open_store()
    database = settings.verifications_url or default_url(settings.store)
    decisions = _Decisions.opened(database, settings)
    pool = RenderPool(
        workers=settings.render_workers,
        timeout_s=settings.render_timeout_s,
        passwords=settings.pdf_passwords,
    )
    app = FastAPI(
        title="citation_pipeline viewer",
        summary="Claims with every value's place on the page, and people's reviews of them.",
        lifespan=_lifespan(settings, decisions, pool),
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    _hand_out(app.state, settings, store, database=database, decisions=decisions, pool=pool)
    for router in _ROUTERS:
        app.include_router(router, responses=ERRORS)
    cited_pages = CitedPages(store, pool, originals=app.state.originals)
    attach_agents(app, settings.agents, store, decisions.verifications, pages=cited_pages)
    app.mount("/static", StaticFolder(shell.STATIC), name="static")
    _add_error_answers(app)
    describe_security(app, settings)
    app.add_middleware(KnownSendersOnly)
    app.add_middleware(
        Guard,
        hosts=settings.allowed_hosts,
        body_limits={**OPEN_BODIES, LARGE_BODIES: settings.agents.upload_bytes},
    )
    return app


def _hand_out(
    state: State,
    settings: ServingSettings,
    store: ClaimStore,
    *,
    database: str,
    decisions: _Decisions,
    pool: RenderPool,
) -> None:
    """Keep what the routes work with where they look for it: the application's state."""
    state.settings, state.store, state.reviews_url, state.pool = settings, store, database, pool
    for part in fields(decisions):
        setattr(state, part.name, getattr(decisions, part.name))
    state.oidc = OidcProvider(settings.oidc) if settings.oidc is not None else None
    state.oauth = TokenReader(settings.oauth) if settings.oauth is not None else None
    state.datasets = Datasets(store, decisions.verifications)
    state.claim_queue = ClaimQueue(
        state.datasets, decisions.assignments, lease_seconds=settings.lease_seconds
    )
    state.watchers = Watchers(
        state.datasets.dataset_version,
        decisions.verifications,
        presence=decisions.presence,
        holder_of=state.claim_queue.holder_of,
    )
    state.notices = Notices(settings.webhook_url)
    state.figures = FigureReader(
        store,
        work_dir=settings.work_dir or store.host_folder,
        verifications_url=database,
        page_dollars=settings.page_dollars,
        coordination_url=settings.coordination_url,
    )
    state.originals = Originals(store)
    state.limit = RateLimit(per_second=settings.renders_per_second, burst=settings.render_burst)
    state.guesses = Guesses()
    state.csp_reports = 0


def _lifespan(
    settings: ServingSettings, decisions: _Decisions, pool: RenderPool
) -> Callable[[FastAPI], AbstractAsyncContextManager[dict[str, Watchers]]]:
    """Return what starts with the server's loop and ends with it."""
    cache = ImageCache(
        settings.page_cache, max_bytes=settings.cache_bytes, memory_bytes=settings.memory_cache_bytes
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Watchers]]:
        app.state.images = PageImages(pool=pool, cache=cache, limit=app.state.limit)
        app.state.packing = asyncio.Semaphore(1)
        await build_routes(app, app.router)
        warming = asyncio.create_task(warm(pool))
        async with agents_running(app), app.state.watchers.running():
            yield {"watchers": app.state.watchers}
        await warming
        await anyio.to_thread.run_sync(pool.close)
        decisions.close()
        await anyio.to_thread.run_sync(app.state.notices.close)

    return lifespan


def _add_error_answers(app: FastAPI) -> None:
    @app.exception_handler(RequestError)
    async def _refused(request: Request, error: RequestError) -> JSONResponse:
        return JSONResponse(error.as_json(), status_code=error.status, headers=error.headers)

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse(invalid_request(error).as_json(), status_code=422)

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        answer = RequestError(f"http_{error.status_code}", "There is nothing here that answers that.")
        headers = dict(error.headers or {})
        if (
            error.status_code == 405
        ):  # a path's methods are routes of their own; each alone names only its own
            headers["Allow"] = ", ".join(sorted(methods_of(app, request)))
        return JSONResponse(answer.as_json(), status_code=error.status_code, headers=headers)

    @app.exception_handler(StoreError)
    async def _store(request: Request, error: StoreError) -> JSONResponse:
        answer = RequestError(
            "not_ready", "The claim is not finished yet.", "Run the claim first.", status=404
        )
        return JSONResponse(answer.as_json(), status_code=404)

    @app.exception_handler(UnicodeError)
    async def _text(request: Request, error: UnicodeError) -> JSONResponse:
        answer = RequestError("invalid_text", "The request holds text that is not Unicode.", status=422)
        return JSONResponse(answer.as_json(), status_code=422)
