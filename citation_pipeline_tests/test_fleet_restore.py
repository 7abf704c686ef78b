"""Back up and restore a fleet's PostgreSQL and object store, as docs/fleet.md says: lose both, go on."""

import json
import subprocess
from pathlib import Path

import obstore
import psycopg2
import pytest

from citation_pipeline.adapters.object_storage.bucket import Bucket
from citation_pipeline_tests.object_servers import CREDENTIALS, s3_server, url_of
from citation_pipeline_tests.postgres import PostgresServer, find_program
from citation_pipeline_tests.test_object_store_commands import SharedHost
from citation_pipeline_tests.test_object_store_hosts import write_folder


class FleetHost(SharedHost):
    """A host whose runs and events lie in the shared database, too."""

    @property
    def environment(self) -> dict[str, str]:
        """What its commands are told."""
        return super().environment | {
            "CITATION_PIPELINE_DAGSTER_DATABASE_URL": self.database,
            "CITATION_PIPELINE_BROKER_URL": "redis://127.0.0.1:1/0",  # no run of this test is sent anywhere
        }


def run_claim(host: FleetHost, claim_id: str) -> str:
    folder = host.folder / "in" / claim_id
    if not folder.is_dir():
        write_folder(folder)
    schema = str(folder.parent / "payments.json")
    return host.run("run", str(folder), "--extractor", "replay", "--schema", schema)


def copy_out(url: str, folder: Path) -> int:
    """Copy every object of a store into a folder; return how many there were."""
    bucket = Bucket(url)
    found = 0
    for part in bucket.ask(lambda client: list(client.list(bucket.address.prefix))):
        for meta in part:
            place = folder / meta["path"]
            place.parent.mkdir(parents=True, exist_ok=True)
            got = bucket.ask(lambda client, path=meta["path"]: obstore.get(client, path))
            place.write_bytes(bytes(got.bytes()))
            found += 1
    return found


def copy_in(url: str, folder: Path) -> None:
    bucket = Bucket(url)
    for place in folder.rglob("*"):
        if place.is_file():
            name, data = place.relative_to(folder).as_posix(), place.read_bytes()
            bucket.ask(lambda client, name=name, data=data: obstore.put(client, name, data))


def rows(url: str, table: str) -> int:
    connection = psycopg2.connect(url)
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {table}")
            (count,) = cursor.fetchone()
    finally:
        connection.close()
    return int(count)


@pytest.mark.timeout(900)
def test_what_was_backed_up_is_all_there_after_both_were_lost(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    database = postgres.new_database()
    dump = tmp_path / "fleet.dump"
    (tmp_path / "store").mkdir()
    with s3_server() as endpoint:
        url = url_of(endpoint, "team/store")
        host = FleetHost(tmp_path / "one", url, database)
        host.folder.mkdir()
        host.run("fleet", "init")
        run_claim(host, "C-1")
        shown = host.run("show", "C-1")
        events = rows(database, "event_logs")
        assert events > 10
        # 1. the database first: bytes are written before the rows that name them
        subprocess.run([str(find_program("pg_dump")), "-Fc", "-f", str(dump), database], check=True)
        run_claim(host, "C-2")  # work goes on between the two copies
        # 2. the store
        assert copy_out(url, tmp_path / "store") > 20
    # both are lost: the server of the store is gone, and the database with its rows
    with psycopg2.connect(database.rpartition("/")[0] + "/postgres") as connection:
        pass
    connection.autocommit = True
    name = database.rpartition("/")[2]
    connection.cursor().execute(f"DROP DATABASE {name} WITH (FORCE)")
    connection.cursor().execute(f"CREATE DATABASE {name}")
    connection.close()
    # 3. restore both, onto another host with nothing of its own
    subprocess.run([str(find_program("pg_restore")), "-d", database, str(dump)], check=True)
    assert rows(database, "event_logs") == events
    with s3_server() as endpoint:
        url = url_of(endpoint, "team/store")
        copy_in(url, tmp_path / "store")
        restored = FleetHost(tmp_path / "two", url, database)
        restored.folder.mkdir()
        restored.run("fleet", "init")
        assert restored.run("show", "C-1") == shown
        restored.run("audit", "verify")
        # 4. what was made after the dump is found in the store, and nothing has to be made again
        for claim_id in ("C-1", "C-2"):
            planned = restored.run("plan", claim_id, "--json")
            assert json.loads(planned.splitlines()[-1])["claims_current"] == 1, planned
        (host.folder / "in").rename(restored.folder / "in")
        assert "ran " not in run_claim(restored, "C-1")
