"""The Questions panel in a real Chromium: asked, answered, and the page lights up."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.agent_claims import build_searchable_store
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root: Path = tmp_path_factory.mktemp("panel")
    build_searchable_store(root)
    with running(ServingSettings(str(root / "store"), render_workers=1)) as address:
        yield address


def test_a_question_is_answered_its_source_lights_and_nothing_breaks_the_policy(address: str) -> None:
    with browsing() as browser:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}))
        visit.open(f"{address}/claims/{CLAIM_ID}?debug")
        page = visit.page
        page.click("#open-questions")
        page.fill("#question", "What is the occupation?")
        page.press("#question", "Enter")
        panel = page.locator("#questions")
        expect(panel.locator(".q-text")).to_contain_text("Forklift operator")
        expect(panel.locator(".q-note").first).to_contain_text("top match")
        expect(panel.locator("details.q-debug")).to_have_count(2)
        panel.locator(".q-sources button").first.click()
        expect(page).to_have_url(re.compile("source=employer-fax"))
        expect(page.locator(".mark.snippet").first).to_be_visible()
        page.fill("#question", "What is the name of the dog?")
        page.press("#question", "Enter")
        expect(panel.locator(".q-text")).to_have_text("Not found in document.")
        page.press("#question", "Escape")
        expect(panel).to_be_hidden()
        assert visit.problems == []
        assert page.request.get(f"{address}/csp-reports").json() == {"count": 0}
