"""A team's day: the queue over claims, leases and assignments, roles, what the webhook is told, figures."""

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from citation_pipeline.adapters import webhooks
from citation_pipeline.adapters.assignments.store import AssignmentStore, LeaseHeldError
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.tokens import NameTakenError, TokenStore
from citation_pipeline.core.review.assignments import Assignment, AssignmentAction, Lease
from citation_pipeline.core.review.figures import figures_of
from citation_pipeline.core.review.queue import QueuedClaim, Waiting, queued
from citation_pipeline.core.review.second_eyes import SecondEyes
from citation_pipeline.core.review.verifications import Action, Verification
from citation_pipeline.serving.api.agent_settings import AgentSettings
from citation_pipeline.serving.settings import AccessToken, ProxyAccess, Role, ServingSettings
from citation_pipeline.serving.team import notices
from citation_pipeline_tests.hooks import running_hook
from citation_pipeline_tests.viewer_claim.serving import INTENT, client_of, decide
from citation_pipeline_tests.viewer_claim.store import build_store

SECRETS = {name: f"{name.lower()}-secret-of-the-day" for name in ("Ada", "Ben", "Lea", "Vic", "Adm")}
ROLES = {"Ada": Role.REVIEWER, "Ben": Role.REVIEWER, "Lea": Role.LEAD, "Vic": Role.VIEWER}
TOKENS = [
    AccessToken.of(secret, name=name, role=ROLES.get(name, Role.ADMINISTRATOR))
    for name, secret in SECRETS.items()
]
NAME, WAGE, PAID = "claimant.name", "financials.average_weekly_wage", "financials.total_paid"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for claim_id in ("A-1", "A-2", "B-3"):
        build_store(tmp_path, claim_id)
    return tmp_path / "store"


@pytest.fixture
def settings(store: Path) -> ServingSettings:
    return ServingSettings(str(store), render_workers=1, tokens=TOKENS)


def people_of(client: TestClient) -> dict[str, TestClient]:
    return {
        name: TestClient(
            client.app,
            base_url="http://127.0.0.1",
            client=("127.0.0.1", 50000),
            headers={**INTENT, "Authorization": f"Bearer {secret}"},
        )
        for name, secret in SECRETS.items()
    }


@pytest.fixture
def team(settings: ServingSettings) -> Iterator[dict[str, TestClient]]:
    with client_of(settings) as client:
        yield people_of(client)


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


# --- the order -----------------------------------------------------------------------------------------


def claim(claim_id: str, **given: Any) -> QueuedClaim:
    told: dict[str, Any] = {"open_fields": 1, "conflicts": 0, "low": 0, "is_held": False, "top_risk": 1.0}
    return QueuedClaim(claim_id, **{**told, **given})


def test_a_queue_has_ones_own_claims_first_then_disagreements_then_risk() -> None:
    claims = [
        claim("calm"),
        claim("risky", top_risk=50.0),
        claim("disputed", conflicts=1),
        claim("mine", assignment=Assignment("mine", "Ada", "Lea", "")),
        claim("done", open_fields=0),
        claim("for second", open_fields=0, first_signers={"Ben": 1}),
        claim("own first", open_fields=0, first_signers={"ada": 2}),
    ]
    found = [one.claim_id for one in queued(claims, person="Ada", waiting=Waiting.OPEN)]
    assert found == ["mine", "disputed", "risky", "calm", "for second"]
    assert [one.claim_id for one in queued(claims, person="Ada", waiting=Waiting.SECOND)] == ["for second"]
    assert [one.claim_id for one in queued(claims, person="Ada", waiting=Waiting.MINE)] == ["mine"]


def test_the_oldest_queue_goes_by_when_documents_came() -> None:
    claims = [claim("new", arrived_at=30.0), claim("unknown"), claim("old", arrived_at=10.0)]
    assert [one.claim_id for one in queued(claims, person="Ada", waiting=Waiting.OLDEST)] == [
        "old",
        "new",
        "unknown",
    ]


def test_low_and_held_claims_have_queues_of_their_own() -> None:
    claims = [claim("low", low=1), claim("lower", low=3), claim("held", is_held=True, open_fields=0)]
    assert [one.claim_id for one in queued(claims, person="x", waiting=Waiting.LOW)] == ["lower", "low"]
    assert [one.claim_id for one in queued(claims, person="x", waiting=Waiting.HELD)] == ["held"]


# --- leases ----------------------------------------------------------------------------------------------


def test_a_lease_keeps_others_off_until_it_expires_or_the_dataset_is_made_anew(tmp_path: Path) -> None:
    clock = [1000.0]
    leases = AssignmentStore(default_url(tmp_path), now=lambda: clock[0])
    leases.take("c", "Ada", dataset_version="v1", seconds=60)
    with pytest.raises(LeaseHeldError) as refused:
        leases.take("c", "Ben", dataset_version="v1", seconds=60)
    assert refused.value.lease == Lease("c", "Ada", "v1", 1000.0, 1060.0)
    assert leases.lease_of("c", dataset_version="v2") is None  # a new result: the work begins anew
    clock[0] = 1059.0
    assert leases.renew("c", "Ada", dataset_version="v1", seconds=60) is not None
    clock[0] = 1100.0
    with pytest.raises(LeaseHeldError):
        leases.take("c", "Ben", dataset_version="v1", seconds=60)
    clock[0] = 1119.5
    assert leases.take("c", "Ben", dataset_version="v1", seconds=60).holder == "Ben"
    assert leases.renew("c", "Ada", dataset_version="v1", seconds=60) is None
    assert not leases.release("c", "Ada", dataset_version="v1")
    assert leases.release("c", "Ben", dataset_version="v1")
    assert [event.action for event in leases.log_of("c")] == [
        AssignmentAction.TAKEN,
        AssignmentAction.TAKEN,
        AssignmentAction.RELEASED,
    ]
    leases.close()


def test_of_many_who_take_a_claim_at_once_one_gets_it(tmp_path: Path) -> None:
    got: list[str] = []

    def take(name: str) -> None:
        leases = AssignmentStore(default_url(tmp_path))
        try:
            got.append(leases.take("c", name, dataset_version="v", seconds=60).holder)
        except LeaseHeldError:
            pass
        finally:
            leases.close()

    threads = [threading.Thread(target=take, args=(f"person {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 1


def test_who_takes_the_next_claim_gets_one_that_nobody_else_has(team: dict[str, TestClient]) -> None:
    taken = {name: team[name].post("/api/queue/next", json={}).json() for name in ("Ada", "Ben", "Lea")}
    assert {one["claimId"] for one in taken.values()} == {"A-1", "A-2", "B-3"}
    assert all(one["fieldKey"] for one in taken.values())
    assert team["Adm"].post("/api/queue/next", json={}).json()["claimId"] is None
    after = taken["Ada"]["claimId"]
    assert team["Ada"].post("/api/queue/next", json={"after": after}).json()["claimId"] == after
    queue = team["Ben"].get("/api/queue").json()
    assert queue["counts"]["mine"] == 1
    holders = {one["claimId"]: one["lease"]["holder"] for one in queue["claims"]}
    assert holders[taken["Ben"]["claimId"]] == "Ben"


def test_a_claim_in_other_hands_takes_no_decision_until_it_is_taken_over(
    team: dict[str, TestClient],
) -> None:
    assert team["Ada"].post("/api/claims/A-1/lease", json={}).json()["lease"]["isMine"] is True
    assert code(decide(team["Ben"], "A-1", NAME, "confirm")) == (409, "in_other_hands")
    assert decide(team["Ben"], "A-1", NAME, "comment", comment="look at page 2").status_code == 201
    assert code(team["Ben"].post("/api/claims/A-1/lease", json={})) == (409, "in_other_hands")
    over = team["Ben"].post("/api/claims/A-1/lease", json={"takeOver": True, "why": "Ada is ill"}).json()
    assert over["lease"]["holder"] == "Ben"
    assert [(e["action"], e["person"], e["why"]) for e in over["log"]] == [
        ("taken", "Ada", ""),
        ("taken_over", "Ben", "Ada is ill"),
    ]
    assert decide(team["Ben"], "A-1", NAME, "confirm").status_code == 201
    assert code(decide(team["Ada"], "A-1", WAGE, "confirm")) == (409, "in_other_hands")
    assert team["Ben"].delete("/api/claims/A-1/lease").status_code == 204
    assert decide(team["Ada"], "A-1", WAGE, "confirm").status_code == 201


def test_a_decision_begins_the_lease_anew(store: Path, settings: ServingSettings) -> None:
    with client_of(replace(settings, lease_seconds=300.0)) as client:
        team = people_of(client)
        until = team["Ada"].post("/api/claims/A-1/lease", json={}).json()["lease"]["expiresAt"]
        decide(team["Ada"], "A-1", NAME, "confirm")
        assert team["Ada"].get("/api/claims/A-1/lease").json()["lease"]["expiresAt"] > until


def test_a_new_dataset_ends_a_lease(store: Path, team: dict[str, TestClient]) -> None:
    team["Ada"].post("/api/claims/A-1/lease", json={})
    data = store / "viewer_dataset" / "A-1" / "data.json"
    data.write_bytes(data.read_bytes() + b"\n")
    assert team["Ben"].get("/api/claims/A-1/lease").json()["lease"] is None
    assert team["Ben"].post("/api/claims/A-1/lease", json={}).json()["lease"]["holder"] == "Ben"


def test_an_erased_claim_leaves_no_lease_and_no_log(store: Path, team: dict[str, TestClient]) -> None:
    from citation_pipeline.adapters.erasure.databases import erase_reviews

    team["Ada"].post("/api/claims/A-1/lease", json={"why": "the secret reason"})
    team["Lea"].put("/api/claims/A-1/assignment", json={"person": "Ben"})
    erase_reviews(default_url(store), "A-1", by="x", why="", signer=None)
    assert b"secret reason" not in (store / "verifications.sqlite").read_bytes()
    assignments = AssignmentStore(default_url(store))
    assert (assignments.log_of("A-1"), assignments.leases(), assignments.assignments()) == ([], {}, {})
    assignments.close()


# --- roles -----------------------------------------------------------------------------------------------


def test_a_lead_assigns_and_others_do_not(team: dict[str, TestClient]) -> None:
    assert code(team["Ada"].put("/api/claims/A-2/assignment", json={"person": "Ada"})) == (403, "not_a_lead")
    given = team["Lea"].put("/api/claims/A-2/assignment", json={"person": " Ben "}).json()
    assert (given["assignment"]["person"], given["assignment"]["by"]) == ("Ben", "Lea")
    mine = team["Ben"].get("/api/queue?show=mine").json()
    assert [one["claimId"] for one in mine["claims"]] == ["A-2"]
    assert team["Ben"].post("/api/queue/next", json={}).json()["claimId"] == "A-2"
    team["Ben"].delete("/api/claims/A-2/lease")
    got = {team["Ada"].post("/api/queue/next", json={"after": ""}).json()["claimId"] for _ in range(2)}
    assert "A-2" not in got
    nobody = team["Lea"].put("/api/claims/A-2/assignment", json={"person": ""}).json()
    assert nobody["assignment"] is None


def test_a_viewer_reads_the_queue_and_takes_nothing(team: dict[str, TestClient]) -> None:
    assert team["Vic"].get("/api/queue").json()["total"] == 3
    assert code(team["Vic"].post("/api/queue/next", json={})) == (403, "read_only")
    assert code(team["Vic"].post("/api/claims/A-1/lease", json={})) == (403, "read_only")
    assert code(team["Vic"].get("/api/figures")) == (403, "read_only")


def test_a_held_set_is_a_leads_decision(team: dict[str, TestClient]) -> None:
    decided = {"version": "v", "decision": "accept", "why": "x"}
    assert code(team["Ada"].post("/api/claims/A-1/held", json=decided)) == (403, "not_a_lead")
    assert team["Lea"].post("/api/claims/A-1/held", json=decided).status_code == 503


def test_a_groups_pattern_bounds_queue_leases_and_figures(settings: ServingSettings) -> None:
    bounded = [AccessToken.of(SECRETS["Ada"], name="Ada", role=Role.REVIEWER, claims=("A-*",)), *TOKENS[1:]]
    with client_of(replace(settings, tokens=bounded)) as client:
        team = people_of(client)
        assert {one["claimId"] for one in team["Ada"].get("/api/queue").json()["claims"]} == {"A-1", "A-2"}
        assert team["Ada"].post("/api/claims/B-3/lease", json={}).status_code == 404
        decide(team["Ben"], "B-3", NAME, "confirm")
        assert team["Ada"].get("/api/figures").json()["fields"] == []


def test_a_proxys_groups_give_roles(store: Path) -> None:
    proxy = ProxyAccess(peers=("127.0.0.0/8",))
    with client_of(ServingSettings(str(store), render_workers=1, proxy=proxy)) as client:
        for groups, role in (("x", "viewer"), ("reviewers", "reviewer"), ("leads,x", "lead")):
            headers = {"x-forwarded-user": "ada", "x-forwarded-groups": groups}
            assert client.get("/api/session", headers=headers).json()["role"] == role


# --- an administrator ------------------------------------------------------------------------------------


def test_an_administrator_gives_and_withdraws_tokens(team: dict[str, TestClient]) -> None:
    wanted = {"name": "New  Person", "role": "reviewer", "claims": ["A-*"]}
    assert code(team["Lea"].post("/api/tokens", json=wanted)) == (403, "not_an_administrator")
    given = team["Adm"].post("/api/tokens", json=wanted).json()
    bearer = {"Authorization": f"Bearer {given['secret']}"}
    client = TestClient(team["Adm"].app, base_url="http://127.0.0.1", headers=INTENT)
    assert client.get("/api/session", headers=bearer).json()["name"] == "New Person"
    assert {c["claimId"] for c in client.get("/api/claims", headers=bearer).json()["claims"]} == {
        "A-1",
        "A-2",
    }
    assert client.post("/api/session", json={"token": given["secret"]}).status_code == 200
    assert client.get("/api/session").json()["role"] == "reviewer"
    listed = team["Lea"].get("/api/people").json()["people"]
    assert given["secret"] not in json.dumps(listed)
    assert team["Adm"].delete(f"/api/tokens/{given['tokenId']}").status_code == 204
    assert client.get("/api/session", headers=bearer).status_code == 401
    assert client.get("/api/session").status_code == 401
    assert team["Adm"].delete(f"/api/tokens/{given['tokenId']}").status_code == 404


def test_a_name_that_is_somebodys_is_given_to_the_same_person_or_to_nobody(
    team: dict[str, TestClient],
) -> None:
    """Else a second Ada, another person, would sign for the first; or Ada under two spellings for two."""
    for name in ("Ada", " ada ", "ÁDA", "Adm"):
        wanted = {"name": name, "role": "reviewer"}
        assert code(team["Adm"].post("/api/tokens", json=wanted)) == (409, "name_taken")
    given = team["Adm"].post("/api/tokens", json={"name": "ÁDA", "role": "reviewer", "samePerson": True})
    assert given.json()["name"] == "Ada"
    unknown = team["Adm"].post("/api/tokens", json={"name": "Adda", "role": "viewer", "samePerson": True})
    assert code(unknown) == (422, "no_such_person")
    first = team["Adm"].post("/api/tokens", json={"name": "Lee, Ann", "role": "viewer"}).json()
    assert team["Adm"].delete(f"/api/tokens/{first['tokenId']}").status_code == 204
    assert team["Adm"].post("/api/tokens", json={"name": "Ann Lee", "role": "viewer"}).status_code == 201
    listed = [one["name"] for one in team["Lea"].get("/api/people").json()["people"]]
    assert listed.count("Ada") == 2  # two tokens of one person


def test_who_has_decided_keeps_their_name_after_their_token_is_withdrawn(team: dict[str, TestClient]) -> None:
    wanted = {"name": "Ann Lee", "role": "reviewer"}
    given = team["Adm"].post("/api/tokens", json=wanted).json()
    ann = TestClient(
        team["Adm"].app,
        base_url="http://127.0.0.1",
        headers={**INTENT, "Authorization": f"Bearer {given['secret']}"},
    )
    assert decide(ann, "A-1", NAME, "confirm").status_code == 201
    assert team["Adm"].delete(f"/api/tokens/{given['tokenId']}").status_code == 204
    assert code(team["Adm"].post("/api/tokens", json=wanted)) == (409, "name_taken")


def test_of_two_administrators_who_give_one_name_at_once_one_is_refused(tmp_path: Path) -> None:
    stores = [TokenStore(default_url(tmp_path)) for _ in range(2)]
    stores[0].give("Ann Lee", role="reviewer", claims=(), days=1, by="Adm")
    with pytest.raises(NameTakenError):
        stores[1].give("ann lee", role="viewer", claims=(), days=1, by="Root")
    stores[1].give("ann lee", role="viewer", claims=(), days=1, by="Root", is_known=True)
    for store in stores:
        store.close()


def test_an_administrator_of_some_claims_gives_no_token_for_others(settings: ServingSettings) -> None:
    own = AccessToken.of(SECRETS["Adm"], name="Adm", role=Role.ADMINISTRATOR, claims=("A-*",))
    tokens = [own, *(token for token in TOKENS if token.name != "Adm")]
    with client_of(replace(settings, tokens=tokens)) as client:
        adm = people_of(client)["Adm"]
        wanted = {"name": "New", "role": "administrator"}
        for claims in ([], ["B-*"], ["A-*", "*"]):
            answer = adm.post("/api/tokens", json={**wanted, "claims": claims})
            assert code(answer) == (403, "beyond_your_claims")
        assert adm.post("/api/tokens", json={**wanted, "claims": ["A-*"]}).status_code == 201
        other, _ = client.app.state.tokens.give("Else", role="viewer", claims=["B-*"], days=1, by="Root")
        assert code(adm.delete(f"/api/tokens/{other.token_id}")) == (403, "beyond_your_claims")


def test_an_administrator_erases_and_the_claims_id_is_typed_again(settings: ServingSettings) -> None:
    erased: list[tuple[str, str, str]] = []

    class Done:
        is_complete, files, remains = True, 7, ()

    def erase(claim_id: str, *, by: str, why: str) -> Any:
        erased.append((claim_id, by, why))
        return Done()

    with client_of(replace(settings, agents=AgentSettings(erase=erase))) as client:
        team = people_of(client)
        wanted = {"claimId": "A-1", "why": "asked for"}
        assert code(team["Lea"].post("/api/claims/A-1/erasure", json=wanted)) == (403, "not_an_administrator")
        assert code(team["Adm"].post("/api/claims/A-2/erasure", json=wanted)) == (422, "other_claim")
        assert team["Adm"].post("/api/claims/A-1/erasure", json=wanted).json()["isComplete"] is True
    assert erased == [("A-1", "Adm", "asked for")]


# --- the webhook -----------------------------------------------------------------------------------------


@pytest.fixture
def told() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    messages: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # noqa: N802 - the library's name
            messages.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/hook", messages
    server.shutdown()
    server.server_close()


def test_the_webhook_is_told_of_assigned_taken_over_and_of_values_for_a_second_person(
    settings: ServingSettings, told: tuple[str, list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, messages = told
    monkeypatch.setattr(notices, "_LAST_WAIT_S", 60.0)  # for the messages that wait when the server stops
    with client_of(replace(settings, webhook_url=url, second_eyes=SecondEyes(amount=20_000))) as client:
        team = people_of(client)
        team["Lea"].put("/api/claims/A-1/assignment", json={"person": "Ada"})
        team["Ada"].post("/api/claims/A-1/lease", json={})
        decide(team["Ada"], "A-1", PAID, "confirm")
        decide(team["Ada"], "A-1", NAME, "confirm")
        team["Ben"].post("/api/claims/A-1/lease", json={"takeOver": True})
    assert messages == [
        {"event": "claim_assigned", "claim_id": "A-1", "to": "Ada", "by": "Lea"},
        {"event": "second_reviewer_needed", "claim_id": "A-1", "field_key": PAID, "first": "Ada"},
        {"event": "claim_taken_over", "claim_id": "A-1", "by": "Ben", "from": "Ada"},
    ]


def test_a_webhook_that_stalls_keeps_nobody_waiting(
    settings: ServingSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "_LAST_WAIT_S", 0.1)
    monkeypatch.setattr(webhooks, "_TIMEOUT_S", 100.0)
    with running_hook() as hook:
        hook.stall_s = 120.0
        with client_of(replace(settings, webhook_url=f"http://127.0.0.1:{hook.port}/hook")) as client:
            began = time.monotonic()
            answer = people_of(client)["Lea"].put("/api/claims/A-1/assignment", json={"person": "Ada"})
            assert time.monotonic() - began < 60  # less than the webhook has for one message
            assert answer.status_code == 200


# --- figures ---------------------------------------------------------------------------------------------


def event(number: int, who: str, action: Action, *, at: str, key: str = "f", **given: Any) -> Verification:
    given = {"seen_value": 5, **given}
    return Verification(number, "c", key, action, who, f"2026-01-01T{at}+00:00", **given)


def test_figures_count_verdicts_time_at_work_agreement_and_errors() -> None:
    reviewers, fields = figures_of(
        [
            event(1, "Ada", Action.CONFIRM, at="09:00:00"),
            event(2, "Ada", Action.CONFIRM, at="09:00:30", key="g"),
            event(3, "Ada", Action.CORRECT, at="09:01:00", key="h", value=6),
            event(4, "Ben", Action.CORRECT, at="10:00:00", value=7),
            event(5, "Ben", Action.CONFIRM, at="11:00:00", key="g"),
            event(6, "Ada", Action.ABSENT, at="12:00:00", key="i"),
            event(7, "Ada", Action.UNDO, at="12:00:10", key="i"),
        ]
    )
    ada, ben = reviewers
    assert (ada.reviewer, ada.verdicts, ada.judged, ada.overturned, ada.undone) == ("Ada", 3, 2, 1, 1)
    assert ada.per_hour == 154.3  # three decisions in 70 s at work; the two pauses are none
    assert (ben.verdicts, ben.judged, ben.per_hour) == (2, 0, 0.0)
    by_key = {one.field_key: one for one in fields}
    assert set(by_key) == {"f", "g", "h"}
    assert (by_key["f"].confirmed, by_key["f"].corrected) == (1, 1)
    assert (by_key["f"].judged, by_key["f"].agreed) == (1, 0)
    assert (by_key["g"].judged, by_key["g"].agreed) == (1, 1)
    assert by_key["h"].corrected == 1


def test_another_value_is_no_error_once_the_pipeline_reads_something_else() -> None:
    (_, ada), _ = figures_of(
        [
            event(1, "Ada", Action.CONFIRM, at="09:00:00"),
            event(2, "Ben", Action.CONFIRM, at="10:00:00", seen_value=6),
            event(3, "Ben", Action.CONFIRM, at="10:00:01", seen_value=6, key="g"),
        ]
    )
    assert (ada.reviewer, ada.judged, ada.overturned) == ("Ada", 0, 0)


def test_a_reviewer_sees_their_own_figures_and_a_lead_everybodys(team: dict[str, TestClient]) -> None:
    decide(team["Ada"], "A-1", NAME, "confirm")
    decide(team["Ben"], "A-2", NAME, "correct", value="Somebody Else")
    own = team["Ada"].get("/api/figures").json()
    assert [one["reviewer"] for one in own["reviewers"]] == ["Ada"]
    every = team["Lea"].get("/api/figures?days=1").json()
    assert {one["reviewer"] for one in every["reviewers"]} == {"Ada", "Ben"}
    (name,) = every["fields"]
    assert (name["fieldKey"], name["verdicts"], name["corrected"]) == (NAME, 2, 1)
