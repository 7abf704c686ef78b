"""Who has a claim open, and what happens to it meanwhile: tabs are told within a second or two.

One task asks for the versions of the claims that are open, so that decisions made by another server, the
command line or a new run are noticed too. Servers of one database tell each other of their tabs in it.
"""

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from citation_pipeline.adapters.assignments.presence import Looking, PresenceStore
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.serving.errors import BusyError

LOOK_SECONDS = 1.0  # a colleague's decision is on the screen within two seconds
HEARTBEAT_SECONDS = 15.0  # proxies close what is silent for a minute
TELL_SECONDS = 10.0  # other servers hear of this one's tabs at least so often
STREAM_SECONDS = 300.0  # then the browser asks again
_MOST_PER_PERSON, _MOST = 12, 600
_MOST_WAITING = 64  # messages of a tab that does not read: then it is told to load everything


@dataclass(eq=False)
class Watcher:
    """One open tab."""

    claim_id: str
    tab: str
    name: str
    key: str
    field_key: str | None = None
    messages: "asyncio.Queue[str]" = field(default_factory=lambda: asyncio.Queue(_MOST_WAITING))


class Watchers:
    """The open tabs of this server; everything but `look` and `close` runs in the event loop."""

    def __init__(
        self,
        version_of: Callable[[str], str],
        verifications: VerificationStore,
        *,
        presence: PresenceStore,
        holder_of: Callable[[str], str | None],
    ) -> None:
        """Watch claims by `version_of` their datasets, their events, and `holder_of` their leases."""
        self._version_of, self._verifications = version_of, verifications
        self._presence, self._holder_of = presence, holder_of
        self._server = secrets.token_hex(8)
        self._open: dict[str, list[Watcher]] = {}
        self._seen: dict[str, tuple[str, int, str | None]] = {}
        self._elsewhere: dict[str, Sequence[Looking]] = {}
        self._untold: set[str] = set()  # claims whose tabs changed since other servers were told
        self._told_at = 0.0
        self._wake = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.is_closed = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Look at the open claims for as long as the application runs."""
        self._loop, self._wake, self.is_closed = asyncio.get_running_loop(), asyncio.Event(), False
        task = asyncio.create_task(self._look_on())
        try:
            yield
        finally:
            self.close()
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            with contextlib.suppress(Exception):  # others forget this server's tabs anyway, a little later
                await asyncio.to_thread(self._presence.leave, server=self._server)
            self._loop = None

    def look(self) -> None:
        """Look at once, not at the next turn; from any thread."""
        if self._loop is not None and self._open:
            self._loop.call_soon_threadsafe(self._wake.set)

    def tell(self, claim_id: str, kind: str, content: dict[str, Any]) -> None:
        """Tell every tab of a claim something at once; from any thread."""
        if self._loop is not None and claim_id in self._open:
            self._loop.call_soon_threadsafe(self._tell_all, claim_id, message(kind, content))

    def _tell_all(self, claim_id: str, text: str) -> None:
        for watcher in self._open.get(claim_id, ()):
            _put(watcher, text)

    def check_people(self) -> None:
        """Have every stream look whether its person is still signed in; from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake_streams)

    def _wake_streams(self) -> None:
        for watchers in self._open.values():
            for watcher in watchers:
                _put(watcher, "")

    def close(self) -> None:
        """End every stream: the server stops."""
        self.is_closed = True
        self._wake_streams()

    def check_room(self, key: str) -> None:
        """Raise BusyError where a person, or everybody together, has too many tabs open."""
        everybody = [watcher.key for watchers in self._open.values() for watcher in watchers]
        if len(everybody) >= _MOST or everybody.count(key) >= _MOST_PER_PERSON:
            raise BusyError("too_many_tabs", "Too many tabs are open.", retry_after=30)

    @contextmanager
    def joined(self, watcher: Watcher) -> Iterator[None]:
        """Count a tab as present for the block."""
        self._open.setdefault(watcher.claim_id, []).append(watcher)
        self._tell_people(watcher.claim_id)
        try:
            yield
        finally:
            left = [known for known in self._open[watcher.claim_id] if known is not watcher]
            if left:
                self._open[watcher.claim_id] = left
                self._tell_people(watcher.claim_id)
            else:
                del self._open[watcher.claim_id]
                self._seen.pop(watcher.claim_id, None)
                self._elsewhere.pop(watcher.claim_id, None)
                self._tell_servers(watcher.claim_id)

    def note(self, claim_id: str, tab: str, key: str, field_key: str | None) -> None:
        """Note which field a tab looks at; a tab that is not open, or is another person's, is ignored."""
        for watcher in self._open.get(claim_id, ()):
            if watcher.tab == tab and watcher.key == key and watcher.field_key != field_key:
                watcher.field_key = field_key
                self._tell_people(claim_id)

    async def _look_on(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), LOOK_SECONDS)
            self._wake.clear()
            # a database that does not answer now is asked again at the next turn
            with contextlib.suppress(Exception):
                await self._tell_other_servers()
            for claim_id in list(self._open):
                with contextlib.suppress(Exception):
                    await self._look_at(claim_id)
                    await self._look_elsewhere(claim_id)

    async def _tell_other_servers(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._told_at >= TELL_SECONDS:
            self._untold |= self._open.keys()
            self._told_at = now
        for claim_id in list(self._untold):
            looking = [(known.name, known.field_key or "") for known in self._open.get(claim_id, ())]
            self._untold.discard(claim_id)
            # an erasure takes the dataset first: a tab that is open still must not write the name again
            unless_gone = partial(self._unless_gone, claim_id, looking)
            try:
                await asyncio.to_thread(
                    self._presence.keep, claim_id, server=self._server, looking=unless_gone
                )
            except Exception:
                self._untold.add(claim_id)
                raise

    def _unless_gone(self, claim_id: str, looking: Sequence[Looking]) -> Sequence[Looking]:
        return looking if self._version_of(claim_id) else ()

    async def _look_elsewhere(self, claim_id: str) -> None:
        found = await asyncio.to_thread(self._presence.elsewhere, claim_id, server=self._server)
        if claim_id in self._open and found != self._elsewhere.get(claim_id, []):
            self._elsewhere[claim_id] = found
            self._send_people(claim_id)

    async def _look_at(self, claim_id: str) -> None:
        version, last_id, holder = await asyncio.to_thread(self._state_of, claim_id)
        before = self._seen.get(claim_id)
        if claim_id not in self._open or (version, last_id, holder) == before:
            return
        self._seen[claim_id] = version, last_id, holder
        if before is None:
            return
        if holder != before[2]:
            self._tell_all(claim_id, message("hands", {"holder": holder}))
        if (version, last_id) == before[:2]:
            return
        events = await asyncio.to_thread(self._verifications.events_after, claim_id, before[1])
        changed = {
            "isNewDataset": version != before[0],
            "fields": [
                {
                    "fieldKey": event.field_key,
                    "action": event.action.value,
                    "reviewer": event.reviewer,
                    "lastId": event.verification_id,
                }
                for event in events[-50:]
            ],
        }
        for watcher in self._open.get(claim_id, ()):
            _put(watcher, message("changed", changed))

    def _state_of(self, claim_id: str) -> tuple[str, int, str | None]:
        return self._version_of(claim_id), self._verifications.last_id(claim_id), self._holder_of(claim_id)

    def _tell_people(self, claim_id: str) -> None:
        self._send_people(claim_id)
        self._tell_servers(claim_id)

    def _tell_servers(self, claim_id: str) -> None:
        self._untold.add(claim_id)
        self._wake.set()

    def _send_people(self, claim_id: str) -> None:
        watchers, elsewhere = self._open.get(claim_id, ()), self._elsewhere.get(claim_id, ())
        for watcher in watchers:
            here = {(other.name, other.field_key or "") for other in watchers}
            others = {looking for looking in here | set(elsewhere) if looking[0] != watcher.name}
            people = [{"name": name, "fieldKey": key or None} for name, key in sorted(others)]
            _put(watcher, message("people", {"people": people}))


async def stream(
    watchers: Watchers, watcher: Watcher, *, is_known: Callable[[], Awaitable[bool]]
) -> AsyncIterator[str]:
    """Yield a tab's messages as they come (server-sent events), and a comment while nothing does.

    Ends without another word once its person `is_known` no more: signed out, or the token is withdrawn.
    """
    loop = asyncio.get_running_loop()
    ends = loop.time() + STREAM_SECONDS
    with watchers.joined(watcher):
        yield "retry: 2000\n\n"
        watchers.look()
        while not watchers.is_closed and loop.time() < ends:
            try:
                text = await asyncio.wait_for(watcher.messages.get(), HEARTBEAT_SECONDS)
            except TimeoutError:
                text = ": nothing new\n\n"
            if not await is_known():
                return
            if text:
                yield text
        if watchers.is_closed:  # so that the tab does not knock at a server that is gone
            yield message("closing", {})


def message(kind: str, content: dict[str, Any]) -> str:
    """Return one server-sent event."""
    return f"event: {kind}\ndata: {json.dumps(content)}\n\n"


def _put(watcher: Watcher, text: str) -> None:
    try:
        watcher.messages.put_nowait(text)
    except asyncio.QueueFull:
        while not watcher.messages.empty():
            watcher.messages.get_nowait()
        watcher.messages.put_nowait(message("changed", {"isNewDataset": True, "fields": []}))
