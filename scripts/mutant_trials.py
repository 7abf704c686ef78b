"""Where mutants meet tests: a process that has everything loaded, and forks once for every mutant.

`Hot` has the package and all tests loaded too, and puts the changed function into the fork. What is more than
the body of a function (a constant, a default, a class) is for `Cold`, which has only the libraries loaded and
imports the package in the fork: some seconds instead of a part of one.
"""

import ast
import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from mutation_operators import Mutant

PATIENCE = 4  # times the seconds that the tests take on the code as it is …
LEAST_S = 20  # … and so many more: a mutant may loop for ever
MOST_MEMORY = 12 << 30

OPTIONS = [
    *["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=line", "-W"],
    "ignore:Module already imported",
    "-m",
    "not outside_data",
]


class Selected:
    """A pytest plugin: only these tests, in this order."""

    def __init__(self, names: list[str]) -> None:
        """Take the names of the tests."""
        self._rank = {name: number for number, name in enumerate(names)}
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self._rank), key=lambda i: self._rank[i.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = report.nodeid


class Hot:
    """A pytest plugin that has collected every test and answers requests instead of running them all."""

    def __init__(self, copy: Path, requests: Any, replies: Any) -> None:
        """Take the copy of the checkout and the pipes."""
        self._copy, self._requests, self._replies = copy, requests, replies
        self._items: dict[str, pytest.Item] = {}
        self._failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self._items = {item.nodeid: item for item in items}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed = report.nodeid

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> bool:
        functions: dict[CodeType, list[FunctionType]] = {}
        for found in gc.get_objects():
            if isinstance(found, FunctionType) and found.__code__.co_filename.startswith(str(self._copy)):
                functions.setdefault(found.__code__, []).append(found)
        gc.collect()
        gc.freeze()  # a fork shares what it does not touch

        def change(mutant: Mutant) -> bool:
            path = self._copy / mutant.file
            source = path.read_text()
            found = changed_functions(source, mutant.apply(source), str(path))
            return found is not None and all(before in functions for before, _ in found)

        def try_mutant(mutant: Mutant | None, names: list[str]) -> int:
            if mutant is not None:
                path = self._copy / mutant.file
                source = path.read_text()
                for before, after in changed_functions(source, mutant.apply(source), str(path)) or ():
                    for function in functions[before]:
                        function.__code__ = after
                path.write_text(mutant.apply(source))  # for the processes that the tests start
            items = [self._items[name] for name in names if name in self._items]
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self._failed:
                    return 1
            return 0

        for line in self._requests:
            request = json.loads(line)
            mutant = Mutant(**request["mutant"]) if request["mutant"] else None
            if mutant is not None and not change(mutant):
                answer: str | None = None
            else:
                answer = _restoring(
                    self._copy,
                    mutant,
                    lambda m=mutant, r=request: in_fork(
                        self._copy,
                        lambda: (try_mutant(m, r["tests"]), self._failed),
                        seconds=r["seconds"],
                    ),
                )
            print(json.dumps(answer), file=self._replies, flush=True)
        return True


def changed_functions(before: str, after: str, path: str) -> list[tuple[CodeType, CodeType]] | None:
    """Return the code of functions (not nested ones) before and after; None where more than those changed."""
    with suppress(SyntaxError):
        olds, news = (_functions_of(compile(text, path, "exec")) for text in (before, after))
        if [name for name, _ in olds] != [name for name, _ in news] or _frame(before) != _frame(after):
            return None
        pairs = [(a, b) for (_, a), (_, b) in zip(olds, news, strict=True) if a != b]
        if pairs and all(a.co_freevars == b.co_freevars for a, b in pairs):
            return pairs
    return None


def _functions_of(code: CodeType, within: str = "") -> list[tuple[str, CodeType]]:
    """Return the functions and methods of a module or class, those of classes inside a class too."""
    found = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            name = f"{within}.{constant.co_name}"
            is_class = not constant.co_flags & 0x2  # a function's locals are fast ones
            found += _functions_of(constant, name) if is_class else [(name, constant)]
    return found


def _frame(source: str) -> str:
    """Return what a source does outside the bodies of its functions."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [ast.Pass()]
    return ast.dump(tree)


def run_hot(copy: Path, files: list[str]) -> None:
    """Answer requests from stdin: JSON with a mutant, the tests it meets and their seconds."""
    _enter(copy)
    requests, replies = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    _redirect(copy)
    pytest.main([*OPTIONS, *files], plugins=[Hot(copy, requests, replies)])


def run_cold(copy: Path, libraries: list[str]) -> None:
    """Answer the same requests as `run_hot`, for any mutant."""
    _enter(copy)
    requests, replies = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    _redirect(copy)
    for name in libraries:
        with suppress(Exception):
            importlib.import_module(name)
    assert "citation_pipeline" not in sys.modules
    gc.collect()
    gc.freeze()
    for line in requests:
        request = json.loads(line)
        mutant = Mutant(**request["mutant"]) if request["mutant"] else None

        def run_tests(names: list[str] = request["tests"], mutant: Mutant | None = mutant) -> tuple[int, str]:
            if mutant is not None:
                path = copy / mutant.file
                path.write_text(mutant.apply(path.read_text()))
            chosen = Selected(names)
            files = list(dict.fromkeys(name.split("::")[0] for name in names))
            return int(pytest.main([*OPTIONS, *files], plugins=[chosen])), chosen.failed

        answer = _restoring(
            copy, mutant, lambda r=request, run=run_tests: in_fork(copy, run, seconds=r["seconds"])
        )
        print(json.dumps(answer), file=replies, flush=True)


def in_fork(copy: Path, run: Callable[[], tuple[int, str]], *, seconds: float) -> str:
    """Run tests in a fork; returns what ended them: a failed test, another reason, or "" if none did."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.close(reader)
        _redirect(copy)
        limit = int(PATIENCE * seconds + LEAST_S)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        code, failed = 1, ""
        try:
            code, failed = run()
        except BaseException:  # a mutant may exit
            traceback.print_exc()
            sys.stderr.flush()
        os.write(writer, json.dumps([code, failed]).encode())
        os._exit(0)
    os.close(writer)
    until = time.monotonic() + 5 * (PATIENCE * seconds + LEAST_S)  # the machine may be busy
    while os.waitpid(child, os.WNOHANG) == (0, 0) and time.monotonic() < until:
        time.sleep(0.01)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(child, 0)
    with os.fdopen(reader) as pipe:
        told = pipe.read()
    if not told:
        return "timeout or crash"
    code, failed = json.loads(told)
    if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return ""
    return failed or "the tests cannot be loaded"


def _restoring(copy: Path, mutant: Mutant | None, run: Callable[[], str]) -> str:
    """Run something that changes the mutant's file, and change it back."""
    if mutant is None:
        return run()
    path = copy / mutant.file
    source, stat = path.read_text(), path.stat()
    try:
        return run()
    finally:
        path.write_text(source)
        os.utime(path, (stat.st_atime, stat.st_mtime))


def _enter(copy: Path) -> None:
    os.chdir(copy)
    sys.path.insert(0, str(copy))
    # compiled files are known by time and size alone, and a mutant has often its original's size
    os.environ |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(copy.parent)
    sys.dont_write_bytecode = True


def _redirect(copy: Path) -> None:
    log = os.open(copy / "mutant.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
