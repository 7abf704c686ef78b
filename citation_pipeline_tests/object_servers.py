"""An S3 server on loopback for tests, and one that answers what a test says.

Its conditional writes are checked and then made, by several threads: two writers at once may both win there.
Tests of who wins make one write after another, or use a store in memory.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from citation_pipeline_tests.loopback import free_port

BUCKET = "claims"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "AKTESTKEY", "AWS_SECRET_ACCESS_KEY": "never-in-a-message"}


@contextmanager
def s3_server() -> Iterator[str]:
    """Run an S3 server with an empty bucket; yields its address."""
    port = free_port()
    command = [
        sys.executable,
        "-c",
        "from moto.server import main; main()",
        "-H",
        "127.0.0.1",
        "-p",
        str(port),
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    endpoint = f"http://127.0.0.1:{port}"
    try:
        _wait_for(endpoint, process)
        yield endpoint
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_for(endpoint: str, process: "subprocess.Popen[bytes]") -> None:
    ends = time.monotonic() + 120
    while time.monotonic() < ends and process.poll() is None:
        try:
            httpx.put(f"{endpoint}/{BUCKET}").raise_for_status()
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the S3 server did not start")


def url_of(endpoint: str, prefix: str) -> str:
    """Return a store's URL on a server."""
    host = endpoint.removeprefix("http://")
    return f"s3://{BUCKET}/{prefix}?scheme=http&endpoint_override={host}&region=us-east-1"


@contextmanager
def answering(statuses: Sequence[int]) -> Iterator[tuple[str, list[str]]]:
    """Run a server that answers these statuses in turn, the last one for ever; yields it and its requests."""
    left, asked = list(statuses), []

    class Answers(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked.append(self.command)
            status = left.pop(0) if len(left) > 1 else left[0]
            body = b"" if status == 200 else b"<Error><Code>SlowDown</Code></Error>"
            self.send_response(status)
            self.send_header("ETag", '"of-this-object"')
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PUT = do_HEAD = _answer  # noqa: N815 - the names that the base class calls

        def log_message(self, *_: object) -> None:
            """Keep the tests' output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
