"""The commands over a store in object storage, from two hosts that have no folder in common."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.stored_files import Copies
from citation_pipeline_tests.forked_commands import run_forked
from citation_pipeline_tests.loopback import free_port
from citation_pipeline_tests.object_servers import CREDENTIALS, s3_server, url_of

LETTER = """Harbor Mutual Insurance

Dear Ms. Orellana,

We paid $412.50 to Baywater Clinic on March 4, 2025.

Yours, the adjuster
"""
SCHEMA = {
    "type": "object",
    "properties": {
        "payment": {
            "type": "object",
            "properties": {"payee": {"type": "string"}, "amount": {"type": "number"}},
        }
    },
}
LETTER_SHA1 = hashlib.sha1(LETTER.encode()).hexdigest()
ANSWER = {
    "extractions": [
        {
            "field_key": "payment.payee",
            "value": "Baywater Clinic",
            "citations": [{"source_id": "letter", "text_snippet": "paid $412.50 to Baywater Clinic"}],
        },
        {
            "field_key": "payment.amount",
            "value": 412.5,
            "citations": [{"source_id": "letter", "text_snippet": "paid $412.50"}],
        },
    ]
}


def write_folder(folder: Path) -> Path:
    """Write a claim with a letter, a recorded answer and, beside it, a schema of its own."""
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "letter.txt").write_text(LETTER)
    (folder / "extraction_raw.json").write_text(json.dumps(ANSWER))
    (folder.parent / "payments.json").write_text(json.dumps(SCHEMA))
    return folder


@dataclass(frozen=True)
class Host:
    """A machine: its own folder for everything that is local, and the commands it runs."""

    folder: Path
    store: str

    @property
    def environment(self) -> dict[str, str]:
        """What the commands of this host are told."""
        left = {
            name: value for name, value in os.environ.items() if not name.startswith(("CITATION", "DAGSTER"))
        }
        return left | CREDENTIALS | {"CITATION_PIPELINE_WORK_DIR": str(self.folder / "work")}

    def command(self, *arguments: str) -> list[str]:
        """Return a command line."""
        return [sys.executable, "-m", "citation_pipeline", *arguments, "--store", self.store]

    def run(self, *arguments: str, code: int = 0) -> str:
        """Run a command; returns what it printed."""
        self.folder.mkdir(exist_ok=True)
        done = run_forked([*arguments, "--store", self.store], env=self.environment, cwd=self.folder)
        assert done.returncode == code, done.stdout + done.stderr
        for secret in CREDENTIALS.values():
            assert secret not in done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def serving(self) -> Iterator[httpx.Client]:
        """Run the viewer."""
        port = free_port()
        self.folder.mkdir(exist_ok=True)
        process = subprocess.Popen(
            self.command("serve", "--port", str(port)),
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                _wait_for(client)
                yield client
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(client: httpx.Client) -> None:
    ends = time.monotonic() + 90
    while time.monotonic() < ends:
        try:
            client.get("/health")
        except httpx.TransportError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError("the viewer did not start")


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Host, Host, Host]]:
    """Two hosts over one bucket, and one with a store of its own on its disk, which ran the same claim."""
    root = tmp_path_factory.mktemp("hosts")
    with s3_server() as endpoint:
        url = url_of(endpoint, "team/store")
        one, two, local = Host(root / "one", url), Host(root / "two", url), Host(root / "disk", "store")
        for host in (one, local):
            claim = write_folder(host.folder / "in" / "C-1")
            schema = str(claim.parent / "payments.json")
            host.run("run", str(claim), "--extractor", "replay", "--schema", schema)
        yield one, two, local


def test_a_claim_that_one_host_ran_is_the_same_as_on_a_disk(hosts: tuple[Host, Host, Host]) -> None:
    one, two, local = hosts
    shutil.rmtree(one.folder / "in")  # no host has the folder any more
    here = ClaimStore(local.folder / "store")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in CREDENTIALS.items():
            patch.setenv(name, value)
        there = ClaimStore(one.store, copies=Copies(two.folder / "looked"))
        assert _dataset(there) == _dataset(here)
        for table in ("words", "blocks", "fields", "citations", "chunks"):
            assert there.read_rows(table, "C-1") == here.read_rows(table, "C-1")
        registered = there.read_bytes("claims", "C-1.json").decode()
    assert str(one.folder.parent) not in registered
    assert json.loads(registered)["folder"] == ""


def _dataset(store: ClaimStore) -> dict[str, Any]:
    dataset = store.read_viewer_dataset("C-1")
    dataset.pop("pipeline")
    return dataset


def test_another_host_plans_runs_and_shows_a_claim_whose_folder_it_never_had(
    hosts: tuple[Host, Host, Host], tmp_path: Path
) -> None:
    _, two, local = hosts
    planned = two.run("plan", "C-1", "--json")
    assert '"claims_current": 1' in planned
    two.run("rematch", "C-1")
    assert two.run("show", "C-1", "--citations") == local.run("show", "C-1", "--citations")
    # the parse of its own, from the originals in the store: this host has no cache of it
    source = json.loads(two.run("show", "C-1", "--citations").splitlines()[0])["source_id"]
    assert "parsed again; it says the same" in two.run("run", "C-1", "--document", source)
    two.run("export", "C-1", "--out", str(tmp_path / "export"))
    assert [path for path in (tmp_path / "export").rglob("*") if path.suffix in (".png", ".webp", ".jpg")]
    two.run("artifacts", "C-1", "--out", str(tmp_path / "artifacts"))
    highlights = json.loads((tmp_path / "artifacts" / "highlights.json").read_text())
    assert len(highlights) == 2
    assert all(LETTER_SHA1 in json.dumps(one) for one in highlights)  # of the original's bytes


def test_another_hosts_viewer_shows_pages_originals_search_and_evidence(
    hosts: tuple[Host, Host, Host],
) -> None:
    _, two, _ = hosts
    with two.serving() as client:
        (line,) = client.get("/api/claims").json()["claims"]
        assert (line["claimId"], line["state"]) == ("C-1", "ready")
        dataset = client.get("/api/claims/C-1").json()
        source = dataset["sources"][0]["id"]
        pages = f"/api/claims/C-1/sources/{source}/pages/1/image"
        page = client.get(pages, params={"width": 900})
        assert (page.status_code, page.headers["content-type"][:6]) == (200, "image/"), page.text
        original = client.get(f"/api/claims/C-1/sources/{source}/original")
        assert original.text == LETTER
        found = client.get("/api/search", params={"q": "Baywater Clinic"}).json()
        assert found.get("results"), found
        evidence = client.get("/api/claims/C-1/evidence.zip")
        assert evidence.content[:2] == b"PK"
