"""The site's reference of commands, tables and REST API, written from the code whenever the site is built.

mkdocs calls `on_files`; nothing of it is kept in the repository, so none of it can be out of date.
"""

from collections.abc import Iterator
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.cli.main import main
from citation_pipeline.serving.app import create_app
from citation_pipeline.serving.settings import ServingSettings


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for name, lines in (("commands", commands()), ("tables", tables()), ("api", rest_api())):
        files.append(File.generated(config, f"reference/{name}.md", content="\n".join(lines) + "\n"))
    return files


def commands() -> Iterator[str]:
    """Yield the page of commands: what each says of itself with `--help`."""
    yield "# Commands\n\n`citation-pipeline COMMAND`, or `python -m citation_pipeline COMMAND`.\n"
    for name, command in sorted(main.commands.items()):
        context = click.Context(command, info_name=f"citation-pipeline {name}", max_content_width=100)
        yield f"## {name}\n\n```text\n{command.get_help(context)}\n```\n"


def tables() -> Iterator[str]:
    """Yield the page of tables: the columns of every stored table."""
    yield (
        "# Tables\n\nOne Parquet file a claim and table in the store; the [warehouse](../warehouse.md) "
        "has them all in one DuckDB file. A column may be empty where its type says so in the code only.\n"
    )
    for table, shape in SHAPES.items():
        yield f"## {table}\n\n| column | type |\n| --- | --- |"
        for column in shape:
            kind = str(column.type).replace("|", "\\|")
            yield f"| `{column.name}` | `{kind}` |"
        yield ""


def rest_api() -> Iterator[str]:
    """Yield the page of the REST API: its paths with what they return and what they take."""
    yield (
        "# REST API\n\n`citation-pipeline serve` answers these paths; `/openapi.json` describes them for "
        'programs. Errors have one shape: `{"error": {"code", "message"}}`.\n'
    )
    for path, methods in sorted(
        create_app(ServingSettings("unused", render_workers=0)).openapi()["paths"].items()
    ):
        for method, operation in methods.items():
            yield f"## {method.upper()} {path}\n\n{(operation.get('description') or '').strip()}\n"
            yield from _parameters(operation)


def _parameters(operation: dict[str, Any]) -> Iterator[str]:
    given = operation.get("parameters") or []
    if given:
        yield "| parameter | in | required |\n| --- | --- | --- |"
        for one in given:
            yield f"| `{one['name']}` | {one['in']} | {'yes' if one.get('required') else 'no'} |"
        yield ""
