"""Signing in a real Chromium: what was on the screen is what is signed, once, and nothing typed is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Route, expect

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.review.verifications import Action, Verification
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store

pytestmark = pytest.mark.browser

NAME = "claimant.name"


@pytest.fixture(scope="module")
def browser_page() -> Iterator[Visit]:
    with browsing() as browser:
        yield Visit(browser.new_page(viewport={"width": 1440, "height": 900}))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    build_store(tmp_path)
    return tmp_path / "store"


@pytest.fixture
def visit(browser_page: Visit, store: Path) -> Iterator[Visit]:
    with running(ServingSettings(str(store), render_workers=1, local_reviewer="Ada")) as address:
        browser_page.page.goto("about:blank")
        browser_page.open(f"{address}/claims/{CLAIM_ID}")
        yield browser_page


def events(store: Path) -> list[Verification]:
    kept = VerificationStore(default_url(store))
    try:
        return kept.history(CLAIM_ID)
    finally:
        kept.close()


def run_again(store: Path, value: str) -> None:
    """The pipeline makes another dataset while a reviewer looks at the last one."""
    claims = ClaimStore(store)
    dataset = claims.read_viewer_dataset(CLAIM_ID)
    field = next(f for f in dataset["fields"] if f["fieldKey"] == NAME)
    field["value"] = field["rawValue"] = value
    dataset.pop("pipeline", None)
    claims.write_viewer_dataset(CLAIM_ID, dataset, inputs={})


def test_a_key_that_is_held_down_signs_one_field(visit: Visit, store: Path) -> None:
    visit.press("q")
    visit.wait_until_seen()
    visit.page.keyboard.down("c")
    for _ in range(15):
        visit.page.keyboard.down("c")  # Chromium sends these with `repeat` set
    visit.page.keyboard.up("c")
    visit.hear("Confirmed")
    visit.page.wait_for_timeout(500)  # the others would follow one after another
    assert [event.action for event in events(store)] == [Action.CONFIRM]


def test_a_value_that_changed_under_the_reviewer_is_not_signed_and_both_are_shown(
    visit: Visit, store: Path
) -> None:
    visit.look_at(NAME)
    visit.stop_clock()
    run_again(store, "Harbor Foods")

    visit.press("c")

    changed = visit.card(NAME).locator(".conflict.changed")
    expect(changed).to_contain_text("Nothing was signed")
    expect(changed).to_contain_text("Marisol Quintanar")
    expect(changed).to_contain_text("Harbor Foods")
    assert events(store) == []
    visit.press("c")  # at once: nobody can have read it
    visit.hear("changed a moment ago")
    assert events(store) == []
    visit.start_clock()
    visit.wait_until_seen()
    visit.press("c")  # looked at it as it is now
    expect(visit.card(NAME)).to_contain_text("Confirmed")
    assert [event.seen_value for event in events(store)] == ["Harbor Foods"]


def test_a_claim_that_was_on_its_way_while_a_decision_was_kept_does_not_take_it_back(
    visit: Visit, store: Path
) -> None:
    visit.look_at(NAME)
    held: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    address = f"**/api/claims/{CLAIM_ID}"
    visit.page.route(address, hold)
    claims = ClaimStore(store)
    dataset = claims.read_viewer_dataset(CLAIM_ID)
    dataset["fields"][0]["value"] = "Another number"
    claims.write_viewer_dataset(CLAIM_ID, dataset, inputs={})
    while not held:
        visit.page.wait_for_timeout(20)
    visit.press("c")
    expect(visit.card(NAME)).to_contain_text("Confirmed")
    (route, answer), *_ = held
    route.fulfill(response=answer)
    expect(visit.card(dataset["fields"][0]["fieldKey"]).locator(".card-value")).to_have_text("Another number")
    expect(visit.card(NAME)).to_contain_text("Confirmed")
    visit.page.unroute(address)


def test_what_was_typed_survives_a_decision_that_came_too_late_other_fields_and_a_reload(
    visit: Visit, store: Path
) -> None:
    visit.card(NAME).locator(".card-head").click()
    visit.page.wait_for_selector(".frame[data-drawn]:has(.mark)")
    visit.press("e", "Control+a")
    visit.page.keyboard.type("Marisol Q. Typed")
    run_again(store, "Harbor Foods")
    visit.press("Enter")
    editor = visit.card(NAME).locator(".editor .input")
    expect(editor).to_have_value("Marisol Q. Typed")
    expect(visit.card(NAME).locator(".conflict.changed")).to_contain_text("Harbor Foods")

    visit.card("metadata.claim_number").locator(".card-head").click()
    visit.card(NAME).locator(".card-head").click()
    visit.press("e")
    expect(editor).to_have_value("Marisol Q. Typed")

    visit.page.reload()
    visit.page.wait_for_selector(".card")
    visit.card(NAME).locator(".card-head").click()
    visit.press("e")
    expect(editor).to_have_value("Marisol Q. Typed")
    visit.press("Enter")
    expect(visit.card(NAME)).to_contain_text("Corrected")
    assert [event.value for event in events(store)] == ["Marisol Q. Typed"]
