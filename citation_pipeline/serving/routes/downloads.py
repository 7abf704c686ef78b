"""The evidence pack."""

import tempfile
from pathlib import Path
from typing import Any

import anyio.to_thread
from fastapi import APIRouter, Request
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from citation_pipeline.serving.access import Reader
from citation_pipeline.serving.datasets import ReviewedClaim
from citation_pipeline.serving.errors import BusyError
from citation_pipeline.serving.evidence.pack import write_pack
from citation_pipeline.serving.routes.pages import attachment

router = APIRouter(prefix="/api", tags=["downloads"])

_PACK_COST = 40  # in drawn pages: what a pack of a middling claim takes


@router.get(
    "/claims/{claim_id}/evidence.zip",
    response_class=FileResponse,
    responses={200: {"content": {"application/zip": {}}, "description": "The archive."}},
)
async def read_evidence_pack(request: Request, claim_id: str, person: Reader) -> FileResponse:
    """Return originals, highlighted PDFs, data, reviews and hashes as one archive."""
    state = request.app.state
    wait = state.limit.take(person.key, cost=_PACK_COST)
    if wait:
        raise BusyError("too_many_packs", "Evidence packs are costly.", retry_after=int(wait) + 1)
    async with state.packing:  # one at a time: packs are large and nobody waits for two
        path = await anyio.to_thread.run_sync(_write, state, claim_id, person.name)
    return FileResponse(
        path,
        media_type="application/zip",
        headers={"Content-Disposition": attachment(f"{claim_id}-evidence.zip")},
        background=BackgroundTask(path.unlink, missing_ok=True),
    )


def _write(state: Any, claim_id: str, made_by: str) -> Path:
    claim: ReviewedClaim = state.datasets.claim(claim_id)
    with tempfile.NamedTemporaryFile(prefix="evidence-", suffix=".zip", delete=False) as target:
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
            Path(target.name).unlink(missing_ok=True)
            raise
    return Path(target.name)
