"""Archives that are made when they are asked for: one at a time, in files that no directory lists."""

import io
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Any

import anyio.to_thread
from fastapi import Request
from fastapi.responses import StreamingResponse

from citation_pipeline.serving.access import Person
from citation_pipeline.serving.errors import BusyError
from citation_pipeline.serving.routes.pages import attachment

_PIECE = 1 << 20


async def send_archive(
    request: Request, person: Person, name: str, write: Callable[[IO[bytes]], Any], *, cost: int
) -> StreamingResponse:
    """Return what `write` puts into a file; `cost` is in drawn pages. Raises BusyError for too many."""
    state = request.app.state
    wait = state.limit.take(person.key, cost=cost)
    if wait:
        raise BusyError("too_many_packs", "Archives are costly.", retry_after=int(wait) + 1)
    async with state.packing:  # one at a time: they are large and nobody waits for two
        file = await anyio.to_thread.run_sync(partial(_write, write))
    length = file.seek(0, io.SEEK_END)
    headers = {"Content-Disposition": attachment(name), "Content-Length": str(length)}
    return StreamingResponse(_pieces(file), media_type="application/zip", headers=headers)


def _write(write: Callable[[IO[bytes]], Any]) -> IO[bytes]:
    # a file without a name: a server that is killed leaves no copy behind
    target = tempfile.TemporaryFile(prefix="archive-")  # noqa: SIM115 (closed once it was sent)
    try:
        write(target)
    except BaseException:
        target.close()
        raise
    return target


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece
