"""The commands that show what the pipeline wrote: `serve`, `export`, and `dev` for the Dagster UI."""

import os
import shlex
import sys
from pathlib import Path

import click

from citation_pipeline.cli.options import Teller, new_store_option, store_option


@click.command()
@new_store_option
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Beyond this machine, access is required."
)
@click.option("--port", default=8321, show_default=True, type=click.IntRange(0, 65535))
def serve(store: str, host: str, port: int) -> None:
    """Serve the viewer and the review; `citation-pipeline config` lists its settings."""
    from dataclasses import replace

    from citation_pipeline.adapters.deployment.deployment import read_deployment
    from citation_pipeline.adapters.tables.claim_store import no_store_at
    from citation_pipeline.cli.erasures import make_erase
    from citation_pipeline.cli.requested_runs import make_decide_held, make_extract, reader_names
    from citation_pipeline.serving import entry
    from citation_pipeline.serving.settings import ServingSettingsError

    root = store or read_deployment().store
    try:
        settings = entry.read_settings(root, host=host, port=port)
        # serving knows no pipeline; who starts it here gives it one, for uploads and extraction on request
        settings = replace(
            settings,
            agents=replace(
                settings.agents,
                extract=make_extract(root),
                reader_names=reader_names(),
                decide_held=make_decide_held(root),
                erase=make_erase(root),
            ),
        )
        if missing := no_store_at(root):  # uploads may begin one
            click.echo(f"Nothing to show yet: {missing}", err=True)
        click.echo(f"The viewer of {root} is at http://{host}:{port}/", err=True)
        entry.serve(settings)
    except ServingSettingsError as error:
        raise click.UsageError(str(error)) from error


@click.command()
@click.argument("claim_id")
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@store_option
def export(claim_id: str, out: Path, store: str) -> None:
    """Write a claim's viewer as a folder that opens from disk, without a server."""
    from citation_pipeline.core.failures import PipelineError
    from citation_pipeline.defs.resources import store_root
    from citation_pipeline.serving import entry
    from citation_pipeline.serving.errors import RequestError
    from citation_pipeline.serving.export import export_claim

    teller = Teller(as_json=False)
    try:
        report = export_claim(entry.read_settings(store or store_root()), claim_id, out)
    except RequestError as error:
        teller.fail(f"{claim_id}: {error.message} {error.remedy}")
    except (PipelineError, FileExistsError) as error:
        teller.fail(str(error))
    else:
        teller.tell({}, f"{report.pages} pages of {report.documents} documents -> {out / 'index.html'}")
        for source_id, why in report.undrawn.items():
            teller.fail(f"{claim_id}: the export has no picture of {source_id}: {why}")
    teller.finish()


@click.command()
@new_store_option
@click.option("--port", default=3000, show_default=True, type=click.IntRange(1, 65535))
@click.option("--prepare", is_flag=True, help="Set the instance up and start nothing, for `dg dev`.")
def dev(store: str, port: int, prepare: bool) -> None:
    """Open the Dagster UI with its daemon on the store's own instance, set up when it is new.

    `dg dev` opens an instance as it finds it: `--prepare` writes its `dagster.yaml` first and says which
    DAGSTER_HOME to export.
    """
    from citation_pipeline.defs.developer_notes import SUPERSEDED
    from citation_pipeline.defs.instances import WORKSPACE, open_instance
    from citation_pipeline.defs.resources import child_environment

    environment = child_environment(store)
    environment["PYTHONWARNINGS"] = ",".join(filter(None, [environment.get("PYTHONWARNINGS"), SUPERSEDED]))
    home = Path(environment["DAGSTER_HOME"])
    open_instance(home).dispose()
    if prepare:
        click.echo(f"export DAGSTER_HOME={shlex.quote(str(home))}")
        return
    # a workspace and not `-m`: only it names the location, and switches of schedules belong to the name
    workspace = home / "workspace.yaml"
    workspace.write_text(WORKSPACE)
    dagster = Path(sys.executable).with_name("dagster")
    arguments = ["dev", "-w", str(workspace), "-h", "127.0.0.1", "-p", str(port)]
    os.execve(dagster, [str(dagster), *arguments], environment)
