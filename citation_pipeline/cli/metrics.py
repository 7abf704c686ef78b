"""The command that prints the deployment in numbers: `metrics`."""

from pathlib import Path

import click

from citation_pipeline.cli.options import store_option


@click.command()
@store_option
@click.option(
    "--textfile",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write them here, whole, for the textfile collector of Prometheus' node exporter.",
)
def metrics(store: str, textfile: Path | None) -> None:
    """Print counts, rates, times and costs over all claims, and Dagster's runs, as Prometheus reads them.

    No claim is named. The viewer answers `/metrics` with the same, but for Dagster's runs.
    """
    from citation_pipeline.adapters.deployment.deployment import read_deployment
    from citation_pipeline.adapters.observability.exposition import metrics_text
    from citation_pipeline.adapters.observability.figures import FigureReader
    from citation_pipeline.adapters.whole_files import write_whole
    from citation_pipeline.defs.instances import open_instance
    from citation_pipeline.defs.runs.run_figures import read_run_figures

    deployment = read_deployment(store)
    reader = FigureReader(
        deployment.open_store(),
        work_dir=deployment.work_dir,
        verifications_url=deployment.verifications_url,
        page_dollars=deployment.page_dollars,
        coordination_url=deployment.coordination_url,
    )
    runs = None
    if (deployment.dagster_home / "dagster.yaml").is_file():  # looking makes no instance
        with open_instance(deployment.dagster_home) as instance:
            runs = read_run_figures(instance)
    text = metrics_text(reader.read(), runs=runs)
    if textfile is None:
        click.echo(text.decode(), nl=False)
        return
    textfile.parent.mkdir(parents=True, exist_ok=True)
    write_whole(textfile, text)
