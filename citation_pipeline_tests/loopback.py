"""What the fakes of providers and webhooks do with a connection that they keep waiting."""

import select
import socket


def hold(connection: socket.socket, seconds: float) -> None:
    """Leave a request unanswered for so long, or until the caller hangs up.

    A test's stall can so be much longer than its caller's patience, and costs only that patience.
    """
    select.select([connection], [], [], seconds)
