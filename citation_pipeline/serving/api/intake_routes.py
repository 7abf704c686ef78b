"""Uploads into the folder that the intake watches, and extraction of one claim on request."""

import os
import re
import unicodedata
import uuid
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio.to_thread
from fastapi import APIRouter, File, Form, Request, Response, UploadFile
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field

from citation_pipeline.adapters.claim_folders import SIDE_FILES
from citation_pipeline.adapters.claim_originals import bring_files, is_from
from citation_pipeline.adapters.claim_settings import ClaimSettingsError, write_folder_settings
from citation_pipeline.adapters.read_model.callers import CALLER
from citation_pipeline.adapters.schema_files import locate_schema
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.claims import CLAIM_ID_PATTERN
from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.serving.access import Reviewer, reviewing_person
from citation_pipeline.serving.api.agent_settings import AgentSettings, ExtractOutcome
from citation_pipeline.serving.api.answers import ERRORS
from citation_pipeline.serving.errors import NotAcceptableError, NotAllowedError, RequestError


class AccessFirstRoute(APIRoute):
    """A route that asks who calls before it reads the body: strangers' files never reach the disk."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler with the check before it."""
        handle = super().get_route_handler()

        async def handle_after_access(request: Request) -> Response:
            await reviewing_person(request)
            return await handle(request)

        return handle_after_access


router = APIRouter(tags=["agents"], responses=ERRORS, route_class=AccessFirstRoute)

_PIECE = 1 << 20
_NAME = r"^[a-z][a-z0-9_]{0,59}$"  # a name, never a path
_READER = r"^[a-z][a-z0-9_-]{0,59}$"
_OR_EMPTY = "{}|^$"  # a form's field that was left empty was not given
_PATHS = re.compile(r"(?<![\w./])(?:[A-Za-z]:[\\/]|/)[^\s'\",;:]+")
_UNFIT = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|]+")


class ExtractRequest(BaseModel):
    """Which claim to run; `force` runs stages again whose inputs did not change.

    `schema` is the name of one, or auto for what the documents' type calls for; `parser` names who parses,
    `extractor` who reads. A new claim without them is read as its folder's `claim.toml` says, else by its
    documents' type and the inbox's parser and extractor.
    """

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"claim_id": "sample_claim", "force": False}]}
    )

    claim_id: str = Field(pattern=f"^{CLAIM_ID_PATTERN.pattern}$")
    force: bool = Field(default=False, strict=True)
    schema_name: str | None = Field(default=None, alias="schema", pattern=_NAME, examples=["auto"])
    parser: str | None = Field(default=None, pattern=_READER, examples=["local"])
    extractor: str | None = Field(default=None, pattern=_READER, examples=["rules"])
    documents: list[Annotated[str, Field(min_length=1, max_length=300)]] = Field(
        default_factory=list,
        max_length=100,
        description="source ids that are parsed again, alone, and what depends on them; without `force`",
    )


class ExtractAnswer(BaseModel):
    """How the run ended; `cached` when nothing had to run."""

    claim_id: str
    status: str
    cached: bool
    ran: list[str]


class UploadAnswer(BaseModel):
    """What was put into the inbox, under which names, and the run that was asked for with it."""

    claim_id: str
    files: list[str]
    bytes: int
    extraction: ExtractAnswer | None = None


@router.post("/upload", response_model=UploadAnswer, status_code=201)
async def upload_documents(
    request: Request,
    person: Reviewer,
    claim_id: Annotated[str, Form(pattern=f"^{CLAIM_ID_PATTERN.pattern}$")],
    files: Annotated[list[UploadFile], File(min_length=1, description="one or more documents of the claim")],
    process: Annotated[
        Literal["true", "false"], Form(description="run the claim at once and wait for it")
    ] = "false",
    schema_name: Annotated[
        str | None, Form(alias="schema", pattern=_OR_EMPTY.format(_NAME), description="its name, or auto")
    ] = None,
    parser: Annotated[str | None, Form(pattern=_OR_EMPTY.format(_READER), description="who parses")] = None,
    extractor: Annotated[str | None, Form(pattern=_OR_EMPTY.format(_READER), description="who reads")] = None,
) -> UploadAnswer:
    """Put documents where the claim is read from: a new one's `<inbox>/<claim_id>/documents/`, which the
    intake watches, or a known one's own folder; a taken name gets a number.

    `schema`, `parser` and `extractor` say how the claim is read from now on: with `process` at once, else by
    the `claim.toml` that is written beside the documents.
    """
    settings: AgentSettings = request.app.state.settings.agents
    _check_claim(claim_id)
    named = {"schema": schema_name, "parser": parser, "extractor": extractor}
    chosen = _checked(settings, claim_id, {key: name for key, name in named.items() if name is not None})
    if len(files) > settings.uploads_at_once:
        raise NotAcceptableError(
            "too_many_files", f"At most {settings.uploads_at_once} files come at once.", "Send them in parts."
        )
    extract = _extract_of(settings) if process == "true" else None
    folder = await anyio.to_thread.run_sync(_folder_of, request, claim_id)
    for file in files:
        _check_name(file)
    if chosen and extract is None:
        await anyio.to_thread.run_sync(_keep_choice, request, claim_id, chosen)
    names, total = [], 0
    for file in files:
        name, size = await _keep(file, folder)
        names.append(name)
        total += size
    await anyio.to_thread.run_sync(_take_in, request, claim_id)
    extraction = await _run(extract, claim_id, force=False, chosen=chosen) if extract is not None else None
    return UploadAnswer(claim_id=claim_id, files=names, bytes=total, extraction=extraction)


@router.post("/extract", response_model=ExtractAnswer)
async def extract_claim(request: Request, wanted: ExtractRequest, person: Reviewer) -> ExtractAnswer:
    """Run a claim to its viewer dataset; what is current is left as it is unless `force` says otherwise."""
    _check_claim(wanted.claim_id)
    named = {"schema": wanted.schema_name, "parser": wanted.parser, "extractor": wanted.extractor}
    chosen: dict[str, Any] = {key: name for key, name in named.items() if name is not None}
    if wanted.documents and (wanted.force or chosen):
        raise NotAcceptableError(
            "documents_alone",
            "Documents are read again as the claim was registered.",
            "Name documents, or force, schema, parser and extractor; not both.",
        )
    _checked(request.app.state.settings.agents, wanted.claim_id, chosen)
    if wanted.documents:
        claim = await anyio.to_thread.run_sync(request.app.state.datasets.claim, wanted.claim_id)
        for source_id in wanted.documents:
            claim.source(source_id)
    chosen |= {"documents": tuple(wanted.documents)} if wanted.documents else {}
    return await _run(
        _extract_of(request.app.state.settings.agents),
        wanted.claim_id,
        force=wanted.force,
        chosen=chosen,
    )


def _checked(settings: AgentSettings, claim_id: str, chosen: dict[str, str]) -> dict[str, str]:
    """Return the choice of schema, parser and extractor; raises NotAcceptableError for a name of nobody."""
    try:
        settings.reader_names.check(claim_id, chosen, where="as asked for,")
        if "schema" in chosen:
            locate_schema(chosen["schema"])
    except (ClaimSettingsError, SchemaError) as error:
        raise NotAcceptableError(
            "unknown_reader", "This schema, parser or extractor is not known here.", without_paths(str(error))
        ) from error
    return chosen


def _keep_choice(request: Request, claim_id: str, chosen: dict[str, str]) -> None:
    """Write the choice into the `claim.toml` of a claim of the inbox; the intake reads it from there."""
    settings = request.app.state.settings
    store: ClaimStore = request.app.state.store
    folder = Path(settings.agents.inbox_of(settings.store)) / claim_id
    if store.has("claims", f"{claim_id}.json") and not is_from(store.claim(claim_id), str(folder.resolve())):
        raise NotAcceptableError(
            "registered_elsewhere",
            "This claim is not of the inbox: nothing would read the choice.",
            "Send process=true with it, or choose by POST /extract.",
        )
    try:
        write_folder_settings(folder, chosen, claim_id=claim_id, names=settings.agents.reader_names)
    except ClaimSettingsError as error:
        raise NotAcceptableError(
            "unusable_claim_settings", "The claim's claim.toml cannot be used.", without_paths(str(error))
        ) from error


def _check_name(file: UploadFile) -> None:
    """Raise for a name that the pipeline reads as something other than a document."""
    name = clean_name(file.filename or "")
    if name.casefold() in {side.casefold() for side in SIDE_FILES}:
        raise NotAcceptableError(
            "reserved_name",
            f"A file called {name} is no document: the pipeline reads it as something else.",
            "Send it under another name; choose schema, parser and extractor by the form's fields.",
        )


def _folder_of(request: Request, claim_id: str) -> Path:
    """Return the folder that the claim is read from, or that a new one will be read from."""
    settings = request.app.state.settings
    store: ClaimStore = request.app.state.store
    if store.has("claims", f"{claim_id}.json"):
        claim = store.claim(claim_id)
        if claim.files:
            bring_files(store, claim)
            return Path(claim.documents_dir)
        if "://" not in claim.documents_dir and Path(claim.documents_dir).is_dir():
            return Path(claim.documents_dir)
    return Path(settings.agents.inbox_of(settings.store)) / claim_id / "documents"


def _take_in(request: Request, claim_id: str) -> None:
    """Take new files of a claim into the store, where that keeps them."""
    store: ClaimStore = request.app.state.store
    if store.has("claims", f"{claim_id}.json"):
        claim = store.current().claim(claim_id)
        if claim.files:
            store.register(replace(claim, files=()))


def _check_claim(claim_id: str) -> None:
    """Raise for a claim that the caller's token does not reach."""
    if not CALLER.get().may_see(claim_id):
        raise NotAllowedError(
            "other_group", "Your token is for other claims.", "Ask an administrator for this claim's group."
        )


def _extract_of(settings: AgentSettings) -> Any:
    if settings.extract is None:
        raise RequestError(
            "no_extraction_here",
            "This server does not run claims.",
            "Upload only: the intake runs the claim; or serve with extraction enabled.",
            status=503,
        )
    return settings.extract


async def _run(extract: Any, claim_id: str, *, force: bool, chosen: Mapping[str, Any]) -> ExtractAnswer:
    outcome: ExtractOutcome = await anyio.to_thread.run_sync(partial(extract, claim_id, force, **chosen))
    if not outcome.ok:
        raise RequestError(
            "extraction_failed",
            "The claim was not finished.",
            without_paths(outcome.error) or "Look at its run.",
            status=409,
        )
    return ExtractAnswer(claim_id=claim_id, status="ready", cached=not outcome.ran, ran=list(outcome.ran))


def without_paths(text: str) -> str:
    """Return a message without the server's paths: they are nothing for whoever asks over the network."""
    return _PATHS.sub("…", text)


async def _keep(file: UploadFile, folder: Path) -> tuple[str, int]:
    """Write one upload whole: beside its place under a hidden name, then moved; a name is never
    overwritten."""
    name = clean_name(file.filename or "")
    await anyio.to_thread.run_sync(lambda: folder.mkdir(parents=True, exist_ok=True))
    draft = folder / f".{uuid.uuid4().hex}.tmp"
    size = 0
    try:
        with draft.open("wb") as stream:
            while piece := await file.read(_PIECE):
                await anyio.to_thread.run_sync(stream.write, piece)
                size += len(piece)
        return await anyio.to_thread.run_sync(_place, draft, folder, name), size
    finally:
        draft.unlink(missing_ok=True)


def _place(draft: Path, folder: Path, name: str) -> str:
    stem, suffix = Path(name).stem, Path(name).suffix
    for number in range(1, 10_000):
        candidate = name if number == 1 else f"{stem} ({number}){suffix}"
        try:
            os.link(draft, folder / candidate)  # fails when the name is taken, whoever took it
        except FileExistsError:
            continue
        return candidate
    raise NotAcceptableError("name_taken", "Too many files of that name.", "Send it under another name.")


def clean_name(name: str) -> str:
    """Return a file name without folders, controls or a leading dot; never empty, at most 150 characters."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    kept = _UNFIT.sub("_", last.encode("utf-8", "replace").decode()).strip(" .")
    stem, dot, suffix = kept.rpartition(".")
    if dot and len(suffix) <= 10:
        return f"{stem[:150] or 'document'}.{suffix}"
    return kept[:150] or "document"
