"""Commands whose parsers are closed with the test that ran them, and such in a folder of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.adapters.reader_settings import ReaderSettings


@pytest.fixture
def built_parsers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[LocalParser]]:
    """The parsers that a test's commands built; their worker processes end with it."""
    built: list[LocalParser] = []
    build = LocalParser.build

    def remember(settings: ReaderSettings) -> LocalParser:
        built.append(build(settings))
        return built[-1]

    monkeypatch.setattr(LocalParser, "build", remember)
    yield built
    for parser in built:
        parser.close()


@pytest.fixture
def closed_parsers(
    built_parsers: list[LocalParser], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> list[LocalParser]:
    """The same, with one worker and in the test's own folder."""
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")
    monkeypatch.chdir(tmp_path)
    return built_parsers
