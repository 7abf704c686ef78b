"""The command line's entry. Commands live in modules of their own and import what they need when called."""

import warnings

import click

from citation_pipeline.cli.agents import ask, highlight, mcp, search
from citation_pipeline.cli.archives import archive
from citation_pipeline.cli.evaluations import evaluate
from citation_pipeline.cli.files import parse, resolve
from citation_pipeline.cli.plans import plan
from citation_pipeline.cli.results import show
from citation_pipeline.cli.runs import rematch, run
from citation_pipeline.cli.serving import dev, export, serve


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="citation-pipeline")
def main() -> None:
    """Claim documents to a viewer dataset with pixel-precise citations.

    Exit codes: 0 all good, 1 some claims or files failed (each named on stderr), 2 wrong usage.
    """
    # Dagster's notes to developers, not to whoever types a command
    warnings.filterwarnings("ignore", message=".*is currently in (beta|preview).*")
    warnings.filterwarnings("ignore", message=".*varying BackfillPolicies.*")


for command in (
    run,
    rematch,
    plan,
    archive,
    show,
    parse,
    resolve,
    evaluate,
    serve,
    export,
    dev,
    mcp,
    ask,
    search,
    highlight,
):
    main.add_command(command)
