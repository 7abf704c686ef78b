"""A server on loopback under attack: endless heads, half-sent requests, bodies of strangers."""

import contextlib
import http.client
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from citation_pipeline.serving import connections
from citation_pipeline.serving.api.agent_settings import AgentSettings
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
from citation_pipeline_tests.viewer_claim.serving import running
from citation_pipeline_tests.viewer_claim.store import build_store

SECRET = "reviewer-secret-01"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return build_store(tmp_path_factory.mktemp("limits")).root


@pytest.fixture(scope="module")
def address(store: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    settings = ServingSettings(
        store,
        tokens=(AccessToken.of(SECRET, name="Ada", role=Role.REVIEWER),),
        agents=AgentSettings(inbox=str(tmp_path_factory.mktemp("inbox"))),
    )
    with running(settings) as url:
        parts = urlsplit(url)
        assert parts.hostname is not None
        assert parts.port is not None
        yield parts.hostname, parts.port


def received(connection: socket.socket) -> bytes:
    """Everything until the server closes."""
    out = b""
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(65536):
            out += piece
    return out


def is_healthy(address: tuple[str, int]) -> bool:
    with contextlib.closing(http.client.HTTPConnection(*address, timeout=60)) as connection:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200


@pytest.mark.parametrize(
    "head",
    [
        pytest.param([b"X-Long: " + b"a" * 1_000_000] * 87, id="long headers"),
        pytest.param([b"X-%d: a" % number for number in range(300)], id="many headers"),
        pytest.param([b"X-%07d: %s" % (n, b"b" * 80) for n in range(100_000)], id="endless headers"),
    ],
)
def test_a_head_beyond_its_limits_is_refused_before_it_is_read(
    address: tuple[str, int], head: list[bytes]
) -> None:
    began = time.process_time()
    with socket.create_connection(address, timeout=120) as connection:
        answer = b""
        with contextlib.suppress(ConnectionError):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            for line in head:
                connection.sendall(line + b"\r\n")
            connection.sendall(b"\r\n")
        answer = received(connection)
    assert not answer or answer.startswith(b"HTTP/1.1 431 ")  # a reset may overtake the answer
    assert time.process_time() - began < 3
    assert is_healthy(address)


def test_a_request_line_beyond_its_limit_is_refused(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=120) as connection:
        with contextlib.suppress(ConnectionError):
            for piece in [b"GET /", *[b"a" * 60_000] * 30, b" HTTP/1.1\r\n\r\n"]:
                connection.sendall(piece)
        answer = received(connection)
    assert not answer or answer.startswith(b"HTTP/1.1 431 ")


def test_half_sent_requests_are_closed_and_keep_nobody_out(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 8.0)  # a healthy request takes less under any load
    monkeypatch.setattr(connections, "BODY_SECONDS", 8.0)
    halves = [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        b"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n\r\n{",
    ]
    with contextlib.ExitStack() as stack:
        waiting = []
        for number in range(120):
            connection = stack.enter_context(socket.create_connection(address, timeout=120))
            connection.sendall(halves[number % len(halves)])
            waiting.append(connection)
        assert is_healthy(address)
        for connection in waiting:
            answer = received(connection)  # ends: the server closed it
            assert not answer or answer.startswith((b"HTTP/1.1 408 ", b"HTTP/1.1 4"))
    assert is_healthy(address)


def test_one_address_holds_only_so_many_connections_and_half_requests_give_way(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MAX_PER_ADDRESS", 20)
    with contextlib.ExitStack() as stack:
        halves = []
        for _ in range(60):
            connection = stack.enter_context(socket.create_connection(address, timeout=120))
            connection.sendall(b"GET /health HT")
            halves.append(connection)
        for connection in halves[:30]:
            answer = received(connection)  # ends: it gave way
            assert not answer or answer.startswith(b"HTTP/1.1 503 ")
        assert is_healthy(address)


def test_of_half_requests_by_the_thousand_no_ordinary_reader_of_the_same_address_notices(
    address: tuple[str, int],
) -> None:
    halves = [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
        b"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n\r\n{",
    ]
    took = []
    with contextlib.ExitStack() as stack:
        for number in range(1_200):
            connection = stack.enter_context(socket.create_connection(address, timeout=120))
            with contextlib.suppress(ConnectionError):
                connection.sendall(halves[number % len(halves)])
            if number % 40 == 0:
                began = time.monotonic()
                assert is_healthy(address)
                took.append(time.monotonic() - began)
        for _ in range(10):
            began = time.monotonic()
            assert is_healthy(address)
            took.append(time.monotonic() - began)
    assert sorted(took)[int(len(took) * 0.95)] < 10.0  # less than a half request is waited for


def test_a_client_that_does_not_take_its_answer_is_let_go(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "WRITE_SECONDS", 0.5)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(120)
        connection.connect(address)
        asked = b"GET /static/viewer.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        connection.sendall(asked * 200)  # more than the system's buffers hold
        until = time.monotonic() + 120  # who is never let go reads all of it
        while connections.BoundedProtocol.addresses and time.monotonic() < until:
            time.sleep(0.05)
        answers = received(connection).count(b"HTTP/1.1 200")
    assert 0 < answers < 200  # who had read on would have had them all
    assert is_healthy(address)


def test_a_large_body_that_keeps_coming_is_taken_however_long_it_takes(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 5.0)
    body = b'--b\r\nContent-Disposition: form-data; name="claim_id"\r\n\r\nnew_claim\r\n--b\r\n'
    body += b'Content-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n' + b"letter " * 8_000
    body += b"\r\n--b--\r\n"
    with socket.create_connection(address, timeout=120) as connection:
        connection.sendall(
            b"POST /upload HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer "
            + SECRET.encode()
            + b"\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n" % len(body)
        )
        for start in range(0, len(body), 10_000):
            connection.sendall(body[start : start + 10_000])
            time.sleep(1.0)  # longer in all than the limit between two pieces
        assert received(connection).startswith(b"HTTP/1.1 201 ")


def test_a_strangers_upload_is_refused_before_its_body_is_read(
    address: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # where bodies are spooled
    most = [0]
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            most[0] = max(most[0], sum(os.fstat(fd).st_size for fd in spooled(tmp_path)))
            time.sleep(0.01)

    watcher = threading.Thread(target=watch)
    watcher.start()
    head = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n'
    with socket.create_connection(address, timeout=120) as connection:
        connection.sendall(
            b"POST /upload HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 30000000\r\n\r\n"
        )
        with contextlib.suppress(ConnectionError):
            connection.sendall(head)
            for _ in range(20):
                connection.sendall(b"x" * 1_000_000)
        connection.shutdown(socket.SHUT_WR)
        answer = received(connection)
    done.set()
    watcher.join()
    assert not answer or answer.startswith(b"HTTP/1.1 401 ")
    assert most[0] == 0


def spooled(folder: Path) -> list[int]:
    """Open files of this process that lie, or lay, in the folder."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if str(entry.readlink()).startswith(str(folder)):
                found.append(int(entry.name))
    return found
