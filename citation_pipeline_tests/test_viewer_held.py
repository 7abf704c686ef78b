"""A held set in the viewer: both sides of every change, on the page, and a decision that is carried out."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.promotions import read_decisions
from citation_pipeline.cli.requested_runs import make_decide_held
from citation_pipeline.defs.assets import resolved_citations
from citation_pipeline.serving.api.agent_settings import AgentSettings
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.killed_runs import run_claim
from citation_pipeline_tests.scenario import write_claim
from citation_pipeline_tests.test_promotions import shifted
from citation_pipeline_tests.viewer_claim.browser import Visit, browsing
from citation_pipeline_tests.viewer_claim.serving import client_of, running

CLAIM = "tiny"


@pytest.fixture(scope="module")
def held_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store whose claim was matched again by a matcher that puts every box elsewhere."""
    root = tmp_path_factory.mktemp("held")
    store = root / "store"
    with pytest.MonkeyPatch.context() as patch:
        run_claim(write_claim(root / CLAIM), store)
        patch.setenv("DAGSTER_HOME", str(store / "dagster_home"))
        resolve = resolved_citations.resolve_claim
        patch.setattr(
            resolved_citations,
            "resolve_claim",
            lambda *arguments, **options: [shifted(c) for c in resolve(*arguments, **options)],
        )
        ended = command("rematch", "--store", str(store))
        assert "would be moved" in ended.stderr
        yield store


@pytest.fixture
def settings(held_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ServingSettings:
    """The viewer of a copy: what is decided in one test is still open in the others."""
    store = str(shutil.copytree(held_store, tmp_path / "store"))
    monkeypatch.setenv("DAGSTER_HOME", f"{store}/dagster_home")
    agents = AgentSettings(decide_held=make_decide_held(store))
    return ServingSettings(store, render_workers=1, local_reviewer="Ada", agents=agents)


def test_a_decision_on_another_set_or_without_a_reason_is_refused(settings: ServingSettings) -> None:
    with client_of(settings) as client:
        found = client.get(f"/api/claims/{CLAIM}/held").json()["held"]
        assert {change["change"] for change in found["changes"]} == {"moved"}
        for change in found["changes"]:
            assert change["before"]["regions"] != change["after"]["regions"]
            assert change["before"]["snippet"] == change["after"]["snippet"]
        assert client.get("/api/claims").json()["claims"][0]["isHeld"] is True
        wrong = {"version": "another", "decision": "accept", "why": "x"}
        assert client.post(f"/api/claims/{CLAIM}/held", json=wrong).status_code == 409
        mute = {"version": found["version"], "decision": "accept", "why": "  "}
        assert client.post(f"/api/claims/{CLAIM}/held", json=mute).status_code == 422
    with client_of(replace(settings, agents=AgentSettings())) as client:
        given = {"version": found["version"], "decision": "accept", "why": "x"}
        assert client.post(f"/api/claims/{CLAIM}/held", json=given).status_code == 503
    assert read_decisions(default_url(settings.store), CLAIM) == []


@pytest.mark.browser
def test_a_reviewer_compares_both_sides_on_the_page_and_accepts(settings: ServingSettings) -> None:
    shown = Path(settings.store) / "viewer_dataset" / CLAIM / "data.json"
    before = json.loads(shown.read_text())["fields"]
    with running(settings) as address, browsing() as browser:
        visit = Visit(browser.new_page(viewport={"width": 1440, "height": 900}))
        visit.open(f"{address}/claims/{CLAIM}")
        page = visit.page
        expect(page.locator('.claim[aria-current="page"] .pill', has_text="Held")).to_be_visible()
        page.locator(".held-banner").get_by_role("button", name="Compare").click()
        change = page.locator(".held-change").first
        expect(change).to_contain_text("Moved")
        change.get_by_role("button", name="Both on the page").click()
        expect(page.locator(".mark.before").first).to_be_visible()
        expect(page.locator(".mark.after").first).to_be_visible()
        assert abs(visit.lit("before").top - visit.lit("after").top) > 0.3

        page.get_by_role("button", name="Accept the new result").click()
        expect(page.locator(".held-decision .problem")).to_contain_text("Say why")
        page.get_by_label("Why you accept or refuse the new result").fill("looked at both")
        page.get_by_role("button", name="Accept the new result").click()
        visit.hear("shown from now on")
        expect(page.locator(".held-banner")).to_have_count(0)
        assert visit.problems == []
    (decided,) = read_decisions(default_url(settings.store), CLAIM)
    assert (decided.decision.value, decided.decided_by, decided.why) == ("accept", "Ada", "looked at both")
    assert json.loads(shown.read_text())["fields"] != before
