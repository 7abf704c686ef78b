"""Hosts and servers of `benchmarks/fleet.py`: namespaces where the kernel allows it, real servers.

A host is a process with a network interface, process ids and a host name of its own; without the right to
make those, a process with folders of its own, and that is said. The disk is one: no host is given another's
folder.
"""

import asyncio
import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psycopg2
import redis as redis_client

from citation_pipeline_tests.postgres import find_program

PROJECT = Path(__file__).resolve().parent.parent


def wait_for(holds: Callable[[], bool], what: str, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while True:
        with contextlib.suppress(Exception):
            if holds():
                return
        if time.monotonic() > until:
            raise TimeoutError(what)
        time.sleep(0.2)


def free_port(host: str) -> int:
    with socket.socket() as listening:
        listening.bind((host, 0))
        return int(listening.getsockname()[1])


class Network:
    """A bridge with an address for the servers, and a cable to each host; none where it is not allowed."""

    def __init__(self) -> None:
        self.bridge = f"fl{os.getpid() % 100000}"
        self.hosts: list[str] = []
        made = shutil.which("ip") and shutil.which("unshare") and os.geteuid() == 0
        self.is_real = bool(made) and self._ip("link", "add", self.bridge, "type", "bridge")
        number = os.getpid() % 200 + 20
        self.prefix = f"10.{number}.7"
        self.address = "127.0.0.1"
        if self.is_real:
            self.address = f"{self.prefix}.1"
            self._ip("addr", "add", f"{self.address}/24", "dev", self.bridge)
            self._ip("link", "set", self.bridge, "up")

    def add(self, host: str) -> list[str]:
        """Connect a host; return the words that start a command on it."""
        if not self.is_real:
            return []
        self.hosts.append(host)
        place, cable, end = f"{self.bridge}-{host}", self._cable(host), f"{self.bridge}e"
        self._ip("netns", "add", place)
        self._ip("link", "add", cable, "type", "veth", "peer", "name", end)
        self._ip("link", "set", end, "netns", place)
        self._ip("link", "set", cable, "master", self.bridge)
        self._ip("link", "set", cable, "up")
        inside = ("-n", place)
        self._ip(*inside, "addr", "add", f"{self.prefix}.{10 + len(self.hosts)}/24", "dev", end)
        self._ip(*inside, "link", "set", end, "up")
        self._ip(*inside, "link", "set", "lo", "up")
        named = f'hostname {host}; exec "$@"'
        own = ["unshare", "--pid", "--fork", "--kill-child", "--uts", "--mount-proc"]
        return ["ip", "netns", "exec", place, *own, "sh", "-c", named, "sh"]

    def cut(self, host: str, *, off: bool) -> None:
        """Pull a host's cable out, or put it in again."""
        self._ip("link", "set", self._cable(host), "down" if off else "up")

    def remove(self) -> None:
        for host in self.hosts:
            self._ip("netns", "del", f"{self.bridge}-{host}")
        if self.is_real:
            self._ip("link", "del", self.bridge)

    def _cable(self, host: str) -> str:
        return f"{self.bridge}{self.hosts.index(host)}"

    @staticmethod
    def _ip(*words: str) -> bool:
        return subprocess.run(["ip", *words], capture_output=True, check=False).returncode == 0


@dataclass
class Server:
    """A server that can be stopped and started again on the same port."""

    command: list[str]
    answers: Callable[[], bool]
    log: Path
    user: str | None = None
    stop_by: signal.Signals = signal.SIGTERM
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, stdout=log, stderr=subprocess.STDOUT, user=self.user, start_new_session=True
            )
        wait_for(self.answers, f"{self.command[0]} does not answer: {self.log}")

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(self.stop_by)
            self.process.wait(60)
            self.process = None


def postgres_at(folder: Path, address: str) -> tuple[Server, str]:
    """A PostgreSQL server, synchronous as in production, and the URL of its database."""
    user = "postgres" if os.geteuid() == 0 else None
    folder.mkdir()
    if user is not None:
        os.chown(folder, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)
    data, port = folder / "data", free_port(address)
    subprocess.run(
        [str(find_program("initdb")), "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8"],
        user=user,
        check=True,
        capture_output=True,
    )
    with (data / "pg_hba.conf").open("a") as rules:
        rules.write(f"host all all {address}/24 trust\n")

    def answers() -> bool:
        psycopg2.connect(host=address, port=port, user="postgres", dbname="postgres").close()
        return True

    command = [str(find_program("postgres")), "-D", str(data), "-p", str(port), "-h", address]
    command += ["-k", str(folder), "-c", "max_connections=300"]
    server = Server(command, answers, folder.parent / "postgres.log", user, signal.SIGINT)
    return server, f"postgresql://postgres@{address}:{port}/postgres"


def redis_at(folder: Path, address: str) -> tuple[Server, str]:
    folder.mkdir()
    port = free_port(address)

    def answers() -> bool:
        with redis_client.Redis(host=address, port=port) as client:
            return bool(client.ping())

    command = [str(shutil.which("redis-server")), "--port", str(port), "--bind", address]
    command += ["--dir", str(folder), "--appendonly", "yes", "--protected-mode", "no"]
    return Server(command, answers, folder.parent / "redis.log"), f"redis://{address}:{port}/0"


def s3_at(folder: Path, address: str) -> tuple[Server, int]:
    """Moto's S3 server; its log counts the requests."""
    port = free_port(address)
    code = "from moto.server import main; main()"
    command = [sys.executable, "-c", code, "-H", address, "-p", str(port)]

    def answers() -> bool:
        return httpx.put(f"http://{address}:{port}/claims").status_code < 500

    return Server(command, answers, folder / "s3.log"), port


@dataclass
class Front:
    """Stands before the object store, and answers 503 in its place while `is_unwell`."""

    address: str
    behind: int
    port: int = 0
    is_unwell: bool = False
    open: set["asyncio.StreamWriter"] = field(default_factory=set)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)

    def start(self) -> None:
        self.port = free_port(self.address)
        threading.Thread(target=self._serve, daemon=True).start()

    def turn(self, *, unwell: bool) -> None:
        self.is_unwell = unwell
        self.loop.call_soon_threadsafe(lambda: [writer.close() for writer in list(self.open)])

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(asyncio.start_server(self._meet, self.address, self.port))
        self.loop.run_forever()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            if self.is_unwell:
                await reader.read(1 << 16)
                writer.write(b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                await writer.drain()
                writer.close()
                return
            theirs, ours = await asyncio.open_connection(self.address, self.behind)
            self.open |= {writer, ours}
            await asyncio.gather(self._pass(reader, ours), self._pass(theirs, writer))
        self.open.discard(writer)

    @staticmethod
    async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        writer.close()


def start_process(
    words: list[str], environment: Mapping[str, str], log: Path, *, nice: int, code: Path = PROJECT
) -> "subprocess.Popen[bytes]":
    with log.open("ab") as stream:
        return subprocess.Popen(
            ["nice", "-n", str(nice), *words],
            env=dict(environment),
            cwd=code,  # `python -m` looks there first
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def kill(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
