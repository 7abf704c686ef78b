"""The command line's entry. Commands live in modules of their own and import what they need when called."""

import errno
from typing import Any

import click

import citation_pipeline.defs.developer_notes  # noqa: F401
from citation_pipeline.cli.agents import mcp
from citation_pipeline.cli.archives import archive
from citation_pipeline.cli.artifacts import artifacts
from citation_pipeline.cli.audits import audit
from citation_pipeline.cli.comparisons import compare
from citation_pipeline.cli.configuration import config
from citation_pipeline.cli.doctor import doctor
from citation_pipeline.cli.erasures import erase
from citation_pipeline.cli.evaluations import evaluate
from citation_pipeline.cli.files import parse, resolve
from citation_pipeline.cli.fleet import fleet
from citation_pipeline.cli.lookups import ask, highlight, search
from citation_pipeline.cli.metrics import metrics
from citation_pipeline.cli.plans import plan
from citation_pipeline.cli.promotions import promotions
from citation_pipeline.cli.results import show
from citation_pipeline.cli.runs import rematch, run
from citation_pipeline.cli.serving import dev, export, serve
from citation_pipeline.cli.tuning import tune
from citation_pipeline.core.failures import PipelineError

_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.ENOTDIR, errno.EISDIR)


class _Commands(click.Group):
    """The commands; any ends with what its failure names, and settings that cannot be used as wrong usage."""

    def invoke(self, ctx: click.Context) -> Any:
        from citation_pipeline.adapters.tables.light_arrow import leave_pandas_out

        leave_pandas_out()  # before the deployment's settings bring pyarrow in
        from citation_pipeline.adapters.deployment.deployment import DeploymentError

        try:
            return super().invoke(ctx)
        except DeploymentError as error:
            raise click.UsageError(str(error)) from error
        except PipelineError as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            if error.filename is None or error.errno not in _REFUSED:
                raise
            raise click.ClickException(
                f"{error.filename}: {error.strerror}: the store and its folders have to be this user's to "
                "write, on a disk with room; name another with --store"
            ) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="citation-pipeline")
def main() -> None:
    """Claim documents to a viewer dataset with pixel-precise citations.

    Exit codes: 0 all good, 1 some claims or files failed (each named on stderr), 2 wrong usage.
    """


for command in (
    run,
    rematch,
    plan,
    archive,
    erase,
    promotions,
    tune,
    audit,
    show,
    artifacts,
    parse,
    resolve,
    evaluate,
    compare,
    serve,
    export,
    dev,
    fleet,
    doctor,
    config,
    metrics,
    mcp,
    ask,
    search,
    highlight,
):
    main.add_command(command)
