"""The Claude extractor: the port's three verbs over plans, conversation, archive and reading."""

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from citation_pipeline.adapters.claude.archive import ReplyArchive
from citation_pipeline.adapters.claude.asking import Conversation
from citation_pipeline.adapters.claude.batch_journal import BatchJournal
from citation_pipeline.adapters.claude.batches import Batches
from citation_pipeline.adapters.claude.client import ClaudeClient
from citation_pipeline.adapters.claude.errors import ClaudeAccessError
from citation_pipeline.adapters.claude.plans import Estimate, estimate, price_of_work
from citation_pipeline.adapters.claude.reading import read_replies
from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.outbound_ledger import Ledger, keep_no_ledger
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.part_documents import dates_by_part
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.core.prompts.fingerprints import prompt_fingerprint
from citation_pipeline.core.schemas import Schema


class ClaudeExtractor:
    """Asks Claude for a claim's fields. Without a key it still reads what the archive holds.

    `date_documents` gives source documents' own dates, by which the latest of contradicting values wins.
    """

    name = "claude"
    is_paid = True
    pool = "claude"
    sends = "the words of every page, to Anthropic (ANTHROPIC_BASE_URL)"
    has_batches = True

    @classmethod
    def build(cls, settings: ReaderSettings) -> "ClaudeExtractor":
        """Return the extractor of a deployment; without a key it still reads what its archive holds."""
        chosen: dict[str, Any] = {
            name: value
            for name, variable in (("base_url", "ANTHROPIC_BASE_URL"), ("model", "CITATION_PIPELINE_MODEL"))
            if (value := settings.variable(variable))
        }
        batches = settings.variable("CITATION_PIPELINE_CLAUDE_BATCHES").lower() in ("1", "true", "yes", "on")
        return cls(
            ClaudeSettings(batches_allowed=batches, **chosen),
            archive=ReplyArchive(settings.work_dir / "replies"),
            api_key=settings.variable("ANTHROPIC_API_KEY") or None,
            ledger=settings.ledger,
        )

    def __init__(
        self,
        settings: ClaudeSettings,
        *,
        archive: ReplyArchive,
        api_key: str | None = None,
        ledger: Ledger = keep_no_ledger,
        clock: Clock | None = None,
        date_documents: Callable[[Sequence[ParsedDocument]], Mapping[str, str]] = dates_by_part,
    ) -> None:
        settings.profile()
        self.settings = settings
        self._archive = archive
        self._ledger = ledger
        self._clock = clock
        self._date_documents = date_documents
        # in a closure and not in an attribute: nothing that prints this object shows the key
        self._new_client = _client_maker(api_key, settings, ledger, clock)
        self._client: ClaudeClient | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"ClaudeExtractor({self.settings.model!r})"

    @property
    def model(self) -> str:
        """The model that is asked first."""
        return self.settings.model

    def fingerprint(self, claim: Claim, schema: Schema) -> str:
        """Return what identifies the replies: model, effort, limits, prompt, schema."""
        settings = self.settings
        payload = [
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
        return f"claude-{hashlib.sha256(json.dumps(payload).encode()).hexdigest()[:16]}"

    def ask(self, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema) -> list[StoredReply]:
        """Return all replies byte for byte, on disk before anything reads them; raises a ClaudeError."""
        return Conversation(
            documents,
            schema,
            self.settings,
            claim_id=claim.claim_id,
            archive=self._archive,
            connect=self.connect,
        ).run()

    def read(
        self, replies: Sequence[StoredReply], documents: Sequence[ParsedDocument], schema: Schema
    ) -> Extraction:
        """Return the validated, merged and checked fields of stored replies; makes no external call."""
        return read_replies(
            replies,
            documents,
            schema,
            dates=self._date_documents(documents),
            prompt_fingerprint=prompt_fingerprint(schema),
        )

    def price(self, work: Workload, schema: Schema | None) -> PredictedCost:
        """Return the likely calls, tokens, dollars and minutes; makes no external call."""
        return price_of_work(work, schema, self.settings)

    def estimate(self, documents: Sequence[ParsedDocument], schema: Schema) -> Estimate:
        """Return the likely calls, tokens and dollars; makes no external call."""
        return estimate(documents, schema, self.settings)

    def batches(self) -> Batches:
        """Return its message batches."""
        folder = self._archive.root.parent / "batches"
        return Batches(self, archive=self._archive, journal=BatchJournal(folder))

    def connect(self) -> ClaudeClient:
        """Return the client, made when it is first needed; raises ClaudeAccessError without a key."""
        with self._lock:
            if self._client is None:
                self._client = self._new_client()
            return self._client

    def close(self) -> None:
        """Close the client's connections."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None


def _client_maker(
    api_key: str | None, settings: ClaudeSettings, ledger: Ledger, clock: Clock | None
) -> Callable[[], ClaudeClient]:
    def make() -> ClaudeClient:
        if not api_key:
            raise ClaudeAccessError(
                "Claude needs an API key: set ANTHROPIC_API_KEY, or choose the rules extractor.",
                code="no_api_key",
            )
        return ClaudeClient(api_key, settings, ledger=ledger, clock=clock)

    return make
