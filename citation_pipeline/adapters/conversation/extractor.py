"""An extractor that asks a model: the port's verbs over plans, conversation, archive and reading.

A provider adds its dialect (what a request looks like, how a reply is read) and a client.
"""

import hashlib
import json
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from typing import Any

from citation_pipeline.adapters.claim_folders import ClaimFolderError, file_of
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.conversation.asking import Conversation, Dialect
from citation_pipeline.adapters.conversation.asks import Ask
from citation_pipeline.adapters.conversation.client import ProviderClient
from citation_pipeline.adapters.conversation.estimates import Estimate, estimate, price_of_work, size_of
from citation_pipeline.adapters.conversation.guide_files import read_guide
from citation_pipeline.adapters.conversation.measured_usage import MeasuredUsage, measured_usage
from citation_pipeline.adapters.conversation.page_images import Draw, ImageRefusals
from citation_pipeline.adapters.conversation.plans import Counter
from citation_pipeline.adapters.conversation.prompts import Prompt
from citation_pipeline.adapters.conversation.reading import read_replies
from citation_pipeline.adapters.conversation.settings import ConversationSettings
from citation_pipeline.adapters.conversation.shown_images import ShownImages
from citation_pipeline.adapters.extractors.port import UnwrittenAnswerError, WrittenForm
from citation_pipeline.adapters.page_drawing.drawer import PageDrawer
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.part_documents import dates_by_part
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.core.prompts.fingerprints import prompt_fingerprint
from citation_pipeline.core.prompts.guides import Guide
from citation_pipeline.core.prompts.page_images import DRAWN, PageImage
from citation_pipeline.core.prompts.sources import SourceText, render_sources
from citation_pipeline.core.schemas import Schema

DatesOf = Callable[[Sequence[ParsedDocument]], Mapping[str, str]]
"""Gives source documents' own dates, by which the latest of contradicting values wins."""


class ModelExtractor:
    """Asks a model for a claim's fields. Without a key it still reads what the archive holds.

    `new_client` makes the client when it is first needed; raises a ProviderAccessError where it cannot.
    """

    name = ""
    is_paid = True
    pool = ""
    sends = ""
    writes_answers = True
    counts_tokens = False
    """Whether the provider is asked for the tokens of a prompt that comes near the limit."""

    def __init__(
        self,
        settings: ConversationSettings,
        *,
        dialect: Dialect,
        archive: ReplyArchive,
        new_client: Callable[[], ProviderClient],
        date_documents: DatesOf = dates_by_part,
    ) -> None:
        settings.profile()
        self.settings = settings
        self.dialect = dialect
        self._archive = archive
        # in a closure and not in an attribute: nothing that prints this object shows the key
        self._new_client = new_client
        self._date_documents = date_documents
        self._client: ProviderClient | None = None
        self._drawer = PageDrawer(passwords=settings.pdf_passwords)
        self._refusals = ImageRefusals(
            archive.root.parent / "model_servers", server=f"{dialect.vendor} {settings.base_url}"
        )
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.settings.model!r})"

    @property
    def model(self) -> str:
        """The model that is asked first."""
        return self.settings.model

    @property
    def needs_files(self) -> bool:
        """Whether a claim's files have to be on this machine: pictures are drawn of them."""
        return self.settings.images_of() is not None

    def fingerprint(self, claim: Claim, schema: Schema) -> str:
        """Return what identifies the replies: model, effort, limits, prompt, schema."""
        settings = self.settings
        payload: list[Any] = [
            settings.model,
            settings.effort_of(settings.model),
            settings.fallback_model,
            settings.prompt_limit(),
            settings.answer_limit(),
            settings.fields_per_request,
            settings.follow_ups,
            settings.structured,
            prompt_fingerprint(schema),
            schema.fingerprint,
        ]
        payload += [settings.window_requests, settings.second_look_fields]
        if settings.requotes:
            payload.append("requotes")
        if (limits := settings.images_of()) is not None and settings.images_per_claim:
            payload.append(["images", *astuple(limits), settings.images_per_claim, DRAWN])
        if guide := self._guide(schema, claim).fingerprint:
            payload.append(guide)
        return f"{self.name}-{hashlib.sha256(json.dumps(payload).encode()).hexdigest()[:16]}"

    def price(self, work: Workload, schema: Schema | None) -> PredictedCost:
        """Return the likely calls, tokens, dollars and minutes; makes no external call."""
        measured = measured_usage(self._archive.sent_requests, self.settings.profile())
        if schema is None or work.documents is None:
            return price_of_work(work, schema, self.settings, measured)
        guide = self._guide(schema)
        images = ShownImages(work.documents, self.settings, refusals=self._refusals)
        return price_of_work(
            work,
            schema,
            self.settings,
            measured,
            guide,
            images=images,
            count=self._likely_count(schema, measured),
            build=lambda ask: self.dialect.build_request(images.with_images(ask), schema),
        )

    def estimate(self, documents: Sequence[ParsedDocument], schema: Schema) -> Estimate:
        """Return the likely calls, tokens and dollars; makes no external call."""
        images = ShownImages(documents, self.settings, refusals=self._refusals)
        return estimate(documents, schema, self.settings, guide=self._guide(schema), images=images)

    def _likely_count(self, schema: Schema, measured: MeasuredUsage | None) -> Counter:
        """Return what tells a prompt's tokens as its count will, without a call: so that a claim is cut for
        its price as it will be cut for its questions."""
        per_token = self.settings.characters_per_token

        def count(ask: Ask) -> int:
            request = self.dialect.build_request(ask, schema)
            if not self.counts_tokens:
                return math.ceil(request.character_count / per_token)
            if (known := self._archive.find_count(request.fingerprint)) is not None:
                return known
            if measured is None:
                return math.ceil(request.character_count / per_token)
            return math.ceil(size_of([request], measured).tokens)

        return count

    def conversation(self, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema) -> Conversation:
        """Return one claim's conversation."""
        return Conversation(
            documents,
            schema,
            self.settings,
            dialect=self.dialect,
            claim_id=claim.claim_id,
            archive=self._archive,
            connect=self.connect,
            dates=self._date_documents(documents),
            guide=self._guide(schema, claim, documents),
            images=ShownImages(documents, self.settings, refusals=self._refusals),
            draw=self._draw_of(claim, documents),
        )

    def _draw_of(self, claim: Claim, documents: Sequence[ParsedDocument]) -> Draw:
        """Return what draws the pages of a claim's files, in a process of its own."""
        sources = {document.source.source_id: document.source for document in documents}

        def draw(image: PageImage) -> bytes | None:
            try:
                path = file_of(claim, sources[image.source_id])
            except ClaimFolderError:
                return None
            return self._drawer.draw(path, image)

        return draw

    def ask(self, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema) -> list[StoredReply]:
        """Return all replies byte for byte, on disk before anything reads them; raises a ProviderError."""
        return self.conversation(claim, documents, schema).run()

    def read(
        self, replies: Sequence[StoredReply], documents: Sequence[ParsedDocument], schema: Schema
    ) -> Extraction:
        """Return the validated, merged and checked fields of stored replies; makes no external call."""
        return read_replies(
            replies,
            documents,
            schema,
            read_reply=self.dialect.read_reply,
            dates=self._date_documents(documents),
            prompt_fingerprint=prompt_fingerprint(schema, self._guide(schema)),
        )

    def write(self, question: str, sources: Sequence[SourceText], form: WrittenForm, *, claim_id: str) -> str:
        """Return the text of one answer to a person who waits; raises a ProviderError."""
        settings = self.settings
        budget = int(settings.prompt_limit() * settings.characters_per_token)
        shown: list[SourceText] = []
        for source in sources:
            if sum(map(len, shown)) + len(source) <= budget:
                shown.append(source)
        prompt = Prompt(
            model=settings.model,
            instructions=form.instructions,
            documents=render_sources(shown),
            question=question,
            answer_tokens=min(form.answer_tokens, settings.answer_limit()),
            reply_schema=form.reply_schema if settings.structured else None,
            effort=settings.effort_of(settings.model),
            keeps_instructions=False,
        )
        request = self.dialect.request_of(
            prompt, Ask(sources=tuple(shown), model=settings.model), purpose="question"
        )
        reply = self.connect().for_people().ask(request, claim_id=claim_id).reply
        if not reply.is_complete:
            raise UnwrittenAnswerError(f"the model stopped early ({reply.stop_reason}): ask again")
        return reply.text

    def _guide(
        self, schema: Schema, claim: Claim | None = None, documents: Sequence[ParsedDocument] = ()
    ) -> Guide:
        """Return what people added to a schema's prompt, without the examples that are of this claim."""
        found = read_guide(self.settings.prompts_dir, schema)
        shas = {document.source.sha256 for document in documents}
        return found if claim is None else found.without(claim.claim_id, shas)

    def connect(self) -> ProviderClient:
        """Return the client, made when it is first needed; raises ProviderAccessError without a key."""
        with self._lock:
            if self._client is None:
                self._client = self._new_client()
            return self._client

    def close(self) -> None:
        """Close the client's connections, and end the process that draws."""
        self._drawer.close()
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None
