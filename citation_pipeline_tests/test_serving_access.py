"""Who may see and decide what: tokens, a proxy's word, roles, and pages of other sites."""

import hashlib
import hmac
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from citation_pipeline.serving.entry import read_settings
from citation_pipeline.serving.settings import (
    AccessToken,
    ProxyAccess,
    Role,
    ServingSettings,
    ServingSettingsError,
)
from citation_pipeline_tests.viewer_claim.serving import client_of, decide
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, build_store

READER, REVIEWER = "reader-secret-0001", "reviewer-secret-01"
DECISION = {"fieldKey": "claimant.name", "action": "confirm", "seenId": 0, "requestId": "request-1"}
PATH = f"/api/claims/{CLAIM_ID}"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return build_store(tmp_path_factory.mktemp("access")).root


@pytest.fixture(scope="module")
def guarded(store: str) -> Iterator[TestClient]:
    tokens = (
        AccessToken.of(READER, name="Rea", role=Role.VIEWER),
        AccessToken.of(REVIEWER, name="Ada", role=Role.REVIEWER),
    )
    with client_of(
        ServingSettings(store, host="0.0.0.0", hosts=("claims.test",), tokens=tokens), host="claims.test"
    ) as client:
        yield client


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


@pytest.mark.parametrize(
    "path",
    [
        "/api/claims",
        PATH,
        f"{PATH}/sources/adjuster-letter/pages/1/image",
        f"{PATH}/sources/adjuster-letter/pages/1/words",
        f"{PATH}/sources/adjuster-letter/original",
        f"{PATH}/evidence.zip",
        f"{PATH}/queue",
        f"{PATH}/verifications",
        "/api/session",
    ],
)
def test_nothing_of_a_claim_is_given_to_strangers(guarded: TestClient, path: str) -> None:
    assert guarded.get(path).status_code == 401
    assert guarded.get(path, headers=bearer("wrong-secret-000000")).status_code == 401


def test_a_reader_reads_and_may_not_decide(guarded: TestClient) -> None:
    assert guarded.get(PATH, headers=bearer(READER)).status_code == 200
    answer = guarded.post(f"{PATH}/verifications", json=DECISION, headers=bearer(READER))
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "read_only")


def test_signing_in_gives_a_cookie_that_scripts_and_other_sites_cannot_use(guarded: TestClient) -> None:
    answer = guarded.post("/api/session", json={"token": REVIEWER})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert REVIEWER not in cookie
    try:
        assert guarded.get("/api/session").json()["name"] == "Ada"
        cookie = guarded.cookies["citation_viewer"]
        forged = cookie[:-1] + ("1" if cookie.endswith("0") else "0")
        guarded.cookies.clear()
        assert guarded.get(PATH, headers={"Cookie": f"citation_viewer={forged}"}).status_code == 401
    finally:
        guarded.cookies.clear()


def test_a_request_with_two_host_names_is_refused(guarded: TestClient) -> None:
    hosts = [("Host", "127.0.0.1"), ("Host", "evil.test")]
    assert guarded.get("/health", headers=hosts).status_code == 400


def test_a_cookie_is_worth_nothing_once_its_person_has_signed_out(guarded: TestClient) -> None:
    guarded.post("/api/session", json={"token": REVIEWER})
    kept = {"Cookie": f"citation_viewer={guarded.cookies['citation_viewer']}"}
    assert guarded.get(PATH, headers=kept).status_code == 200
    assert guarded.delete("/api/session").status_code == 204
    guarded.cookies.clear()
    assert guarded.get(PATH, headers=kept).status_code == 401


def test_the_hashes_of_the_tokens_file_make_no_cookie(guarded: TestClient) -> None:
    digest = AccessToken.of(REVIEWER, name="Ada", role=Role.REVIEWER).sha256
    expires = str(int(time.time()) + 3600)
    signed = hmac.new(bytes.fromhex(digest), expires.encode(), hashlib.sha256).hexdigest()
    for forged in (f"{digest[:16]}.{expires}.{signed}", digest, digest[:16]):
        answer = guarded.get(PATH, headers={"Cookie": f"citation_viewer={forged}"})
        assert answer.status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Citation-Viewer": ""},
        {"Origin": "http://evil.test"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_another_sites_page_cannot_decide_in_a_reviewers_name(store: str, headers: dict[str, str]) -> None:
    with client_of(ServingSettings(store)) as client:
        if headers == {"X-Citation-Viewer": ""}:
            del client.headers["X-Citation-Viewer"]
            headers = {}
        answer = client.post(f"{PATH}/verifications", json=DECISION, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_request")
        assert client.get(f"{PATH}/verifications").json()["events"] == []


def test_a_proxys_headers_count_only_when_they_come_from_the_proxy(store: str) -> None:
    settings = ServingSettings(store, host="0.0.0.0", hosts=("c.test",), proxy=ProxyAccess(("10.1.0.0/16",)))
    claimed = {"X-Forwarded-User": "ada", "X-Forwarded-Groups": "staff, reviewers"}
    with client_of(settings, host="c.test", peer="10.1.2.3") as client:
        assert client.get("/api/session", headers=claimed).json()["role"] == "reviewer"
        reader = {"X-Forwarded-User": "bo"}
        assert client.get("/api/session", headers=reader).json()["role"] == "viewer"
        assert client.get("/api/session").status_code == 401
    with client_of(settings, host="c.test", peer="192.168.1.9") as client:
        assert client.get("/api/session", headers=claimed).status_code == 401


def test_a_name_that_was_not_configured_is_not_answered(store: str) -> None:
    with client_of(ServingSettings(store)) as client:
        assert client.get("/api/claims", headers={"Host": "rebound.test"}).status_code == 421


@pytest.mark.parametrize(
    "settings",
    [
        ServingSettings("s", host="0.0.0.0"),
        ServingSettings("s", host="192.168.1.2"),
        ServingSettings("s", host="::", proxy=ProxyAccess(("10.0.0.0/8",))),
        ServingSettings("s", proxy=ProxyAccess(("everyone",))),
    ],
)
def test_claims_are_never_served_open(settings: ServingSettings) -> None:
    with pytest.raises(ServingSettingsError):
        settings.check()


def test_guessing_tokens_is_slowed_down(guarded: TestClient) -> None:
    codes = [guarded.post("/api/session", json={"token": f"guess-{n}"}).status_code for n in range(15)]
    assert codes[0] == 403
    assert codes[-1] == 429


def test_a_person_who_mistypes_locks_out_nobody_else_behind_the_address(store: str) -> None:
    tokens = (AccessToken.of(REVIEWER, name="Ada", role=Role.REVIEWER),)
    with client_of(ServingSettings(store, tokens=tokens)) as client:
        for number in range(20):
            client.post("/api/session", json={"token": f"mistyped-{number}"})
        assert client.post("/api/session", json={"token": "mistyped-again"}).status_code == 429
        assert client.post("/api/session", json={"token": REVIEWER}).status_code == 200


@pytest.mark.parametrize("way", ["bearer", "session"])
def test_an_address_that_guesses_is_stopped_and_whoever_signed_in_from_it_goes_on(
    store: str, way: str
) -> None:
    tokens = (
        AccessToken.of(REVIEWER, name="Ada", role=Role.REVIEWER),
        AccessToken.of(READER, name="Rea", role=Role.VIEWER),
    )
    with client_of(ServingSettings(store, tokens=tokens)) as client:

        def tried(secret: str) -> int:
            if way == "session":
                return client.post("/api/session", json={"token": secret}).status_code
            client.cookies.clear()
            return client.get("/api/claims", headers=bearer(secret)).status_code

        assert tried(REVIEWER) == 200
        codes = [tried(f"{number:06d}-guess") for number in range(80)]
        assert codes.count(429) >= 25
        assert codes[0] in (401, 403)
        assert tried(REVIEWER) == 200
        assert tried(READER) == 429  # right, and unseen so far: a guesser learns nothing from it


def test_every_answer_carries_the_security_headers(store: str) -> None:
    with client_of(ServingSettings(store)) as client:
        for path in ("/", "/api/claims", "/api/nothing", "/static/js/main.js", "/health"):
            headers = client.get(path).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "DENY"


def test_the_environment_configures_tokens_without_their_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = AccessToken.of(READER, name="Rea", role=Role.VIEWER).sha256
    tokens = tmp_path / "tokens.json"
    tokens.write_text(f'[{{"name": "Rea", "role": "viewer", "sha256": "{digest}"}}]')
    monkeypatch.setenv("CITATION_VIEWER_TOKENS_FILE", str(tokens))
    settings = read_settings("s")
    assert settings.tokens[0].matches(READER)
    assert READER not in repr(settings)
    monkeypatch.setenv("CITATION_VIEWER_TOKENS_FILE", str(tmp_path / "none"))
    with pytest.raises(ServingSettingsError, match="TOKENS_FILE"):
        read_settings("s")


def test_the_reviewers_name_is_the_signed_in_persons(guarded: TestClient) -> None:
    guarded.headers.update(bearer(REVIEWER))
    try:
        answer = decide(guarded, CLAIM_ID, "claimant.date_of_birth", "confirm")
        assert answer.json()["field"]["review"]["reviewer"] == "Ada"
    finally:
        del guarded.headers["Authorization"]
