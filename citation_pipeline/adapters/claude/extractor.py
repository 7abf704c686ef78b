"""The Claude extractor: the shared conversation over the Messages API."""

from collections.abc import Callable
from typing import Any, cast

from citation_pipeline.adapters.claude.batch_calls import ClaudeBatchWire
from citation_pipeline.adapters.claude.batch_journal import BatchJournal
from citation_pipeline.adapters.claude.client import ClaudeClient
from citation_pipeline.adapters.claude.dialect import ClaudeDialect
from citation_pipeline.adapters.claude.errors import ClaudeAccessError
from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.conversation.batches import Batches
from citation_pipeline.adapters.conversation.choices import choices_of
from citation_pipeline.adapters.conversation.extractor import DatesOf, ModelExtractor
from citation_pipeline.adapters.conversation.profile_files import VARIABLE, read_profiles
from citation_pipeline.adapters.outbound_ledger import Ledger, keep_no_ledger
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.core.documents.part_documents import dates_by_part


class ClaudeExtractor(ModelExtractor):
    """Asks Claude for a claim's fields. Without a key it still reads what the archive holds."""

    name = "claude"
    pool = "claude"
    sends = "the words of every page, to Anthropic (ANTHROPIC_BASE_URL)"
    has_batches = True
    counts_tokens = True
    settings: ClaudeSettings

    @classmethod
    def build(cls, settings: ReaderSettings) -> "ClaudeExtractor":
        """Return the extractor of a deployment; without a key it still reads what its archive holds."""
        chosen: dict[str, Any] = choices_of(settings)
        if url := settings.variable("ANTHROPIC_BASE_URL"):
            chosen["base_url"] = url
        if model := settings.model_for(cls.name):
            chosen["model"] = model
        profiles = read_profiles(settings.variable(VARIABLE))
        chosen["models"] = profiles.covering(model, ClaudeSettings.model, ClaudeSettings.fallback_model)
        return cls(
            ClaudeSettings(**chosen),
            archive=ReplyArchive.of(settings),
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
        date_documents: DatesOf = dates_by_part,
    ) -> None:
        super().__init__(
            settings,
            dialect=ClaudeDialect(settings),
            archive=archive,
            new_client=_client_maker(api_key, settings, ledger, clock),
            date_documents=date_documents,
        )

    def batches(self) -> Batches:
        """Return its message batches."""
        folder = self._archive.root.parent / "batches"
        journal = BatchJournal(folder, coordination=self._archive.coordination)
        return Batches(self, ClaudeBatchWire(), archive=self._archive, journal=journal)

    def connect(self) -> ClaudeClient:
        """Return the client, made when it is first needed; raises ClaudeAccessError without a key."""
        return cast(ClaudeClient, super().connect())


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
