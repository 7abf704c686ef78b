"""How clients start the server over stdio: their configuration, and a bundle that installs by a click."""

import json
import shutil
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp.server.mcpserver.tools import Tool

NAME = "citation-pipeline"


def client_config(store: str) -> dict[str, Any]:
    """Return what Claude Desktop and Claude Code take under `mcpServers`, for a store of this machine."""
    program = shutil.which(NAME)
    command, arguments = (program, []) if program else (sys.executable, ["-m", "citation_pipeline"])
    place = store if "://" in store else str(Path(store).resolve())
    return {"mcpServers": {NAME: {"command": command, "args": [*arguments, "mcp", "--store", place]}}}


def write_bundle(target: Path, tools: Sequence[Tool], *, release: str) -> None:
    """Write an MCPB bundle: a manifest that starts the installed program on a store the person chooses."""
    manifest = {
        "manifest_version": "0.3",
        "name": NAME,
        "display_name": "Claims with citations",
        "version": release,
        "description": "Search, questions and totals over claims, every value with its place on a page.",
        "author": {"name": "citation_pipeline maintainers"},
        "license": "Apache-2.0",
        "server": {
            "type": "binary",
            "entry_point": NAME,
            "mcp_config": {
                "command": "${user_config.program}",
                "args": ["mcp", "--store", "${user_config.store}"],
                "env": {},
            },
        },
        "tools": [{"name": tool.name, "description": tool.title or tool.name} for tool in tools],
        "user_config": {
            "store": {
                "type": "directory",
                "title": "Store",
                "description": "The folder that `citation-pipeline run` wrote into",
                "required": True,
            },
            "program": {
                "type": "string",
                "title": "Program",
                "description": "The installed citation-pipeline, with its path if it is not on the PATH",
                "default": NAME,
                "required": False,
            },
        },
        "compatibility": {"platforms": ["darwin", "linux", "win32"]},
    }
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("manifest.json", json.dumps(manifest, indent=2, ensure_ascii=False))
