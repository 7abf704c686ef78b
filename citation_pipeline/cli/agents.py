"""The command `mcp`, and what opens a store for agents and the servers that answer them."""

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citation_pipeline.cli.options import store_option
from citation_pipeline.core.claims import ClaimIdError
from citation_pipeline.core.failures import PipelineError

if TYPE_CHECKING:
    from citation_pipeline.adapters.read_model.grounded_answers import Answerer
    from citation_pipeline.adapters.read_model.model import ReadModel
    from citation_pipeline.serving.api.agent_settings import DecideHeld, Extract


def open_agents(store: str) -> "tuple[ReadModel, Answerer | None]":
    """Return the read model of a store and the writer of answers, as the environment configures them."""
    from citation_pipeline.adapters.tables.claim_store import ClaimStore
    from citation_pipeline.adapters.verifications.database import default_url
    from citation_pipeline.adapters.verifications.store import VerificationStore
    from citation_pipeline.defs.resources import store_root
    from citation_pipeline.serving.api.attaching import open_read_model
    from citation_pipeline.serving.entry import read_settings

    root = store or store_root()
    settings = read_settings(root)
    verifications = VerificationStore(settings.verifications_url or default_url(root))
    return open_read_model(settings.agents, ClaimStore(root), verifications), settings.agents.answerer


def make_extract(store: str) -> "Extract":
    """Return what answers `POST /extract` and uploads that are processed at once: one run at a time, here."""
    import threading

    from citation_pipeline.serving.api.agent_settings import ExtractOutcome

    one_at_a_time = threading.Lock()

    def extract(
        claim_id: str,
        force: bool,
        *,
        schema: str | None = None,
        extractor: str | None = None,
        documents: tuple[str, ...] = (),
    ) -> ExtractOutcome:
        from citation_pipeline.adapters.claim_folders import claim_of_folder
        from citation_pipeline.adapters.schema_files import locate_schema
        from citation_pipeline.core.failures import describe_failure
        from citation_pipeline.core.planning.stages import STAGES
        from citation_pipeline.defs.resources import read_settings as read_pipeline_settings
        from citation_pipeline.defs.resources import store_root
        from citation_pipeline.defs.runs.processing import Processing
        from citation_pipeline.serving.entry import read_settings

        root = store or store_root()
        inbox = read_settings(root).agents.inbox_of(root)
        with one_at_a_time:
            processing = Processing(store=store)
            try:
                if claim_id in processing.store.claim_ids():
                    claim = processing.store.claim(claim_id)
                    if schema is not None or extractor is not None:
                        claim = dataclasses.replace(
                            claim,
                            schema=locate_schema(schema) if schema else claim.schema,
                            extractor=extractor or claim.extractor,
                        )
                        processing.store.register(claim)
                else:
                    arriving = read_pipeline_settings(root).night.inbox
                    claim = claim_of_folder(
                        inbox / claim_id,
                        schema=locate_schema(schema or _schema_of(arriving.schema)),
                        parser=arriving.parser,
                        extractor=extractor or arriving.extractor,
                    )
                    processing.store.register(claim)
                if documents:  # a file that was exchanged is listed anew before it is parsed
                    parsed = processing.run(claim, STAGES[:2], documents=documents)
                    if parsed.failure is not None:
                        return ExtractOutcome(claim_id, False, tuple(STAGES[:2]), parsed.failure)
                plan = processing.plan(claim)
                stages = list(STAGES) if force else [d.stage for d in plan if d.action != "skip"]
                run = processing.run(claim, stages) if stages else None
            except (PipelineError, ClaimIdError) as error:
                return ExtractOutcome(claim_id, False, error=describe_failure(error))
            finally:
                processing.close()
        if run is not None and run.failure is not None:
            return ExtractOutcome(claim_id, False, tuple(stages), run.failure)
        return ExtractOutcome(claim_id, True, tuple(stages))

    return extract


def make_decide_held(store: str) -> "DecideHeld":
    """Return what carries out a reviewer's decision on a held set, as `promotions accept|refuse` does."""
    import threading

    one_at_a_time = threading.Lock()

    def decide(claim_id: str, decision: str, *, by: str, why: str) -> None:
        from citation_pipeline.adapters.verifications.promotions import Decision
        from citation_pipeline.defs.runs.processing import Processing

        with one_at_a_time:
            processing = Processing(store=store)
            try:
                processing.decide(claim_id, Decision(decision), by=by, why=why)
            finally:
                processing.close()

    return decide


def _schema_of(arriving: str) -> str:
    """Return the inbox's schema if one was chosen, else that of the documents' type."""
    from citation_pipeline.adapters.schema_files import AUTO
    from citation_pipeline.core.claims import Claim

    return AUTO if arriving == Claim.__dataclass_fields__["schema"].default else arriving


@click.command()
@store_option
@click.option("--extractive", is_flag=True, help="Never ask a model, even with a key.")
@click.option("--config", "prints_config", is_flag=True, help="Print a client's configuration instead.")
@click.option("--bundle", metavar="FILE.mcpb", help="Write a bundle that Claude Desktop installs instead.")
def mcp(store: str, extractive: bool, prints_config: bool, bundle: str | None) -> None:
    """Serve the tools to an agent over stdio; over HTTP they are at /mcp of `serve`."""
    from citation_pipeline.adapters.read_model.callers import CALLER, Caller
    from citation_pipeline.serving.entry import read_settings
    from citation_pipeline.serving.mcp.installing import client_config, write_bundle
    from citation_pipeline.serving.mcp.server import make_server
    from citation_pipeline.serving.rendering.cited_pages import CitedPages
    from citation_pipeline.serving.rendering.pool import RenderPool

    model, answerer = open_agents(store)
    if prints_config:
        click.echo(json.dumps(client_config(model.store.root), indent=2))
        return
    settings = read_settings(model.store.root)
    # links lead to the viewer, where `serve` has it unless a public address is set
    root = settings.agents.public_url or f"http://{settings.host}:{settings.port}"
    answered = CALLER.set(Caller(root_url=root.rstrip("/")))
    pool = RenderPool(workers=1, timeout_s=settings.render_timeout_s, passwords=settings.pdf_passwords)
    pages = CitedPages(model.store, pool)
    try:
        server = make_server(model, pages, answerer=None if extractive else answerer)
        if bundle is not None:
            write_bundle(Path(bundle), server._tool_manager.list_tools(), release=server.version or "0")
            click.echo(f"{bundle}: open it with Claude Desktop")
            return
        server.run("stdio")
    finally:
        pages.close()
        CALLER.reset(answered)  # who calls the command in a process of theirs keeps their own links
