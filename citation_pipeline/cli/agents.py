"""The command `mcp`, and what opens a store for agents and the servers that answer them."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from citation_pipeline.cli.options import need_store, new_store_option

if TYPE_CHECKING:
    from citation_pipeline.adapters.read_model.grounded_answers import Answerer
    from citation_pipeline.adapters.read_model.model import ReadModel


def open_agents(store: str) -> "tuple[ReadModel, Answerer | None]":
    """Return the read model of a store and the writer of answers, as the environment configures them."""
    from citation_pipeline.adapters.verifications.database import default_url
    from citation_pipeline.adapters.verifications.store import VerificationStore
    from citation_pipeline.defs.resources import store_root
    from citation_pipeline.serving.api.attaching import open_read_model
    from citation_pipeline.serving.entry import read_settings

    root = store or store_root()
    settings = read_settings(root)
    verifications = VerificationStore(settings.verifications_url or default_url(root))
    return open_read_model(settings.agents, settings.open_store(), verifications), settings.agents.answerer


@click.command()
@new_store_option
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

    if bundle is None:
        need_store(store)
    model, answerer = open_agents(store)
    if prints_config:
        click.echo(json.dumps(client_config(model.store.url), indent=2))
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
