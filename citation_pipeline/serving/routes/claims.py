"""Claims, their reviewed datasets, and the words of their pages."""

import gzip
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from citation_pipeline.adapters.tables.page_words import line_boxes
from citation_pipeline.core.values.spans import fold_words
from citation_pipeline.serving.access import Reader
from citation_pipeline.serving.api.answers import UNCHANGED, accepts_gzip, answer_json
from citation_pipeline.serving.api.viewer_shapes import (
    ClaimList,
    DatasetAnswer,
    FoundPlaces,
    PageWords,
    SessionAnswer,
    describes,
)
from citation_pipeline.serving.datasets import Datasets
from citation_pipeline.serving.errors import NotFoundError
from citation_pipeline.serving.settings import Role

router = APIRouter(prefix="/api", tags=["claims"])

_IS_SHOWN: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "open": lambda claim: claim["state"] == "ready" and claim["reviewed"] < claim["fields"],
    "conflict": lambda claim: claim.get("conflicts", 0) > 0,
    "held": lambda claim: bool(claim.get("isHeld")),
    "partial": lambda claim: bool(claim.get("isPartial")),
    "unreadable": lambda claim: claim.get("unreadable", 0) > 0,
    "unresolved": lambda claim: claim.get("unresolved", 0) > 0,
}
_MAX_HITS = 500  # places that a find highlights; nobody steps through more


@router.get("/session", response_model=None, responses=describes(SessionAnswer) | UNCHANGED)
def read_session(request: Request, person: Reader) -> Response:
    """Return who is signed in and what the viewer may do."""
    settings = request.app.state.settings
    can_review = person.role.may(Role.REVIEWER)
    session = {
        "name": person.name,
        "role": person.role.value,
        "canReview": can_review,
        "canLead": person.role.may(Role.LEAD),
        "canAdminister": person.role.may(Role.ADMINISTRATOR),
        "canSignOut": bool(settings.tokens) or settings.oidc is not None,
        "hasTeam": settings.needs_login,
        "fadeSeconds": settings.fade_seconds,
        "highlight": settings.highlight,
        "canExtract": settings.agents.extract is not None and can_review,
        "schemas": list(settings.agents.schemas),
    }
    return answer_json(request, session)


@router.get("/claims", response_model=None, responses=describes(ClaimList) | UNCHANGED)
def list_claims(
    request: Request,
    person: Reader,
    q: Annotated[str, Query(max_length=100, description="part of a claim id")] = "",
    show: Annotated[
        Literal["all", "open", "conflict", "held", "partial", "unreadable", "unresolved"],
        Query(description="only claims with fields to review, with conflicts, …"),
    ] = "all",
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """List claims by id with their state and counts, a page at a time."""
    datasets: Datasets = request.app.state.datasets
    ids = [claim_id for claim_id in datasets.claim_ids() if q.lower() in claim_id.lower()]
    if show != "all":
        ids = [claim_id for claim_id in ids if _IS_SHOWN[show](datasets.summary(claim_id))]
    page = ids[offset : offset + limit]
    reached = offset + len(page)
    listed = {
        "total": len(ids),
        "offset": offset,
        "next_offset": reached if page and reached < len(ids) else None,
        "claims": [datasets.summary(found) for found in page],
    }
    return answer_json(request, listed)


@router.get("/claims/{claim_id}", response_model=None, responses=describes(DatasetAnswer) | UNCHANGED)
def read_claim(request: Request, claim_id: str, person: Reader) -> Response:
    """Return a claim's dataset with its reviews; `ETag` changes with either."""
    claim = request.app.state.datasets.claim(claim_id)
    etag = f'"{claim.etag}"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding, Cookie"}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    if not accepts_gzip(request):
        return Response(gzip.decompress(claim.packed), media_type="application/json", headers=headers)
    headers["Content-Encoding"] = "gzip"
    return Response(claim.packed, media_type="application/json", headers=headers)


@router.get(
    "/claims/{claim_id}/sources/{source_id}/pages/{page}/words",
    response_model=None,
    responses=describes(PageWords) | UNCHANGED,
)
def read_page_words(request: Request, claim_id: str, source_id: str, page: int, person: Reader) -> Response:
    """Return a page's words in reading order: [word id, text, left, top, width, height, line]."""
    datasets: Datasets = request.app.state.datasets
    claim = datasets.claim(claim_id)
    if not 1 <= page <= claim.source(source_id)["pageCount"]:
        raise NotFoundError("no_such_page", "The document has no such page.")
    words = [word_row(word) for word in datasets.page_words(claim, source_id, page)]
    return answer_json(request, {"words": words})


def word_row(word: Any) -> list[Any]:
    """Return a word as the viewer takes it."""
    box = word.box
    sides = (round(side, 5) for side in (box.left, box.top, box.width, box.height))
    return [word.word_id, word.text, *sides, word.line]


class Wanted(BaseModel):
    """What to find in a document; in a body, because URLs end up in logs."""

    sourceId: str = Field(max_length=300)
    text: str = Field(min_length=1, max_length=500)


@router.post("/claims/{claim_id}/find", response_model=None, responses=describes(FoundPlaces))
def find_in_document(request: Request, claim_id: str, wanted: Wanted, person: Reader) -> dict[str, Any]:
    """Return where a document's words say a text, case and accents aside, the last word by its beginning."""
    datasets: Datasets = request.app.state.datasets
    claim = datasets.claim(claim_id)
    claim.source(wanted.sourceId)
    asked = fold_words(wanted.text)
    if not asked:
        return {"hits": [], "isComplete": True}
    words = datasets.words(claim, wanted.sourceId)
    parts = [
        (part, index)
        for index, word in enumerate(words)
        for part in (
            fold_words(word.text)
            if not word.text.isascii() or _ODD.search(word.text)
            else [word.text.lower()]
        )
    ]
    hits: list[dict[str, Any]] = []
    for at in range(len(parts) - len(asked) + 1):
        if not parts[at + len(asked) - 1][0].startswith(asked[-1]):
            continue
        if any(parts[at + i][0] != asked[i] for i in range(len(asked) - 1)):
            continue
        found = words[parts[at][1] : parts[at + len(asked) - 1][1] + 1]
        if found[0].page == found[-1].page:
            hits.append(
                {"page": found[0].page, "boxes": [box.as_dict(digits=5) for box in line_boxes(found)]}
            )
        if len(hits) >= _MAX_HITS:
            return {"hits": hits, "isComplete": False}
    return {"hits": hits, "isComplete": True}


_ODD = re.compile(r"[^A-Za-z0-9]")
