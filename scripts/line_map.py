"""A pytest plugin that writes which test runs which lines and branches of the package, and what it costs.

    PYTHONPATH=scripts python -m pytest -n 0 -p line_map --line-map FILE …

FILE is a coverage database with one context per test (its node id). What a fixture of a module or of the
session runs counts for every test that asks for that fixture, not only for the first one. Beside it,
FILE.json has each test's seconds of the processor (a busy machine does not count) and wider fixtures,
FILE.modules.json what the tests had imported.
"""

import json
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import coverage
import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "citation_pipeline"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--line-map", default=None, help="where the map of tests and lines goes")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--line-map"):
        config.pluginmanager.register(LineMap(Path(config.getoption("--line-map"))), "line-map")


class LineMap:
    """Switches coverage's context with every test and every fixture wider than a test."""

    def __init__(self, out: Path) -> None:
        """Start measuring."""
        out.parent.mkdir(parents=True, exist_ok=True)
        self._out = out
        self._contexts = [""]
        self._tests: dict[str, dict[str, Any]] = {}
        self._coverage = coverage.Coverage(
            data_file=str(out), branch=True, source=[str(PACKAGE)], config_file=False
        )
        self._coverage.erase()
        self._coverage.start()

    @contextmanager
    def _context(self, name: str) -> Generator[None]:
        self._contexts.append(name)
        self._coverage.switch_context(name)
        try:
            yield
        finally:
            self._contexts.pop()
            self._coverage.switch_context(self._contexts[-1])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        kept = getattr(item, "_fixtureinfo", None)
        wider = sorted(
            _fixture_context(definitions[-1])
            for definitions in (kept.name2fixturedefs.values() if kept else ())
            if definitions[-1].scope != "function"
        )
        self._tests[item.nodeid] = {"fixtures": wider, "seconds": 0.0}
        began = _spent()
        with self._context(item.nodeid):
            try:
                return (yield)
            finally:
                self._tests[item.nodeid]["seconds"] = _spent() - began

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        if fixturedef.scope == "function":
            return (yield)
        started = _spent()
        with self._context(_fixture_context(fixturedef)):
            made = yield
        self._tests.setdefault(_fixture_context(fixturedef), {"fixtures": [], "seconds": 0.0})
        self._tests[_fixture_context(fixturedef)]["seconds"] += _spent() - started
        return made

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        Path(f"{self._out}.json").write_text(json.dumps(self._tests))
        libraries = [
            name
            for name in sys.modules
            if not name.startswith(("citation_pipeline", "benchmarks", "line_map", "__"))
        ]
        Path(f"{self._out}.modules.json").write_text(json.dumps(libraries))
        self._coverage.save()


def _spent() -> float:
    """Seconds of the processor that this process and those it waited for have taken."""
    return sum(os.times()[:4])


def _fixture_context(definition: pytest.FixtureDef[Any]) -> str:
    return f"fixture {definition.baseid}::{definition.argname}"
