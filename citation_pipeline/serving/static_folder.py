"""The viewer's script and styles, read once and kept packed.

The ES modules are joined into one script when the server starts: thirty small requests take Chromium four
times as long as one. They are served as they are, too.

Browsers ask again on every use and mostly learn that nothing changed (ETag), so that a new version is
taken at once.
"""

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from citation_pipeline.serving.api.answers import accepts_gzip
from citation_pipeline.serving.bundle import bundle


@dataclass(frozen=True, slots=True)
class _File:
    packed: bytes
    plain: bytes
    etag: str
    media_type: str


class StaticFolder:
    """An ASGI application that answers with the files of one folder and nothing else."""

    def __init__(self, folder: Path) -> None:
        self._files = {
            path.relative_to(folder).as_posix(): _read(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        self._files["viewer.js"] = _packed(bundle(folder / "js", "main.js").encode(), "text/javascript")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        root = scope.get("root_path", "")
        found = self._files.get(scope["path"].removeprefix(root).lstrip("/"))
        if found is None:
            raise HTTPException(404)
        if request.method not in ("GET", "HEAD"):
            raise HTTPException(405)
        await _answer(request, found)(scope, receive, send)


def _answer(request: Request, found: _File) -> Response:
    headers = {"ETag": found.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == found.etag:
        return Response(status_code=304, headers=headers)
    if accepts_gzip(request):
        headers["Content-Encoding"] = "gzip"
        return Response(found.packed, media_type=found.media_type, headers=headers)
    return Response(found.plain, media_type=found.media_type, headers=headers)


def _read(path: Path) -> _File:
    kind = "text/javascript" if path.suffix == ".js" else mimetypes.guess_type(path.name)[0]
    return _packed(path.read_bytes(), kind or "application/octet-stream")


@lru_cache(maxsize=128)  # packing takes longer than all else of a server's start: once in a process
def _packed(plain: bytes, media_type: str) -> _File:
    etag = f'"{hashlib.sha256(plain).hexdigest()[:20]}"'
    return _File(gzip.compress(plain, 6), plain, etag, media_type)
