"""The viewer in a real Chromium: what lights up is where the ink is, and reviews are made and kept.

One server, one browser, one page for all; each test opens the claim anew.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.boxes import Box, iou, union
from citation_pipeline.serving.export import export_claim
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim import papers
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


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("viewer")
    build_store(root)
    return root


@pytest.fixture(scope="module")
def address(root: Path) -> Iterator[str]:
    with running(ServingSettings(str(root / "store"), render_workers=1, local_reviewer="Ada")) as address:
        yield address


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Visit]:
    with browsing() as browser:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}))
        yield visit
        assert visit.problems == []
        assert visit.page.request.get(f"{address}/csp-reports").json() == {"count": 0}


@pytest.fixture
def visit(page: Visit, address: str) -> Visit:
    page.open(f"{address}/claims/{CLAIM_ID}")
    return page


@pytest.fixture
def own(page: Visit, tmp_path: Path) -> Iterator[Visit]:
    """A claim that no other test sees: for what is reviewed stays reviewed."""
    build_store(tmp_path)
    settings = ServingSettings(str(tmp_path / "store"), render_workers=1, local_reviewer="Ada")
    with running(settings) as address:
        page.open(f"{address}/claims/{CLAIM_ID}")
        yield page
        page.page.goto("about:blank")


def words_of(page: papers.DrawnPage, line: int, first: int, last: int) -> Box:
    return union([word.box for word in page.lines[line][first:last]])


@pytest.mark.parametrize(
    ("key", "drawn", "line", "value_from"),
    [
        ("metadata.date_of_injury", papers.letter, 2, 3),
        ("financials.total_paid", papers.ledger, 3, 2),
        ("claimant.occupation", papers.fax, 1, 1),
    ],
)
def test_a_clicked_citation_lights_the_words_on_a_text_page_a_rotated_page_and_a_scan(
    visit: Visit, key: str, drawn, line: int, value_from: int
) -> None:
    truth = drawn()[1][0]
    visit.badge(key)
    assert iou(visit.lit("snippet"), words_of(truth, line, 0, 9)) > 0.95
    assert iou(visit.lit("value"), words_of(truth, line, value_from, 9)) > 0.9
    assert visit.ink("value") > 0.03
    visit.press("o")  # turned by a quarter, the light turns with the page
    assert visit.ink("value") > 0.03
    visit.press("o", "o", "o")


def test_places_of_the_same_text_are_cycled(visit: Visit) -> None:
    visit.badge("metadata.claim_number")
    first = visit.lit()
    visit.press("n")
    expect(visit.card("metadata.claim_number")).to_contain_text("Place 2 of 2")
    expect(visit.page.locator(".frame:has(.mark.snippet)")).to_have_attribute("data-page", "2")
    assert visit.ink("snippet") > 0.03
    visit.press("n")
    expect(visit.page.locator(".frame:has(.mark.snippet)")).to_have_attribute("data-page", "1")
    assert iou(visit.lit(), first) > 0.99


def test_what_was_not_found_stays_visible_with_its_reason(visit: Visit) -> None:
    visit.card("mmi_status.treating_physician").locator(".badge").click()
    expect(visit.card("mmi_status.treating_physician")).to_contain_text("is nowhere in the documents")
    assert visit.page.locator(".mark").count() == 0


def test_a_claim_is_reviewed_without_the_mouse_and_found_again_after_reload(own: Visit) -> None:
    own.press("j")
    own.wait_until_seen()
    own.press("c")  # the first field: confirm
    expect(own.card("metadata.claim_number")).to_contain_text("Confirmed")
    own.press("/")
    own.page.keyboard.type("td paid")
    own.press("Enter", "e")
    own.page.keyboard.type("$12,804.12")
    own.press("Enter")
    expect(own.card("financials.td_paid")).to_contain_text("Corrected")
    own.press("/", "Control+a")
    own.page.keyboard.type("physician")
    own.press("Enter", "r")  # nothing is lit: the word cursor begins on the page
    expect(own.page.locator(".pin-bar:visible")).to_be_visible()
    own.press("Escape", "PageDown")
    own.page.locator('.frame[data-page="2"][data-drawn][data-readable]').wait_for()
    own.press("r")
    own.page.locator(".mark.pinned").wait_for()  # the word cursor, on the page's first word
    own.press(*["ArrowRight"] * 10)
    expect(own.page.locator("#announcements")).to_have_text("Amelia")
    own.press("Shift+ArrowRight", "Shift+ArrowRight", "Enter")
    card = own.card("mmi_status.treating_physician")
    expect(card).to_contain_text("Adjuster Letter")
    expect(card.locator(".quote")).to_have_text("Amelia Prado, M.D.")
    assert iou(own.lit(), words_of(papers.letter()[1][1], 2, 2, 5)) > 0.95

    own.page.reload()
    own.page.wait_for_selector(".card")
    expect(own.card("metadata.claim_number")).to_contain_text("Confirmed")
    expect(own.card("financials.td_paid")).to_contain_text("12804.12")
    own.badge("mmi_status.treating_physician")
    assert iou(own.lit(), words_of(papers.letter()[1][1], 2, 2, 5)) > 0.95
    own.card("financials.td_paid").locator(".card-head").click()
    own.card("financials.td_paid").locator("summary").click()
    expect(own.card("financials.td_paid").locator(".history-list")).to_contain_text("Ada corrected the value")


def test_after_another_run_the_review_is_kept_and_a_disagreement_asks(own: Visit, tmp_path: Path) -> None:
    own.look_at("claimant.name")
    own.press("c")
    expect(own.card("claimant.name")).to_contain_text("Confirmed")
    read = documents(tmp_path / "folders" / CLAIM_ID)
    fields, citations = answers(read)
    name = next(field for field in fields if field.field_key == "claimant.name")
    changed = type(name)(name.field_key, "Harbor Foods", "string", (), name.confidence, name.provenance)
    store = ClaimStore(tmp_path / "store")
    write_dataset(store, read, [changed if f is name else f for f in fields], citations)
    own.page.reload()
    own.page.wait_for_selector(".card")
    expect(own.card("claimant.name").locator(".card-value")).to_have_text("Marisol Quintanar")
    own.page.get_by_role("tab", name="Conflicts 1").click()
    own.look_at("claimant.name")
    expect(own.card("claimant.name").locator(".conflict")).to_contain_text("Harbor Foods")
    own.page.get_by_role("button", name="Keep the reviewed value").click()
    expect(own.page.get_by_role("tab", name="Conflicts 0")).to_be_visible()


def test_a_link_opens_the_place_for_others(page: Visit, address: str) -> None:
    page.open(f"{address}/claims/{CLAIM_ID}?field=financials.total_paid&citation=0")
    expect(page.page.get_by_role("tab", name="Payment Ledger")).to_have_attribute("aria-selected", "true")
    assert iou(page.lit(), words_of(papers.ledger()[1][0], 3, 0, 9)) > 0.95
    box = words_of(papers.letter()[1][1], 3, 0, 3)
    sides = ",".join(f"{side:.4f}" for side in (box.left, box.top, box.width, box.height))
    page.open(f"{address}/claims/{CLAIM_ID}?source=adjuster-letter&page=2&box={sides}")
    assert iou(page.lit(), box) > 0.9
    expect(page.page.locator(".page-number")).to_have_value("2")


def test_words_on_a_scan_are_selected_copied_and_found(visit: Visit) -> None:
    visit.page.get_by_role("tab", name="Employer Fax").click()
    visit.wait_until_drawn()
    layer = visit.page.locator(".text-layer")
    first, last = layer.get_by_text("Occupation:"), layer.get_by_text("operator")
    box = last.bounding_box()
    assert box is not None
    first.hover(position={"x": 1, "y": box["height"] / 2})  # once it rests
    visit.page.mouse.down()
    last.hover(position={"x": box["width"] / 2, "y": box["height"] / 2})
    last.hover(position={"x": box["width"] - 3, "y": box["height"] / 2})
    visit.page.mouse.up()
    selected = visit.page.evaluate("document.getSelection().toString()")
    assert selected.split() == ["Occupation:", "Forklift", "operator"]
    visit.press("Control+f")
    visit.page.keyboard.type("hire date")
    expect(visit.page.locator(".find-count")).to_have_text("1 of 1")
    assert iou(visit.lit("hit"), words_of(papers.fax()[1][0], 2, 0, 2)) > 0.9
    visit.press("Escape")


def test_hovering_a_cited_place_names_its_field_and_a_click_selects_it(visit: Visit) -> None:
    word = visit.page.locator(".text-layer").get_by_text("07/02/1984")
    word.hover(position={"x": 10, "y": 4})
    word.hover(position={"x": 12, "y": 5})
    expect(visit.page.locator(".tip")).to_contain_text("Date Of Birth")
    word.click(position={"x": 12, "y": 5})
    expect(visit.card("claimant.date_of_birth")).to_have_class("card is-selected")


def test_hostile_names_and_texts_are_only_shown(visit: Visit) -> None:
    visit.card("mmi_status.note").locator(".card-head").click()
    expect(visit.card("mmi_status.note").locator(".card-value")).to_contain_text(
        "<script>globalThis.wasTaken"
    )
    assert visit.page.evaluate("globalThis.wasTaken") is None
    assert visit.page.locator("img[src=x], svg[onload]").count() == 0
    visit.page.get_by_role("tab", name="JSON").click()
    expect(visit.page.locator("pre")).to_contain_text("onerror=alert(1)")


def test_the_divider_moves_with_the_keyboard_and_dark_mode_stays(visit: Visit) -> None:
    divider = visit.page.get_by_role("separator")
    before = int(divider.get_attribute("aria-valuenow") or 0)
    divider.focus()
    visit.press("ArrowLeft", "Shift+ArrowLeft")
    assert int(divider.get_attribute("aria-valuenow") or 0) == before + 24 + 96
    visit.press("d")
    visit.page.reload()
    assert visit.page.evaluate("document.documentElement.dataset.theme") == "dark"
    visit.page.wait_for_selector(".card")
    visit.press("d")


def test_axe_finds_no_serious_violation_in_any_state(visit: Visit) -> None:
    def check(state: str) -> None:
        found = visit.violations()
        assert [one for one in found if one.startswith(("serious", "critical"))] == [], state

    visit.badge("financials.td_paid")
    check("field open")
    visit.press("e")
    check("editor")
    visit.press("Escape", "q", "d", "t")
    check("queue, dark, thumbnails")
    visit.press("d", "t", "?")
    check("help")
    visit.press("Escape")


def test_light_fades_and_the_page_stays(root: Path, page: Visit) -> None:
    settings = ServingSettings(str(root / "store"), render_workers=1, fade_seconds=0.2)
    with running(settings) as address:
        page.open(f"{address}/claims/{CLAIM_ID}?field=claimant.name")
        page.page.wait_for_selector(".pages[data-faded]")
        expect(page.page.locator(".mark.value")).to_have_css("opacity", "0")


def test_an_export_works_from_disk_without_a_server(root: Path, page: Visit, tmp_path: Path) -> None:
    export_claim(ServingSettings(str(root / "store"), render_workers=1), CLAIM_ID, tmp_path / "out")
    page.open((tmp_path / "out" / "index.html").as_uri())
    page.badge("claimant.occupation")
    assert page.ink("value") > 0.03
    assert page.page.get_by_role("button", name="Confirm").count() == 0
    page.press("Control+f")
    page.page.keyboard.type("night")
    expect(page.page.locator(".find-count")).to_have_text("1 of 1")


def test_a_megabyte_in_a_name_and_in_a_value_is_cut_short_and_harms_nothing(
    page: Visit, address: str, root: Path
) -> None:
    store = ClaimStore(root / "store")
    build_store(root, "HUGE")
    dataset = store.read_viewer_dataset("HUGE")
    megabyte = "<b>\u202e" + "W" * 1_000_000
    dataset["sources"][0]["name"] = dataset["sources"][0]["file"] = megabyte
    for name in ("value", "rawValue"):
        dataset["fields"][0][name] = megabyte
    dataset["fields"][0]["citations"][0]["snippet"] = megabyte
    store.write_viewer_dataset("HUGE", dataset, inputs={})
    page.page.goto(f"{address}/claims/HUGE")
    page.page.wait_for_selector(".card")
    page.press("j")
    expect(page.page.locator(".card.is-selected")).to_be_visible()
    assert page.page.evaluate("document.documentElement.scrollWidth") == 1440
    page.press("g")
    expect(page.page.locator(".picker-item").first).to_be_visible()
    page.press("Escape")


def test_a_partial_claim_has_a_banner_that_names_what_was_not_read_and_its_silent_fields_are_unread(
    visit: Visit,
) -> None:
    page = visit.page
    banner = page.locator(".data-head .partial")
    expect(banner).to_contain_text("Partial claim")
    banner.locator("summary").click()
    expect(banner.locator("li")).to_have_count(1)
    expect(page.locator('.claim[aria-current="page"] .pill', has_text="Partial")).to_have_count(1)
    page.get_by_role("button", name="Unread").click()
    silent = page.locator(".card.is-silent").first
    expect(silent).to_contain_text("Unread: not all documents were read")
    silent.locator(".card-head").click()
    expect(page.locator(".silence")).to_contain_text("Not read")
    expect(page.locator(".silence")).to_contain_text("Searched")
    if shots := os.environ.get("SHOTS"):
        page.screenshot(path=f"{shots}/partial.png")


def test_a_value_that_changed_after_its_review_asks_again_and_shows_both(page: Visit, root: Path) -> None:
    claim_id, key = "CHANGED-1", "financials.td_paid"
    store = build_store(root / "changed", claim_id)
    read = documents(root / "changed" / "folders" / claim_id)
    fields, citations = answers(read)
    browser = page.page.context.browser
    assert browser is not None
    with running(ServingSettings(store.root, render_workers=1, local_reviewer="Ada")) as address:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}))
        visit.open(f"{address}/claims/{claim_id}")
        card = visit.card(key)
        visit.look_at(key)
        card.get_by_role("button", name="Confirm").click()
        expect(card.locator(".pill.confirmed")).to_be_visible()
        other = [replace(field, value=99.0) if field.field_key == key else field for field in fields]
        write_dataset(store, read, other, citations, claim_id=claim_id)
        visit.open(f"{address}/claims/{claim_id}")
        card = visit.card(key)
        expect(card.locator(".pill.needs_review")).to_have_text("Needs review")
        expect(card.locator(".pill.confirmed")).to_have_count(0)
        card.locator(".card-head").click()
        for text in ("12840.12", "99"):
            expect(card.locator(".conflict")).to_contain_text(text)
        assert visit.problems == []
        if shots := os.environ.get("SHOTS"):
            visit.page.screenshot(path=f"{shots}/needs_review.png")
        visit.page.close()


def test_the_blue_rectangle_of_the_published_design_is_a_setting(root: Path, page: Visit) -> None:
    def colours(visit: Visit, strength: str) -> tuple[str, str]:
        return tuple(
            visit.page.locator(f".mark.{strength}").first.evaluate(
                "mark => [getComputedStyle(mark).backgroundColor, getComputedStyle(mark).boxShadow]"
            )
        )

    settings = ServingSettings(
        str(root / "store"), render_workers=1, local_reviewer="Ada", highlight="rectangle"
    )
    browser = page.page.context.browser
    assert browser is not None
    with running(settings) as address:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}))
        visit.open(f"{address}/claims/{CLAIM_ID}")
        visit.badge("metadata.date_of_injury")
        _, outline = colours(visit, "block")
        assert "rgba(42, 85, 196, 0.85)" in outline
        for strength in ("snippet", "value"):
            assert colours(visit, strength) == ("rgba(0, 0, 0, 0)", "none")
        assert iou(visit.lit("block"), words_of(papers.letter()[1][0], 2, 0, 9)) > 0.9
        visit.look_at("metadata.date_of_injury")  # what is framed counts as seen
        visit.press("c")
        expect(visit.card("metadata.date_of_injury")).to_have_attribute("data-review", "confirmed")
        visit.press("z")
        expect(visit.card("metadata.date_of_injury")).to_have_attribute("data-review", "unreviewed")
        assert visit.problems == []
        visit.page.close()
