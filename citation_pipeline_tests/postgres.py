"""A PostgreSQL server of the tests' own: on a free port of the loopback, without a sync, gone afterwards."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg2  # type: ignore[import-untyped]

from citation_pipeline_tests.loopback import free_port

_SPEED = ("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")


def find_program(name: str) -> str | None:
    """A program of the server: on the path, or where Debian's packages have it."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(found[-1]) if found else None)


@dataclass
class PostgresServer:
    """A server that runs, with as many databases as are asked for."""

    folder: Path
    port: int
    user: str | None  # the server refuses to run as root
    process: subprocess.Popen[bytes] | None = None
    made: int = 0
    logs_statements: bool = False

    def new_database(self) -> str:
        """The URL of an empty database; it names no driver, as people write it."""
        self.made += 1
        name = f"test_{self.made}"
        connection = _connect(self.port)
        connection.autocommit = True  # a database is made outside a transaction
        connection.cursor().execute(f"CREATE DATABASE {name}")
        connection.close()
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def start(self) -> None:
        command = [str(find_program("postgres")), "-D", str(self.folder / "data"), "-p", str(self.port)]
        command += ["-h", "127.0.0.1", "-k", str(self.folder), "-c", "max_connections=200", *_SPEED]
        if self.logs_statements:
            command += ["-c", "log_statement=all"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, user=self.user, stdout=log, stderr=log)
        until = time.monotonic() + 120
        while True:
            try:
                _connect(self.port).close()
                return
            except psycopg2.OperationalError:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise
                time.sleep(0.05)

    def statements(self) -> int:
        """How many statements were sent so far, where they are logged."""
        return (self.folder / "log").read_bytes().count(b"LOG:  statement: ")

    def stop(self) -> None:
        """End at once, as a server that is restarted does: every connection breaks."""
        if self.process is not None:
            self.process.send_signal(2)
            self.process.wait(60)
            self.process = None


@contextmanager
def running_postgres(*, logs_statements: bool = False) -> Iterator[PostgresServer]:
    """A server in a folder of its own below the system's temporary one (a socket's path has to be short)."""
    user = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    if user is not None:
        os.chown(folder, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)
    port = free_port()
    initdb = [str(find_program("initdb")), "-D", str(folder / "data"), "-U", "postgres", "-A", "trust"]
    subprocess.run([*initdb, "--no-sync", "-E", "UTF8"], user=user, check=True, capture_output=True)
    server = PostgresServer(folder, port, user, logs_statements=logs_statements)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _connect(port: int) -> "psycopg2.extensions.connection":
    return psycopg2.connect(
        host="127.0.0.1", port=port, user="postgres", dbname="postgres", connect_timeout=5
    )
