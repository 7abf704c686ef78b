"""A Redis server of the tests' own, on a free port of the loopback; a restart keeps its queues."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis

from citation_pipeline_tests.loopback import free_port


@dataclass
class RedisServer:
    """A server that runs."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    host: str = "127.0.0.1"
    made: int = 0

    def new_broker(self) -> str:
        """The URL of queues that nobody else has."""
        self.made += 1
        return f"redis://{self.host}:{self.port}/{self.made}"

    def start(self) -> None:
        program = shutil.which("redis-server")
        assert program, "redis-server is missing: run scripts/system-packages"
        command = [program, "--port", str(self.port), "--bind", self.host, "--dir", str(self.folder)]
        command += ["--appendonly", "yes", "--save", "", "--protected-mode", "no"]
        command += ["--databases", "100"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 120
        while True:
            try:
                with redis.Redis(host=self.host, port=self.port) as client:
                    client.ping()
                return
            except redis.ConnectionError:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise
                time.sleep(0.05)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(30)
            self.process = None


@contextmanager
def running_redis(host: str = "127.0.0.1") -> Iterator[RedisServer]:
    """A server in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="redis"))
    server = RedisServer(folder, free_port(host), host=host)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
