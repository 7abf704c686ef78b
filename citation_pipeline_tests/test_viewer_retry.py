"""A document that could not be read: first among the tabs, with its remedy, and read again alone."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.cli.requested_runs import make_extract
from citation_pipeline.serving.api.agent_settings import AgentSettings
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.closed_parsers import built_parsers  # noqa: F401 - fixture
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.viewer_claim import papers
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import client_of, running

CLAIM = "R-1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A claim with a letter that can be read and a ledger that cannot."""
    folder = tmp_path / CLAIM
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "A letter.pdf").write_bytes(papers.letter()[0])
    (folder / "documents" / "Ledger.pdf").write_bytes(b"%PDF-1.7 cut off")
    (folder / "extraction_raw.json").write_text(json.dumps({"extractions": []}))
    return folder


@pytest.fixture
def settings(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    built_parsers: list[LocalParser],  # noqa: F811
) -> ServingSettings:
    store = str(tmp_path / "store")
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "store" / "dagster_home"))
    result = command("run", str(folder), "--store", store, "--extractor", "replay")
    assert result.exit_code == 1, result.output
    return ServingSettings(store, render_workers=1, agents=AgentSettings(extract=make_extract(store)))


def sources(settings: ServingSettings) -> dict[str, int]:
    with client_of(settings) as client:
        found = client.get(f"/api/claims/{CLAIM}").json()["sources"]
    return {source["name"]: source["pageCount"] for source in found}


def test_one_document_is_read_again_by_its_id_and_others_are_not_named(settings: ServingSettings) -> None:
    with client_of(settings) as client:
        both = {"claim_id": CLAIM, "documents": ["ledger"], "force": True}
        assert client.post("/extract", json=both).json()["error"]["code"] == "documents_alone"
        other = {"claim_id": CLAIM, "documents": ["another"]}
        assert client.post("/extract", json=other).status_code == 404


@pytest.mark.browser
def test_a_failed_document_comes_first_and_says_when_it_still_cannot_be_read(
    settings: ServingSettings,
) -> None:
    assert sources(settings)["Ledger"] == 0
    with running(settings) as address, browsing() as browser:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}))
        read_again(visit, address)
        assert visit.problems == []


@pytest.mark.browser
def test_an_exchanged_document_is_read_again_alone(settings: ServingSettings, folder: Path) -> None:
    with running(settings) as address, browsing() as browser:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}))
        read_again(visit, address)
        page = visit.page
        (folder / "documents" / "Ledger.pdf").write_bytes(papers.ledger()[0])
        page.locator(".unreadable").get_by_role("button", name="Read this document again").click()
        # what stays: a toast is gone after five seconds, between two looks of a busy machine
        expect(page.locator(".unreadable")).to_have_count(0)
        expect(page.locator('.tab[aria-selected="true"]')).to_contain_text("Ledger")
        expect(page.locator(".frame[data-drawn]")).to_have_count(1)
        assert visit.problems == []
    assert sources(settings)["Ledger"] == 1


def read_again(visit: Visit, address: str) -> None:
    """Open the claim, see the failed document first, and try it again in vain."""
    visit.open(f"{address}/claims/{CLAIM}")
    page = visit.page
    expect(page.locator(".tab").first).to_contain_text("Ledger")
    expect(page.locator('.tab[aria-selected="true"]')).to_contain_text("A letter")
    page.locator(".tab").first.click()
    expect(page.locator(".unreadable h2")).to_have_text("This document could not be read")
    page.locator(".unreadable").get_by_role("button", name="Read this document again").click()
    visit.hear("still cannot be read")
