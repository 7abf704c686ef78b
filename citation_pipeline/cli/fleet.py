"""The command `fleet`: what several hosts that share the work need beside what one machine has."""

from pathlib import Path

import click

from citation_pipeline.cli.options import Teller, json_option, new_store_option


@click.group()
def fleet() -> None:
    """Set up and run several hosts that share one store (see docs/fleet.md)."""


@fleet.command()
@new_store_option
@click.option("--launcher", type=click.Choice(["celery", "kubernetes"]), default="celery", show_default=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write there; default: dagster.yaml in DAGSTER_HOME.",
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def init(store: str, launcher: str, out: Path | None, force: bool) -> None:
    """Write the `dagster.yaml` that every host of a fleet is given, made of the settings.

    It names the variables of database and broker, and holds no password and no path of this machine. Beside
    it `workspace.yaml` says where daemon and web find the code.
    """
    from citation_pipeline.adapters.deployment.deployment import read_deployment
    from citation_pipeline.adapters.whole_files import write_whole
    from citation_pipeline.defs.fleet.instance_files import Launcher, fleet_settings, fleet_workspace

    deployment = read_deployment(store)
    target = out or deployment.dagster_home / "dagster.yaml"
    texts = {
        target: fleet_settings(deployment, Launcher(launcher)),
        target.with_name("workspace.yaml"): fleet_workspace(deployment),
    }
    for path, text in texts.items():
        if path.exists() and not force and path.read_text() != text:
            raise click.UsageError(f"{path} is there and says something else: --force writes over it")
    target.parent.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        write_whole(path, text.encode())
        click.echo(path, err=True)
    click.echo("Then, once the database answers: citation-pipeline fleet pools", err=True)


@fleet.command()
@new_store_option
@json_option
def pools(store: str, as_json: bool) -> None:
    """Set the limits of the pools in the instance's database to what the settings say.

    Without it each pool works on one step at a time on all hosts together, whoever wrote `dagster.yaml`.
    """
    import dagster as dg

    from citation_pipeline.adapters.deployment.deployment import read_deployment
    from citation_pipeline.defs.automation.night_settings import night_settings_of
    from citation_pipeline.defs.instances import limit_pools, pool_limits

    deployment = read_deployment(store)
    limits = night_settings_of(deployment).runs
    teller = Teller(as_json=as_json)
    with dg.DagsterInstance.from_config(_settled_home(deployment.dagster_home)) as instance:
        changed = limit_pools(instance, limits, anew=True)
    for pool, limit in pool_limits(limits).items():
        former = changed[pool][0] if pool in changed else limit
        was = "" if former == limit else f" (was {former if former is not None else 'the default'})"
        teller.tell({"pool": pool, "limit": limit, "former": former}, f"{pool:<12} {limit}{was}")
    teller.finish()


@fleet.command()
@new_store_option
@click.option("--slots", type=click.IntRange(min=1), help="Runs at once [CITATION_PIPELINE_SLOTS].")
@click.option("--queue", "queues", multiple=True, help="Take runs of this queue only; may be repeated.")
@click.option("--name", default="worker", show_default=True, help="Tells two workers of one host apart.")
@click.option(
    "--module",
    default="citation_pipeline.defs.definitions",
    show_default=True,
    help="The code location whose runs find it loaded; others load theirs in each run.",
)
def worker(store: str, slots: int | None, queues: tuple[str, ...], name: str, module: str) -> None:
    """Work on runs until asked to stop (SIGTERM): then those under way are finished, and none is taken."""
    import dagster as dg

    from citation_pipeline.adapters.deployment.deployment import read_deployment
    from citation_pipeline.adapters.object_storage.addresses import shown_root
    from citation_pipeline.core.failures import PipelineError
    from citation_pipeline.defs.fleet.workers import run_worker
    from citation_pipeline.defs.resources import child_environment

    deployment = read_deployment(store)
    home = _settled_home(deployment.dagster_home)
    with dg.DagsterInstance.from_config(home) as instance:
        try:
            run_worker(
                instance,
                slots=slots or deployment.slots,
                queues=queues,
                name=name,
                store=shown_root(deployment.store),
                environment=child_environment(store),
                module=module,
            )
        except PipelineError as error:
            raise click.UsageError(str(error)) from error


def _settled_home(home: Path) -> str:
    if not (home / "dagster.yaml").is_file():
        raise click.UsageError(f"{home} has no dagster.yaml: write it with `citation-pipeline fleet init`")
    return str(home)
