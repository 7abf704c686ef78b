"""The shipped sample claim, from its documents through the pipeline into Chromium, against its truth."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from citation_pipeline.adapters.tables.answer_rows import read_extraction
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import read_pins
from citation_pipeline.core.boxes import Box, iou, union
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import running

pytestmark = pytest.mark.browser
CLAIM = "sample_claim"


@pytest.fixture(scope="module")
def store(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("sample") / "store"
    sample = project / "data" / "samples" / CLAIM
    command = [str(Path(sys.executable).with_name("citation-pipeline")), "run", str(sample)]
    subprocess.run(
        [*command, "--store", str(store), "--extractor", "replay"],
        check=True,
        capture_output=True,
        cwd=project,
    )
    return store


@contextmanager
def visiting(browser: Browser, store: Path) -> Iterator[Visit]:
    settings = ServingSettings(str(store), render_workers=1, local_reviewer="Ada")
    with running(settings) as address:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}))
        visit.open(f"{address}/claims/{CLAIM}")
        yield visit
        assert visit.problems == []
        assert visit.page.request.get(f"{address}/csp-reports").json() == {"count": 0}
        visit.page.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def visit(browser: Browser, store: Path) -> Iterator[Visit]:
    with visiting(browser, store) as visit:
        yield visit


@pytest.fixture(scope="module")
def truth(project: Path) -> list[dict[str, Any]]:
    path = project / "data" / "samples" / CLAIM / "perfect_truth.json"
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return found


def box_of(entry: dict[str, Any]) -> Box:
    return union([Box(*(box[side] for side in ("left", "top", "width", "height"))) for box in entry["boxes"]])


@pytest.mark.parametrize("kind", ["a text page", "a landscape ledger", "a fax scan"])
def test_clicked_citations_light_the_recorded_truth(
    visit: Visit, truth: list[dict[str, Any]], kind: str
) -> None:
    wanted = {
        "a text page": lambda entry: entry["file"] == "Claim Metadata Snapshot.pdf",
        "a landscape ledger": lambda entry: entry["file"] == "PAYHIST.pdf",
        "a fax scan": lambda entry: entry["scanned"],
    }[kind]
    for entry in [entry for entry in truth if wanted(entry)][:3]:
        visit.badge(entry["field_key"], entry["citation_index"])
        expect(visit.page.locator(".frame:has(.mark.snippet)")).to_have_attribute(
            "data-page", str(entry["page"])
        )
        assert iou(visit.lit("snippet"), box_of(entry)) > 0.5, entry["field_key"]
        assert visit.ink("snippet") > 0.03, entry["field_key"]


def test_a_pin_on_a_sideways_page_is_exact_and_survives_a_re_match(
    browser: Browser, store: Path, project: Path, tmp_path: Path
) -> None:
    key = "metadata.claim_number"
    store = shutil.copytree(store, tmp_path / "store")  # others look for the place that it had
    with visiting(browser, store) as visit:
        visit.card(key).locator(".card-head").click()
        visit.press("r")
        visit.page.get_by_role("tab", name="EOR 11122025").click()
        first_page = visit.page.locator('.frame[data-page="1"][data-drawn] .text-layer')
        first_page.get_by_text("PCA-24-0091827").first.click()
        expect(visit.page.locator(".pin-bar").get_by_role("button", name="Pin here")).to_be_enabled()
        visit.press("Enter")
        expect(visit.card(key).locator(".quote")).to_have_text("PCA-24-0091827")
        record = json.loads((project / "data" / "samples" / CLAIM / "truth.json").read_text("utf-8"))
        places = record["fields"][key]["citations"]
        place = next(p for p in places if p["source_id"] == "eor-11122025" and p["page"] == 1)
        box = next(box for box in place["boxes"] if box["text"] == "PCA-24-0091827")
        assert iou(visit.lit("value"), box_of({"boxes": [box]})) > 0.7
        assert visit.ink("value") > 0.03

    tables = ClaimStore(store)
    pins = read_pins(default_url(store), CLAIM)
    fields = read_extraction(tables, CLAIM).fields
    citations = resolve_claim(read_documents(tables, CLAIM), fields, pins=pins)
    pinned = next(c for c in citations if c.field_key == key and c.citation_index == 0)
    assert (pinned.source_id, pinned.page, pinned.method) == ("eor-11122025", 1, "verified")
    assert iou(union(pinned.snippet[0].boxes), union(pins[0].boxes)) > 0.9
