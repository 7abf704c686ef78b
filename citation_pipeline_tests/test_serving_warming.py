"""The first reader after a start waits for nothing that the start could have done."""

from pathlib import Path

import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.serving.app import create_app
from citation_pipeline.serving.settings import ServingSettings


def test_what_images_are_keyed_by_is_read_before_the_first_reader_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def note(stage: str) -> str:
        asked.append(stage)
        return code_fingerprint(stage)

    monkeypatch.setattr("citation_pipeline.serving.rendering.page_images.code_fingerprint", note)
    with TestClient(create_app(ServingSettings(str(tmp_path), render_workers=1))):
        pass  # the start alone
    assert asked == ["page_images"]


def test_the_first_request_builds_no_models_of_routes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[object] = []
    make = TypeAdapter.__init__

    def note(self: TypeAdapter[object], *given: object, **named: object) -> None:
        built.append(self)
        make(self, *given, **named)  # type: ignore[arg-type]

    app = create_app(ServingSettings(str(tmp_path), render_workers=1))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        monkeypatch.setattr(TypeAdapter, "__init__", note)
        assert client.get("/api/claims").status_code == 200
    assert not built
