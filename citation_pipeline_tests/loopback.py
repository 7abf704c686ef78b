"""Connections of this machine: those that fakes keep waiting, and ports for servers."""

import select
import socket


def hold(connection: socket.socket, seconds: float) -> None:
    """Leave a request unanswered for so long, or until the caller hangs up.

    A test's stall can so be much longer than its caller's patience, and costs only that patience.
    """
    select.select([connection], [], [], seconds)


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
