"""Who is drawn for next: the newest wish of each person, people in turn; who has left waits no more."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class TurnedAwayError(Exception):
    """A wish that so many newer ones of the same person overtook that it was given up."""


class DrawingQueue:
    """Hands out `slots` turns. Of one event loop; a cancelled wait leaves the queue.

    A reader who flings through a document wants the page that is in front of them now: of one person's
    wishes the newest is served first, and beyond `most_waiting` the oldest is turned away.
    """

    def __init__(self, *, slots: int, most_waiting: int) -> None:
        self._free, self._most = slots, most_waiting
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, person: str) -> AsyncIterator[None]:
        """Wait for a turn and hold it; raises TurnedAwayError."""
        await self._wait(person)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, person: str) -> None:
        if self._free:  # nobody waits while a turn is free
            self._free -= 1
            return
        wish = asyncio.get_running_loop().create_future()
        wishes = self._waiting.setdefault(person, deque())
        wishes.append(wish)
        if len(wishes) > self._most:
            wishes.popleft().set_exception(TurnedAwayError)
        try:
            await wish
        except asyncio.CancelledError:
            if wish.done() and not wish.cancelled() and wish.exception() is None:
                # its turn came in the same moment: it goes to the next one
                self._pass_on()
            self._forget(person, wish)
            raise

    def _forget(self, person: str, wish: "asyncio.Future[None]") -> None:
        wishes = self._waiting.get(person)
        if wishes is not None and wish in wishes:
            wishes.remove(wish)
            if not wishes:
                del self._waiting[person]

    def _pass_on(self) -> None:
        while self._waiting:
            person, wishes = self._waiting.popitem(last=False)
            wish = wishes.pop()
            if wishes:
                self._waiting[person] = wishes  # behind the others
            if not wish.done():
                wish.set_result(None)
                return
        self._free += 1
