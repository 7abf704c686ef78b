"""A person says where the documents inside a file begin: shown at once, kept over a re-parse, read anew."""

import json
from pathlib import Path

import pytest

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.core.documents.parts import find_document_parts
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.drawn_pdfs import draw
from citation_pipeline_tests.test_document_parts import report
from citation_pipeline_tests.test_part_documents import rate_notice
from citation_pipeline_tests.viewer_claim.serving import client_of

PATH = "/api/claims/claim-8/sources/bundle/parts"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "claim-8"
    folder.mkdir()
    pages = (report(1, 2), report(2, 2), rate_notice("March 3, 2023", "$586.67"))
    (folder / "bundle.pdf").write_bytes(draw(*pages))
    assert command("run", folder, "--store", tmp_path / "store").exit_code == 0
    return folder


def _parts(store: Path) -> list[list[int]]:
    data = json.loads((store / "viewer_dataset/claim-8/data.json").read_text())
    return [part["pages"] for part in data["sources"][0].get("parts", ())]


def test_a_moved_boundary_is_shown_at_once_and_survives_a_re_parse(folder: Path) -> None:
    store = folder.parent / "store"
    assert _parts(store) == [[1, 2], [3, 3]]
    with client_of(ServingSettings(str(store), render_workers=1)) as client:
        answer = client.put(PATH, json={"starts": [2, 3]})
        assert [part["pages"] for part in answer.json()["parts"]] == [[1, 1], [2, 2], [3, 3]]
        source = client.get("/api/claims/claim-8").json()["sources"][0]
        assert [part["pages"] for part in source["parts"]] == [[1, 1], [2, 2], [3, 3]]
        assert client.put(PATH, json={"starts": [4]}).status_code == 422
        assert client.put(PATH, json={"starts": [0]}).status_code == 422
    planned = command("plan", "--store", store, "--json")
    assert "part_boundaries" in planned.output
    again = command("run", folder, "--store", store, "--document", "bundle")
    assert again.exit_code == 0, again.output
    assert command("run", folder, "--store", store).exit_code == 0
    assert _parts(store) == [[1, 1], [2, 2], [3, 3]]


def test_boundaries_belong_to_a_content_and_are_given_back(folder: Path) -> None:
    store = folder.parent / "store"
    with client_of(ServingSettings(str(store), render_workers=1)) as client:
        client.put(PATH, json={"starts": [1]})
        assert "parts" not in client.get("/api/claims/claim-8").json()["sources"][0]
        (document,) = read_documents(ClaimStore(store), "claim-8")
        assert len(find_document_parts(document)) == 1
        client.put(PATH, json={"starts": None})
        (document,) = read_documents(ClaimStore(store), "claim-8")
        assert len(find_document_parts(document)) == 2
        client.put(PATH, json={"starts": [1]})
    (folder / "bundle.pdf").write_bytes(draw(report(1, 1), rate_notice("March 3, 2023", "$586.67")))
    command("run", folder, "--store", store)
    assert _parts(store) == [[1, 1], [2, 2]]


def test_an_extractor_without_candidates_gets_the_same_parts(folder: Path, tmp_path: Path) -> None:
    (folder / "extraction_raw.json").write_text(json.dumps({"extractions": []}))
    command("run", folder, "--store", tmp_path / "replayed", "--extractor", "replay")
    assert _parts(tmp_path / "replayed") == [[1, 2], [3, 3]]
