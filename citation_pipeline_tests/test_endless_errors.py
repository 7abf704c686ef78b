"""A server whose error answer has no end: the claim is given back, and memory stays small."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.conversation import bounded_errors
from citation_pipeline.adapters.conversation.errors import ProviderError
from citation_pipeline.adapters.installed_readers import EXTRACTORS, InstalledReaders
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline_tests.claude_scenes import CLAIM, workers_comp
from citation_pipeline_tests.fake_platforms import BEDROCK_MODEL, VERTEX_MODEL
from citation_pipeline_tests.test_claude_asking import DOCUMENTS

_MOST = 300_000_000  # what a reader without bounds would take long before it gives up


class Endless:
    """Answers everything with a status and a body that goes on."""

    def __init__(self, status: int) -> None:
        self.sent = 0
        endless = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *arguments: Any) -> None: ...

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.end_headers()
                with suppress(OSError):
                    self.wfile.write(b'{"error": {"message": "no')
                    while endless.sent < _MOST:
                        self.wfile.write(b"o" * 65_536)
                        endless.sent += 65_536

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture(params=[400, 401, 404])
def endless(request: pytest.FixtureRequest) -> Iterator[Endless]:
    server = Endless(request.param)
    yield server
    server.server.shutdown()
    server.server.server_close()


@pytest.mark.parametrize("name", ["claude", "claude-bedrock", "claude-vertex", "openai", "azure-openai"])
def test_an_error_without_an_end_is_cut_and_told_by_its_status(
    name: str, endless: Endless, tmp_path: Path
) -> None:
    url = endless.url
    variables = {
        "claude": {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": url},
        "claude-bedrock": {
            "AWS_REGION": "us-east-1",
            "AWS_BEARER_TOKEN_BEDROCK": "k",
            "ANTHROPIC_BEDROCK_BASE_URL": url,
            "CITATION_PIPELINE_MODEL": BEDROCK_MODEL,
        },
        "claude-vertex": {
            "CLOUD_ML_REGION": "us-east5",
            "ANTHROPIC_VERTEX_PROJECT_ID": "p",
            "VERTEX_ACCESS_TOKEN": "k",
            "ANTHROPIC_VERTEX_BASE_URL": url,
            "CITATION_PIPELINE_MODEL": VERTEX_MODEL,
        },
        "openai": {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "k", "CITATION_PIPELINE_MODEL": "m"},
        "azure-openai": {
            "AZURE_OPENAI_ENDPOINT": url,
            "AZURE_OPENAI_API_KEY": "k",
            "CITATION_PIPELINE_MODEL": "m",
        },
    }[name]
    extractor = InstalledReaders(EXTRACTORS, ReaderSettings(work_dir=tmp_path, variables=variables))[name]()
    with pytest.raises(ProviderError) as raised:
        extractor.ask(CLAIM, DOCUMENTS, workers_comp())
    extractor.close()
    assert not raised.value.transient
    assert raised.value.status in (400, 401, 404)
    assert "nooo" not in str(raised.value)
    # sockets hold some megabytes that nobody has read; each of a few attempts ends early
    assert endless.sent < _MOST / 5
    assert bounded_errors.MOST_BYTES < 1_000_000
