"""Commands in a test's own folder, with one worker; their parsers are closed with the test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.defs import readers


@pytest.fixture
def closed_parsers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")
    monkeypatch.chdir(tmp_path)
    built: list[LocalParser] = []
    build = readers._local_parser

    def remember(settings: Any) -> LocalParser:
        built.append(build(settings))
        return built[-1]

    monkeypatch.setattr(readers, "_local_parser", remember)
    yield
    for parser in built:
        parser.close()
