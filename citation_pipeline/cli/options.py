"""Options that several commands share, and the two ways of telling: to a person, or as JSON lines."""

import getpass
import json
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from citation_pipeline.adapters.installed_readers import SHIPPED, installed_names

Command = TypeVar("Command", bound=Callable[..., Any])


def store_option(command: Command) -> Command:
    """Add `--store DIR`: of a store that has to be there, since a command that finds none finds nothing."""
    return _store_option(command, _find_store)


def new_store_option(command: Command) -> Command:
    """Add `--store DIR` to a command that may begin a store, or needs none."""
    return _store_option(command, _open_lightly)


def _store_option(
    command: Command, callback: Callable[[click.Context, click.Parameter, str], str]
) -> Command:
    return click.option(
        "--store",
        metavar="DIR",
        default="",
        callback=callback,
        help="Where tables are kept: a path or object-storage URL [CITATION_PIPELINE_STORE or data/store].",
    )(command)


def _open_lightly(_context: click.Context, _option: click.Parameter, store: str) -> str:
    """Spare the command what its tables do not need."""
    from citation_pipeline.adapters.tables.light_arrow import leave_pandas_out

    leave_pandas_out()
    return store


def _find_store(context: click.Context, option: click.Parameter, store: str) -> str:
    """Fail where no store is; nothing is made by looking."""
    _open_lightly(context, option, store)
    if not context.resilient_parsing:
        need_store(store)
    return store


def need_store(store: str) -> None:
    """Raise a ClickException where a path of this machine holds no store."""
    from citation_pipeline.adapters.deployment.deployment import read_deployment
    from citation_pipeline.adapters.tables.claim_store import no_store_at

    missing = no_store_at(read_deployment(store).store)
    if missing:
        raise click.ClickException(missing)


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON object per line on stdout.")(
        command
    )


class ReaderName(click.ParamType[str]):
    """The name of an installed parser or extractor; other packages' are looked up only when needed."""

    name = "name"

    def __init__(self, group: str) -> None:
        self._group = group

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return every name that is installed."""
        return f"[{'|'.join(installed_names(self._group))}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; fails for one that is not installed."""
        if value not in SHIPPED[self._group] and value not in installed_names(self._group):
            names = ", ".join(installed_names(self._group))
            self.fail(f"{str(value)[:100]!r} is not one of {names}", param, ctx)
        return str(value)


class Teller:
    """Says results on stdout, to a person or as JSON lines, and troubles on stderr."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self.failures = 0

    def tell(self, record: dict[str, Any], text: str) -> None:
        """Say one result: the record as JSON, or the text."""
        click.echo(json.dumps(record, ensure_ascii=False) if self._as_json else text)

    def warn(self, text: str) -> None:
        """Say a trouble that is not a failure."""
        click.echo(text, err=True)

    def fail(self, text: str) -> None:
        """Say a failure; the command will end with 1."""
        self.failures += 1
        click.echo(text, err=True)

    def finish(self) -> None:
        """End the command with the exit code that fits what was said."""
        sys.exit(1 if self.failures else 0)


def login_name() -> str:
    """Return who types the command, for what is kept with a decision."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        return "command line"
