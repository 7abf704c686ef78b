"""Erasing a claim while a viewer serves it: from open databases, their logs, its memory and its folder."""

import json
import re
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import duckdb
import httpx
import pyarrow.parquet as pq
import pytest

from citation_pipeline.serving import watchers
from citation_pipeline.serving.api.agent_settings import AgentSettings
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.viewer_claim.serving import INTENT, decide, running

GONE, KEPT = "Vanish-77", "Remain-78"
PLANTED = ("Quillfeather", "QX-7741-ZULU", "remark5512", "lease5513", "question5514", "Zanzibar")


def texts(path: Path) -> Iterator[str]:
    """What a file says, each stream that can be inflated and each table of it too."""
    data = path.read_bytes()
    found = [data]
    for match in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data):
        try:
            found.append(zlib.decompressobj().decompress(data[match.start() :], 20_000_000))
        except zlib.error:
            continue
    yield from (part.decode(form, "replace") for part in found for form in ("utf-8", "utf-16-le"))
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        yield f"{table.to_pydict()} {table.schema.metadata}"
    if path.suffix == ".duckdb":
        with duckdb.connect(str(path), read_only=True) as connection:
            for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
                yield str(connection.execute(f'SELECT * FROM "{table}"').fetchall())


def test_a_claim_that_is_erased_under_a_running_viewer_is_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, temporary = tmp_path / "store", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("DAGSTER_HOME", str(store / "dagster_home"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(watchers, "TELL_SECONDS", 0.5)  # the open tab is told of while the erasure goes on
    monkeypatch.setattr(watchers, "LOOK_SECONDS", 0.2)
    for claim_id, name, number in ((GONE, "Quillfeather Ann", "QX-7741-ZULU"), (KEPT, "Other", "KK-1-KEPT")):
        folder = tmp_path / "folders" / claim_id
        folder.mkdir(parents=True)
        named = "Zanzibar" if claim_id == GONE else "note"
        (folder / f"{named}.txt").write_text(f"Claimant: {name}\nClaim number: {number}\n")
        assert command("run", str(folder), "--store", str(store)).exit_code == 0
    settings = ServingSettings(str(store), render_workers=1, agents=AgentSettings(inbox=str(store / "inbox")))
    with (
        running(settings) as url,
        httpx.Client(base_url=url, headers=INTENT, timeout=60) as client,
        client.stream("GET", f"/api/claims/{GONE}/events?tab=abcdefgh12") as watching,
    ):
        lines = watching.iter_lines()
        assert next(lines) == "retry: 2000"
        claim = client.get(f"/api/claims/{GONE}").json()
        field, source = claim["fields"][0]["fieldKey"], claim["sources"][0]["id"]
        assert decide(client, GONE, field, "correct", value="Quillfeather given").status_code == 201
        assert decide(client, GONE, field, "comment", comment="remark5512").status_code == 201
        taken = client.post(f"/api/claims/{GONE}/lease", json={"why": "lease5513"})
        assert taken.status_code in (200, 201), taken.text
        page = f"/api/claims/{GONE}/sources/{source}/pages/1"
        assert client.get(f"{page}/image?w=480").status_code == 200
        assert client.get(f"{page}/words").status_code == 200
        assert "QX-7741" in client.get("/api/search", params={"q": "QX-7741-ZULU"}).text
        asked = client.post("/ask", json={"question": "Who is question5514?", "claim_id": GONE})
        assert asked.status_code == 200, asked.text
        assert client.get(f"/api/claims/{GONE}/evidence.zip").status_code == 200
        assert client.post(f"/api/claims/{GONE}/production", json={"fields": ["*"]}).status_code == 200

        erased = command("erase", GONE, "--json", "--with-documents", "--store", str(store))

        told = json.loads(erased.stdout)
        assert (erased.exit_code, told["remains"]) == (0, []), erased.stderr
        for path in (
            f"/api/claims/{GONE}",
            f"{page}/image?w=480",
            f"{page}/words",
            f"/documents/{GONE}:{source}/file",
        ):
            assert client.get(path).status_code == 404, path
        assert "QX-7741" not in client.get("/api/search", params={"q": "claim number"}).text
        assert GONE not in client.get("/api/claims").text + client.get("/api/queue").text
        # while the viewer goes on: its databases are open, their logs of changes are there
        looked_at = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert any(path.name.endswith("-wal") for path in looked_at)
        for path in looked_at:
            for planted in (*PLANTED, GONE):
                assert planted not in str(path), path
                assert not any(planted in text for text in texts(path)), (planted, path)
        assert "KK-1-KEPT" in client.get(f"/api/claims/{KEPT}").text
    assert command("audit", "verify", "--store", str(store)).exit_code == 0
