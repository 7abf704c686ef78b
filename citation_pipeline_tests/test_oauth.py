"""Tokens of an authorization server: what is asked for, what is refused, and which claims a token reaches."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from citation_pipeline.serving.oauth import OAuthAccess
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings, ServingSettingsError
from citation_pipeline_tests.agent_claims import generate_claims
from citation_pipeline_tests.viewer_claim.serving import running

ISSUER, AUDIENCE = "https://login.example/", "http://127.0.0.1/mcp"
TEAM = "team-token-secret-0001"


class Issuer:
    """An authorization server's keys, and tokens signed with them."""

    def __init__(self) -> None:
        self.rsa = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.curve = ec.generate_private_key(ec.SECP256R1())
        self.stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def keys(self) -> dict[str, Any]:
        listed = [
            (RSAAlgorithm.to_jwk(self.rsa.public_key(), as_dict=True), "one", "RS256"),
            (ECAlgorithm.to_jwk(self.curve.public_key(), as_dict=True), "two", "ES256"),
        ]
        return {"keys": [{**key, "kid": name, "alg": alg, "use": "sig"} for key, name, alg in listed]}

    def token(
        self, scope: str, *, key: Any = None, kid: str = "one", algorithm: str = "RS256", **changed: Any
    ) -> str:
        now = int(time.time())
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": "agent-7",
            "iat": now,
            "exp": now + 300,
            "scope": scope,
            **changed,
        }
        kept = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(kept, key or self.rsa, algorithm=algorithm, headers={"kid": kid})


@pytest.fixture(scope="module")
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture(scope="module")
def address(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("oauth")
    store = generate_claims(folder, 6)
    keys = folder / "keys.json"
    keys.write_text(json.dumps(issuer.keys()))
    settings = ServingSettings(
        store.root,
        render_workers=1,
        tokens=[AccessToken.of(TEAM, name="Team", role=Role.VIEWER, claims=("GC-00000",))],
        oauth=OAuthAccess(ISSUER, AUDIENCE, str(keys)),
    )
    with running(settings) as address:
        yield address


def get(address: str, path: str, token: str = "") -> httpx2.Response:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx2.get(f"{address}{path}", headers=headers, timeout=60)


def test_a_stranger_is_told_where_tokens_come_from(address: str) -> None:
    for path in ("/api/claims", "/mcp"):
        refused = httpx2.request("POST" if path == "/mcp" else "GET", f"{address}{path}", timeout=60)
        assert refused.status_code == 401
        challenge = refused.headers["www-authenticate"]
        assert challenge.startswith("Bearer ")
        where = challenge.split('resource_metadata="')[1].split('"')[0]
        assert where == "http://127.0.0.1/.well-known/oauth-protected-resource/mcp"
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        metadata = get(address, path).json()
        assert metadata["resource"] == AUDIENCE
        assert metadata["authorization_servers"] == [ISSUER]
        assert "claims:read" in metadata["scopes_supported"]


def test_a_server_without_oauth_says_so(tmp_path: Path) -> None:
    store = generate_claims(tmp_path, 1)
    with running(ServingSettings(store.root, render_workers=1)) as address:
        assert get(address, "/.well-known/oauth-protected-resource").status_code == 404


def test_tokens_of_both_keys_are_accepted(address: str, issuer: Issuer) -> None:
    assert get(address, "/api/claims", issuer.token("claims:read")).json()["total"] == 6
    curved = issuer.token("claims:read", key=issuer.curve, kid="two", algorithm="ES256")
    assert get(address, "/api/claims", curved).json()["total"] == 6


@pytest.mark.parametrize(
    "changed",
    [
        {"aud": "https://other.example/mcp"},
        {"aud": None},
        {"iss": "https://elsewhere.example/"},
        {"exp": int(time.time()) - 3600},
        {"exp": None},
        {"nbf": int(time.time()) + 3600},
        {"kid": "three"},
    ],
)
def test_a_token_for_others_or_out_of_its_time_is_refused(
    address: str, issuer: Issuer, changed: dict[str, Any]
) -> None:
    refused = get(address, "/api/claims", issuer.token("claims:read", **changed))
    assert refused.status_code == 401
    assert 'error="invalid_token"' in refused.headers["www-authenticate"]


def test_a_token_that_others_signed_is_refused(address: str, issuer: Issuer) -> None:
    forged = issuer.token("claims:read", key=issuer.stranger)
    unsigned = jwt.encode(
        jwt.decode(issuer.token("claims:read"), options={"verify_signature": False}), "", algorithm="none"
    )
    shared = issuer.token("claims:read", key="a-shared-secret-of-32-characters!", algorithm="HS256")
    for token in (forged, unsigned, shared, "nonsense", ""):
        assert get(address, "/api/claims", token).status_code == 401


def test_a_token_without_a_scope_of_ours_is_told_which_it_needs(address: str, issuer: Issuer) -> None:
    refused = get(address, "/api/claims", issuer.token("openid profile"))
    assert refused.status_code == 403
    assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]
    assert 'scope="claims:read"' in refused.headers["www-authenticate"]


def test_a_token_of_a_group_reaches_that_groups_claims_only(address: str, issuer: Issuer) -> None:
    token = issuer.token("claims:read:GC-0000[12] claims:read:GC-00005")
    listed = get(address, "/api/claims", token).json()
    assert [claim["claimId"] for claim in listed["claims"]] == ["GC-00001", "GC-00002", "GC-00005"]
    assert get(address, "/api/claims/GC-00001", token).status_code == 200
    for path in (
        "/api/claims/GC-00003",
        "/api/claims/GC-00003/fields",
        "/api/claims/GC-00003/fields/financials.reserve",
        "/api/mcp/citations/GC-00003:ledger/financials.reserve",
        "/api/claims/GC-00003/sources/ledger/pages/1/words",
    ):
        assert get(address, path, token).status_code == 404, path
    found = get(address, "/api/search?q=reserve+at+least+0", token).json()
    assert {hit["claim_id"] for hit in found["results"]} == {"GC-00001", "GC-00002", "GC-00005"}
    words = get(address, "/api/search?q=claim+number", token).json()
    assert {hit["claim_id"] for hit in words["results"]} <= {"GC-00001", "GC-00002", "GC-00005"}
    named = get(address, "/api/search?q=NUM-000003", token).json()
    assert "GC-00003" not in {hit["claim_id"] for hit in named["results"]}
    total = httpx2.post(
        f"{address}/api/aggregates",
        json={"operation": "sum", "field": "financials.reserve"},
        headers={"Authorization": f"Bearer {token}"},
        timeout=60,
    ).json()
    assert total["groups"][0]["value"] == 10 * (1 + 2 + 5)


def test_a_teams_token_may_be_for_a_group_too(address: str) -> None:
    listed = get(address, "/api/claims", TEAM).json()
    assert [claim["claimId"] for claim in listed["claims"]] == ["GC-00000"]


def test_the_tools_see_the_groups_claims_only(address: str, issuer: Issuer) -> None:
    token = issuer.token("claims:read:GC-00004")

    async def main() -> list[Any]:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            return [
                await client.call_tool("list_claims", {}),
                await client.call_tool("get_claim", {"claim_id": "GC-00001"}),
                await client.call_tool("search_documents", {"query": "claim number", "limit": 20}),
                await client.list_resources(),
            ]

    listed, other, found, resources = anyio.run(main)
    assert [claim["claim_id"] for claim in listed.structured_content["claims"]] == ["GC-00004"]
    assert other.is_error
    assert {hit["claim_id"] for hit in found.structured_content["results"]} <= {"GC-00004"}
    assert {str(each.uri) for each in resources.resources if str(each.uri).startswith("claim")} == {
        "claim://GC-00004"
    }


def test_links_lead_back_to_where_the_caller_came_from(address: str, issuer: Issuer) -> None:
    found = get(address, "/api/search?q=reserve+at+least+0", issuer.token("claims:read")).json()
    for hit in found["results"]:
        assert hit["url"].startswith(f"{address}/claims/")
        assert hit["citations"][0]["urls"]["page_pdf"].startswith(f"{address}/api/documents/")


def test_deciding_needs_the_scope_for_it_and_for_that_claim(address: str, issuer: Issuer) -> None:
    decision = {
        "fieldKey": "financials.reserve",
        "action": "comment",
        "seenId": 0,
        "requestId": "oauth-00000001",
        "comment": "seen",
    }

    def post(scope: str, claim: str) -> int:
        return httpx2.post(
            f"{address}/api/claims/{claim}/verifications",
            json=decision,
            headers={"Authorization": f"Bearer {issuer.token(scope)}"},
            timeout=60,
        ).status_code

    assert post("claims:read", "GC-00002") == 403
    assert post("claims:read claims:review:GC-00001", "GC-00002") == 404
    assert post("claims:review:GC-00002", "GC-00002") == 201


def test_an_audience_that_is_no_address_is_refused_before_anything_listens() -> None:
    settings = ServingSettings("store", oauth=OAuthAccess(ISSUER, "claims", "keys.json"))
    with pytest.raises(ServingSettingsError, match="AUDIENCE"):
        settings.check()
