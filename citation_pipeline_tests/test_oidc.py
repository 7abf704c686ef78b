"""Signing in at an OpenID Connect provider: a real one on loopback, with everything that can be wrong."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from citation_pipeline.adapters.oidc.provider import OidcAccess, OidcError, OidcProvider
from citation_pipeline.serving.entry import read_settings
from citation_pipeline.serving.settings import RoleGroups, ServingSettings, ServingSettingsError
from citation_pipeline_tests.viewer_claim.serving import INTENT, running
from citation_pipeline_tests.viewer_claim.store import build_store

pytest.importorskip("authlib", reason="the extra oidc is not installed")

CLIENT, SECRET = "claims-viewer", "a-client-secret"


class Provider:
    """A provider that signs everybody in, and can be made to answer wrongly."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.kid = "one"
        self.person: dict[str, Any] = {}
        self.changed: dict[str, Any] = {}
        self.forged: str = ""
        self.fails = ""
        self.codes: dict[str, dict[str, str]] = {}
        self.key_reads = 0
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # noqa: N802 - the library's name
                path = urlsplit(self.path)
                if path.path == "/.well-known/openid-configuration":
                    self.answer(provider.discovery())
                elif path.path == "/jwks":
                    provider.key_reads += 1
                    self.answer(provider.jwks())
                elif path.path == "/authorize":
                    asked = {name: values[0] for name, values in parse_qs(path.query).items()}
                    code = secrets.token_urlsafe(16)
                    provider.codes[code] = asked
                    back = urlencode({"code": code, "state": asked["state"]})
                    self.send_response(302)
                    self.send_header("location", f"{asked['redirect_uri']}?{back}")
                    self.end_headers()

            def do_POST(self) -> None:  # noqa: N802 - the library's name
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                given = {name: values[0] for name, values in parse_qs(body).items()}
                status, answer = provider.token(given, self.headers.get("authorization", ""))
                self.answer(answer, status=status)

            def answer(self, content: Any, *, status: int = 200) -> None:
                body = json.dumps(content).encode()
                self.send_response(500 if provider.fails == "server" else status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"

    def reset(self) -> None:
        self.person = {"email": "ada@claims.example", "groups": ["reviewers"]}
        self.changed, self.forged, self.fails = {}, "", ""

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": "https://elsewhere.example" if self.fails == "issuer" else self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
        }

    def jwks(self) -> dict[str, Any]:
        key = RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**key, "kid": self.kid, "alg": "RS256", "use": "sig"}]}

    def token(self, given: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        asked = self.codes.pop(given.get("code", ""), None)
        basic = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        digest = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if asked is None or authorization != basic or self.fails == "token":
            return 400, {"error": "invalid_grant"}
        if asked["code_challenge"] != challenge or asked["redirect_uri"] != given["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        if self.fails == "no id token":
            return 200, {"access_token": "x", "token_type": "Bearer"}
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "person-1",
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **self.person,
            **self.changed,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self.signed(claims)}

    def signed(self, claims: dict[str, Any]) -> str:
        if self.forged == "alg none":
            return jwt.encode(claims, None, algorithm="none", headers={"kid": self.kid})
        if self.forged == "shared secret":
            return jwt.encode(claims, SECRET + "-" * 32, algorithm="HS256", headers={"kid": self.kid})
        key = self.stranger if self.forged == "another key" else self.key
        kid = "unknown" if self.forged == "unknown key" else self.kid
        return jwt.encode(claims, key, algorithm="RS256", headers={"kid": kid})


@pytest.fixture(scope="module")
def serving() -> Iterator[Provider]:
    provider = Provider()
    threading.Thread(target=provider.server.serve_forever, args=(0.05,), daemon=True).start()
    yield provider
    provider.server.shutdown()
    provider.server.server_close()


@pytest.fixture
def provider(serving: Provider) -> Provider:
    serving.reset()
    return serving


@pytest.fixture(scope="module")
def settings(serving: Provider, tmp_path_factory: pytest.TempPathFactory) -> ServingSettings:
    folder = tmp_path_factory.mktemp("oidc")
    for claim_id in ("A-1", "B-2"):
        build_store(folder, claim_id)
    return ServingSettings(
        str(folder / "store"), render_workers=1, oidc=OidcAccess(serving.issuer, CLIENT, SECRET)
    )


@pytest.fixture(scope="module")
def address(settings: ServingSettings) -> Iterator[str]:
    with running(settings) as address:
        yield address


@pytest.fixture
def browser(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, follow_redirects=False, headers=INTENT, timeout=60) as browser:
        yield browser


def sign_in(browser: httpx.Client, *, to: str = "/") -> httpx.Response:
    """Go to the provider and come back, as a browser does."""
    sent = browser.get("/api/oidc/login", params={"to": to})
    assert sent.status_code == 303, sent.text
    with httpx.Client(timeout=60) as elsewhere:
        back = elsewhere.get(sent.headers["location"])
    return browser.get(back.headers["location"])


def test_a_person_signs_in_and_is_who_the_provider_says(browser: httpx.Client, provider: Provider) -> None:
    assert browser.get("/api/session").status_code == 401
    assert browser.get("/api/sign-in").json() == {"byToken": False, "byProvider": True}
    came = sign_in(browser, to="/claims/A-1?field=claimant.name")
    assert (came.status_code, came.headers["location"]) == (303, "/claims/A-1?field=claimant.name")
    session = browser.get("/api/session").json()
    assert (session["name"], session["role"], session["canSignOut"]) == (
        "ada@claims.example",
        "reviewer",
        True,
    )
    cookies = "; ".join(came.headers.get_list("set-cookie")).lower()
    assert "httponly" in cookies
    assert "samesite=strict" in cookies
    assert browser.delete("/api/session").status_code == 204
    assert browser.get("/api/session").status_code == 401


@pytest.mark.parametrize(
    ("groups", "role"),
    [([], "viewer"), (["leads", "x"], "lead"), ("administrators", "administrator"), (None, "viewer")],
)
def test_groups_of_the_provider_give_the_role(
    browser: httpx.Client, provider: Provider, groups: Any, role: str
) -> None:
    provider.person["groups"] = groups
    sign_in(browser)
    assert browser.get("/api/session").json()["role"] == role


def test_a_group_bounds_the_claims_that_a_person_sees(browser: httpx.Client, provider: Provider) -> None:
    provider.person["groups"] = ["reviewers", "claims:A-*"]
    sign_in(browser)
    assert [claim["claimId"] for claim in browser.get("/api/claims").json()["claims"]] == ["A-1"]
    assert browser.get("/api/claims/B-2").status_code == 404


NOW = int(time.time())
_WRONG: list[tuple[str, dict[str, Any], str, str]] = [
    ("another audience", {"aud": "another-client"}, "", ""),
    ("several audiences without a party", {"aud": [CLIENT, "another"]}, "", ""),
    ("another party", {"azp": "another-client"}, "", ""),
    ("another issuer", {"iss": "https://elsewhere.example"}, "", ""),
    ("expired", {"exp": NOW - 3600, "iat": NOW - 7200}, "", ""),
    ("no expiry", {"exp": None}, "", ""),
    ("no subject", {"sub": None}, "", ""),
    ("another nonce", {"nonce": "of another sign-in"}, "", ""),
    ("no nonce", {"nonce": None}, "", ""),
    ("algorithm none", {}, "alg none", ""),
    ("signed with a shared secret", {}, "shared secret", ""),
    ("signed by somebody else", {}, "another key", ""),
    ("an unknown key", {}, "unknown key", ""),
    ("no ID token", {}, "", "no id token"),
    ("the code is refused", {}, "", "token"),
    ("the provider stumbles", {}, "", "server"),
]


@pytest.mark.parametrize(("changed", "forged", "fails"), [w[1:] for w in _WRONG], ids=[w[0] for w in _WRONG])
def test_whatever_is_wrong_with_the_answer_nobody_is_signed_in(
    browser: httpx.Client, provider: Provider, changed: dict[str, Any], forged: str, fails: str
) -> None:
    browser.get("/api/oidc/login")  # discovery is known by now
    provider.changed, provider.forged = changed, forged
    sent = browser.get("/api/oidc/login")
    back = httpx.get(sent.headers["location"], timeout=60)
    provider.fails = fails
    came = browser.get(back.headers["location"])
    assert (came.status_code, came.json()["error"]["code"]) == (401, "sign_in_failed")
    assert "citation_viewer" not in browser.cookies
    assert browser.get("/api/session").status_code == 401


def test_an_answer_counts_once_and_in_the_browser_that_asked_alone(
    browser: httpx.Client, address: str, provider: Provider
) -> None:
    sent = browser.get("/api/oidc/login")
    back = httpx.get(sent.headers["location"], timeout=60).headers["location"]
    with httpx.Client(base_url=address, timeout=60) as another:  # somebody was sent the link
        assert another.get(back).status_code == 401
    assert browser.get(back).status_code == 401  # it was used up
    assert browser.get("/api/oidc/callback?state=guessed&code=x").status_code == 401
    assert browser.get("/api/oidc/callback").status_code == 401
    assert sign_in(browser).status_code == 303


@pytest.mark.parametrize("to", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x"])
def test_nobody_is_sent_to_another_site(browser: httpx.Client, provider: Provider, to: str) -> None:
    assert sign_in(browser, to=to).headers["location"] == "/"


def test_an_address_that_is_not_verified_is_nobodys_name(browser: httpx.Client, provider: Provider) -> None:
    provider.person["email_verified"] = False
    sign_in(browser)
    assert browser.get("/api/session").json()["name"] == "person-1"


def test_a_provider_that_changed_its_keys_is_asked_again(browser: httpx.Client, provider: Provider) -> None:
    sign_in(browser)
    provider.key, provider.kid = rsa.generate_private_key(public_exponent=65537, key_size=2048), "new"
    assert sign_in(browser).status_code == 303
    assert browser.get("/api/session").status_code == 200


def test_a_discovery_document_of_another_issuer_is_refused(provider: Provider) -> None:
    provider.fails = "issuer"
    with pytest.raises(OidcError, match="another issuer"):
        OidcProvider(OidcAccess(provider.issuer, CLIENT)).begin("http://127.0.0.1/x")


def test_a_provider_that_is_down_is_said_and_nothing_hangs(settings: ServingSettings) -> None:
    down = replace(settings, oidc=OidcAccess("http://127.0.0.1:1", CLIENT))
    with running(down) as address:
        answer = httpx.get(f"{address}/api/oidc/login", timeout=60)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "provider_silent")


def test_settings_come_from_the_environment_and_half_of_them_start_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CITATION_VIEWER_OIDC_ISSUER", "https://login.example/")
    with pytest.raises(ServingSettingsError, match="CITATION_VIEWER_OIDC_CLIENT_ID"):
        read_settings(str(tmp_path))
    monkeypatch.setenv("CITATION_VIEWER_OIDC_CLIENT_ID", CLIENT)
    monkeypatch.setenv("CITATION_VIEWER_PROXY_LEAD_GROUPS", "team-leads")
    read = read_settings(str(tmp_path))
    assert read.oidc == OidcAccess("https://login.example/", CLIENT)
    assert read.oidc_roles == RoleGroups(lead_groups=("team-leads",))
    assert read.needs_login
    monkeypatch.setenv("CITATION_VIEWER_OIDC_ISSUER", "http://login.example/")
    with pytest.raises(ServingSettingsError, match="https"):
        read_settings(str(tmp_path)).check()
