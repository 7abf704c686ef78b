"""What the tests of model servers share: an extractor on a fake server, and what it wrote down."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.chat_completions.extractor import AzureChatExtractor, ChatExtractor
from citation_pipeline.adapters.chat_completions.settings import ChatSettings
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.conversation.profiles import ModelProfile, Price
from citation_pipeline.adapters.outbound_ledger import OutboundRequest
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.schemas import Schema
from citation_pipeline_tests.claude_scenes import CLAIM, PatientClock, workers_comp
from citation_pipeline_tests.fake_openai import FakeChat

PROFILE = ModelProfile("m", 200_000, 32_000, (Price(2, 10, 2, 0.5),), effort="low")


@dataclass
class ChatDesk:
    """An extractor on a fake server, with everything it wrote down."""

    chat: FakeChat
    root: Path
    schema: Schema = field(default_factory=workers_comp)
    rows: list[OutboundRequest] = field(default_factory=list)
    time: PatientClock = field(default_factory=PatientClock)
    profile: ModelProfile = PROFILE

    def extractor(self, *, api_key: str | None = None, **settings: Any) -> ChatExtractor:
        dialect = self.chat.dialect
        is_azure = dialect.key_header == "api-key"
        model = "extractor" if is_azure else "m"
        chosen = {
            "model": model,
            "base_url": self.chat.root if is_azure else self.chat.url,
            "api_version": dialect.api_version or "",
            "models": {model: replace(self.profile, model=model)},
            **settings,
        }
        key = (self.chat.key if dialect.key_header else "") if api_key is None else api_key
        kind = AzureChatExtractor if is_azure else ChatExtractor
        extractor = kind(
            ChatSettings(**chosen),
            archive=ReplyArchive(self.root / "replies"),
            api_key=key,
            ledger=self.rows.append,
            clock=self.time.clock(),
        )
        self.chat.callers.callback(extractor.close)
        return extractor

    def run(
        self, documents: Sequence[ParsedDocument], **settings: Any
    ) -> tuple[list[StoredReply], Extraction]:
        """Ask and read."""
        extractor = self.extractor(**settings)
        try:
            replies = extractor.ask(CLAIM, documents, self.schema)
        finally:
            extractor.close()
        return replies, extractor.read(replies, documents, self.schema)
