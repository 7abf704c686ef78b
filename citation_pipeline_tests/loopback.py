"""Connections of this machine: those that fakes keep waiting, and ports for servers."""

import random
import select
import socket
from contextlib import suppress
from pathlib import Path

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 10_000  # below are the ports of known services


def hold(connection: socket.socket, seconds: float) -> None:
    """Leave a request unanswered for so long, or until the caller hangs up.

    A test's stall can so be much longer than its caller's patience, and costs only that patience.
    """
    select.select([connection], [], [], seconds)


def free_port(host: str = "127.0.0.1") -> int:
    """Return a port that nobody listens on now, and that the system gives nobody who asks for any.

    A server takes seconds until it listens, and more from a stop to a start: meanwhile another test's
    connection must not get its port.
    """
    lowest_given = int(_RANGE.read_text().split()[0]) if _RANGE.exists() else 0
    for _ in range(1000 if lowest_given > _LOWEST else 0):
        port = random.SystemRandom().randrange(_LOWEST, lowest_given)
        with suppress(OSError), socket.create_server((host, port)):
            return port
    with socket.create_server((host, 0)) as server:
        return int(server.getsockname()[1])
