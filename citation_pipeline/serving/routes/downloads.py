"""The evidence pack."""

import io
import tempfile
from collections.abc import Iterator
from typing import IO, Any

import anyio.to_thread
from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from citation_pipeline.serving.access import Reader
from citation_pipeline.serving.datasets import ReviewedClaim
from citation_pipeline.serving.errors import BusyError
from citation_pipeline.serving.evidence.pack import write_pack
from citation_pipeline.serving.routes.pages import attachment

router = APIRouter(prefix="/api", tags=["downloads"])

_PIECE = 1 << 20
_PACK_COST = 40  # in drawn pages: what a pack of a middling claim takes


@router.get(
    "/claims/{claim_id}/evidence.zip",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": {}}, "description": "The archive."}},
)
async def read_evidence_pack(request: Request, claim_id: str, person: Reader) -> StreamingResponse:
    """Return originals, highlighted PDFs, data, reviews and hashes as one archive."""
    state = request.app.state
    wait = state.limit.take(person.key, cost=_PACK_COST)
    if wait:
        raise BusyError("too_many_packs", "Evidence packs are costly.", retry_after=int(wait) + 1)
    async with state.packing:  # one at a time: packs are large and nobody waits for two
        file = await anyio.to_thread.run_sync(_write, state, claim_id, person.name)
    return answer_archive(file, f"{claim_id}-evidence.zip")


def answer_archive(file: IO[bytes], name: str) -> StreamingResponse:
    """Return an archive that lies in a file without a name: a server that is killed leaves no copy behind."""
    length = file.seek(0, io.SEEK_END)
    headers = {"Content-Disposition": attachment(name), "Content-Length": str(length)}
    return StreamingResponse(_pieces(file), media_type="application/zip", headers=headers)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece


def _write(state: Any, claim_id: str, made_by: str) -> IO[bytes]:
    claim: ReviewedClaim = state.datasets.claim(claim_id)
    target = tempfile.TemporaryFile(prefix="evidence-")  # noqa: SIM115 (closed once it was sent)
    try:
        write_pack(
            target,
            claim=claim,
            history=state.verifications.history(claim_id),
            audit=state.verifications.audit_entries(claim_id),
            signer=state.verifications.signer,
            originals=state.originals,
            pool=state.pool,
            made_by=made_by,
        )
    except BaseException:
        target.close()
        raise
    return target
