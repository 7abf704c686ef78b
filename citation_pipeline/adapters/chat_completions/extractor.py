"""Extractors over the Chat Completions API: OpenAI and whoever speaks like it, and Azure's form of it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from citation_pipeline.adapters.chat_completions.batch_calls import ChatBatchWire
from citation_pipeline.adapters.chat_completions.capabilities import Capabilities, RememberedCapabilities
from citation_pipeline.adapters.chat_completions.replies import read_reply
from citation_pipeline.adapters.chat_completions.requests import build_request, image_part, request_of
from citation_pipeline.adapters.chat_completions.settings import API_URL, OWN_MODEL, ChatSettings
from citation_pipeline.adapters.chat_completions.transport import VENDOR, ChatTransport
from citation_pipeline.adapters.claude.batch_journal import BatchJournal
from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.conversation.asks import Ask, Request
from citation_pipeline.adapters.conversation.batches import Batches
from citation_pipeline.adapters.conversation.choices import choices_of
from citation_pipeline.adapters.conversation.client import ProviderClient
from citation_pipeline.adapters.conversation.errors import ProviderAccessError, ProviderUnavailableError
from citation_pipeline.adapters.conversation.extractor import ModelExtractor
from citation_pipeline.adapters.conversation.page_images import DrawnImage
from citation_pipeline.adapters.conversation.profile_files import VARIABLE, read_profiles
from citation_pipeline.adapters.conversation.prompts import Prompt
from citation_pipeline.adapters.conversation.replies import Reply
from citation_pipeline.adapters.outbound_ledger import Ledger, keep_no_ledger
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.core.schemas import Schema


class ChatDialect:
    """Chat Completions, without a connection."""

    asks_plainly = False  # the transport finds out which format of an answer a server takes
    unavailable = ProviderUnavailableError

    def __init__(self, settings: ChatSettings, vendor: str) -> None:
        self._settings = settings
        self.vendor = vendor

    def build_request(self, ask: Ask, schema: Schema) -> Request:
        """Return the request for an ask."""
        return build_request(ask, schema, self._settings)

    def request_of(self, prompt: Prompt, ask: Ask, *, purpose: str | None) -> Request:
        """Return the request for any prompt."""
        return request_of(prompt, ask, self._settings, purpose=purpose)

    def image_part(self, image: DrawnImage) -> dict[str, Any]:
        """Return a picture as a part of a message."""
        return image_part(image, self._settings)

    def read_reply(self, body: bytes) -> Reply:
        """Read a stored reply; raises UnreadableReplyError."""
        return read_reply(body)


class ChatExtractor(ModelExtractor):
    """Asks OpenAI, or a server that speaks its API: a gateway, vLLM, Ollama, llama.cpp, LM Studio.

    A server without a key is asked without one. `missing` says what has to be set before anybody is asked.
    """

    name = "openai"
    pool = "openai"
    sends = "the words of every page, to the server that OPENAI_BASE_URL names, else to OpenAI"
    has_batches = True
    batch_url = "/v1/chat/completions"
    settings: ChatSettings

    @classmethod
    def build(cls, settings: ReaderSettings) -> "ChatExtractor":
        """Return the extractor of a deployment; without a key or a model it still reads its archive."""
        url = settings.variable("OPENAI_BASE_URL")
        model = settings.model_for(cls.name)
        key = settings.variable("OPENAI_API_KEY")
        missing = ""
        if url and not model:
            missing = "set CITATION_PIPELINE_MODEL to a model that the server serves (GET /v1/models)"
        elif not url and not key:
            missing = "set OPENAI_API_KEY, or OPENAI_BASE_URL to a server of your own"
        return cls._made(
            settings, ChatSettings(model=model or OWN_MODEL, base_url=url or API_URL), key, missing
        )

    @classmethod
    def _made(cls, settings: ReaderSettings, chat: ChatSettings, key: str, missing: str) -> "ChatExtractor":
        profiles = read_profiles(settings.variable(VARIABLE))
        return cls(
            replace(chat, models=profiles.covering(chat.model), **choices_of(settings)),
            archive=ReplyArchive.of(settings),
            api_key=key,
            missing=missing,
            ledger=settings.ledger,
        )

    def __init__(
        self,
        settings: ChatSettings,
        *,
        archive: ReplyArchive,
        api_key: str = "",
        missing: str = "",
        ledger: Ledger = keep_no_ledger,
        clock: Clock | None = None,
    ) -> None:
        profile = settings.profile()
        first = Capabilities(
            answer_format="json_schema" if profile.structured and settings.structured else "json_object",
            limit="max_completion_tokens" if settings.is_openai else "max_tokens",
        )
        remembered = RememberedCapabilities(
            archive.root.parent / "model_servers",
            base_url=settings.base_url,
            model=settings.model,
            first=first,
        )
        name, vendor, make = self.name, VENDOR, self._sdk_maker(settings, api_key)

        def connect() -> ProviderClient:
            if missing:
                raise ProviderAccessError(
                    f"the extractor {name!r} cannot ask anybody: {missing}", code="not_set_up"
                )
            transport = ChatTransport(
                settings, make, remembered=remembered, has_key=bool(api_key), vendor=vendor
            )
            return ProviderClient(transport, settings, ledger=ledger, clock=clock)

        super().__init__(settings, dialect=ChatDialect(settings, vendor), archive=archive, new_client=connect)

    def batches(self) -> Batches:
        """Return its batches."""
        folder = self._archive.root.parent / f"batches-{self.name}"
        wire = ChatBatchWire(self.batch_url)
        journal = BatchJournal(folder, coordination=self._archive.coordination)
        return Batches(self, wire, archive=self._archive, journal=journal)

    @staticmethod
    def _sdk_maker(settings: ChatSettings, api_key: str) -> Callable[..., Any]:
        def make(**how: Any) -> Any:
            import openai  # a second of start-up, which only who asks such a server should pay

            # the SDK wants some key; without one its header is left out of every request
            return openai.OpenAI(api_key=api_key or "none", base_url=settings.base_url, **how)

        return make


class AzureChatExtractor(ChatExtractor):
    """Asks a deployment of Azure OpenAI: CITATION_PIPELINE_MODEL is the deployment's name."""

    name = "azure-openai"
    pool = "azure-openai"
    sends = "the words of every page, to Azure (AZURE_OPENAI_ENDPOINT)"
    batch_url = "/chat/completions"

    @classmethod
    def build(cls, settings: ReaderSettings) -> "AzureChatExtractor":
        """Return the extractor of a deployment."""
        url, key = settings.variable("AZURE_OPENAI_ENDPOINT"), settings.variable("AZURE_OPENAI_API_KEY")
        version, model = settings.variable("OPENAI_API_VERSION"), settings.model_for(cls.name)
        needed = {
            "AZURE_OPENAI_ENDPOINT": url,
            "AZURE_OPENAI_API_KEY": key,
            "CITATION_PIPELINE_MODEL": model,
        }
        missing = ", ".join(name for name, value in needed.items() if not value)
        made = cls._made(
            settings,
            ChatSettings(model=model or OWN_MODEL, base_url=url, api_version=version or _AZURE_VERSION),
            key,
            f"set {missing}" if missing else "",
        )
        assert isinstance(made, cls)
        return made

    @staticmethod
    def _sdk_maker(settings: ChatSettings, api_key: str) -> Callable[..., Any]:
        def make(**how: Any) -> Any:
            import openai

            return openai.AzureOpenAI(
                api_key=api_key, azure_endpoint=settings.base_url, api_version=settings.api_version, **how
            )

        return make


_AZURE_VERSION = "2024-10-21"  # the latest that is no preview; OPENAI_API_VERSION names another
