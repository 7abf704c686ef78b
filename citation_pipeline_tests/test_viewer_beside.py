"""Two documents side by side, in a real Chromium: what is beside is for looking and is signed by nobody."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import document_tables
from citation_pipeline.core.claims import Claim
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store, documents

pytestmark = pytest.mark.browser

NAME, OCCUPATION = "claimant.name", "claimant.occupation"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def store(tmp_path: Path) -> ClaimStore:
    return build_store(tmp_path)


@pytest.fixture
def visit(browser: Browser, store: ClaimStore) -> Iterator[Visit]:
    with running(ServingSettings(store.root, render_workers=1, local_reviewer="Ada")) as address:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}))
        visit.open(f"{address}/claims/{CLAIM_ID}")
        yield visit
        assert visit.problems == []
        visit.page.close()


def test_a_place_stays_beside_while_others_are_looked_at_and_signs_nothing(visit: Visit) -> None:
    page = visit.page
    visit.look_at(NAME)
    visit.card(NAME).get_by_role("button", name="Open beside").click()
    beside = page.get_by_role("region", name="Second document", exact=True)
    expect(beside.get_by_label("Second document", exact=True)).to_have_value("adjuster-letter")
    expect(beside.locator(".frame[data-drawn] .mark.value")).to_have_count(1)

    visit.look_at(OCCUPATION)  # of another document, in the first pane
    expect(beside.locator(".mark.value")).to_have_count(1)
    expect(page.locator('.tab[aria-selected="true"]')).to_have_text("Employer Fax")

    page.get_by_role("tab", name="Adjuster Letter").click()  # the signed place is not in the first pane now
    visit.card(NAME).locator(".card-head").focus()
    assert visit.violations() == []
    page.keyboard.press("v")
    expect(beside).to_be_hidden()


def test_a_place_that_can_be_read_beside_only_is_not_signed(visit: Visit) -> None:
    page = visit.page
    visit.card(NAME).locator(".badge").first.click(modifiers=["Shift"])
    beside = page.get_by_role("region", name="Second document", exact=True)
    expect(beside.locator(".frame[data-drawn] .mark.value")).to_have_count(1)
    visit.press(*["-"] * 12)  # the first pane's pages are too small to be read now
    visit.card(NAME).locator(".card-head").click()
    page.wait_for_timeout(700)
    visit.press("c")
    visit.hear("too small to be read")
    assert "Confirmed" not in visit.card(NAME).inner_text()


def test_a_place_stays_marked_beside_when_the_pipeline_writes_the_claim_anew(
    visit: Visit, store: ClaimStore
) -> None:
    visit.card(NAME).locator(".badge").first.click(modifiers=["Shift"])
    beside = visit.page.get_by_role("region", name="Second document", exact=True)
    expect(beside.locator(".frame[data-drawn] .mark.value")).to_have_count(1)
    dataset = store.read_viewer_dataset(CLAIM_ID)
    next(one for one in dataset["fields"] if one["fieldKey"] == OCCUPATION)["value"] = "Crane operator"
    store.write_viewer_dataset(CLAIM_ID, dataset, inputs={})
    expect(visit.card(OCCUPATION).locator(".card-value")).to_have_text("Crane operator")
    expect(beside.locator(".frame[data-drawn] .mark.value")).to_have_count(1)


def test_words_that_differ_between_two_pages_are_marked_in_both(visit: Visit, store: ClaimStore) -> None:
    page = visit.page
    visit.press("v")
    beside = page.get_by_role("region", name="Second document", exact=True)
    beside.get_by_role("button", name="Mark the words that differ").click()
    expect(beside.get_by_role("status")).to_contain_text("the same words, as they were read")
    beside.get_by_label("Page of the second document").fill("2")
    page.keyboard.press("Enter")
    expect(beside.get_by_role("status")).to_contain_text("page 1 and page 2 beside it differ")
    expect(page.locator("#stage > .scroller .mark.differs").first).to_be_attached()
    said = beside.get_by_role("status").inner_text()
    expect(page.locator(".mark.differs")).to_have_count(int(said.split()[0]))
    beside.get_by_label("Second document", exact=True).select_option("locked")
    expect(beside).to_contain_text("This document could not be read")
    expect(beside.get_by_role("status")).to_contain_text("cannot be compared")
    page.keyboard.press("Escape")
    expect(beside).to_be_hidden()
    expect(page.locator(".mark.differs")).to_have_count(0)


def test_both_scroll_together_when_asked_to(visit: Visit) -> None:
    page = visit.page
    visit.press("v")
    beside = page.get_by_role("region", name="Second document", exact=True)
    panes = "[...document.querySelectorAll('#stage .scroller')]"
    tops = f"() => {panes}.map((s) => Math.round(s.scrollTop))"
    page.wait_for_selector(".beside .frame[data-drawn]")
    # the first pane is fitted anew a moment after it was made narrower, which moves it as well
    page.wait_for_function(f"() => {panes}.every((s) => s.scrollWidth <= s.clientWidth)")
    before = page.evaluate(tops)
    page.evaluate("document.querySelector('#stage > .scroller').scrollTop += 30")
    page.wait_for_timeout(200)
    assert page.evaluate(tops)[1] == before[1]
    beside.get_by_role("button", name="Scroll together").click()
    page.evaluate("document.querySelector('#stage > .scroller').scrollTop += 20")
    moved = f"""([first, second]) => {{
      const [one, other] = ({tops})();
      return one === first && Math.abs(other - second) <= 2;
    }}"""
    page.wait_for_function(moved, arg=[before[0] + 50, before[1] + 20])


def test_another_claim_closes_what_is_beside(visit: Visit, store: ClaimStore, tmp_path: Path) -> None:
    folder = tmp_path / "folders" / "B-2"
    store.register(Claim("B-2", str(folder), str(folder)))
    read = documents(folder)
    store.write_stage("parsed_documents", "B-2", tables=document_tables("B-2", read), inputs={})
    dataset = {**store.read_viewer_dataset(CLAIM_ID), "claimId": "B-2"}
    dataset.pop("pipeline", None)
    store.write_viewer_dataset("B-2", dataset, inputs={})
    visit.press("v")
    expect(visit.page.locator(".beside")).to_be_visible()
    visit.page.locator(".claim-search select").select_option("open")
    visit.page.locator('.claim[href="/claims/B-2"]').click()
    expect(visit.page.locator(".data-title h1")).to_have_text("B-2")
    expect(visit.page.locator(".beside")).to_be_hidden()
