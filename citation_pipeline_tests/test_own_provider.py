"""Parsers and extractors of other packages: found by entry point, priced, and never built in a re-match."""

import json
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.installed_readers import EXTRACTORS, PARSERS, SHIPPED, InstalledReaders
from citation_pipeline.adapters.outbound_ledger import read_ledger
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.adapters.readers import PaidReaderError, ReaderError, Readers, UnknownReaderError
from citation_pipeline_tests.commands import command

PACKAGE = Path(__file__).parent / "own_provider"
LETTER = "Harbor Foods of Long Beach\n\nThe claim is accepted for the lumbar spine."
ANSWER = {
    "extractions": [
        {
            "field_key": "employer.name",
            "value": "Harbor Foods",
            "citations": [{"source_id": "letter", "text_snippet": "Harbor Foods of Long Beach"}],
        }
    ]
}


class _Service(BaseHTTPRequestHandler):
    asked: list[dict[str, Any]]

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        body = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None: ...


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """What the service was asked."""
    handler = type("Service", (_Service,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    monkeypatch.setenv("ACME_URL", f"http://127.0.0.1:{server.server_port}/")
    yield handler.asked  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example package, installed as pip does it, without an index."""
    root = tmp_path_factory.mktemp("own")
    shutil.copytree(PACKAGE, root / "source", ignore=shutil.ignore_patterns("__pycache__"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    pip += ["--no-build-isolation", "--target", str(root / "site"), str(root / "source")]
    subprocess.run(pip, check=True, capture_output=True)
    return root / "site"


@pytest.fixture
def claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")
    folder = tmp_path / "CLM-9"
    folder.mkdir()
    (folder / "letter.txt").write_text(LETTER)
    return folder


def test_an_extractor_of_another_package_is_run_priced_and_never_called_in_a_rematch(
    installed: Path,
    claim: Path,
    asked: list[dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(installed))
    store = tmp_path / "store"
    ran = command("run", claim, "--store", store, "--extractor", "acme", "--json")
    assert ran.exit_code == 0, ran.output
    record = json.loads(ran.stdout)
    assert (record["fields_found"], record["citations"]) == (1, {"resolved": 1})
    assert [list(question["documents"]) for question in asked] == [["letter"]]
    ledger = read_ledger(store / "ledger").to_pylist()
    assert [(row["vendor"], row["claim_id"], row["cost_usd"]) for row in ledger] == [("acme", "CLM-9", 0.002)]

    rematched = command("rematch", "--store", store)
    assert rematched.exit_code == 0, rematched.output
    assert len(asked) == 1

    (claim / "second.txt").write_text("Another letter.")
    planned = command("plan", "--store", store, "--json")
    stages = {line["stage"]: line for line in map(json.loads, planned.stdout.splitlines()) if "stage" in line}
    assert (stages["raw_extraction"]["action"], stages["raw_extraction"]["calls"]) == ("run", 1)
    assert stages["raw_extraction"]["dollars"] > 0
    assert len(asked) == 1


def test_the_command_line_lists_what_is_installed_and_refuses_other_names(
    installed: Path, claim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = command("run", claim, "--store", tmp_path / "store", "--extractor", "acme")
    assert (refused.exit_code, "'acme' is not one of" in refused.output) == (2, True)
    monkeypatch.syspath_prepend(str(installed))
    shown = command("run", "--help").output.replace("\n", "")
    assert all(name in shown for name in (*SHIPPED[EXTRACTORS], *SHIPPED[PARSERS], "acme"))


def test_a_rematch_builds_no_provider_of_any_name(
    claim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    assert command("run", claim, "--store", store).exit_code in (0, 1)
    built: list[str] = []
    get = Readers.get
    monkeypatch.setattr(Readers, "get", lambda self, name: (built.append(name), get(self, name))[1])
    rematched = command("rematch", "--store", store)
    assert rematched.exit_code == 0, rematched.output
    assert built == []


@pytest.mark.parametrize("group", [EXTRACTORS, PARSERS])
def test_a_rematch_gets_no_paid_reader_and_does_not_build_it_to_find_out(group: str, tmp_path: Path) -> None:
    readers = Readers("reader", InstalledReaders(group, ReaderSettings(tmp_path)))
    paid = [name for name in SHIPPED[group] if readers.is_paid(name)]
    assert paid
    for name in paid:
        assert readers.trait(name, "sends")
        assert readers.trait(name, "pool")
        assert callable(readers.trait(name, "price", None))
        with pytest.raises(PaidReaderError, match="a re-match makes no external call"):
            readers.without_paid().get(name)
    for name in set(SHIPPED[group]) - set(paid):
        assert (readers.trait(name, "sends"), readers.trait(name, "pool")) == ("", "")


def test_a_paid_reader_that_tells_no_price_is_refused_instead_of_planned_at_nothing() -> None:
    class Silent:
        name, is_paid = "silent", True

    with pytest.raises(ReaderError, match="tells no price"):
        Readers("extractor", {"silent": Silent}).get("silent")
    with pytest.raises(PaidReaderError):
        Readers("extractor", {"silent": Silent}).without_paid().get("silent")


def test_a_package_that_cannot_be_imported_is_named_without_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{EXTRACTORS}]\nbroken = no_such_module_here:Extractor\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    readers = Readers("extractor", InstalledReaders(EXTRACTORS, ReaderSettings(tmp_path)))
    assert "broken" in readers.names
    with pytest.raises(ReaderError, match="'broken' is installed but cannot be loaded"):
        readers.get("broken")
    with pytest.raises(UnknownReaderError, match="there is no extractor 'nobody'"):
        readers.get("nobody")


def test_two_packages_of_one_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{EXTRACTORS}]\nclaude = json:JSONDecoder\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    readers = Readers("extractor", InstalledReaders(EXTRACTORS, ReaderSettings(tmp_path)))
    with pytest.raises(ReaderError, match="two installed packages name 'claude'"):
        readers.names  # noqa: B018


def test_what_is_listed_is_what_the_package_declares(project: Path) -> None:
    declared = tomllib.loads((project / "pyproject.toml").read_text())["project"]["entry-points"]
    for group in (EXTRACTORS, PARSERS):
        assert declared[group] == dict(SHIPPED[group])
        for name in SHIPPED[group]:
            assert InstalledReaders(group, ReaderSettings(project))[name].kind.name == name


def test_the_example_package_is_short_and_the_guide_shows_it_whole(project: Path) -> None:
    code = (PACKAGE / "acme_extractor.py").read_text()
    assert len(code.splitlines()) < 100
    guide = (project / "docs" / "how-to" / "own-provider.md").read_text()
    assert f"```python\n{code}```" in guide
    assert f"```toml\n{(PACKAGE / 'pyproject.toml').read_text()}```" in guide


def test_a_rematch_imports_no_providers_sdk(claim: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    assert command("run", claim, "--store", store).exit_code in (0, 1)
    asked = (
        "import sys\n"
        "from citation_pipeline.cli.main import main\n"
        f"main(['rematch', '--store', {str(store)!r}], standalone_mode=False)\n"
    )
    told = (
        "\nimport atexit, sys\n"
        "sdks = ('anthropic', 'openai', 'boto3', 'google.auth', 'httpx2')\n"
        "atexit.register(lambda: print('imported', [name for name in sdks if name in sys.modules]))\n"
    )
    done = subprocess.run([sys.executable, "-c", told + asked], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == "imported []"
