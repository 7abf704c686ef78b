"""Attempts to sign for something that was not on the screen, in a real Chromium: none leaves an event."""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import document_tables
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.review.verifications import Action, Verification
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import running
from citation_pipeline_tests.viewer_claim.store import (
    CLAIM_ID,
    answers,
    build_store,
    documents,
    write_dataset,
)

pytestmark = pytest.mark.browser

NUMBER, NAME, BORN = "metadata.claim_number", "claimant.name", "claimant.date_of_birth"
WAGE, LIST = "financials.average_weekly_wage", "claimant.occupation"
OTHER_CLAIM = "B-2"

# every cell in view has been there for long enough; those at the edge count as out of it
SEEN_CELLS = """() => {
  const { top, bottom } = document.querySelector("#fields").getBoundingClientRect();
  const cells = [...document.querySelectorAll(".card.is-selected .item-table tbody tr > *")];
  return cells.every((cell) => {
    const box = cell.getBoundingClientRect();
    const isWhole = box.top > Math.max(top, 0) + 2 && box.bottom < Math.min(bottom, innerHeight) - 2;
    return !isWhole || cell.dataset.seen;
  });
}"""


@pytest.fixture(scope="module")
def browser_page() -> Iterator[Page]:
    with browsing() as browser:
        yield browser.new_page(viewport={"width": 1440, "height": 900})


@pytest.fixture
def store(tmp_path: Path) -> Path:
    build_store(tmp_path)
    return tmp_path / "store"


@pytest.fixture
def address(store: Path) -> Iterator[str]:
    with running(ServingSettings(str(store), render_workers=1, local_reviewer="Ada")) as address:
        yield address


@pytest.fixture
def visit(browser_page: Page, address: str) -> Iterator[Visit]:
    browser_page.set_viewport_size({"width": 1440, "height": 900})
    browser_page.goto("about:blank")
    visit = Visit(browser_page)
    # from the start: on a page that is open Chromium may send a few requests more before it asks
    browser_page.route("**/asked-by-nobody", lambda route: route.abort())
    visit.open(f"{address}/claims/{CLAIM_ID}")
    yield visit
    browser_page.unroute_all(behavior="ignoreErrors")
    browser_page.evaluate("localStorage.clear()")


def events(store: Path, claim_id: str = CLAIM_ID) -> list[Verification]:
    kept = VerificationStore(default_url(store))
    try:
        return kept.history(claim_id)
    finally:
        kept.close()


def signed(store: Path, claim_id: str = CLAIM_ID) -> list[tuple[str, Action]]:
    return [(event.field_key, event.action) for event in events(store, claim_id)]


def change(store: Path, alter: Callable[[dict[str, Any]], None]) -> None:
    """The pipeline writes another dataset."""
    claims = ClaimStore(store)
    dataset = claims.read_viewer_dataset(CLAIM_ID)
    alter(dataset)
    dataset.pop("pipeline", None)
    claims.write_viewer_dataset(CLAIM_ID, dataset, inputs={})


def refused(visit: Visit, why: str) -> None:
    visit.hear(why)


def hold_answers(visit: Visit) -> Callable[[], None]:
    """Keep the answers to decisions back until the returned function is called."""
    held: list[Route] = []
    visit.page.route("**/verifications", lambda route: held.append(route))

    def release() -> None:
        visit.page.unroute("**/verifications")
        for route in held:
            route.continue_()

    return release


def test_a_second_press_signs_neither_the_same_field_again_nor_the_next_one(
    visit: Visit, store: Path
) -> None:
    visit.press("q")
    visit.wait_until_seen()
    first = visit.page.locator(".card.is-selected").get_attribute("data-key")
    release = hold_answers(visit)
    visit.press("c", "c")  # the first is not answered yet
    refused(visit, "still being saved")
    visit.stop_clock()
    release()
    visit.page.wait_for_function(
        "(key) => document.querySelector('.card.is-selected').dataset.key !== key", arg=first
    )
    visit.press("c")  # meant for the field before
    refused(visit, "This is the next field")
    assert signed(store) == [(first, Action.CONFIRM)]


def test_keys_that_run_through_the_fields_sign_none_of_them(visit: Visit, store: Path) -> None:
    visit.stop_clock()
    visit.press("j", "c", "j", "c", "j", "c", "j")
    refused(visit, "for a moment only")
    visit.start_clock()
    visit.page.wait_for_timeout(700)
    assert signed(store) == []


@pytest.mark.parametrize("hide", ["another view", "search", "closed category", "scrolled away"])
def test_a_field_that_is_not_in_view_is_not_signed(visit: Visit, store: Path, hide: str) -> None:
    visit.page.set_viewport_size({"width": 1440, "height": 500})
    visit.look_at(NUMBER)
    page = visit.page
    if hide == "another view":
        page.get_by_role("tab", name="JSON").click()
    elif hide == "search":
        page.get_by_label("Search fields").fill("wage")
        expect(page.locator(".card")).to_have_count(1)
        page.locator(".data-list").focus()
    elif hide == "closed category":
        page.get_by_role("button", name="Metadata", exact=False).first.click()
    else:
        page.locator(".data-list").evaluate("(list) => { list.scrollTop = list.scrollHeight; }")
    page.locator("#reader .scroller").focus()
    visit.press("c")
    refused(visit, "out of view")
    expect(visit.card(NUMBER)).to_be_in_viewport()
    assert signed(store) == []


def test_on_the_teams_page_no_key_reaches_the_claim_below(visit: Visit, store: Path) -> None:
    visit.look_at(NAME)
    visit.page.get_by_role("button", name="Queue").click()
    visit.page.locator(".team h1").click()
    visit.page.evaluate("document.activeElement.blur()")
    visit.press("c", "a")
    visit.page.wait_for_timeout(600)
    assert signed(store) == []


def test_a_letter_typed_over_the_list_of_claims_decides_nothing(visit: Visit, store: Path) -> None:
    visit.look_at(NAME)
    visit.page.locator(".claim").first.focus()
    visit.press("c", "a")
    visit.page.wait_for_timeout(600)
    assert signed(store) == []


def test_a_page_that_is_too_small_to_be_read_is_not_seen(visit: Visit, store: Path) -> None:
    for _ in range(14):
        visit.press("-")
    visit.card(NAME).locator(".card-head").click()
    visit.page.wait_for_selector(".frame[data-drawn]:has(.mark)")
    visit.page.wait_for_timeout(500)
    visit.press("c")
    refused(visit, "too small to be read")
    assert signed(store) == []
    visit.press("w")
    visit.wait_until_seen()
    visit.press("c")
    expect(visit.card(NAME)).to_contain_text("Confirmed")


def test_a_place_that_was_scrolled_away_before_its_page_came_is_not_seen(visit: Visit, store: Path) -> None:
    waiting: list[Route] = []
    image = re.compile(r"/sources/payment-ledger/pages/1/image")
    visit.page.route(image, lambda route: waiting.append(route))
    visit.card("financials.td_paid").locator(".card-head").click()
    visit.page.wait_for_selector(".frame:has(.mark)")
    visit.press("c")
    refused(visit, "still loading")
    visit.press(*["+"] * 8)
    visit.page.locator(".scroller").evaluate(
        "(box) => { box.scrollTop = box.scrollHeight; box.scrollLeft = 0; }"
    )
    visit.page.unroute(image)  # before: a wider picture may be asked for at any moment
    for route in waiting:
        route.continue_()
    visit.page.wait_for_selector(".frame[data-drawn]")
    assert visit.page.locator(".mark.value").first.evaluate(
        """(mark) => mark.getBoundingClientRect().bottom
          < document.querySelector('.scroller').getBoundingClientRect().top"""
    )
    visit.press("c")
    refused(visit, "out of view")
    assert signed(store) == []


def test_another_place_of_the_same_text_is_not_taken_for_the_chosen_one(visit: Visit, store: Path) -> None:
    visit.look_at(NUMBER)
    visit.press("n")
    expect(visit.card(NUMBER)).to_contain_text("Place 2 of 2")
    visit.press("c")
    refused(visit, "another place of the same text")
    assert signed(store) == []
    visit.press("p")
    visit.wait_until_seen()
    visit.press("c")
    expect(visit.card(NUMBER)).to_contain_text("Confirmed")
    assert [place.page for place in events(store)[0].places] == [1]


def test_every_cell_of_a_list_has_to_have_been_on_the_screen(visit: Visit, store: Path) -> None:
    def alter(dataset: dict[str, Any]) -> None:
        field = next(field for field in dataset["fields"] if field["fieldKey"] == LIST)
        field["rawValue"] = [{"holder": f"Clinic {n}", "amount": 10.5 * n} for n in range(60)]
        field["valueType"] = "array"

    change(store, alter)
    visit.page.reload()
    visit.page.wait_for_selector(".card")
    visit.card(LIST).locator(".card-head").click()
    visit.page.wait_for_selector(".frame[data-drawn]:has(.mark)")
    visit.page.wait_for_timeout(600)
    visit.press("c")
    refused(visit, "cells of the list have not been on the screen")
    assert signed(store) == []
    for _ in range(40):
        visit.page.mouse.move(1250, 600)
        visit.page.mouse.wheel(0, 250)
        visit.page.wait_for_function(SEEN_CELLS)
        if (
            visit.card(LIST)
            .locator("tfoot")
            .evaluate("(foot) => foot.getBoundingClientRect().top < innerHeight - 40")
        ):
            break
    visit.press("c")
    refused(visit, "out of view")  # the head of the field is; now it is shown again
    visit.wait_until_seen()
    visit.press("c")
    expect(visit.card(LIST)).to_contain_text("Confirmed")
    assert signed(store) == [(LIST, Action.CONFIRM)]


def test_a_new_version_of_the_open_document_is_drawn_before_it_is_signed(visit: Visit, store: Path) -> None:
    visit.look_at(NAME)
    folder = store.parent / "folders" / CLAIM_ID
    paper = folder / "Adjuster Letter.pdf"
    paper.write_bytes(paper.read_bytes() + b"\n% another version\n")
    claims = ClaimStore(store)
    read = newer(folder)
    claims.write_stage("parsed_documents", CLAIM_ID, tables=document_tables(CLAIM_ID, read), inputs={})
    write_dataset(claims, read, *answers(read))
    version = read[0].source.sha256[:16]
    image = visit.page.locator(".frame[data-drawn]:has(.mark) .page-image").first
    expect(image).to_have_attribute("src", re.compile(f"v={version}"))
    visit.wait_until_seen()  # what changed under a reviewer takes no decision for a moment
    visit.press("c")
    expect(visit.card(NAME)).to_contain_text("Confirmed")
    assert [place.sha256 for place in events(store)[0].places] == [read[0].source.sha256]


def newer(folder: Path) -> list[Any]:
    """The claim's documents, the letter as it is on disk now."""
    changed = (folder / "Adjuster Letter.pdf").read_bytes()
    read = documents(folder)
    (folder / "Adjuster Letter.pdf").write_bytes(changed)
    source = replace(read[0].source, sha256=hashlib.sha256(changed).hexdigest())
    return [replace(read[0], source=source), *read[1:]]


def test_a_decision_that_is_answered_late_goes_to_its_own_claim_and_changes_no_other(
    visit: Visit, store: Path, address: str
) -> None:
    build_store(store.parent, OTHER_CLAIM)
    visit.page.reload()
    visit.look_at(NAME)
    release = hold_answers(visit)
    visit.press("c")
    visit.page.locator(".claim", has_text=OTHER_CLAIM).click()
    expect(visit.page.locator(".data-title h1")).to_have_text(OTHER_CLAIM)
    visit.look_at(NAME)
    release()
    refused(visit, f"Confirmed: Name, {CLAIM_ID}")
    expect(visit.card(NAME)).not_to_contain_text("Confirmed")
    assert signed(store) == [(NAME, Action.CONFIRM)]
    assert signed(store, OTHER_CLAIM) == []


def test_what_is_typed_while_an_answer_is_on_its_way_is_text_and_no_command(
    visit: Visit, store: Path
) -> None:
    visit.press("q")
    visit.wait_until_seen()
    first = visit.page.locator(".card.is-selected").get_attribute("data-key")
    release = hold_answers(visit)
    visit.press("c")
    visit.press("/")
    visit.page.get_by_label("Search fields").fill("name")
    visit.press("Enter", "e", "Control+a")
    visit.page.keyboard.type("ca")
    release()
    visit.hear("Confirmed")
    visit.page.keyboard.type("ca")
    expect(visit.card(NAME).locator(".editor .input")).to_have_value("caca")
    assert signed(store) == [(first, Action.CONFIRM)]


def test_a_decision_whose_answer_is_lost_is_kept_once_and_shown(visit: Visit, store: Path) -> None:
    visit.look_at(NAME)
    lost: list[str] = []

    def lose(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().text())
        route.abort()

    visit.page.route("**/verifications", lose)
    visit.press("c")
    expect(visit.card(NAME)).to_contain_text("Confirmed")
    assert lost
    assert signed(store) == [(NAME, Action.CONFIRM)]


def test_the_pipelines_place_is_signed_only_after_it_was_shown(visit: Visit, store: Path) -> None:
    visit.look_at(NAME)
    visit.press("c")
    expect(visit.card(NAME)).to_contain_text("Confirmed")
    moved = {"left": 0.5, "top": 0.7, "width": 0.2, "height": 0.02}

    def alter(dataset: dict[str, Any]) -> None:
        field = next(field for field in dataset["fields"] if field["fieldKey"] == NAME)
        citation = field["citations"][0]
        citation["regions"] = {
            kind: [{"page": 2, "boxes": [moved]}] for kind in ("block", "snippet", "value")
        }
        citation["page"], citation["bbox"] = 2, moved

    change(store, alter)
    take = visit.card(NAME).get_by_role("button", name="Take the pipeline's")
    expect(take).to_be_visible()
    visit.wait_until_seen()
    take.click()
    expect(visit.card(NAME).locator(".pill.confirmed")).to_be_visible()
    assert events(store)[-1].places == ()  # the value alone: that place was never on the screen
    visit.press("z")
    expect(visit.card(NAME)).to_contain_text("Needs review")
    visit.card(NAME).get_by_role("button", name="Show the pipeline's place").click()
    visit.page.wait_for_selector('.frame[data-page="2"][data-drawn]:has(.mark.after)')
    visit.page.wait_for_selector('.card.is-selected[data-places~=">0"]')
    take.click()
    expect(visit.card(NAME).locator(".pill.confirmed")).to_be_visible()
    assert [(place.page, place.boxes[0].left) for place in events(store)[-1].places] == [(2, 0.5)]
