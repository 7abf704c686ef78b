"""What was typed and not saved, in a real Chromium: after a crash, in another tab, under another person."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, expect

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store

pytestmark = pytest.mark.browser

NAME, RESERVE = "claimant.name", "financials.reserve"
PEOPLE = ("Ada", "Bob")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def store(tmp_path: Path) -> ClaimStore:
    return build_store(tmp_path)


@pytest.fixture
def address(store: ClaimStore) -> Iterator[str]:
    tokens = [AccessToken.of(f"{name}-secret-of-{name}", name=name, role=Role.REVIEWER) for name in PEOPLE]
    with running(ServingSettings(store.root, render_workers=1, tokens=tokens)) as address:
        yield address


@pytest.fixture
def context(browser: Browser) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield context
    context.close()


def signed_in(context: Any, address: str, name: str) -> Visit:
    visit = Visit(context.new_page())
    visit.page.goto(f"{address}/claims/{CLAIM_ID}")
    visit.page.get_by_label("Token").fill(f"{name}-secret-of-{name}")
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_selector(".frame[data-drawn][data-readable]")
    visit.problems.clear()  # before, the page was refused, as it should be
    return visit


def opened(context: Any, address: str) -> Visit:
    visit = Visit(context.new_page())
    visit.open(f"{address}/claims/{CLAIM_ID}")
    return visit


def type_value(visit: Visit, text: str) -> None:
    visit.card(NAME).locator(".card-head").click()
    visit.press("e", "Control+a")
    visit.page.keyboard.type(text)


def test_what_was_typed_is_there_after_the_tab_crashed_and_in_a_new_one(context: Any, address: str) -> None:
    visit = signed_in(context, address, "Ada")
    type_value(visit, "Typed before the crash")
    with contextlib.suppress(Error), visit.page.expect_event("crash"):
        visit.page.goto("chrome://crash")
    visit.page.close()

    again = opened(context, address)
    expect(again.card(NAME)).to_contain_text("Draft")
    again.card(NAME).locator(".card-head").click()
    again.press("e")
    expect(again.card(NAME).locator(".editor .input")).to_have_value("Typed before the crash")
    again.press("Enter")
    expect(again.card(NAME)).to_contain_text("Corrected")
    expect(again.card(NAME)).not_to_contain_text("Draft")


def test_two_tabs_keep_what_was_typed_in_each(context: Any, address: str) -> None:
    one = signed_in(context, address, "Ada")
    type_value(one, "Typed in the first")
    two = opened(context, address)
    type_value(two, "Typed in the second")
    one.page.reload()
    one.page.wait_for_selector(".card")
    one.card(NAME).locator(".card-head").click()
    one.press("e")
    expect(one.card(NAME).locator(".editor .input")).to_have_value("Typed in the first")


def test_a_colleague_at_the_same_browser_sees_no_draft_and_signing_out_leaves_none(
    context: Any, address: str
) -> None:
    visit = signed_in(context, address, "Ada")
    type_value(visit, "Typed by Ada alone")
    visit.press("Tab", "Tab", "Tab")
    visit.page.context.clear_cookies()  # her session ended by itself
    visit.page.close()
    bob = signed_in(context, address, "Bob")
    expect(bob.card(NAME)).not_to_contain_text("Draft")
    type_value(bob, "Typed by Bob")
    bob.page.get_by_role("button", name="Sign out").click()
    bob.page.get_by_label("Token").wait_for()
    kept = bob.page.evaluate("JSON.stringify([localStorage, sessionStorage])")
    assert "Typed by" not in kept


def test_a_number_that_was_read_and_not_believed_is_shown_on_its_page_and_taken(
    context: Any, address: str, store: ClaimStore
) -> None:
    dataset = store.read_viewer_dataset(CLAIM_ID)
    paid = next(field for field in dataset["fields"] if field["fieldKey"] == "financials.total_paid")
    silent = next(field for field in dataset["unreadFields"] if field["fieldKey"] == RESERVE)
    candidate = {
        "value": "21219.12",
        "rawValue": 21219.12,
        "reason": "weak_evidence",
        "confidence": 0.4,
        "date": None,
        "citations": paid["citations"],
        "unresolvedCitations": [],
    }
    silent |= {"status": "doubted", "candidates": [candidate]}
    dataset.pop("pipeline", None)
    store.write_viewer_dataset(CLAIM_ID, dataset, inputs={})

    visit = signed_in(context, address, "Ada")
    visit.page.goto(f"{address}/claims/{CLAIM_ID}?field={RESERVE}")
    visit.card(RESERVE).get_by_role("button", name="Show the place").click()
    visit.page.wait_for_selector(".frame[data-drawn] .mark.value")
    expect(visit.page.locator('.tab[data-source="payment-ledger"]')).to_have_attribute(
        "aria-selected", "true"
    )
    visit.card(RESERVE).get_by_role("button", name="Take this value").click()
    visit.hear("Corrected: Reserve")
    visit.page.goto(f"{address}/claims/{CLAIM_ID}?field={RESERVE}")
    expect(visit.card(RESERVE).locator(".card-value")).to_have_text("21219.12")
    assert visit.problems == []
