"""The command line as tests use it: in this process, with what it printed."""

from click.testing import CliRunner, Result

from citation_pipeline.cli.main import main


def command(*arguments: object) -> Result:
    """Run `citation-pipeline` with these arguments."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])
