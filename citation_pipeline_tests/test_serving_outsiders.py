"""Every route as somebody tries it who should not: strangers, viewers, people of another group."""

import contextlib
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from citation_pipeline.serving import connections, watchers
from citation_pipeline.serving.api.agent_settings import AgentSettings
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
from citation_pipeline_tests.viewer_claim.serving import INTENT, decide, running
from citation_pipeline_tests.viewer_claim.store import build_store

OURS, THEIRS = "G1-ours", "G2-theirs"
PEOPLE = {
    "vic": (Role.VIEWER, ()),
    "ada": (Role.REVIEWER, ()),
    "adm": (Role.ADMINISTRATOR, ()),
    "one": (Role.ADMINISTRATOR, ("G1-*",)),
}
PARTS = {"source_id": "adjuster-letter", "page": "1", "name": "reliability"}
OPEN = {("post", "/api/session"), ("delete", "/api/session"), ("get", "/api/sign-in")}
# of a viewer's: questions, a tab's own place, and copies of what they may read
READING = {"find", "presence", "production", "search", "aggregates", "check", "ask", "debug", "session"}
METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("outsiders")
    for claim_id in (OURS, THEIRS):
        build_store(root, claim_id)
    tokens = [
        AccessToken.of(f"{name}-secret-of-{name}", name=name, role=role, claims=claims)
        for name, (role, claims) in PEOPLE.items()
    ]
    agents = AgentSettings(inbox=str(root / "inbox"))
    with running(ServingSettings(str(root / "store"), tokens=tokens, agents=agents, render_workers=1)) as url:
        yield url


def person(address: str, name: str = "") -> httpx.Client:
    headers = {**INTENT, "Authorization": f"Bearer {name}-secret-of-{name}"} if name else INTENT
    return httpx.Client(base_url=address, headers=headers, timeout=60)


@pytest.fixture(scope="module")
def operations(address: str) -> list[tuple[str, str, str]]:
    """(method, described path, path of the other group's claim) of everything that the API has."""
    with person(address, "adm") as client:
        paths = client.get("/api/openapi.json").json()["paths"]

    def filled(path: str) -> str:
        for name, value in {**PARTS, "claim_id": THEIRS}.items():
            path = path.replace(f"{{{name}}}", value)
        return re.sub(r"\{[^}]+\}", "1", path)

    found = [(m, path, filled(path)) for path, kinds in paths.items() for m in METHODS if m in kinds]
    assert len(found) > 40
    return found


def test_no_route_answers_a_stranger(address: str, operations: list[tuple[str, str, str]]) -> None:
    with person(address) as client:
        answers = {
            (method, described): client.request(method, path, json=None if method == "get" else {})
            for method, described, path in operations
        }
    assert {one for one, answer in answers.items() if answer.status_code != 401} == OPEN
    assert all(THEIRS not in answer.text for answer in answers.values())


def test_a_viewer_changes_nothing(address: str, operations: list[tuple[str, str, str]]) -> None:
    with person(address, "vic") as client:
        allowed = {
            described.rpartition("/")[2]
            for method, described, path in operations
            if method != "get" and client.request(method, path, json={}).status_code != 403
        }
    assert allowed == READING


def test_of_another_groups_claim_no_route_says_anything(
    address: str, operations: list[tuple[str, str, str]]
) -> None:
    with person(address, "adm") as everybody:
        assert decide(everybody, THEIRS, "claimant.name", "comment", comment="planted-4711").status_code < 300
        assert "planted-4711" in everybody.get(f"/api/claims/{THEIRS}/verifications").text
    with person(address, "one") as client:
        for method, described, path in operations:
            answer = client.request(method, path, json=None if method == "get" else {})
            if "{claim_id}" in described:
                assert answer.status_code in (403, 404, 422), (method, described)
            for said in ("planted-4711", "Quintanar"):
                assert said not in answer.text or OURS in answer.text, (method, described)
            assert THEIRS not in answer.text, (method, described)
        assert OURS in client.get("/api/claims").text


@pytest.mark.parametrize("path", [f"/api/claims/{OURS}/verifications", "/api/queue/next", "/ask", "/mcp"])
def test_a_strangers_body_is_not_waited_for(address: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 600.0)
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as connection:
        connection.sendall(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Citation-Viewer: 1\r\n"
            "Content-Type: application/json\r\nContent-Length: 1900000\r\n\r\n[[[[".encode()
        )
        assert connection.recv(200).startswith(b"HTTP/1.1 401 ")  # nothing more of it ever comes


@pytest.mark.parametrize("path", ["/api/session", "/csp-reports"])
def test_where_anybody_may_send_a_body_it_is_a_small_one(address: str, path: str) -> None:
    with person(address) as client:
        assert client.post(path, content=b"x" * 100_000).status_code == 413


@pytest.mark.parametrize("ending", ["signed out", "withdrawn"])
def test_an_open_stream_ends_when_its_person_signs_out_or_loses_the_token(
    address: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchers, "HEARTBEAT_SECONDS", 600.0)  # nothing else would end the reader's waiting
    with person(address, "adm") as giver, person(address) as client:
        given = giver.post("/api/tokens", json={"name": f"Tab {ending}", "role": "viewer", "claims": []})
        assert given.status_code == 201, given.text
        assert client.post("/api/session", json={"token": given.json()["secret"]}).status_code == 200
        watching = f"/api/claims/{OURS}/events?tab=abcdefgh12"
        with client.stream("GET", watching) as stream:
            lines = stream.iter_lines()
            assert next(lines) == "retry: 2000"
            if ending == "withdrawn":
                assert giver.delete(f"/api/tokens/{given.json()['tokenId']}").status_code == 204
            else:
                assert client.delete("/api/session").status_code == 204
            list(lines)  # fails where nothing comes for a minute
        assert client.get("/api/claims").status_code == 401


def test_an_address_with_another_host_in_it_is_refused(address: str) -> None:
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as connection:
        connection.sendall(b"GET http://evil.test/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert connection.recv(200).startswith(b"HTTP/1.1 400 ")


def test_requests_that_are_none_write_nothing_into_the_log(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    parts = urlsplit(address)
    for _ in range(20):
        with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as connection:
            connection.sendall(b"\x00\x01 garbage\r\n\r\n")
            with contextlib.suppress(ConnectionError):
                assert connection.recv(200).startswith(b"HTTP/1.1 400 ")
    assert [record.getMessage() for record in caplog.records] == []


@pytest.mark.parametrize(
    ("accepted", "is_packed"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("*", True),
        ("deflate, gzip;q=0.5", True),
        ("gzip;q=0", False),
        ("gzip;q=0, *", False),
        ("*;q=0", False),
        ("identity", False),
        ("br, zstd", False),
        ("gzip;q=abc", False),
        (",,;", False),
        ("", False),
    ],
)
def test_an_answer_is_packed_for_those_alone_who_take_it(
    address: str, accepted: str, is_packed: bool
) -> None:
    with person(address, "ada") as client:
        for path in (f"/api/claims/{OURS}", "/static/viewer.js"):
            answer = client.get(path, headers={"Accept-Encoding": accepted})
            assert answer.status_code == 200
            assert (answer.headers.get("content-encoding") == "gzip") is is_packed
            assert "accept-encoding" in answer.headers["vary"].lower()


def test_a_cookie_of_another_server_or_of_nobody_is_nobodys(address: str, tmp_path: Path) -> None:
    build_store(tmp_path, OURS)
    token = AccessToken.of("ada-secret-of-ada", name="ada", role=Role.REVIEWER)
    settings = ServingSettings(str(tmp_path / "store"), tokens=[token], render_workers=0)
    with running(settings) as other, person(other) as client:
        assert client.post("/api/session", json={"token": "ada-secret-of-ada"}).status_code == 200
        cookie = client.cookies["citation_viewer"]
        assert client.get("/api/claims").status_code == 200
    for forged in (cookie, cookie[::-1], "", "null", "0", "ada", "' OR 1=1 --", "%00", "a" * 4000):
        kept = {"Cookie": f"citation_viewer={forged}"}
        assert httpx.get(f"{address}/api/claims", headers=kept).status_code == 401
