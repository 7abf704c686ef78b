"""What a screen reader is told: the accessibility tree of the main surfaces, and of parts of a file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store

pytestmark = pytest.mark.browser

NUMBER = "metadata.claim_number"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def store(tmp_path: Path) -> Path:
    build_store(tmp_path)
    return tmp_path / "store"


@pytest.fixture
def visit(browser: Browser, store: Path) -> Iterator[Visit]:
    with running(ServingSettings(str(store), render_workers=1, local_reviewer="Ada")) as address:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}))
        visit.open(f"{address}/claims/{CLAIM_ID}")
        yield visit
        assert visit.problems == []
        visit.page.close()


def heard(visit: Visit, selector: str) -> str:
    return visit.page.locator(selector).aria_snapshot()


def test_the_page_is_landmarks_with_names(visit: Visit) -> None:
    whole = heard(visit, "body")
    for landmark in ('main "Documents"', 'region "Data"', 'region "Pages"', 'toolbar "Page"', "heading"):
        assert landmark in whole, landmark
    assert 'tablist "Source documents"' in whole
    assert 'tablist "Views of the data"' in whole
    named = [line.strip() for line in whole.splitlines() if line.strip().startswith(("- button", "- link"))]
    assert [line for line in named if '"' not in line and "'" not in line] == []
    assert 'tab "Locked (could not be read)"' in whole
    assert "Citation 2 of Total Paid: Payment Ledger, not found" in whole
    assert "Medium confidence" in whole


def test_a_field_is_heard_with_its_value_place_caveats_and_keys(visit: Visit) -> None:
    visit.look_at("financials.td_paid")
    card = heard(visit, '.card[data-key="financials.td_paid"]')
    for said in (
        'article "Td Paid"',
        "[expanded]",
        "12,840.12",
        "Stored as 12840.12",
        "Citation 1 of Td Paid: Payment Ledger p.1, found, look at it",
        'group "Review Td Paid"',
        'button "Confirm c"',
    ):
        assert said in card, said
    expect(visit.page.locator("#announcements")).to_have_text(
        "Td Paid: 12,840.12. Payment Ledger, page 1. Digits on the page differ from the quoted text."
    )
    visit.press("c")
    visit.hear("status Confirmed: Td Paid")


def test_the_text_of_a_page_is_heard_and_the_drawing_is_not(visit: Visit) -> None:
    page = heard(visit, '.frame[data-page="1"]')
    assert "Date of injury" in " ".join(page.split())
    assert "img" not in page


def test_queue_and_refusals_are_heard(visit: Visit) -> None:
    visit.press("q")
    visit.page.wait_for_selector(".card.is-selected")
    assert 'tab "Review' in heard(visit, "#data .views")
    visit.wait_until_seen()
    visit.stop_clock()
    visit.press("c")
    visit.hear("status Confirmed")
    visit.press("c")
    visit.hear("alert This is the next field")


def test_documents_inside_a_file_have_tabs_and_one_key_begins_or_ends_them(visit: Visit, store: Path) -> None:
    def parts() -> list[Any]:
        sources = visit.page.request.get(
            visit.page.url.split("/claims")[0] + f"/api/claims/{CLAIM_ID}"
        ).json()
        return next(s for s in sources["sources"] if s["id"] == "adjuster-letter").get("parts", [])

    visit.page.get_by_role("tab", name="Adjuster Letter").click()
    visit.press("s")  # a file begins with its first page whatever is pressed
    expect(visit.page.locator("#announcements")).to_have_text(
        "The first page of a file always begins a document."
    )
    visit.press("PageDown")
    expect(visit.page.locator(".page-number")).to_have_value("2")
    visit.press("s")
    expect(visit.page.locator("#announcements")).to_have_text("A document begins on page 2.")
    tabs = visit.page.locator(".tab.is-part")
    expect(tabs).to_have_count(2)
    assert [part["pages"] for part in parts()] == [[1, 1], [2, 2]]
    tabs.nth(0).click()
    expect(visit.page.locator(".page-number")).to_have_value("1")
    expect(tabs.nth(0)).to_have_attribute("aria-selected", "true")
    tabs.nth(1).click()
    expect(visit.page.locator(".page-number")).to_have_value("2")
    assert visit.violations() == []
    visit.card(NUMBER).locator(".badge").first.click()
    expect(tabs.nth(0)).to_have_attribute("aria-selected", "true")
    visit.press("PageDown")
    expect(tabs.nth(1)).to_have_attribute("aria-selected", "true")
    visit.press("s")
    expect(visit.page.locator("#announcements")).to_have_text("No document begins on page 2 any more.")
    assert len(parts()) <= 1
    assert ClaimStore(store).read_viewer_dataset(CLAIM_ID)["sources"]
