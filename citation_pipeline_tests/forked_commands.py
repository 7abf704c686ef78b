"""Commands as processes of their own, forked from one that has loaded the code: for tests of many commands.

Starting Python and importing the pipeline takes three seconds of processor time, most commands a tenth of
one. What forks has loaded code and nothing else: it opened no store, and knows neither settings nor folders.
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def run_forked(
    arguments: Sequence[str], *, env: Mapping[str, str], cwd: Path
) -> "subprocess.CompletedProcess[str]":
    """Run `citation-pipeline` with these arguments in a new process, and return what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        out, error = Path(folder) / "out", Path(folder) / "error"
        request = {"arguments": list(arguments), "env": dict(env), "cwd": str(cwd)}
        request |= {"out": str(out), "error": str(error)}
        server = _server()
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(list(arguments), code, out.read_text(), error.read_text())


@cache
def _server() -> "subprocess.Popen[str]":
    left = {name: value for name, value in os.environ.items() if not name.startswith(("CITATION", "DAGSTER"))}
    server = subprocess.Popen(
        [sys.executable, "-m", "citation_pipeline_tests.forked_commands"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=left,
        cwd=PROJECT,
        text=True,
    )
    atexit.register(_end, server)
    return server


def _end(server: "subprocess.Popen[str]") -> None:
    server.kill()
    server.communicate()


def _serve() -> list[str]:
    """Fork for each request and answer with its exit code; returns in a fork only, with its arguments."""
    from citation_pipeline.adapters.tables.light_arrow import leave_pandas_out

    leave_pandas_out()  # as the command line does
    import citation_pipeline.cli.main
    import citation_pipeline.defs.runs.processing  # noqa: F401 - what most commands take longest to import

    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os.environ.clear()
            os.environ.update(request["env"])
            os.chdir(request["cwd"])
            for number, name in enumerate((os.devnull, request["out"], request["error"])):
                opened = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
                os.dup2(opened, number)
                os.close(opened)
            return list(request["arguments"])
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    os._exit(0)


if __name__ == "__main__":
    told = _serve()
    from citation_pipeline.cli.main import main

    main(told, prog_name="citation-pipeline")
