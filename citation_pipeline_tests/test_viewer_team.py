"""A team in two browsers: one queue, claims that change hands visibly, values that two people sign for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from citation_pipeline.core.review.second_eyes import SecondEyes
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import INTENT, running
from citation_pipeline_tests.viewer_claim.store import build_store

pytestmark = pytest.mark.browser

PAID = "financials.total_paid"
SECRETS = {name: f"{name.lower()}-secret-of-the-day" for name in ("Ada", "Ben", "Lea")}
ROLES = {"Ada": Role.REVIEWER, "Ben": Role.REVIEWER, "Lea": Role.ADMINISTRATOR}
PEOPLE = ["Ada", "Ben", "Lea"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    for claim_id in ("A-1", "A-2"):
        build_store(tmp_path, claim_id)
    tokens = [AccessToken.of(SECRETS[name], name=name, role=ROLES[name]) for name in PEOPLE]
    settings = ServingSettings(
        str(tmp_path / "store"), render_workers=1, tokens=tokens, second_eyes=SecondEyes(amount=20_000)
    )
    with running(settings) as address:
        yield address


@pytest.fixture
def team(browser: Browser, address: str) -> Iterator[dict[str, Visit]]:
    visits = {}
    for name in PEOPLE:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        answer = context.request.post(f"{address}/api/session", data={"token": SECRETS[name]}, headers=INTENT)
        assert answer.ok
        visits[name] = Visit(context.new_page())
    yield visits
    for visit in visits.values():
        assert visit.problems == []
        visit.page.context.close()


def test_two_people_work_one_queue_and_a_claim_changes_hands_before_both(
    team: dict[str, Visit], address: str
) -> None:
    ada, ben = team["Ada"], team["Ben"]
    for visit in (ada, ben):
        visit.page.goto(f"{address}/queue")
        visit.page.get_by_role("button", name="Take the next claim").click()
        expect(visit.page.locator(".hands")).to_contain_text("Yours until")
    expect(ada.page.locator(".data-title h1")).to_have_text("A-1")
    expect(ben.page.locator(".data-title h1")).to_have_text("A-2")
    expect(ada.page.locator(".card.is-selected")).to_have_count(1)

    ben.page.goto(f"{address}/claims/A-1?field={PAID}")
    expect(ben.page.locator(".hands")).to_contain_text("Ada is reviewing until")
    ben.wait_until_seen()
    ben.page.locator(".data-list").focus()
    ben.press("c")
    ben.hear("Ada is reviewing this claim")
    ben.forgive()
    ben.page.get_by_role("button", name="Take over").click()
    expect(ben.page.locator(".hands")).to_contain_text("Yours until")
    ada.hear("Ben has taken this claim over")
    expect(ada.page.locator(".hands")).to_contain_text("Ben is reviewing until")


def test_a_value_for_two_is_signed_first_by_one_then_by_another(team: dict[str, Visit], address: str) -> None:
    ada, ben = team["Ada"], team["Ben"]
    for visit in (ada, ben):
        visit.open(f"{address}/claims/A-1?field={PAID}")
        visit.wait_until_seen()
    ada.press("c")
    ada.hear("A second reviewer has to confirm")
    expect(ada.card(PAID).locator(".pill.awaiting_second")).to_be_visible()
    expect(ada.card(PAID).get_by_role("button", name="Confirm")).to_be_disabled()
    expect(ben.card(PAID)).to_contain_text("Ada signed first")
    ben.wait_until_seen()  # what changed under a reviewer takes no decision for a moment
    ben.press("c")
    expect(ben.card(PAID).locator(".pill.confirmed")).to_be_visible()
    expect(ben.card(PAID)).to_contain_text("by Ada and Ben")
    expect(ada.card(PAID).locator(".pill.confirmed")).to_be_visible()


def test_a_lead_assigns_in_the_queue_and_gives_a_token(team: dict[str, Visit], address: str) -> None:
    page = team["Lea"].page
    page.goto(f"{address}/queue")
    page.get_by_label("Who A-2 is assigned to").select_option("Ben")
    team["Lea"].hear("A-2 is assigned to Ben")
    team["Ben"].page.goto(f"{address}/queue")
    team["Ben"].page.get_by_role("button", name="Mine").click()
    expect(team["Ben"].page.locator(".team-table tbody th")).to_have_text(["A-2"])

    page.get_by_role("tab", name="People").click()
    page.get_by_role("textbox", name="Name").fill("Cleo")
    page.get_by_role("button", name="Give", exact=True).click()
    secret = page.locator(".token-made code").inner_text()
    assert len(secret) > 30
    page.get_by_role("textbox", name="Name").fill("ada")
    page.get_by_role("button", name="Give", exact=True).click()
    expect(page.locator(".token-made")).to_contain_text("There is a Ada here already")
    team["Lea"].forgive()
    page.get_by_role("button", name="It is the same person").click()
    expect(page.locator(".token-made")).to_contain_text("The token of Ada")
    page.get_by_role("button", name="Back to the claim").click()
    expect(page.locator(".team")).to_be_hidden()


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_the_teams_pages(
    team: dict[str, Visit], address: str, width: int, theme: str
) -> None:
    page = team["Lea"].page
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    team["Ada"].page.request.post(f"{address}/api/claims/A-1/lease", data={}, headers=INTENT)
    for view in ("queue", "figures", "people"):
        page.goto(f"{address}/{view}")
        page.wait_for_selector(".team-body > *")
        assert team["Lea"].violations() == [], view
        assert page.evaluate("document.documentElement.scrollWidth") <= width
