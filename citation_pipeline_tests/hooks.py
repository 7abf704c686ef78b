"""Loopback servers that take messages and misbehave as scripted: HTTP and SMTP."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from citation_pipeline_tests.loopback import hold


@dataclass
class Hook:
    """Answers POSTs with the scripted statuses, then 200; remembers path, headers and body of each.

    A stall lasts until the caller hangs up, so many seconds at most.
    """

    statuses: list[int] = field(default_factory=list)
    stall_s: float = 0.0
    taken: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    port: int = 0


@contextmanager
def running_hook() -> Iterator[Hook]:
    """Run a server for the block."""
    hook = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # noqa: N802 - the library's name
            body = self.rfile.read(int(self.headers["content-length"]))
            hook.taken.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            hold(self.connection, hook.stall_s)
            try:
                self.send_response(hook.statuses.pop(0) if hook.statuses else 200)
                self.send_header("location", f"http://127.0.0.1:{hook.port}/elsewhere")
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"ok")
            except OSError:  # the caller hung up
                pass

        do_GET = do_POST  # noqa: N815 - a redirect that is followed would come as one

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hook.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield hook
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class Mailbox:
    """The messages that a mail server took; `refusals` answers so many recipients with an error first."""

    refusals: int = 0
    messages: list[str] = field(default_factory=list)
    port: int = 0


@contextmanager
def running_mailbox() -> Iterator[Mailbox]:
    """Run a mail server for the block."""
    mailbox = Mailbox()

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 loopback")
            while line := self.rfile.readline():
                word = line[:4].upper()
                if word == b"DATA":
                    self._say("354 go on")
                    text = b""
                    while (part := self.rfile.readline()) not in (b".\r\n", b""):
                        text += part
                    mailbox.messages.append(text.decode())
                    self._say("250 taken")
                elif word == b"RCPT" and mailbox.refusals:
                    mailbox.refusals -= 1
                    self._say("451 later")
                elif word == b"QUIT":
                    self._say("221 bye")
                    return
                else:
                    self._say("250 ok")

        def _say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address, daemon_threads = True, True

    server = Server(("127.0.0.1", 0), Session)
    mailbox.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield mailbox
    finally:
        server.shutdown()
        server.server_close()
