"""Decisions that are sent again, under another's request id, too late, or while the dataset is exchanged."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.serving.routes import reviews
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
from citation_pipeline_tests.viewer_claim.serving import INTENT, client_of, decide
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store

NAME, BORN, NUMBER = "claimant.name", "claimant.date_of_birth", "metadata.claim_number"
OTHER = "B-2"
USED = (422, "request_id_used")


@pytest.fixture
def store(tmp_path: Path) -> ClaimStore:
    build_store(tmp_path, OTHER)
    return build_store(tmp_path)


@pytest.fixture
def client(store: ClaimStore) -> Iterator[TestClient]:
    tokens = [
        AccessToken.of(f"{n}-secret-of-{n}", name=n.title(), role=Role.REVIEWER) for n in ("ada", "bob")
    ]
    with client_of(ServingSettings(str(store.root), tokens=tokens, render_workers=0)) as client:
        sign_in(client, "ada")
        yield client


def sign_in(client: TestClient, name: str) -> None:
    client.headers["Authorization"] = f"Bearer {name}-secret-of-{name}"


def told(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json().get("error", {}).get("code", "")


def kept(client: TestClient, claim_id: str = CLAIM_ID) -> list[tuple[str, str, str]]:
    events = client.get(f"/api/claims/{claim_id}/verifications").json()["events"]
    return [(event["fieldKey"], event["action"], event["reviewer"]) for event in events]


def test_an_id_that_was_used_signs_nothing_else_and_nobody_is_told_that_it_did(client: TestClient) -> None:
    again = {"requestId": "one-and-the-same"}
    assert told(decide(client, CLAIM_ID, NAME, "confirm", **again)) == (201, "")
    assert told(decide(client, CLAIM_ID, BORN, "confirm", **again)) == USED
    assert told(decide(client, CLAIM_ID, NAME, "absent", **again)) == USED
    assert told(decide(client, CLAIM_ID, NAME, "comment", comment="another", **again)) == USED
    assert told(decide(client, OTHER, NAME, "confirm", **again)) == USED
    sign_in(client, "bob")
    assert told(decide(client, CLAIM_ID, NAME, "confirm", **again)) == USED
    assert (kept(client), kept(client, OTHER)) == ([(NAME, "confirm", "Ada")], [])


def test_a_correction_under_a_used_id_is_the_same_value_or_refused(client: TestClient) -> None:
    again = {"requestId": "typed-only-once"}
    codes = [
        told(decide(client, CLAIM_ID, NAME, "correct", value=value, **again))
        for value in ("Ann Lee", " Ann Lee ", "Ann Leigh")
    ]
    assert codes == [(201, ""), (201, ""), USED]
    assert len(kept(client)) == 1


def test_of_two_decisions_at_once_under_one_id_one_is_kept_and_the_other_told(client: TestClient) -> None:
    keys = [NAME, BORN, NUMBER, "claimant.occupation"]
    fields = {f["fieldKey"]: f for f in client.get(f"/api/claims/{CLAIM_ID}").json()["fields"]}

    def post(key: str) -> tuple[int, str]:
        decision = {
            "fieldKey": key,
            "action": "confirm",
            "seenId": 0,
            "seenDigest": fields[key]["seenDigest"],
            "seenCitations": [0],
            "requestId": "all-at-the-same-time",
        }
        return told(client.post(f"/api/claims/{CLAIM_ID}/verifications", json=decision, headers=INTENT))

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(post, keys))
    assert sorted(answers) == [(201, ""), USED, USED, USED]
    assert [key for key, _, _ in kept(client)] == [keys[answers.index((201, ""))]]


def test_a_dataset_that_is_exchanged_while_a_decision_is_kept_is_not_signed(
    client: TestClient, store: ClaimStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exchange(*given: Any) -> None:
        dataset = store.read_viewer_dataset(CLAIM_ID)
        field = next(f for f in dataset["fields"] if f["fieldKey"] == NAME)
        field["value"] = field["rawValue"] = "Somebody Else"
        dataset.pop("pipeline", None)
        store.write_viewer_dataset(CLAIM_ID, dataset, inputs={})

    monkeypatch.setattr(reviews, "check_second", exchange)  # after what was seen was compared
    answer = decide(client, CLAIM_ID, NAME, "confirm")
    monkeypatch.undo()

    assert answer.status_code == 201
    after = answer.json()["field"]
    assert (after["review"]["state"], after["conflicts"][0]["code"]) == ("needs_review", "value_changed")
    (event,) = client.get(f"/api/claims/{CLAIM_ID}/verifications").json()["events"]
    assert event["seenValue"] == "Marisol Quintanar"


@pytest.mark.parametrize("action", ["confirm", "absent", "correct", "reopen", "undo", "repin"])
def test_nothing_is_decided_over_a_colleagues_decision_that_was_not_seen(
    client: TestClient, action: str
) -> None:
    before = next(f for f in client.get(f"/api/claims/{CLAIM_ID}").json()["fields"] if f["fieldKey"] == NAME)
    sign_in(client, "bob")
    assert decide(client, CLAIM_ID, NAME, "correct", value="By Bob").status_code == 201
    sign_in(client, "ada")
    words = {"sourceId": "adjuster-letter", "page": 1, "wordStart": 0, "wordEnd": 2}
    late = decide(
        client,
        CLAIM_ID,
        NAME,
        action,
        seenId=before["review"]["lastId"],
        seenDigest=before["seenDigest"],
        value="By Ada",
        words=words,
    )
    assert told(late) == (409, "decided_meanwhile")
    assert kept(client) == [(NAME, "correct", "Bob")]


def test_a_colleagues_decision_is_not_undone_even_by_who_has_seen_it(client: TestClient) -> None:
    sign_in(client, "bob")
    assert decide(client, CLAIM_ID, NAME, "correct", value="By Bob").status_code == 201
    sign_in(client, "ada")
    assert told(decide(client, CLAIM_ID, NAME, "undo")) == (422, "not_yours")
    assert told(decide(client, CLAIM_ID, BORN, "undo")) == (422, "nothing_to_undo")
    assert decide(client, CLAIM_ID, NAME, "correct", value="By Ada").status_code == 201
    assert decide(client, CLAIM_ID, NAME, "undo").status_code == 201
    assert told(decide(client, CLAIM_ID, NAME, "undo")) == (422, "not_yours")  # Bob's is the last again
    field = next(f for f in client.get(f"/api/claims/{CLAIM_ID}").json()["fields"] if f["fieldKey"] == NAME)
    assert field["value"] == "By Bob"
