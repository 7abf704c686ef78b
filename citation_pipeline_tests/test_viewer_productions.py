"""Making a production in the viewer: boxes drawn on the page, fields chosen, the archive downloaded."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from playwright.sync_api import Browser, expect

from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def visit(browser: Browser, tmp_path: Path) -> Iterator[Visit]:
    build_store(tmp_path)
    settings = ServingSettings(str(tmp_path / "store"), render_workers=1, render_burst=5000)
    with running(settings) as address:
        context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
        visit = Visit(context.new_page())
        visit.open(f"{address}/claims/{CLAIM_ID}")
        yield visit
        assert visit.problems == []
        context.close()


def test_a_box_is_drawn_on_the_page_and_a_field_chosen_and_both_are_gone_from_the_copies(
    visit: Visit, tmp_path: Path
) -> None:
    page = visit.page
    page.get_by_role("button", name="Production").click()
    page.get_by_role("button", name="Draw boxes on the pages").click()
    frame = page.locator(".frame").first
    box = frame.bounding_box()
    assert box is not None
    # over "Claim number: HF-2023-0417" of the letter's first page
    x, y = box["x"] + box["width"] * 0.1, box["y"] + box["height"] * 0.17
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + box["width"] * 0.5, y + box["height"] * 0.04, steps=4)
    page.mouse.up()
    expect(page.locator(".mark.redacted")).to_have_count(1)
    expect(page.locator(".card.is-selected")).to_have_count(0)
    page.get_by_role("button", name="Done").click()

    dialog = page.get_by_role("dialog", name="Production")
    expect(dialog).to_contain_text("1 drawn box")
    assert visit.violations() == []
    dialog.get_by_label("Before each number").fill("HF-")
    dialog.locator("li", has_text="Name").get_by_role("checkbox").check()
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Make the production").click()
    path = tmp_path / "production.zip"
    download.value.save_as(path)
    with zipfile.ZipFile(path) as archive:
        letter = pdfium.PdfDocument(archive.read("produced/HF-000001.pdf"))
        text = letter[0].get_textpage().get_text_range()
        assert "HF-2023-0417" not in text
        assert "Quintanar" not in text
        assert "Average" in text


def test_a_click_on_a_drawn_box_removes_it_and_escape_leaves_the_drawing(visit: Visit) -> None:
    page = visit.page
    visit.badge("claimant.name")
    page.get_by_role("button", name="Production").click()
    page.get_by_role("button", name="Draw boxes on the pages").click()
    page.get_by_role("button", name="Cover what is highlighted").click()
    mark = page.locator(".mark.redacted")
    expect(mark).to_have_count(1)
    box = mark.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(mark).to_have_count(0)
    visit.press("Escape")
    expect(page.locator(".pin-bar:visible")).to_have_count(0)
