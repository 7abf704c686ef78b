"""Values that two people have to sign for: one is not enough, whoever it is, and every surface says so."""

import io
import json
import sqlite3
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from openpyxl import load_workbook
from starlette.testclient import TestClient

from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import VerificationStore, read_reviews
from citation_pipeline.core.evaluation.verified_truth import truth_of_reviews
from citation_pipeline.core.review.overlay import mark_reviews
from citation_pipeline.core.review.people import People, same_person
from citation_pipeline.core.review.second_eyes import SecondEyes
from citation_pipeline.core.review.verifications import Action, ReviewState, Verification, fold
from citation_pipeline.core.viewer.contract import list_breaches
from citation_pipeline.serving.entry import read_settings
from citation_pipeline.serving.settings import (
    AccessToken,
    ProxyAccess,
    Role,
    ServingSettings,
    ServingSettingsError,
)
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.test_mcp_tools import over_http
from citation_pipeline_tests.viewer_claim.serving import INTENT, client_of, decide, running
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, SCHEMA, build_store

WAGE, PAID, NAME = "financials.average_weekly_wage", "financials.total_paid", "claimant.name"
SECRETS = {"Ada": "ada-ada-ada-ada-ada", "Ben": "ben-ben-ben-ben-ben", "Cleo": "cleo-cleo-cleo-cleo"}
TOKENS = [AccessToken.of(secret, name=name, role=Role.REVIEWER) for name, secret in SECRETS.items()]


def event(number: int, action: Action, reviewer: str, **given: Any) -> Verification:
    given = {"needs_second": True, **given}
    return Verification(number, "c", "x", action, reviewer, f"2026-01-0{number}", **given)


@pytest.fixture
def settings(tmp_path: Path) -> ServingSettings:
    store = build_store(tmp_path)
    rules = SecondEyes(fields=("claimant.*",), amount=20_000)
    return ServingSettings(str(store.root), render_workers=1, tokens=TOKENS, second_eyes=rules)


@pytest.fixture
def team(settings: ServingSettings) -> Iterator[dict[str, TestClient]]:
    with client_of(settings) as client:
        yield {
            name: TestClient(
                client.app,
                base_url="http://127.0.0.1",
                client=("127.0.0.1", 50000),
                headers={**INTENT, "Authorization": f"Bearer {secret}"},
            )
            for name, secret in SECRETS.items()
        }


def state(client: TestClient, key: str) -> str:
    fields = client.get(f"/api/claims/{CLAIM_ID}").json()["fields"]
    return next(f["review"]["state"] for f in fields if f["fieldKey"] == key)


@pytest.mark.parametrize(
    ("key", "values", "wanted"),
    [
        ("settlement.amount", ("x",), True),
        ("rate.total", (20_000,), False),
        ("rate.total", (20_000.01,), True),
        ("rate.total", (-30_000,), True),
        ("rate.total", (5, 30_000), True),
        ("rate.total", (None, True, "n/a"), False),
        ("rate.note", ("settled for $25,000.00 in May",), True),
        ("liens", ([{"amount": 9_000.0}, {"amount": 9_000}, {"amount": 9_000}],), True),
        ("liens", ([{"amount": 9_000.0}, {"amount": 9_000}],), False),
    ],
)
def test_a_second_person_is_asked_for_chosen_fields_and_larger_amounts(
    key: str, values: tuple[Any, ...], wanted: bool
) -> None:
    assert SecondEyes(("settlement.*",), 20_000).are_needed(key, *values) is wanted


def test_without_rules_one_person_is_enough() -> None:
    assert not SecondEyes().are_needed("settlement.amount", 10**9)


def test_a_verdict_counts_once_a_different_person_has_signed_the_same_value() -> None:
    first = event(1, Action.CONFIRM, "Ada", seen_value=5)
    assert fold([first])["x"].awaits_second
    assert fold([first, event(2, Action.CONFIRM, " ada ", seen_value=5)])["x"].awaits_second
    done = fold([first, event(2, Action.CONFIRM, "Ben", seen_value=5)])["x"]
    assert (done.awaits_second, done.signers, done.state) == (False, ("Ada", "Ben"), ReviewState.CONFIRMED)


@pytest.mark.parametrize(
    ("one", "other", "are_one"),
    [
        ("Ada", " ADA ", True),
        ("José Núñez", "Jose Nunez", True),
        ("Lee, Ann", "Ann Lee", True),
        ("Ann-Marie Lee", "Ann\u200b Marie  Lee", True),
        ("ann.lee@x.example", "Ann.Lee@x.example", True),
        ("ann.lee@x.example", "ann-lee@x.example", False),
        ("Ann Lee", "Anna Lee", False),
        ("Reviewer 1", "Reviewer 2", False),
        ("Lee, Ann, MD", "Ann Lee", False),
        ("राम", "रमा", False),
        ("?", "!", False),
    ],
)
def test_names_that_differ_in_spelling_alone_are_one_person(one: str, other: str, are_one: bool) -> None:
    assert same_person(one, other) is are_one
    first = event(1, Action.CONFIRM, one, seen_value=5)
    assert fold([first, event(2, Action.CONFIRM, other, seen_value=5)])["x"].awaits_second is are_one


def test_a_person_with_a_token_and_an_account_is_one_person(settings: ServingSettings) -> None:
    people = People({"Ada": ["ada@example.com"]})
    proxy = ProxyAccess(peers=("127.0.0.0/8",))
    with client_of(replace(settings, people=people, proxy=proxy)) as client:
        token = {**INTENT, "Authorization": f"Bearer {SECRETS['Ada']}"}
        account = {**INTENT, "x-forwarded-user": "ADA@example.com", "x-forwarded-groups": "reviewers"}
        ada, again = (
            TestClient(client.app, base_url="http://127.0.0.1", client=("127.0.0.1", 1), headers=h)
            for h in (token, account)
        )
        assert again.get("/api/session").json()["name"] == "Ada"
        assert decide(ada, CLAIM_ID, PAID, "confirm").status_code == 201
        assert decide(again, CLAIM_ID, PAID, "confirm").json()["error"]["code"] == "second_person_needed"


def test_people_are_read_from_a_file_in_which_a_name_is_one_persons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.json"
    monkeypatch.setenv("CITATION_VIEWER_PEOPLE_FILE", str(path))
    path.write_text('{"Ann Lee": ["ann@example.com", "auth0|7"]}')
    people = read_settings(str(tmp_path)).people
    assert [people.known_as(name) for name in ("AUTH0|7", "lee, ann", "Ben")] == ["Ann Lee", "Ann Lee", "Ben"]
    path.write_text('{"Ann Lee": ["al"], "Al Lo": ["AL"]}')
    with pytest.raises(ServingSettingsError, match="'AL' is given to two people, 'Ann Lee' and 'Al Lo'"):
        read_settings(str(tmp_path))
    path.write_text("[]")
    with pytest.raises(ServingSettingsError, match="CITATION_VIEWER_PEOPLE_FILE"):
        read_settings(str(tmp_path))


def test_another_value_begins_anew_and_so_does_a_moved_place() -> None:
    signed = [event(1, Action.CONFIRM, "Ada", seen_value=5), event(2, Action.CONFIRM, "Ben", seen_value=5)]
    for changed in (
        event(3, Action.CORRECT, "Ben", value=6, needs_second=False),
        event(3, Action.ABSENT, "Ben"),
        event(3, Action.REPIN, "Ben", needs_second=False),
    ):
        review = fold([*signed, changed])["x"]
        assert (review.awaits_second, review.signers) == (True, ("Ben",))
        assert not fold([*signed, changed, event(4, Action.UNDO, "Ben")])["x"].awaits_second


def test_reopening_ends_it_and_a_remark_is_no_signature() -> None:
    first = event(1, Action.CONFIRM, "Ada", seen_value=5)
    assert fold([first, event(2, Action.COMMENT, "Ben", comment="fine")])["x"].awaits_second
    opened = fold([first, event(2, Action.REOPEN, "Ben")])["x"]
    assert (opened.state, opened.signers, opened.needs_second) == (ReviewState.UNREVIEWED, (), False)


def test_the_second_reviewer_has_to_be_somebody_else(team: dict[str, TestClient]) -> None:
    field = decide(team["Ada"], CLAIM_ID, PAID, "confirm").json()["field"]
    assert (field["review"]["state"], field["review"]["signers"]) == ("awaiting_second", ["Ada"])
    refused = decide(team["Ada"], CLAIM_ID, PAID, "confirm")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "second_person_needed")
    again = decide(team["Ada"], CLAIM_ID, PAID, "correct", value="21,219.12")
    assert again.json()["error"]["code"] == "second_person_needed"
    signed = decide(team["Ben"], CLAIM_ID, PAID, "confirm").json()["field"]["review"]
    assert (signed["state"], signed["signers"]) == ("confirmed", ["Ada", "Ben"])


def test_a_small_amount_of_another_field_needs_one_person(team: dict[str, TestClient]) -> None:
    assert decide(team["Ada"], CLAIM_ID, WAGE, "confirm").json()["field"]["review"]["state"] == "confirmed"
    assert decide(team["Ada"], CLAIM_ID, NAME, "confirm").json()["field"]["review"]["state"] == (
        "awaiting_second"
    )


def test_making_a_large_amount_small_or_absent_needs_two(team: dict[str, TestClient]) -> None:
    assert decide(team["Ada"], CLAIM_ID, PAID, "correct", value="12").json()["field"]["review"]["state"] == (
        "awaiting_second"
    )
    taken = decide(team["Ben"], CLAIM_ID, PAID, "absent").json()["field"]["review"]
    assert (taken["state"], taken["verdict"], taken["signers"]) == ("awaiting_second", "absent", ["Ben"])
    assert decide(team["Ben"], CLAIM_ID, PAID, "absent").status_code == 403
    assert decide(team["Cleo"], CLAIM_ID, PAID, "absent").json()["field"]["review"]["state"] == "absent"


def test_undoing_the_second_signature_leaves_the_first(team: dict[str, TestClient]) -> None:
    decide(team["Ada"], CLAIM_ID, PAID, "confirm")
    decide(team["Ben"], CLAIM_ID, PAID, "confirm")
    undone = decide(team["Ben"], CLAIM_ID, PAID, "undo").json()["field"]["review"]
    assert (undone["state"], undone["signers"]) == ("awaiting_second", ["Ada"])


def test_a_value_that_waits_is_in_everybodys_queue_but_the_first_reviewers(
    team: dict[str, TestClient],
) -> None:
    decide(team["Ada"], CLAIM_ID, PAID, "confirm")
    queues = {
        name: [one["fieldKey"] for one in client.get(f"/api/claims/{CLAIM_ID}/queue").json()["queue"]]
        for name, client in team.items()
    }
    assert PAID not in queues["Ada"]
    assert PAID in queues["Ben"]
    line = team["Ben"].get("/api/claims").json()["claims"][0]
    assert (line["reviewed"], line["awaitingSecond"]) == (0, 1)


def test_no_surface_calls_the_first_signature_verified(
    settings: ServingSettings, team: dict[str, TestClient]
) -> None:
    decide(team["Ada"], CLAIM_ID, PAID, "confirm")
    told = team["Ben"].get(f"/api/claims/{CLAIM_ID}/fields/{PAID}").json()
    for citation in told["citations"]:
        extraction = citation["extraction"]
        assert (extraction["verified"], extraction["review_state"]) == (False, "awaiting_second")

    packed = team["Ben"].get(f"/api/claims/{CLAIM_ID}/evidence.zip").content
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert json.loads(archive.read("manifest.json"))["awaitingSecond"] == [PAID]
        book = load_workbook(io.BytesIO(archive.read("exhibits.xlsx")))
        assert PAID in {row[-1].value for row in book["Not verified"].iter_rows()}
        assert PAID not in {row[-1].value for row in book["Verified"].iter_rows()}
        data = next(f for f in json.loads(archive.read("data.json"))["fields"] if f["fieldKey"] == PAID)
        assert data["review"]["state"] == "awaiting_second"

    reviews = read_reviews(default_url(settings.store), CLAIM_ID)
    assert truth_of_reviews(CLAIM_ID, SCHEMA, reviews)["fields"] == {}
    published = json.loads((Path(settings.store) / "viewer_dataset" / CLAIM_ID / "data.json").read_text())
    marked = mark_reviews(published, reviews)
    assert list_breaches(marked) == []
    states = {field["fieldKey"]: field.get("review", {}).get("state") for field in marked["fields"]}
    assert states[PAID] == "awaiting_second"


def test_an_agent_is_told_that_a_second_reviewer_is_missing(settings: ServingSettings) -> None:
    with client_of(replace(settings, tokens=(), local_reviewer="Ada")) as client:
        decide(client, CLAIM_ID, PAID, "confirm")

    async def talk(client: Client) -> Any:
        return (await client.call_tool("get_claim", {"claim_id": CLAIM_ID})).structured_content

    with running(replace(settings, tokens=())) as address:
        claim = over_http(address, talk, secret="")
    field = next(field for field in claim["fields"] if field["name"] == PAID)
    assert (field["verified"], field["review_state"]) == (False, "awaiting_second")


def test_a_database_of_an_earlier_version_keeps_its_chain(settings: ServingSettings, tmp_path: Path) -> None:
    with client_of(replace(settings, tokens=(), second_eyes=SecondEyes())) as client:
        decide(client, CLAIM_ID, WAGE, "confirm")
    path = Path(settings.store) / "verifications.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE verifications DROP COLUMN needs_second")
    with client_of(replace(settings, tokens=(), local_reviewer="Ben")) as client:
        decide(client, CLAIM_ID, PAID, "confirm")
    store = VerificationStore(default_url(settings.store))
    assert [kept.needs_second for kept in store.history(CLAIM_ID)] == [False, True]
    store.close()
    result = command("audit", "verify", "--store", settings.store, "--json")
    assert result.exit_code == 0, result.output
