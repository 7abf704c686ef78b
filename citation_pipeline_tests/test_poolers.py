"""What `doctor` says of a database behind a pooler: leases need a session for each connection."""

import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg2
import pytest

from citation_pipeline.adapters.probes.databases import look_at_database
from citation_pipeline.adapters.probes.findings import State
from citation_pipeline_tests.loopback import free_port
from citation_pipeline_tests.postgres import PostgresServer

VARIABLE = "CITATION_PIPELINE_COORDINATION_URL"


@contextmanager
def pooled(server: PostgresServer, url: str, mode: str) -> Iterator[str]:
    """A pgbouncer before a database; yields the URL through it."""
    program = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
    folder = Path(tempfile.mkdtemp(prefix="pooler"))
    name = url.rpartition("/")[2]
    port = free_port()
    (folder / "users").write_text('"postgres" ""\n')
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n{name} = host=127.0.0.1 port={server.port} dbname={name}\n[pgbouncer]\n"
        f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\npool_mode = {mode}\n"
        f"auth_type = trust\nauth_file = {folder / 'users'}\nmax_client_conn = 50\ndefault_pool_size = 10\n"
        "ignore_startup_parameters = extra_float_digits,options\n"
    )
    if server.user is not None:
        shutil.chown(folder, pwd.getpwnam(server.user).pw_uid)
        folder.chmod(0o755)
    process = subprocess.Popen(
        [program, str(folder / "pgbouncer.ini")],
        user=server.user,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    through = f"postgresql://postgres@127.0.0.1:{port}/{name}"
    try:
        _wait_for(through)
        yield through
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(url: str) -> None:
    until = time.monotonic() + 120
    while True:
        try:
            psycopg2.connect(url).close()
            return
        except psycopg2.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def test_a_pooler_that_shares_sessions_is_found_out_and_the_remedy_named(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    with pooled(postgres, url, "transaction") as through:
        found = look_at_database("decided once", through, VARIABLE, shared=True)
    assert found.state is State.FAILED
    assert "two hosts could work on one claim" in found.detail
    assert "pool_mode=session" in found.remedy


@pytest.mark.parametrize("mode", ["none", "session"])
def test_a_database_whose_connections_are_sessions_is_in_order(postgres: PostgresServer, mode: str) -> None:
    url = postgres.new_database()
    if mode == "none":
        assert look_at_database("decided once", url, VARIABLE, shared=True).state is State.OK
        return
    with pooled(postgres, url, mode) as through:
        assert look_at_database("decided once", through, VARIABLE, shared=True).state is State.OK
