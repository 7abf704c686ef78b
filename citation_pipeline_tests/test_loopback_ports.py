"""Ports of the tests' own servers: one that starts slowly must not lose its port to a connection."""

import socket
from pathlib import Path

import pytest

from citation_pipeline_tests.loopback import free_port

RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


@pytest.mark.skipif(not RANGE.exists(), reason="the system does not say which ports it gives away")
def test_a_servers_port_is_none_that_the_system_gives_to_a_connection() -> None:
    lowest, highest = map(int, RANGE.read_text().split())
    ports = [free_port() for _ in range(50)]
    assert not [port for port in ports if lowest <= port <= highest]
    assert len(set(ports)) > 40
    with socket.create_server(("127.0.0.1", ports[0])), pytest.raises(OSError, match="in use"):
        socket.create_server(("127.0.0.1", ports[0]))
