"""The evidence pack."""

from typing import IO

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from citation_pipeline.serving.access import Reader
from citation_pipeline.serving.evidence.pack import write_pack
from citation_pipeline.serving.routes.archives import send_archive

router = APIRouter(prefix="/api", tags=["downloads"])

_COST = 40  # in drawn pages: what a pack of a middling claim takes


@router.get(
    "/claims/{claim_id}/evidence.zip",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": {}}, "description": "The archive."}},
)
async def read_evidence_pack(request: Request, claim_id: str, person: Reader) -> StreamingResponse:
    """Return originals, highlighted PDFs, data, reviews and hashes as one archive."""
    state = request.app.state

    def write(target: IO[bytes]) -> None:
        write_pack(
            target,
            claim=state.datasets.claim(claim_id),
            history=state.verifications.history(claim_id),
            audit=state.verifications.audit_entries(claim_id),
            signer=state.verifications.signer,
            originals=state.originals,
            pool=state.pool,
            made_by=person.name,
        )

    return await send_archive(request, person, f"{claim_id}-evidence.zip", write, cost=_COST)
