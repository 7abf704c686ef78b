"""The command that serves what the pipeline wrote: `serve`."""

import click

from citation_pipeline.cli.options import store_option


@click.command()
@store_option
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Beyond this machine, access is required."
)
@click.option("--port", default=8321, show_default=True, type=click.IntRange(0, 65535))
def serve(store: str, host: str, port: int) -> None:
    """Serve the viewer and the review; docs/viewer.md lists the CITATION_VIEWER_* settings."""
    from citation_pipeline.defs.resources import store_root
    from citation_pipeline.serving import entry
    from citation_pipeline.serving.settings import ServingSettingsError

    root = store or store_root()
    try:
        settings = entry.read_settings(root, host=host, port=port)
        click.echo(f"The viewer of {root} is at http://{host}:{port}/", err=True)
        entry.serve(settings)
    except ServingSettingsError as error:
        raise click.UsageError(str(error)) from error
