"""What others do on an open claim, as server-sent events, and where each person is."""

from functools import partial
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from citation_pipeline.serving.access import Reader, is_still
from citation_pipeline.serving.watchers import Watcher, Watchers, stream

router = APIRouter(prefix="/api", tags=["reviews"])

_TAB = r"^[a-z0-9]{8,32}$"


# a stream has no end that a caller of an API could wait for, so it is not described as one of its answers
@router.get("/claims/{claim_id}/events", include_in_schema=False)
async def watch_claim(
    request: Request, claim_id: str, person: Reader, tab: Annotated[str, Query(pattern=_TAB)]
) -> StreamingResponse:
    """Tell of other people's decisions, of new datasets, and of who is there."""
    await anyio.to_thread.run_sync(request.app.state.datasets.claim, claim_id)  # it exists, for this caller
    watchers: Watchers = request.app.state.watchers
    watchers.check_room(person.key)
    watcher = Watcher(claim_id, tab, person.name, person.key)
    messages = stream(watchers, watcher, is_known=partial(is_still, person, request))
    return StreamingResponse(messages, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


class Presence(BaseModel):
    """Which field a tab looks at, null for none."""

    model_config = ConfigDict(extra="forbid")

    tab: str = Field(pattern=_TAB)
    fieldKey: str | None = Field(default=None, max_length=400)


@router.post("/claims/{claim_id}/presence", status_code=204)
async def note_presence(request: Request, claim_id: str, presence: Presence, person: Reader) -> Response:
    """Note where a person is, for the others who have the claim open."""
    claim = await anyio.to_thread.run_sync(request.app.state.datasets.claim, claim_id)
    field_key = presence.fieldKey if presence.fieldKey in claim.fields else None
    request.app.state.watchers.note(claim_id, presence.tab, person.key, field_key)
    return Response(status_code=204)
