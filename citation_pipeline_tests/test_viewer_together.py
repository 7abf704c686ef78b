"""Two people on one claim, in two browsers: what one does reaches the other, nothing unseen is signed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import NewVerification, VerificationStore
from citation_pipeline.core.review.verifications import Action
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import INTENT, running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store

pytestmark = pytest.mark.browser

NAME, WAGE = "claimant.name", "financials.average_weekly_wage"
SECRETS = {"Ada": "ada-ada-ada-ada-ada", "Ben": "ben-ben-ben-ben-ben"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def store(tmp_path: Path) -> Path:
    build_store(tmp_path)
    return tmp_path / "store"


@pytest.fixture
def pair(browser: Browser, store: Path) -> Iterator[tuple[Visit, Visit]]:
    tokens = [AccessToken.of(secret, name=name, role=Role.REVIEWER) for name, secret in SECRETS.items()]
    with running(ServingSettings(str(store), render_workers=1, tokens=tokens)) as address:
        visits = []
        for secret in SECRETS.values():
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            answer = context.request.post(f"{address}/api/session", data={"token": secret}, headers=INTENT)
            assert answer.ok
            visit = Visit(context.new_page())
            visit.open(f"{address}/claims/{CLAIM_ID}")
            visits.append(visit)
        yield visits[0], visits[1]
        for visit in visits:
            assert visit.problems == []
            visit.page.context.close()


def events(store: Path) -> list[tuple[str, Action]]:
    kept = VerificationStore(default_url(store))
    try:
        return [(event.reviewer, event.action) for event in kept.history(CLAIM_ID)]
    finally:
        kept.close()


def test_a_colleagues_decision_and_place_appear_within_two_seconds(pair: tuple[Visit, Visit]) -> None:
    ada, ben = pair
    expect(ada.page.locator(".people")).to_contain_text("Ben is here")
    ben.look_at(NAME)
    expect(ada.card(NAME).locator(".pill.person")).to_contain_text("Ben")
    ben.press("c")
    expect(ben.card(NAME)).to_contain_text("Confirmed")
    expect(ada.card(NAME)).to_contain_text("Confirmed")


def test_what_another_server_keeps_appears_too(pair: tuple[Visit, Visit], store: Path) -> None:
    ada, _ = pair
    expect(ada.page.locator(".people")).to_contain_text("Ben is here")
    kept = VerificationStore(default_url(store))
    kept.append(
        NewVerification(
            CLAIM_ID, WAGE, Action.CORRECT, "Night", 0, "request-1", value=99.5, seen_value=1182.5
        )
    )
    kept.close()
    expect(ada.card(WAGE)).to_contain_text("Corrected")


def test_people_at_two_servers_of_one_store_see_each_other_and_who_took_the_claim(
    browser: Browser, store: Path
) -> None:
    tokens = [AccessToken.of(secret, name=name, role=Role.REVIEWER) for name, secret in SECRETS.items()]
    settings = ServingSettings(str(store), render_workers=1, tokens=tokens)
    with running(settings) as first, running(settings) as second:
        visits = []
        for address, secret in zip((first, second), SECRETS.values(), strict=True):
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            assert context.request.post(f"{address}/api/session", data={"token": secret}, headers=INTENT).ok
            visit = Visit(context.new_page())
            visit.open(f"{address}/claims/{CLAIM_ID}")
            visits.append(visit)
        ada, ben = visits
        expect(ada.page.locator(".people")).to_contain_text("Ben is here")
        expect(ben.page.locator(".people")).to_contain_text("Ada is here")
        ben.look_at(NAME)
        expect(ada.card(NAME).locator(".pill.person")).to_contain_text("Ben")
        ada.page.get_by_role("button", name="Take this claim").click()
        expect(ben.page.locator(".hands")).to_contain_text("Ada is reviewing until")
        ben.page.get_by_role("button", name="Take over").click()
        ada.hear("Ben has taken this claim over")
        ben.page.context.close()
        expect(ada.page.locator(".people")).to_be_hidden()
        ada.page.context.close()


def test_a_value_that_a_colleague_changes_under_the_key_is_not_signed_unseen(
    pair: tuple[Visit, Visit], store: Path
) -> None:
    ada, ben = pair
    ada.look_at(NAME)
    ben.look_at(NAME)
    ada.stop_clock()
    ben.press("e", "Control+a")
    ben.page.keyboard.type("Somebody Else")
    ben.press("Enter")
    expect(ada.card(NAME).locator(".card-value")).to_have_text("Somebody Else")
    ada.press("c")  # meant for the value before
    ada.hear("changed a moment ago")
    expect(ada.card(NAME).locator(".conflict.changed")).to_contain_text("Marisol Quintanar")
    assert events(store) == [("Ben", Action.CORRECT)]
    ada.start_clock()
    ada.wait_until_seen()
    ada.press("c")  # seen by now
    ada.hear("Confirmed")
    assert [reviewer for reviewer, _ in events(store)] == ["Ben", "Ada"]


def test_a_field_of_the_queue_that_a_colleague_settles_gives_way_to_the_next(
    pair: tuple[Visit, Visit], store: Path
) -> None:
    ada, ben = pair
    ada.press("q")
    first, second = (ada.page.locator(".card").nth(at).get_attribute("data-key") for at in (0, 1))
    assert first
    assert second
    expect(ada.card(first)).to_have_class(re.compile("is-selected"))
    ben.look_at(first)
    ada.stop_clock()
    ben.press("c")
    ben.hear("Confirmed")
    expect(ada.card(second)).to_have_class(re.compile("is-selected"))
    expect(ada.card(first)).to_have_count(0)  # still the queue, not all fields
    ada.hear("waits no more")
    ada.press("c")  # meant for the field before
    ada.hear("This is the next field")
    assert events(store) == [("Ben", Action.CONFIRM)]


def test_what_is_being_typed_stays_while_a_colleague_decides(pair: tuple[Visit, Visit]) -> None:
    ada, ben = pair
    ada.look_at(NAME)
    ada.press("e", "Control+a")
    ada.page.keyboard.type("Half a na")
    ben.look_at(WAGE)
    ben.press("c")
    expect(ada.card(WAGE)).to_contain_text("Confirmed")
    editor = ada.card(NAME).locator(".editor .input")
    expect(editor).to_be_focused()
    ada.page.keyboard.type("me")
    expect(editor).to_have_value("Half a name")


def test_the_last_decisions_are_taken_back_one_by_one_and_only_ones_own(
    pair: tuple[Visit, Visit], store: Path
) -> None:
    ada, ben = pair
    for key in (NAME, WAGE):
        ada.look_at(key)
        ada.press("c")
        expect(ada.card(key)).to_contain_text("Confirmed")
    ada.press("z")
    expect(ada.card(WAGE)).not_to_contain_text("Confirmed")
    ada.press("z")
    expect(ada.card(NAME)).not_to_contain_text("Confirmed")
    ada.press("z")
    ada.hear("Nothing to take back")
    assert [action for _, action in events(store)] == [Action.CONFIRM] * 2 + [Action.UNDO] * 2
    ben.press("z")
    ben.hear("Nothing to take back")


def test_a_hidden_tab_holds_no_connection_and_is_up_to_date_when_it_is_shown(
    pair: tuple[Visit, Visit],
) -> None:
    ada, ben = pair
    expect(ben.page.locator(".people")).to_contain_text("Ada is here")
    hide = (
        "(hidden) => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')); }"
    )
    ada.page.evaluate(hide, True)
    expect(ben.page.locator(".people")).to_be_hidden()
    ben.look_at(NAME)
    ben.press("c")
    expect(ben.card(NAME)).to_contain_text("Confirmed")
    expect(ada.card(NAME)).not_to_contain_text("Confirmed")
    ada.page.evaluate(hide, False)
    expect(ada.card(NAME)).to_contain_text("Confirmed")
