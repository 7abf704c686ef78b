"""The fake as a process of its own, and the handle by which tests script it and read its counters."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from citation_pipeline_tests.fake_reducto.faults import Fault


class FakeReductoHandle:
    """Speaks to the admin endpoints of a running fake."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url

    def _admin(self, what: str, body: Any = None, *, post: bool = False) -> Any:
        request = urllib.request.Request(
            f"{self.base_url}/_admin/{what}",
            data=json.dumps(body).encode() if post else None,
            method="POST" if post else "GET",
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def reset(self, **settings: Any) -> None:
        """Forget uploads, jobs, counters and faults; back to the given settings."""
        defaults = {"rate": 0.0, "burst": 1, "statuses": ["Pending", "Completed"], "outcomes": {}}
        defaults |= {"oddities": [], "result_ttl": 3600.0, "always_inline": False, "list_configs": True}
        defaults |= {"whole_response_at_url": False, "direct_limit": 100_000_000, "retry_after": "1"}
        defaults |= {"inline_limit": 6_000_000}
        self._admin("reset", defaults | settings, post=True)

    def configure(self, **settings: Any) -> None:
        """Change settings while it runs."""
        self._admin("settings", settings, post=True)

    def script(self, operation: str, kind: str, **details: Any) -> None:
        """Script one fault; see `faults.Fault`."""
        raw = {"operation": operation, "kind": kind, **details}
        Fault.read(raw)  # fail here, in the test, with a traceback that says why
        self._admin("faults", raw, post=True)

    def add_fixture(self, sha256: str, response: dict[str, Any]) -> None:
        """Answer with this ParseResponse for a document with this hash."""
        self._admin("fixtures", {sha256: response}, post=True)

    @property
    def counters(self) -> dict[str, int]:
        """Uploads, jobs, polls, deletions, faults that happened and `pending_faults`; absent means zero."""
        return _Zeros(self._admin("counters"))

    @property
    def requests(self) -> list[dict[str, Any]]:
        """Every API request: operation, monotonic time, parse requests' body, direct uploads' file_name."""
        found: list[dict[str, Any]] = self._admin("requests")
        return found

    @property
    def jobs(self) -> list[dict[str, Any]]:
        """All jobs: job_id, file_id, sha256, polls."""
        found: list[dict[str, Any]] = self._admin("jobs")
        return found


class _Zeros(dict[str, int]):
    def __missing__(self, key: str) -> int:
        return 0


@contextmanager
def spawn_fake_reducto(*arguments: str) -> Iterator[FakeReductoHandle]:
    """Run `python -m citation_pipeline_tests.fake_reducto` on a free port and stop it at the end."""
    command = [sys.executable, "-m", "citation_pipeline_tests.fake_reducto", "--port", "0", *arguments]
    root = Path(__file__).parents[2]  # this package is not installed; only its project folder knows it
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        try:
            first = process.stdout.readline()
            if not first:
                raise RuntimeError(f"the fake Reducto did not start; exit code {process.wait()}")
            yield FakeReductoHandle(json.loads(first)["base_url"])
        finally:
            process.terminate()
