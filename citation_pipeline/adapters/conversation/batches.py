"""Batches of any provider that has them: half the price for answers within a day, submitted by one run and
collected by another.

Opt-in, and only for data that is no protected health information: providers keep batches and their files for
days and leave them out of their health-data terms. Collected replies go to the archive under the fingerprints
that a live run would use, so that the claim's next run finds them there and asks only what they left open;
what the replies call for (second looks, windows of long lists) may go into the next batch.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from citation_pipeline.adapters.claude.batch_journal import BatchedRequest, BatchEntry, BatchJournal
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.conversation.asking import Conversation, Dialect
from citation_pipeline.adapters.conversation.asks import Request
from citation_pipeline.adapters.conversation.batch_wires import BatchesOffError, BatchWire, UnsentBatchError
from citation_pipeline.adapters.conversation.client import ProviderClient
from citation_pipeline.adapters.conversation.errors import (
    ProviderError,
    ProviderUnavailableError,
)
from citation_pipeline.adapters.conversation.replies import UnreadableReplyError
from citation_pipeline.adapters.conversation.settings import ConversationSettings
from citation_pipeline.adapters.extractors.by_document import parts_to_ask
from citation_pipeline.adapters.extractors.port import CollectedBatch
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.schemas import Schema

SUCCEEDED = "succeeded"
# providers take 50,000 requests or 200 MB and more; smaller batches end sooner and fail apart
_MOST_REQUESTS = 1_000
_MOST_CHARACTERS = 100_000_000
# rate limited, overloaded: not started at all
_NOT_STARTED = frozenset({429, 529})
# two clocks may differ, and a new batch may not be listed at once
_DOUBT = timedelta(minutes=15)


class BatchingModel(Protocol):
    """What batches need of an extractor; its live runs will read the replies."""

    @property
    def settings(self) -> ConversationSettings:
        """How it asks."""
        ...

    @property
    def dialect(self) -> Dialect:
        """How its provider is asked."""
        ...

    def connect(self) -> ProviderClient:
        """Return the client."""
        ...

    def conversation(self, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema) -> Conversation:
        """Return one claim's conversation."""
        ...


class Batches:
    """Submits and collects."""

    def __init__(
        self, extractor: BatchingModel, wire: BatchWire, *, archive: ReplyArchive, journal: BatchJournal
    ) -> None:
        self._extractor = extractor
        self._wire = wire
        self._archive = archive
        self._journal = journal

    def submit(
        self, claims: Sequence[tuple[Claim, Sequence[ParsedDocument]]], schema: Schema
    ) -> list[BatchEntry]:
        """Submit what these claims would ask next and nobody has answered yet; raises a ProviderError.

        A claim whose documents are read by several schemas is asked for all of its parts at once.
        """
        if not self._extractor.settings.batches_allowed:
            raise BatchesOffError(
                "batches are off: the provider's health-data terms leave them out. Set `batches_allowed` "
                "only for data that is no protected health information.",
                code="batches_not_allowed",
            )
        with self._journal.working():  # what another submits meanwhile is not waiting any more
            return [self._create(group) for group in _groups(self._waiting(claims, schema))]

    def _waiting(
        self, claims: Sequence[tuple[Claim, Sequence[ParsedDocument]]], schema: Schema
    ) -> Iterator[tuple[Request, BatchedRequest]]:
        """Yield each request once, its pictures drawn: those of one batch are held at a time."""
        seen: set[str] = set()
        for claim, documents in claims:
            for request in self._open_requests(claim, documents, schema):
                if request.fingerprint in seen:
                    continue
                seen.add(request.fingerprint)
                yield (
                    request,
                    BatchedRequest(
                        fingerprint=request.fingerprint,
                        claim_id=claim.claim_id,
                        model=request.ask.model,
                        scope=request.ask.scope(),
                    ),
                )

    def collect(self) -> list[CollectedBatch]:
        """Collect the batches that have ended, and leave the others; raises a ProviderError.

        Without an open batch nobody is called, and no key is needed.
        """
        if not self._journal.entries():
            return []
        with self._journal.working():
            return self._collect_ended(self._journal.entries())

    def _collect_ended(self, entries: Sequence[BatchEntry]) -> list[CollectedBatch]:
        collected = []
        client = self._extractor.connect()
        for entry in entries:
            named = entry if entry.batch_id is not None else self._find_stray(entry, client)
            if named is None or named.batch_id is None:
                continue
            if self._wire.has_ended(client, named.batch_id):
                collected.append(self._collect(named, client))
        return collected

    def _open_requests(
        self, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema
    ) -> Iterator[Request]:
        for part, own in parts_to_ask(schema, documents):
            conversation = self._extractor.conversation(claim, own, part)
            for request in conversation.open_requests():
                if not self._archive.is_batched(request.fingerprint):
                    yield conversation.drawn(request)

    def _create(self, group: Sequence[tuple[Request, BatchedRequest]]) -> BatchEntry:
        client = self._extractor.connect()
        entry = self._journal.open(tuple(batched for _, batched in group), at=client.clock.now().isoformat())
        for request, batched in group:
            self._archive.note_batched(request.fingerprint, claim_id=batched.claim_id)
        rows = [client.row_of(request, batched.claim_id, self._wire.endpoint) for request, batched in group]
        try:
            batch_id = self._wire.create(
                client, [request for request, _ in group], entry_id=entry.entry_id, rows=rows
            )
        except ProviderError as error:
            # where no answer came it may have been created: the entry stays, and `collect` looks for it
            is_open = isinstance(error, ProviderUnavailableError) and not isinstance(error, UnsentBatchError)
            if not is_open or error.status in _NOT_STARTED:
                self._withdraw(entry)
            raise
        return self._journal.name(entry, batch_id)

    def _withdraw(self, entry: BatchEntry) -> None:
        for request in entry.requests:
            self._archive.forget_batched(request.fingerprint)
        self._journal.close(entry)

    def _find_stray(self, entry: BatchEntry, client: ProviderClient) -> BatchEntry | None:
        """Find the batch of an entry whose process died before it knew the id; None while unsure.

        It bears the entry's own id; of a provider that keeps no such mark it is the one batch that nobody
        knows, was created since, and has as many requests. Where there is none some time after, it was never
        created, and its requests may be asked again.
        """
        known = {other.batch_id for other in self._journal.entries()}
        listed = self._wire.listed(client)
        strays = [batch.batch_id for batch in listed if batch.entry_id == entry.entry_id] or [
            batch.batch_id
            for batch in listed
            if not batch.entry_id
            and batch.batch_id not in known
            and batch.request_count == len(entry.requests)
            and batch.created_at >= _time(entry.submitted_at) - _DOUBT
        ]
        if not strays:
            if client.clock.now() - _time(entry.submitted_at) > _DOUBT:
                self._withdraw(entry)
            return None
        return self._journal.name(entry, strays[0]) if len(strays) == 1 else None

    def _collect(self, entry: BatchEntry, client: ProviderClient) -> CollectedBatch:
        """Store each row's reply; only then is the entry struck out, so a crash repeats and loses nothing."""
        batch_id = str(entry.batch_id)
        requests = {request.fingerprint: request for request in entry.requests}
        outcomes: dict[str, int] = {}
        answered: set[str] = set()
        for result in self._wire.results(client, batch_id):
            request, outcome = requests.get(result.custom_id), result.outcome
            if request is None:
                outcome = "unknown_row"
            elif result.custom_id in answered:
                outcome = "repeated_row"
            elif outcome == SUCCEEDED:
                outcome = self._keep(request, result.line, client, at=entry.submitted_at)
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
            if request is not None and outcome == SUCCEEDED:
                answered.add(request.fingerprint)
        for fingerprint in requests.keys() - answered:
            self._archive.forget_batched(fingerprint)
        self._journal.close(entry)
        self._wire.forget(client, batch_id)
        missing = {requests[fingerprint].claim_id for fingerprint in requests.keys() - answered}
        return CollectedBatch(
            batch_id=batch_id,
            complete_claims=tuple(claim for claim in entry.claim_ids if claim not in missing),
            incomplete_claims=tuple(claim for claim in entry.claim_ids if claim in missing),
            outcomes=outcomes,
        )

    def _keep(self, request: BatchedRequest, line: bytes, client: ProviderClient, *, at: str) -> str:
        """Store a row's reply, and once only: a row that comes again is neither kept nor accounted for."""
        dialect = self._extractor.dialect
        try:
            reply = dialect.read_reply(line)
        except UnreadableReplyError:
            return "unreadable"
        known = self._archive.find(request.fingerprint)
        if known is not None and known.body == line:
            return SUCCEEDED  # kept before a crash
        usage = reply.usage
        cost = usage.cost(self._extractor.settings.profile(request.model), is_batch=True)
        self._archive.keep(
            StoredReply(
                request_fingerprint=request.fingerprint,
                provider=dialect.vendor,
                model=request.model,
                body=line,
                input_tokens=usage.input,
                output_tokens=usage.output,
                cache_read_tokens=usage.cache_read,
                cache_write_tokens=usage.cache_write,
                cost_usd=cost,
                asked_at=at,
                scope=request.scope,
            )
        )
        client.record_answer(request, usage, cost, endpoint=f"{self._wire.endpoint}/results")
        return SUCCEEDED


def _groups(
    requests: Iterable[tuple[Request, BatchedRequest]],
) -> Iterator[list[tuple[Request, BatchedRequest]]]:
    group: list[tuple[Request, BatchedRequest]] = []
    characters = 0
    for one in requests:
        if group and (len(group) == _MOST_REQUESTS or characters > _MOST_CHARACTERS):
            yield group
            group, characters = [], 0
        group.append(one)
        characters += one[0].character_count + one[0].image_bytes * 4 // 3  # as base64
    if group:
        yield group


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
