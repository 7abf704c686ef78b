"""The viewer in windows of three widths, on paper, in chosen colours, and by keyboard."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from citation_pipeline.adapters.tables.claim_store import ClaimStore
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

PAID, NAME = "financials.td_paid", "claimant.name"
LIENS = [
    {"holder": "Harbor Medical", "amount": 1200.5, "is_paid": True},
    {"holder": "State EDD", "amount": 300},
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ClaimStore:
    """The small claim, with a list of items and a field that is cited eight times."""
    root = tmp_path_factory.mktemp("windows")
    store = build_store(root)
    read = documents(root / "folders" / CLAIM_ID)
    fields, citations = answers(read)
    first = next(c for c in citations if c.field_key == NAME)
    more = [replace(first, citation_id=f"{NAME}#{n}", citation_index=n) for n in range(1, 8)]
    write_dataset(store, read, fields, [*citations, *more])
    dataset = store.read_viewer_dataset(CLAIM_ID)
    note = next(f for f in dataset["fields"] if f["fieldKey"] == "claimant.occupation")
    note |= {"valueType": "array", "rawValue": LIENS, "value": "two liens", "enum": None}
    note["citations"][0]["itemPath"] = "[1].amount"
    dataset.pop("pipeline", None)
    store.write_viewer_dataset(CLAIM_ID, dataset, inputs={})
    return store


@pytest.fixture(scope="module")
def address(store: ClaimStore) -> Iterator[str]:
    with running(ServingSettings(store.root, render_workers=1, local_reviewer="Ada")) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def visit(browser: Browser) -> Iterator[Visit]:
    visit = Visit(browser.new_page())
    yield visit
    assert visit.problems == []


def open_at(visit: Visit, address: str, width: int, field: str = PAID) -> None:
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.open(f"{address}/claims/{CLAIM_ID}?field={field}&citation=0")
    visit.page.wait_for_selector(".frame[data-drawn]:has(.mark)")


@pytest.mark.parametrize("width", [768, 390])
def test_in_a_narrow_window_the_claims_are_a_drawer_and_every_tool_is_reached(
    visit: Visit, address: str, width: int
) -> None:
    open_at(visit, address, width)
    page = visit.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.locator(".sidebar")).to_be_hidden()
    page.locator(".open-sidebar").click()
    expect(page.locator(".claim[aria-current]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".sidebar")).to_be_hidden()
    if page.locator(".more-tools").is_visible():
        page.locator(".more-tools").click()
    for name in ("Rotate", "Copy a link to this place", "Download the original", "Ask", "Find in document"):
        tool = page.get_by_label(name, exact=True).or_(page.get_by_role("button", name=name, exact=True))
        box = tool.first.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("width", [1440, 768, 390])
def test_nothing_lies_over_the_fields_and_their_buttons(visit: Visit, address: str, width: int) -> None:
    open_at(visit, address, width)
    confirm = visit.card(PAID).get_by_role("button", name="Confirm")
    confirm.scroll_into_view_if_needed()
    covered = confirm.evaluate(
        """(button) => { const box = button.getBoundingClientRect();
        return [[.1, .5], [.5, .5], [.9, .5]].some(([x, y]) =>
          !button.contains(document.elementFromPoint(box.x + box.width * x, box.y + box.height * y))); }"""
    )
    assert covered is False


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_on_any_surface(visit: Visit, address: str, width: int, theme: str) -> None:
    visit.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    open_at(visit, address, width, "claimant.occupation")
    page = visit.page

    def check(state: str) -> None:
        assert visit.violations() == [], state

    check("field")
    visit.press("e")
    check("rows")
    visit.press("Escape")
    for view in ("Review", "Conflicts", "JSON"):
        page.get_by_role("tab", name=view).click()
        check(view)
    if width == 390:
        page.locator(".open-sidebar").click()
        check("drawer")


def test_the_fields_are_one_tab_stop_and_arrows_go_through_them(visit: Visit, address: str) -> None:
    open_at(visit, address, 1440)
    stops = "[...document.querySelectorAll('#fields .card button')].filter((b) => b.tabIndex >= 0)"
    assert visit.page.evaluate(f"new Set({stops}.map((b) => b.closest('.card').dataset.key)).size") == 1
    visit.card(PAID).locator(".card-head").focus()
    visit.press("ArrowDown")
    assert visit.page.evaluate("document.activeElement.closest('.card').dataset.key") != PAID
    assert visit.page.evaluate(f"new Set({stops}.map((b) => b.closest('.card').dataset.key)).size") == 1


def test_in_chosen_colours_the_highlight_is_outlined(visit: Visit, address: str) -> None:
    open_at(visit, address, 1440)
    visit.page.emulate_media(forced_colors="active")
    width = visit.page.locator(".mark.value").first.evaluate("(mark) => getComputedStyle(mark).outlineWidth")
    visit.page.emulate_media(forced_colors="none")
    assert width == "4px"


def test_paper_gets_the_evidence_and_not_the_screens_furniture(visit: Visit, address: str) -> None:
    open_at(visit, address, 1440)
    page = visit.page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    sheet = page.locator(".print-sheet")
    for text in ("Td Paid", "12,840.12", "Payment Ledger, page 1 (found, look at it)", "12,804.12", "Nobody"):
        expect(sheet).to_contain_text(text)
    expect(page.locator(".frame:has(.mark)").first).to_be_visible()
    for furniture in (".toolbar", ".data", ".sidebar", ".q-open"):
        expect(page.locator(furniture)).to_be_hidden()
    page.emulate_media(media="screen")
    page.keyboard.press("Escape")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".print-sheet tbody tr").count() == 10


def test_amounts_and_dates_are_in_the_readers_form_and_stored_form_is_at_hand(
    visit: Visit, address: str
) -> None:
    open_at(visit, address, 1440)
    paid = visit.card(PAID).locator(".card-value")
    expect(paid).to_have_text("12,840.12")
    expect(paid).to_have_attribute("title", "Stored as 12840.12")
    injury = visit.card("metadata.date_of_injury").locator(".card-value")
    expect(injury).to_have_text(re.compile(r"Mar 14, 2023|14 Mar 2023"))
    expect(injury).to_have_attribute("title", "Stored as 2023-03-14")


def test_badges_that_read_the_same_are_numbered_and_more_than_five_fold(visit: Visit, address: str) -> None:
    open_at(visit, address, 1440)
    badges = visit.card(NAME).locator(".badge")
    expect(badges).to_have_count(6)
    expect(badges.nth(1)).to_contain_text("#2")
    visit.card(NAME).get_by_role("button", name="Show all 8 citations").click()
    expect(visit.card(NAME).locator(".badge")).to_have_count(8)


def test_a_list_is_a_table_whose_rows_are_edited_added_and_removed(
    visit: Visit, address: str, store: ClaimStore
) -> None:
    open_at(visit, address, 1440, "claimant.occupation")
    card = visit.card("claimant.occupation")
    table = card.locator(".item-table")
    expect(table.locator("tbody tr")).to_have_count(2)
    expect(table.locator("tfoot")).to_contain_text("1,500.50")
    table.get_by_label("Citation 1, row 2, Amount").click()
    expect(visit.page.locator(".mark.snippet").first).to_be_visible()

    visit.press("e")
    rows = card.locator(".item-table tbody tr")
    rows.nth(1).get_by_label("Amount").fill("350.25")
    card.get_by_role("button", name="Add a row").click()
    rows.nth(2).get_by_label("Holder").fill("Ludlow Clinic")
    rows.nth(2).get_by_label("Amount").fill("$1,000")
    expect(card.locator(".item-sums")).to_contain_text("2,550.75")
    rows.nth(0).get_by_label("Remove row 1").click()
    card.get_by_role("button", name="Save rows").click()
    expect(card).to_contain_text("Corrected")
    claim = visit.page.request.get(f"{address}/api/claims/{CLAIM_ID}").json()
    (kept,) = [f["rawValue"] for f in claim["fields"] if f["fieldKey"] == "claimant.occupation"]
    assert kept == [{"holder": "State EDD", "amount": 350.25}, {"holder": "Ludlow Clinic", "amount": 1000}]
    assert json.dumps(kept)
