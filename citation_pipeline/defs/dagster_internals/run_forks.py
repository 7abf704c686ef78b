"""Processes for runs, forked from one that has loaded the code: loading it is most of what a short run costs.

The process that forks (`python -m` this module) has no connection of its own: neither database nor store is
opened before the fork. It reads requests from its worker on a socket, answers with process ids and exit
codes, and dies with its worker; its forks die with it. Whatever cannot be loaded is left to the run's own
process, which reports why.
"""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citation_pipeline.core.failures import PipelineError

_STARTS_WITHIN_S = 60.0
_LOADS_WITHIN_S = 300.0  # a machine under load takes a minute
_LOOKS_EVERY_S = 0.1  # for forks that ended
_MODULE = "citation_pipeline.defs.dagster_internals.run_forks"


class RunStartError(PipelineError):
    """A run's process could not be started; its worker fails the run."""

    transient = True


class ForkedRun:
    """A run's process, followed through the one that forked it; has what is needed of `subprocess.Popen`."""

    def __init__(self) -> None:
        self.pid = 0
        self._code: int | None = None
        self._started, self._ended = threading.Event(), threading.Event()

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code once the process has ended. Raises subprocess.TimeoutExpired."""
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired(f"run process {self.pid}", timeout or 0.0)
        assert self._code is not None
        return self._code

    def send_signal(self, number: int) -> None:
        """Send a signal to the process unless it has ended."""
        if not self._ended.is_set():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def _begin(self, pid: int) -> None:
        self.pid = pid
        self._started.set()

    def _end(self, code: int) -> None:
        self._code = code
        self._ended.set()
        self._started.set()


class RunForks:
    """Starts runs' processes; safe to share between a worker's threads."""

    def __init__(
        self, module: str = "", environment: Mapping[str, str] | None = None, *, ahead: str = ""
    ) -> None:
        """Take the code location to load and, as `package.module:function`, what else is loaded ahead."""
        self._module, self._ahead, self._environment = module, ahead, environment
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._runs: dict[int, ForkedRun] = {}
        self._asked = 0
        self._loaded = threading.Event()

    def load(self) -> None:
        """Return when the module's code is loaded, or cannot be: then each run tries, and reports why not."""
        with self._lock:
            self._open()
        self._loaded.wait(_LOADS_WITHIN_S)

    def start(self, packed: str) -> ForkedRun:
        """Start a process for what Dagster packed as a run's arguments. Raises RunStartError."""
        run = ForkedRun()
        with self._lock:
            connection = self._open()
            self._asked += 1
            number = self._asked
            self._runs[number] = run
            try:
                _send(connection, {"number": number, "packed": packed})
            except OSError as error:
                self._runs.pop(number, None)
                self._close()
                raise RunStartError("the process that starts runs is gone: the run is tried again") from error
        if not run._started.wait(_STARTS_WITHIN_S + (0 if self._loaded.is_set() else _LOADS_WITHIN_S)):
            raise RunStartError("the process that starts runs does not answer: restart this host's worker")
        if not run.pid:
            raise RunStartError("the process that starts runs ended: the run is tried again")
        return run

    def close(self) -> None:
        """End the process and what it forked."""
        with self._lock:
            self._close()

    def _open(self) -> socket.socket:
        if self._socket is not None and self._process is not None and self._process.poll() is None:
            return self._socket
        self._close()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", _MODULE, str(theirs.fileno()), str(os.getpid())),
                    *(self._module, self._ahead),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                env=dict(self._environment) if self._environment is not None else None,
            )
        self._socket = ours
        threading.Thread(target=self._listen, args=(ours,), name="run processes", daemon=True).start()
        return ours

    def _close(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
            self._socket = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        left, self._runs = self._runs, {}
        for run in left.values():  # forks died with it
            run._end(-signal.SIGKILL)
        self._loaded.clear()

    def _listen(self, connection: socket.socket) -> None:
        """Pass on what the process says, until it says no more: then its forks are dead, too."""
        with contextlib.suppress(OSError, ValueError), connection.makefile("r") as lines:
            for line in lines:
                said = json.loads(line)
                if "loaded" in said:
                    self._loaded.set()
                    continue
                run = self._runs.get(said["number"])
                if run is not None and "pid" in said:
                    run._begin(said["pid"])
                elif run is not None:
                    self._runs.pop(said["number"], None)
                    run._end(said["code"])
        with self._lock:
            if self._socket is connection:  # else another process was started since
                self._close()
                self._loaded.set()  # nobody waits for what will not come


def _send(connection: socket.socket, message: Mapping[str, Any]) -> None:
    connection.sendall(json.dumps(message).encode() + b"\n")


# --- the process that forks -------------------------------------------------------------------------------


def _die_with(parent: int) -> None:
    """Have Linux end this process with the thread that started it; ends at once where that is gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _load(module: str, ahead: str) -> None:
    """Load a code location as a run does, and what is to be loaded ahead, so that forks find it loaded."""
    try:
        from dagster._core.code_pointer import ModuleCodePointer
        from dagster._core.definitions.reconstruct import ReconstructableRepository
        from dagster._core.workspace.autodiscovery import loadable_targets_from_python_module

        place = str(Path.cwd())
        (target,) = loadable_targets_from_python_module(module, place)
        pointer = ModuleCodePointer(module, target.attribute, place)
        repository = ReconstructableRepository(pointer).get_definition()
        for name in repository.job_names:
            repository.get_job(name)
        if ahead:
            source, _, function = ahead.partition(":")
            getattr(importlib.import_module(source), function)()
    except Exception:  # whatever it is, each run meets it again and reports it
        traceback.print_exc()


def _serve(connection: socket.socket, module: str, ahead: str) -> str:
    """Fork a process for each request; returns in a fork only, with the arguments of its run."""
    from dagster._cli import main as _loaded_beside_the_module  # noqa: F401 - every run needs it

    if module:
        _load(module, ahead)
    gc.freeze()  # so that a fork's collector leaves the pages shared
    _send(connection, {"loaded": True})
    running: dict[int, int] = {}  # numbers of requests by process id
    own, heard = os.getpid(), b""
    while True:
        readable, _, _ = select.select([connection], [], [], _LOOKS_EVERY_S if running else None)
        if readable:
            data = connection.recv(1 << 16)
            if not data:
                os._exit(0)  # forks die with this process
            heard += data
        *requests, heard = heard.split(b"\n")
        for line in requests:
            request = json.loads(line)
            pid = os.fork()
            if pid == 0:
                os.setpgid(0, 0)
                _die_with(own)
                connection.close()
                return str(request["packed"])
            with contextlib.suppress(OSError):
                os.setpgid(pid, pid)  # whoever of the two is first: it is ended as a group
            running[pid] = request["number"]
            _send(connection, {"number": request["number"], "pid": pid})
        for pid in list(running):
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                code = os.waitstatus_to_exitcode(status)
                _send(connection, {"number": running.pop(pid), "code": code})


def main() -> None:
    """Serve on the socket that was inherited; in a fork, work on its run and end as Python does."""
    handle, parent, module, ahead = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    _die_with(parent)
    packed = _serve(socket.socket(fileno=handle), module, ahead)
    from dagster._cli import cli

    sys.argv = ["dagster", "api", "execute_run", packed]
    cli(auto_envvar_prefix="DAGSTER_CLI")


if __name__ == "__main__":
    main()
