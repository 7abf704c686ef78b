"""One claim's conversation with a model: what is asked first, and what is asked again after each reply.

Every reply goes to disk before it is read. The course of the conversation follows from the replies alone,
so a second run takes the same course through the archive and pays only from where the first one ended.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.conversation.asks import Ask, Request
from citation_pipeline.adapters.conversation.client import ProviderClient
from citation_pipeline.adapters.conversation.errors import (
    OversizedPromptError,
    ProviderError,
    ProviderRequestError,
    ProviderUnavailableError,
)
from citation_pipeline.adapters.conversation.page_images import Draw, DrawnImage
from citation_pipeline.adapters.conversation.plans import halve_sources, plan_asks, readable_sources
from citation_pipeline.adapters.conversation.prompts import Prompt
from citation_pipeline.adapters.conversation.reading import PartReading, read_part, read_replies
from citation_pipeline.adapters.conversation.replies import Reply
from citation_pipeline.adapters.conversation.requotes import plan_requotes
from citation_pipeline.adapters.conversation.second_looks import second_look
from citation_pipeline.adapters.conversation.settings import ConversationSettings
from citation_pipeline.adapters.conversation.shown_images import ShownImages, drawn_request
from citation_pipeline.adapters.conversation.windows import Windows, windows_at_once
from citation_pipeline.core.answers.completeness import find_short_lists
from citation_pipeline.core.answers.long_lists import long_tables
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.documents.part_documents import dates_by_part
from citation_pipeline.core.prompts.guides import NO_GUIDE, Guide
from citation_pipeline.core.prompts.sources import in_order_of_date
from citation_pipeline.core.schemas import Schema


class Dialect(Protocol):
    """How a provider is asked and how its replies are read, without a connection to it."""

    vendor: str
    """Of stored replies and of the ledger."""
    asks_plainly: bool
    """Whether a request that was not taken is asked again without a format of its answer."""
    unavailable: type[ProviderUnavailableError]

    def build_request(self, ask: Ask, schema: Schema) -> Request:
        """Return the request for an ask."""
        ...

    def request_of(self, prompt: Prompt, ask: Ask, *, purpose: str | None) -> Request:
        """Return the request for any prompt; `ask` says which documents it shows."""
        ...

    def image_part(self, image: DrawnImage) -> dict[str, Any]:
        """Return the part of a message that a picture is."""
        ...

    def read_reply(self, body: bytes) -> Reply:
        """Read a stored reply; raises UnreadableReplyError."""
        ...


def _read_once(documents: Sequence[ParsedDocument]) -> list[ParsedDocument]:
    return [
        document
        for document in documents
        if document.is_readable and document.status is not DocumentStatus.DUPLICATE
    ]


class Conversation:
    """Asks for one claim; `connect` gives the client, and is not called while the archive has the answer.

    `draw` gives the pictures of pages, and is called for a request that goes out alone.
    """

    def __init__(
        self,
        documents: Sequence[ParsedDocument],
        schema: Schema,
        settings: ConversationSettings,
        *,
        dialect: Dialect,
        claim_id: str,
        archive: ReplyArchive,
        connect: Callable[[], ProviderClient],
        dates: Mapping[str, str] | None = None,
        guide: Guide = NO_GUIDE,
        images: ShownImages | None = None,
        draw: Draw = lambda image: None,
    ) -> None:
        self._documents = documents
        self._schema = schema
        self._settings = settings
        self._dialect = dialect
        self._claim_id = claim_id
        self._archive = archive
        self._connect = connect
        self._follow_ups = settings.follow_ups
        self._looks = settings.second_look_fields
        self._dates = dates
        self._guide = guide
        self._images = images or ShownImages(documents, settings)
        self._draw = draw
        self._windows = Windows(
            long_tables(_read_once(documents)),
            schema,
            rows=windows_at_once(settings.answer_limit()),
            most=settings.window_requests,
        )

    def plan(self) -> list[Ask]:
        """Return the first questions."""
        dates = self._dates if self._dates is not None else dates_by_part(self._documents)
        asks = plan_asks(
            in_order_of_date(readable_sources(self._documents), self._documents, dates),
            self._documents,
            self._schema,
            self._settings,
            count=self._count,
            count_images=self._images.tokens,
            guide=self._guide,
        )
        return [replace(ask, has_long_tables=self._windows.shown_in(ask)) for ask in asks]

    def open_requests(self) -> list[Request]:
        """Return what would be asked next and nobody has answered: as far as the archive's replies lead."""
        waiting = self.plan()
        replies: list[StoredReply] = []
        unanswered: list[Request] = []
        while waiting:
            ask = self._images.with_images(waiting.pop(0))
            request = self._dialect.build_request(ask, self._schema)
            known = self._archive.find(request.fingerprint)
            if known is None:
                unanswered.append(request)
                continue
            replies.append(known)
            part = read_part(known, self._schema, self._documents, read_reply=self._dialect.read_reply)
            waiting[:0] = self._next(ask, part)
        if unanswered or not self._settings.requotes:
            return unanswered
        again = [self._dialect.build_request(ask, self._schema) for ask in self._requotes(replies)]
        return [one for one in again if self._archive.find(one.fingerprint) is None]

    def drawn(self, request: Request) -> Request:
        """Return a request with the pictures that it shows, ready to be sent."""
        return drawn_request(request, self._draw, self._dialect.image_part)

    def run(self) -> list[StoredReply]:
        """Return all replies, in the order of their questions; raises a ProviderError."""
        waiting = self.plan()
        replies: list[StoredReply] = []
        refusal: ProviderRequestError | None = None
        while waiting:
            ask = self._images.with_images(waiting.pop(0))
            try:
                reply = self._obtain(ask)
            except OversizedPromptError:
                if ask.images:  # the text alone may fit, and is what quotations are checked against
                    waiting.insert(0, replace(ask, without_images=True))
                    continue
                halves = (
                    self._windows.halve(ask)
                    if ask.window is not None
                    else self._afford(halve_sources(ask, self._documents))
                )
                if not halves:
                    raise
                waiting[:0] = halves
                continue
            except ProviderRequestError as error:
                if ask.images:
                    refusal = error
                    waiting.insert(0, replace(ask, without_images=True))
                    continue
                refusal = None  # it was not for the pictures
                # some prompts upset the structured format; the prompt asks for the same JSON without it
                may_help = ask.structured and self._dialect.asks_plainly
                plain = self._afford([replace(ask, structured=False)]) if may_help else []
                if not plain:
                    raise
                waiting[:0] = plain
                continue
            self._images.note_answered(ask, refusal)
            refusal = None
            replies.append(reply)
            part = read_part(reply, self._schema, self._documents, read_reply=self._dialect.read_reply)
            waiting[:0] = self._next(ask, part)
        return [*replies, *self._requote(replies)] if self._settings.requotes else replies

    def _requotes(self, replies: Sequence[StoredReply]) -> list[Ask]:
        """Return one more question a document: for words that its pages have."""
        extraction = read_replies(
            replies, self._documents, self._schema, read_reply=self._dialect.read_reply, dates=self._dates
        )
        return plan_requotes(
            extraction,
            self._documents,
            self._schema,
            sources=readable_sources(self._documents),
            model=self._settings.model,
            guide=self._guide,
        )

    def _requote(self, replies: Sequence[StoredReply]) -> list[StoredReply]:
        """Return the replies to them."""
        found = []
        for ask in self._requotes(replies):
            if not self._afford([ask]):
                break
            try:
                found.append(self._obtain(ask))
            except (OversizedPromptError, ProviderRequestError):
                continue  # the first answer is whole without it
        return found

    def _next(self, ask: Ask, part: PartReading) -> list[Ask]:
        if ask.window is not None:
            return self._windows.follow(ask, part)
        if ask.quotes_first:
            return []
        is_cut = part.reply.stop_reason == "max_tokens" and part.open_keys == part.scope.field_keys
        if is_cut and len(part.open_keys) == 1:
            return self._windows.begin_unread(ask)
        begun = [*self._afford(self._follow_up(ask, part)), *self._windows.begin(ask, part)]
        looks = second_look(ask, part, most=self._looks) if self._looks else []
        self._looks -= sum(len(look.field_keys or ()) for look in looks)
        return [*begun, *looks]

    def _afford(self, asks: list[Ask]) -> list[Ask]:
        """Return the asks when the claim's budget has room for all of them, else none."""
        if len(asks) > self._follow_ups:
            return []
        self._follow_ups -= len(asks)
        return asks

    def _follow_up(self, ask: Ask, part: PartReading) -> list[Ask]:
        """Return what a reply calls for; [] when it is complete, or nothing more will help."""
        if part.reply.stop_reason == "refusal":
            fallback = self._settings.fallback_model
            if fallback is not None and ask.model != fallback:
                return [replace(ask, model=fallback)]
            # one document among them is refused: the others can still be read
            halves = halve_sources(ask, self._documents) if len(ask.sources) > 1 else []
            if ask.images and not halves:  # it may be a picture that is refused
                halves = [replace(ask, without_images=True)]
            return [replace(half, model=self._settings.model) for half in halves]
        if part.reply.stop_reason == "model_context_window_exceeded":
            return halve_sources(ask, self._documents)
        open_keys = part.open_keys
        if part.reply.stop_reason == "max_tokens":
            middle = len(open_keys) // 2
            groups = [group for group in (open_keys[:middle], open_keys[middle:]) if group]
            if groups == [part.scope.field_keys]:
                return []  # one field alone does not fit an answer
            # several answers about the same documents: these are read from the provider's cache but once
            return [
                replace(
                    ask,
                    field_keys=group,
                    round=ask.round + 1,
                    row_counts={},
                    shares_documents=len(groups) > 1,
                )
                for group in groups
            ]
        if ask.round > 0:
            return []  # asked again already: a third time is no better
        again = []
        if open_keys:
            again.append(replace(ask, field_keys=open_keys, round=1))
        for key, short in find_short_lists(part.extraction.fields, self._shown(ask)).items():
            # the list is in one document, so that one is enough
            sources = tuple(source for source in ask.sources if source.source_id == short.source_id)
            rows = {key: short.row_count}
            again.append(replace(ask, sources=sources, field_keys=(key,), round=1, row_counts=rows))
        return again

    def _shown(self, ask: Ask) -> list[ParsedDocument]:
        shown = {source.source_id for source in ask.sources}
        return [document for document in self._documents if document.source.source_id in shown]

    def _obtain(self, ask: Ask) -> StoredReply:
        """Return the reply to an ask, from the archive or for money."""
        request = self._dialect.build_request(ask, self._schema)
        archive = self._archive
        if (known := archive.find(request.fingerprint)) is not None:
            return known
        with archive.claim(request.fingerprint):
            # another process may have got it while this one waited
            if (known := archive.find(request.fingerprint)) is not None:
                return known
            if archive.is_batched(request.fingerprint):
                raise self._dialect.unavailable(
                    "this request is in a batch that has not been collected. Collect the batch, then run "
                    "the claim again.",
                    code="in_batch",
                )
            client = self._connect()
            self._report_lost(request, client)
            archive.note_sent(
                request.fingerprint, {"claim_id": self._claim_id, "at": client.clock.now().isoformat()}
            )
            try:
                drawn = self.drawn(request)
                raw = client.ask(drawn, claim_id=self._claim_id)
            except ProviderError:
                archive.forget_sent(request.fingerprint)
                raise
            usage = raw.reply.usage
            reply = StoredReply(
                request_fingerprint=request.fingerprint,
                provider=self._dialect.vendor,
                model=ask.model,
                body=raw.body,
                input_tokens=usage.input,
                output_tokens=usage.output,
                cache_read_tokens=usage.cache_read,
                cache_write_tokens=usage.cache_write,
                cost_usd=usage.cost(self._settings.profile(ask.model)),
                latency_s=round(raw.latency_s, 3),
                asked_at=raw.asked_at.isoformat(),
                scope=drawn.ask.scope(),
            )
            archive.keep(reply)
        return reply

    def _report_lost(self, request: Request, client: ProviderClient) -> None:
        """Tell the ledger of a request whose process died: it may have been billed, nobody knows."""
        if self._archive.find_sent(request.fingerprint) is not None:
            client.record(replace(client.row_of(request, self._claim_id), code="lost"))

    def _count(self, ask: Ask) -> int:
        request = self._dialect.build_request(ask, self._schema)
        if (known := self._archive.find_count(request.fingerprint)) is not None:
            return known
        tokens = self._connect().count_tokens(request, claim_id=self._claim_id)
        self._archive.keep_count(request.fingerprint, tokens, claim_id=self._claim_id)
        return tokens
