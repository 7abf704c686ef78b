"""Who may sign in: the people a lead can assign to, and an administrator's tokens, sessions and erasures."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from citation_pipeline.adapters.verifications.sessions import SessionStore
from citation_pipeline.adapters.verifications.tokens import IssuedToken, NameTakenError, TokenStore
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.review.people import person_key
from citation_pipeline.serving.access import Administrator, Lead, Person
from citation_pipeline.serving.api.answers import answer_json
from citation_pipeline.serving.api.viewer_shapes import describes
from citation_pipeline.serving.errors import (
    NotAcceptableError,
    NotAllowedError,
    NotFoundError,
    RequestError,
    StaleError,
)
from citation_pipeline.serving.settings import Role, ServingSettings
from citation_pipeline.serving.team.shapes import ErasedAnswer, PeopleAnswer, TokenAnswer

router = APIRouter(prefix="/api", tags=["team"])

Number = Annotated[int, Path(ge=1, le=2_000_000_000)]  # as databases count


@router.get("/people", response_model=None, responses=describes(PeopleAnswer))
def read_people(request: Request, person: Lead) -> Response:
    """List who may sign in by token, and who has decided anything; never a secret."""
    settings: ServingSettings = request.app.state.settings
    issued: TokenStore = request.app.state.tokens
    people: list[dict[str, Any]] = [
        {"name": token.name, "role": token.role.value, "claims": list(token.claims), "tokenId": None}
        for token in settings.tokens
    ]
    people += [
        {"name": token.name, "role": token.role, "claims": list(token.claims), "tokenId": token.token_id}
        for token in issued.tokens()
    ]
    listed = {person_key(known["name"]) for known in people}
    for name in sorted({*request.app.state.verifications.reviewers(), person.name}):
        if person_key(name) not in listed:
            listed.add(person_key(name))
            people.append({"name": name, "role": None, "claims": [], "tokenId": None})
    return answer_json(request, {"people": people})


class NewToken(BaseModel):
    """A token for one person; `claims` are patterns of claim ids, none for all, `days` how long it lasts.

    A name that is somebody's already is refused unless `samePerson` says that the token is for them.
    """

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200, pattern=r"\S")
    role: Role
    claims: list[str] = Field(default_factory=list, max_length=200)
    days: int = Field(default=365, strict=True, ge=1, le=3660)
    samePerson: bool = Field(
        default=False, strict=True, description="the token is for the person who has that name already"
    )


@router.post("/tokens", status_code=201, response_model=None, responses=describes(TokenAnswer, status=201))
def give_token(request: Request, wanted: NewToken, person: Administrator) -> dict[str, Any]:
    """Make a token; its secret is in this answer and nowhere else."""
    if not request.app.state.settings.needs_login:
        raise NotAcceptableError(
            "no_sign_in",
            "This server has no sign-in.",
            "Give it a first token: CITATION_VIEWER_TOKENS_FILE.",
        )
    _check_reach(person, wanted.claims)
    issued: TokenStore = request.app.state.tokens
    name = _name_for(request, " ".join(wanted.name.split()), person, is_same=wanted.samePerson)
    try:
        token, secret = issued.give(
            name,
            role=wanted.role.value,
            claims=tuple(wanted.claims),
            days=wanted.days,
            by=person.name,
            is_known=wanted.samePerson,
        )
    except NameTakenError as error:  # by another administrator, at the same moment
        raise _name_taken(name) from error
    return {"tokenId": token.token_id, "name": token.name, "role": token.role, "secret": secret}


def _name_for(request: Request, name: str, giver: Person, *, is_same: bool) -> str:
    """Return the name that a new token bears; raises StaleError or NotAcceptableError.

    Values that two people have to sign for are signed under names: a second Ann Lee who is another person
    would sign for the first, and the same person under two names would count as two.
    """
    state = request.app.state
    known = [
        *(token.name for token in state.settings.tokens),
        *state.tokens.names(),
        *state.sign_ins.names(),
        *state.verifications.reviewers(),
        giver.name,
    ]
    found: str | None = state.settings.people.find(name, among=known)
    if found is not None and not is_same:
        raise _name_taken(found)
    if found is None and is_same:
        raise NotAcceptableError(
            "no_such_person", "Nobody has that name here.", "Write the name as the list of people has it."
        )
    return found or name


def _name_taken(name: str) -> StaleError:
    return StaleError(
        "name_taken",
        f"There is a {name} here already.",
        "Send samePerson: true if the token is for them; otherwise give a name that tells the two apart.",
    )


@router.delete("/tokens/{token_id}", status_code=204)
def withdraw_token(request: Request, token_id: Number, person: Administrator) -> Response:
    """Withdraw a token; its sessions end with it."""
    issued: TokenStore = request.app.state.tokens
    sessions: SessionStore = request.app.state.sessions
    for token in issued.tokens():
        if token.token_id == token_id:
            _check_reach(person, token.claims)
    withdrawn: IssuedToken | None = issued.withdraw(token_id)
    if withdrawn is None:
        raise NotFoundError("no_such_token", "There is no token of that number.")
    sessions.end_all(withdrawn.sha256)
    request.app.state.watchers.check_people()
    return Response(status_code=204)


def _check_reach(person: Person, claims: Sequence[str]) -> None:
    """Raise NotAllowedError where a token would see more claims than the administrator does."""
    if person.reads is not None and not (claims and set(claims) <= set(person.reads)):
        raise NotAllowedError(
            "beyond_your_claims",
            "That token sees claims that you do not administer.",
            "Name patterns of your own in claims.",
        )


class ErasureRequest(BaseModel):
    """What is to be erased, typed again: it cannot be undone."""

    model_config = ConfigDict(extra="forbid")

    claimId: str = Field(max_length=100)
    why: str = Field(min_length=1, max_length=500)


@router.post("/claims/{claim_id}/erasure", response_model=None, responses=describes(ErasedAnswer))
async def erase_claim(
    request: Request, claim_id: str, wanted: ErasureRequest, person: Administrator
) -> dict[str, Any]:
    """Erase every trace of a claim, as `citation-pipeline erase` does, and say what a search found then."""
    state = request.app.state
    await anyio.to_thread.run_sync(state.datasets.claim, claim_id)
    if wanted.claimId != claim_id:
        raise NotAcceptableError("other_claim", "The claim's id was not typed again.", "Send it as claimId.")
    erase = state.settings.agents.erase
    if erase is None:
        raise RequestError(
            "no_pipeline_here",
            "This server does not erase claims.",
            f"Use `citation-pipeline erase {claim_id}`.",
            status=503,
        )
    try:
        done = await anyio.to_thread.run_sync(partial(erase, claim_id, by=person.name, why=wanted.why))
    except PipelineError as error:
        raise StaleError("not_erased", "The claim was not erased.", "Look at the server's log.") from error
    state.datasets.forget(claim_id)
    return {"isComplete": done.is_complete, "files": done.files, "remains": len(done.remains)}
