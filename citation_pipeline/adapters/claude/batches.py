"""Message Batches: half the price for answers within a day, submitted by one run and collected by another.

Opt-in, and only for data that is no protected health information: the provider keeps batches for 29 days
and leaves them out of its health-data terms. Collected replies go to the archive under the fingerprints
that a live run would use, so that the claim's next run finds them there and asks only what they left open.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from citation_pipeline.adapters.claude.batch_calls import (
    BATCHES,
    create_batch,
    has_ended,
    list_batches,
    read_results,
)
from citation_pipeline.adapters.claude.batch_journal import BatchedRequest, BatchEntry, BatchJournal
from citation_pipeline.adapters.claude.client import ClaudeClient
from citation_pipeline.adapters.claude.errors import ClaudeError, ClaudeRequestError, ClaudeUnavailableError
from citation_pipeline.adapters.claude.replies import read_reply
from citation_pipeline.adapters.claude.requests import build_request
from citation_pipeline.adapters.claude.settings import VENDOR
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.conversation.asks import Request
from citation_pipeline.adapters.conversation.replies import UnreadableReplyError
from citation_pipeline.adapters.extractors.by_document import parts_to_ask
from citation_pipeline.adapters.extractors.port import CollectedBatch
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.schemas import Schema

if TYPE_CHECKING:
    from citation_pipeline.adapters.claude.extractor import ClaudeExtractor

# the API takes 100,000 requests or 256 MB; smaller batches end sooner and fail apart
_MOST_REQUESTS = 1_000
_MOST_CHARACTERS = 100_000_000
# rate limited, overloaded: turned away at the door
_NOT_STARTED = frozenset({429, 529})
# two clocks may differ, and a new batch may not be listed at once
_DOUBT = timedelta(minutes=15)


class Batches:
    """Submits and collects; `extractor` is the one whose live runs will read the replies."""

    def __init__(self, extractor: "ClaudeExtractor", *, archive: ReplyArchive, journal: BatchJournal) -> None:
        self._extractor = extractor
        self._settings = extractor.settings
        self._archive = archive
        self._journal = journal

    def submit(
        self, claims: Sequence[tuple[Claim, Sequence[ParsedDocument]]], schema: Schema
    ) -> list[BatchEntry]:
        """Submit what these claims would ask first and nobody has answered yet; raises a ClaudeError.

        A claim whose documents are read by several schemas is asked for all of its parts at once.
        """
        if not self._settings.batches_allowed:
            raise ClaudeRequestError(
                "batches are off: the provider's health-data terms leave them out. Set `batches_allowed` "
                "only for data that is no protected health information.",
                code="batches_not_allowed",
            )
        waiting: dict[str, tuple[Request, BatchedRequest]] = {}
        for claim, documents in claims:
            for request in self._open_requests(claim, documents, schema):
                waiting[request.fingerprint] = (
                    request,
                    BatchedRequest(
                        fingerprint=request.fingerprint,
                        claim_id=claim.claim_id,
                        model=request.ask.model,
                        scope=request.ask.scope(),
                    ),
                )
        return [self._create(group) for group in _groups(list(waiting.values()))]

    def collect(self) -> list[CollectedBatch]:
        """Collect the batches that have ended, and leave the others; raises a ClaudeError."""
        collected = []
        client = self._extractor.connect()
        for entry in self._journal.entries():
            named = entry if entry.batch_id is not None else self._find_stray(entry, client)
            if named is None or named.batch_id is None:
                continue
            if has_ended(client, named.batch_id):
                collected.append(self._collect(named, client))
        return collected

    def _open_requests(
        self, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema
    ) -> Iterator[Request]:
        for part, own in parts_to_ask(schema, documents):
            for ask in self._extractor.conversation(claim, own, part).plan():
                request = build_request(ask, part, self._settings)
                known = self._archive.find(request.fingerprint) is not None
                if not known and not self._archive.is_batched(request.fingerprint):
                    yield request

    def _create(self, group: Sequence[tuple[Request, BatchedRequest]]) -> BatchEntry:
        client = self._extractor.connect()
        entry = self._journal.open(tuple(batched for _, batched in group), at=client.clock.now().isoformat())
        for request, _ in group:
            self._archive.note_batched(request.fingerprint)
        requests = [{"custom_id": request.fingerprint, "params": dict(request.body)} for request, _ in group]
        rows = [client.row_of(request, batched.claim_id, BATCHES) for request, batched in group]
        try:
            batch_id = create_batch(client, requests, rows=rows)
        except ClaudeError as error:
            # where no answer came it may have been created: the entry stays, and `collect` looks for it
            if not isinstance(error, ClaudeUnavailableError) or error.status in _NOT_STARTED:
                self._withdraw(entry)
            raise
        return self._journal.name(entry, batch_id)

    def _withdraw(self, entry: BatchEntry) -> None:
        for request in entry.requests:
            self._archive.forget_batched(request.fingerprint)
        self._journal.close(entry)

    def _find_stray(self, entry: BatchEntry, client: ClaudeClient) -> BatchEntry | None:
        """Find the batch of an entry whose process died before it knew the id; None while unsure.

        It is the one batch that nobody knows, was created since, and has as many requests. Where there is
        none some time after, it was never created, and its requests may be asked again.
        """
        known = {other.batch_id for other in self._journal.entries()}
        strays = [
            batch["id"]
            for batch in list_batches(client)
            if batch["id"] not in known
            and sum(batch["request_counts"].values()) == len(entry.requests)
            and _time(batch["created_at"]) >= _time(entry.submitted_at) - _DOUBT
        ]
        if not strays:
            if client.clock.now() - _time(entry.submitted_at) > _DOUBT:
                self._withdraw(entry)
            return None
        return self._journal.name(entry, strays[0]) if len(strays) == 1 else None

    def _collect(self, entry: BatchEntry, client: ClaudeClient) -> CollectedBatch:
        """Store each row's reply; only then is the entry struck out, so a crash repeats and loses nothing."""
        requests = {request.fingerprint: request for request in entry.requests}
        outcomes: dict[str, int] = {}
        answered: set[str] = set()
        for line, row in read_results(client, str(entry.batch_id)):
            request = requests.get(str(row.get("custom_id")))
            outcome = str((row.get("result") or {}).get("type"))
            if request is None:
                outcome = "unknown_row"
            elif outcome == "succeeded":
                outcome = self._keep(request, line, at=entry.submitted_at)
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
            if request is not None and outcome == "succeeded":
                answered.add(request.fingerprint)
        for fingerprint in requests.keys() - answered:
            self._archive.forget_batched(fingerprint)
        self._journal.close(entry)
        missing = {requests[fingerprint].claim_id for fingerprint in requests.keys() - answered}
        return CollectedBatch(
            batch_id=str(entry.batch_id),
            complete_claims=tuple(claim for claim in entry.claim_ids if claim not in missing),
            incomplete_claims=tuple(claim for claim in entry.claim_ids if claim in missing),
            outcomes=outcomes,
        )

    def _keep(self, request: BatchedRequest, line: bytes, *, at: str) -> str:
        try:
            reply = read_reply(line)
        except UnreadableReplyError:
            return "unreadable"
        usage = reply.usage
        self._archive.keep(
            StoredReply(
                request_fingerprint=request.fingerprint,
                provider=VENDOR,
                model=request.model,
                body=line,
                input_tokens=usage.input,
                output_tokens=usage.output,
                cache_read_tokens=usage.cache_read,
                cache_write_tokens=usage.cache_write,
                cost_usd=usage.cost(self._settings.profile(request.model), is_batch=True),
                asked_at=at,
                scope=request.scope,
            )
        )
        return "succeeded"


def _groups(
    requests: Sequence[tuple[Request, BatchedRequest]],
) -> Iterator[list[tuple[Request, BatchedRequest]]]:
    group: list[tuple[Request, BatchedRequest]] = []
    characters = 0
    for one in requests:
        if group and (len(group) == _MOST_REQUESTS or characters > _MOST_CHARACTERS):
            yield group
            group, characters = [], 0
        group.append(one)
        characters += one[0].character_count
    if group:
        yield group


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
