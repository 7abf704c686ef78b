"""Fixtures that several test modules share."""

import os

# before numpy and pyarrow are imported, as in the parser's processes: a test has one core, and more threads
# only spin on the others' (two fifths of what reading a fax costs)
os.environ.setdefault("OMP_NUM_THREADS", "1")

import gc
import multiprocessing.util
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from dagster._core.storage.defs_state.base import DefsStateStorage

from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline_tests import approvals
from citation_pipeline_tests import postgres as postgres_server
from citation_pipeline_tests.postgres import PostgresServer
from citation_pipeline_tests.properties import register_profiles

PROJECT = Path(__file__).resolve().parent.parent
SKIPS_FAIL = bool(os.environ.get("CITATION_PIPELINE_SKIPS_FAIL"))


register_profiles()  # before the test modules: a decorator takes its settings from the profile of its moment


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--approve", action="store_true", help="write the approved outcomes anew")


@pytest.fixture
def approve(request: pytest.FixtureRequest) -> approvals.Approve:
    """Compare lines with what was approved under a name; with `--approve`, approve them."""
    return approvals.write if request.config.getoption("--approve") else approvals.compare


def pytest_configure() -> None:
    """Forget the deployment that the tests are called from: none may write into its Dagster home.

    Processes' sockets get their folder now: the first test that starts one may have moved the temporary files
    to a path so long that no socket fits into it, and every viewer of this process would draw no page again.
    """
    gc.set_threshold(100_000, 20, 20)  # collecting and what a test makes are small objects in no cycles
    multiprocessing.util.get_temp_dir()
    for name in set(os.environ) - {"CITATION_PIPELINE_SKIPS_FAIL"}:
        if name.startswith(("CITATION_PIPELINE_", "CITATION_VIEWER_", "DAGSTER_")):
            del os.environ[name]


@pytest.fixture(scope="session")
def project() -> Path:
    return PROJECT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of claims, corpus and contracts beside the project's root; its absence is a failure.

    What asks for it is marked `outside_data`: `make test` leaves it out, `make test-outside-data` runs it.
    """
    folder = PROJECT.parent / "shared"
    if not (folder / "claims").is_dir():
        pytest.fail(
            f"{folder} is missing: put it beside the project, or run with -m 'not outside_data'", False
        )
    return folder


@pytest.fixture(scope="session")
def claims(shared: Path) -> Path:
    return shared / "claims"


@pytest.fixture(scope="module")
def parser() -> Iterator[LocalParser]:
    """The parser as it is installed, with one worker, without a cache, and one password."""
    with LocalParser(None, workers=1, passwords=["orange"]) as parser:
        yield parser


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server; without its programs the test is skipped (scripts/system-packages has them)."""
    if postgres_server.find_program("initdb") is None or postgres_server.find_program("postgres") is None:
        pytest.skip("there is no PostgreSQL server here: run scripts/system-packages")
    with postgres_server.running_postgres() as server:
        yield server


def pytest_collection_finish() -> None:
    """Leave the imported modules and the tests out of what is searched for cyclic garbage."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the folder beside the project by the fixtures that hand it out."""
    for item in items:
        if {"shared", "claims"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("outside_data")


@pytest.fixture(scope="session", autouse=True)
def migrations() -> Iterator[None]:
    """Read Dagster's migrations once, not four times for every new instance."""
    read = ScriptDirectory.from_config
    known: dict[str | None, ScriptDirectory] = {}

    def from_config(config: Config) -> ScriptDirectory:
        place = config.get_main_option("script_location")
        if place not in known:
            known[place] = read(config)
        return known[place]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ScriptDirectory, "from_config", from_config)
        yield


@pytest.fixture(scope="session", autouse=True)
def defs_state() -> Iterator[None]:
    """Forget what Dagster kept of an instance that is gone, whenever it is asked for it.

    Dagster keeps what was current when an instance was entered and puts it back when that one is left: left
    in another order, or by the garbage collector in the middle of a test, it puts back one that is gone, and
    every definition that is loaded afterwards in this process fails ("undefined DagsterInstance weakref").
    """
    get = DefsStateStorage.get

    def get_living() -> DefsStateStorage[Any] | None:
        kept = get()
        reference = getattr(kept, "_instance_weakref", None)
        return kept if reference is not None and reference() is not None else None

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(DefsStateStorage, "get", staticmethod(get_living))
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Forget a signal that an earlier test's Dagster changed."""
    # Dagster leaves SIGTERM doing what SIGINT does, and a shell starts what it puts in the background with
    # SIGINT ignored: the processes of later tests would inherit a SIGTERM that ends nobody
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if SKIPS_FAIL and terminalreporter.stats.get("skipped"):
        terminalreporter.section("skipped tests count as failures here")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail a run that skipped a test where that is asked for: a skip hides what was not tried."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if SKIPS_FAIL and reporter is not None and reporter.stats.get("skipped") and exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
