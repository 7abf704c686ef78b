"""How Claude is asked and how its replies are read, without a connection."""

from typing import Any

from citation_pipeline.adapters.claude.errors import ClaudeUnavailableError
from citation_pipeline.adapters.claude.replies import read_reply
from citation_pipeline.adapters.claude.requests import build_request, image_part, request_of
from citation_pipeline.adapters.claude.settings import VENDOR, ClaudeSettings
from citation_pipeline.adapters.conversation.asks import Ask, Request
from citation_pipeline.adapters.conversation.errors import ProviderUnavailableError
from citation_pipeline.adapters.conversation.page_images import DrawnImage
from citation_pipeline.adapters.conversation.prompts import Prompt
from citation_pipeline.adapters.conversation.replies import Reply
from citation_pipeline.core.schemas import Schema


class ClaudeDialect:
    """The Messages API; the same from every place that serves it."""

    asks_plainly = True
    unavailable: type[ProviderUnavailableError] = ClaudeUnavailableError

    def __init__(self, settings: ClaudeSettings, vendor: str = VENDOR) -> None:
        self._settings = settings
        self.vendor = vendor

    def build_request(self, ask: Ask, schema: Schema) -> Request:
        """Return the request for an ask."""
        return build_request(ask, schema, self._settings)

    def request_of(self, prompt: Prompt, ask: Ask, *, purpose: str | None) -> Request:
        """Return the request for any prompt."""
        return request_of(prompt, ask, self._settings, purpose=purpose)

    def image_part(self, image: DrawnImage) -> dict[str, Any]:
        """Return a picture as a block of a message."""
        return image_part(image)

    def read_reply(self, body: bytes) -> Reply:
        """Read a stored reply; raises UnreadableReplyError."""
        return read_reply(body)
