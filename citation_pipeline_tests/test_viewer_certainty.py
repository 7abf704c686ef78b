"""What the viewer's cards, banners and prints say of how sure a value is, in a real Chromium."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.review.second_eyes import SecondEyes
from citation_pipeline.core.viewer.sureness import confidence_text
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import INTENT, decide, running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store

pytestmark = pytest.mark.browser

PAID, BORN, SILENT = "financials.total_paid", "claimant.date_of_birth", "claimant.hire_date"


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
    settings = ServingSettings(
        str(store), render_workers=1, local_reviewer="Ada", second_eyes=SecondEyes(amount=20_000)
    )
    with running(settings) as address:
        yield address


def change(store: Path, alter: Callable[[dict[str, Any]], None]) -> None:
    """The pipeline writes another dataset."""
    claims = ClaimStore(store)
    dataset = claims.read_viewer_dataset(CLAIM_ID)
    alter(dataset)
    claims.write_viewer_dataset(CLAIM_ID, dataset, inputs={})


def decided(address: str, key: str, action: str, **given: Any) -> None:
    with httpx.Client(base_url=address, headers=INTENT) as client:
        answer = decide(client, CLAIM_ID, key, action, **given)
        assert answer.status_code == 201, answer.text


def opened(page: Page, address: str) -> Visit:
    page.goto("about:blank")
    visit = Visit(page)
    visit.open(f"{address}/claims/{CLAIM_ID}")
    return visit


def test_a_value_that_is_doubted_says_low_before_it_is_opened_whatever_the_model_said(
    browser_page: Page, store: Path, address: str
) -> None:
    def doubt(dataset: dict[str, Any]) -> None:
        field = next(one for one in dataset["fields"] if one["fieldKey"] == BORN)
        assert field["confidence"] == "high"
        field["fieldConfidence"]["value"] = 0.3

    change(store, doubt)
    visit = opened(browser_page, address)
    expect(visit.card(BORN).locator(".pill.warn")).to_contain_text("Low")
    visit.page.locator(".filters button", has_text="Low confidence").click()
    expect(visit.card(BORN)).to_have_count(1)


def test_nothing_that_is_judged_is_shown_as_certain(browser_page: Page, store: Path, address: str) -> None:
    def be_nearly_sure(dataset: dict[str, Any]) -> None:
        field = next(one for one in dataset["fields"] if one["fieldKey"] == BORN)
        field["fieldConfidence"] = {"value": 0.9996, "parts": {"type": -0.9}}
        field["citations"][0]["confidence"] = 0.9996

    change(store, be_nearly_sure)
    visit = opened(browser_page, address)
    visit.card(BORN).locator(".card-head").click()
    expect(visit.card(BORN).locator(".sureness")).to_have_text("Confidence 99%")
    expect(visit.card(BORN).locator(".evidence-foot")).to_contain_text("match 99%")
    assert (confidence_text(0.9996), confidence_text(0.29), confidence_text(1.0)) == ("0.99", "0.29", "0.99")


def test_what_disagrees_stands_before_the_decision_and_what_is_superseded_is_folded_after_it(
    browser_page: Page, store: Path, address: str
) -> None:
    def rival(value: str, reason: str) -> dict[str, Any]:
        said = {"value": value, "rawValue": value, "reason": reason, "confidence": None, "date": None}
        return said | {"citations": [], "unresolvedCitations": []}

    def add(dataset: dict[str, Any]) -> None:
        field = next(one for one in dataset["fields"] if one["fieldKey"] == BORN)
        field["candidates"] = [rival("1984-02-08", "conflicting"), rival("1984-02-09", "superseded")]

    change(store, add)
    visit = opened(browser_page, address)
    visit.card(BORN).locator(".card-head").click()
    detail = visit.card(BORN).locator(".detail")
    order = detail.evaluate("(node) => [...node.children].map((child) => child.className)")
    assert order.index("conflict candidate") < order.index("review-buttons") < order.index("searched settled")
    folded = detail.locator(".settled")
    expect(folded.locator("summary")).to_have_text("1 earlier reading")
    expect(folded.get_by_text("1984-02-09")).to_be_hidden()
    folded.locator("summary").click()
    expect(folded.get_by_text("1984-02-09")).to_be_visible()
    assert visit.problems == []


def test_a_corrected_value_says_that_its_place_was_not_signed_on_the_card_and_on_paper(
    browser_page: Page, address: str
) -> None:
    decided(address, BORN, "correct", value="1984-02-07")
    visit = opened(browser_page, address)
    expect(visit.card(BORN).locator(".badge").first).to_contain_text("not signed")
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    row = visit.page.locator(".print-sheet tbody tr", has_text="Date Of Birth")
    assert "place not reviewed" in (row.text_content() or "")
    decided(address, BORN, "confirm")
    visit = opened(browser_page, address)
    expect(visit.card(BORN).locator(".badge").first).not_to_contain_text("not signed")
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    row = visit.page.locator(".print-sheet tbody tr", has_text="Date Of Birth")
    assert "place not reviewed" not in (row.text_content() or "")


def test_pages_that_are_hard_to_read_are_named_above_the_fields_and_beside_what_is_absent(
    browser_page: Page, store: Path, address: str
) -> None:
    def read_badly(dataset: dict[str, Any]) -> None:
        dataset["issues"].append(
            {
                "code": "pages_doubtful",
                "severity": "warning",
                "message": "Fewer than 7 in 10 words were read surely: compare them with the picture.",
                "reason": "few_sure_words",
                "sourceId": "employer-fax",
                "pages": [[1, 1]],
            }
        )
        entry = next(one for one in dataset["unreadFields"] if one["fieldKey"] == SILENT)
        dataset["unreadFields"].remove(entry)
        dataset["absentFields"].append({**entry, "status": "absent", "unread": []})

    change(store, read_badly)
    visit = opened(browser_page, address)
    banner = visit.page.locator(".data-head .cautions")
    expect(banner).to_contain_text("Some pages are hard to read")
    banner.locator("summary").click()
    expect(banner.locator("li")).to_contain_text("Employer Fax, p. 1")
    visit.page.locator(".filters button", has_text="Absent").click()
    visit.card(SILENT).locator(".card-head").click()
    expect(visit.page.locator(".silence")).to_contain_text("Searched, but hard to read: Employer Fax, p. 1")
    assert visit.problems == []


def test_what_rules_did_not_find_is_not_said_to_be_in_no_document(
    browser_page: Page, store: Path, address: str
) -> None:
    def look_with_rules(dataset: dict[str, Any]) -> None:
        entry = next(one for one in dataset["unreadFields"] if one["fieldKey"] == SILENT)
        dataset["unreadFields"].remove(entry)
        looked = {"status": "absent", "unread": [], "searchedBy": "rules-3", "absenceConfidence": 0.52}
        dataset["absentFields"].append({**entry, **looked})

    change(store, look_with_rules)
    visit = opened(browser_page, address)
    visit.page.locator(".filters button", has_text="Absent").click()
    visit.card(SILENT).locator(".card-head").click()
    expect(visit.card(SILENT)).not_to_contain_text("Not found in the documents")
    expect(visit.page.locator(".silence")).to_contain_text("of a hundred such fields 48 are in the documents")
    assert visit.problems == []


def test_a_queue_that_is_empty_for_one_person_does_not_call_everything_reviewed(
    browser_page: Page, store: Path, address: str
) -> None:
    change(store, lambda data: data.update(fields=[f for f in data["fields"] if f["fieldKey"] == PAID]))
    decided(address, PAID, "confirm")
    visit = opened(browser_page, address)
    visit.page.get_by_role("tab", name="Review").click()
    done = visit.page.locator(".all-done")
    expect(done).to_contain_text("Nothing is left for you: 1 value for a second reviewer.")
    expect(done).to_contain_text("without a value: unread or doubted")
    expect(done).not_to_contain_text("reviewed.")


def test_the_last_decision_is_taken_back_by_a_button_that_stays(browser_page: Page, address: str) -> None:
    visit = opened(browser_page, address)
    undo = visit.page.locator(".undo-last")
    expect(undo).to_have_count(0)
    visit.look_at(BORN)
    visit.press("c")
    expect(visit.card(BORN).locator(".pill.confirmed")).to_have_count(1)
    expect(visit.page.locator(".toast")).to_have_count(0)  # the note with its own button is gone
    expect(undo).to_have_accessible_name("Undo the decision on Date Of Birth")
    undo.click()
    expect(visit.card(BORN).locator(".pill.confirmed")).to_have_count(0)
    expect(undo).to_have_count(0)
    assert visit.problems == []


def test_agreement_is_said_only_of_fields_that_somebody_reviewed(browser_page: Page, address: str) -> None:
    visit = opened(browser_page, address)
    empty = visit.page.locator(".empty")
    visit.page.get_by_role("tab", name="Conflicts").click()
    expect(empty).to_have_text("Nothing is reviewed yet: nobody can have disagreed.")
    expect(empty.locator("svg")).to_have_count(0)

    decided(address, BORN, "confirm")
    visit = opened(browser_page, address)
    visit.page.get_by_role("tab", name="Conflicts").click()
    expect(empty).to_have_text("No conflict among 1 reviewed field.")


def test_the_schema_is_named_as_such_and_not_as_what_the_claim_is(browser_page: Page, address: str) -> None:
    visit = opened(browser_page, address)
    expect(visit.page.locator(".data-title .muted")).to_have_text(re.compile("^Schema: "))
