"""How a server of the Chat Completions API is asked."""

from dataclasses import dataclass

from citation_pipeline.adapters.conversation.settings import ConversationSettings

API_URL = "https://api.openai.com/v1"
OWN_MODEL = "gpt-5.4"
"""Asked at OpenAI itself where no model is named; at any other address one has to be."""


@dataclass(frozen=True)
class ChatSettings(ConversationSettings):
    """`api_version` is Azure's; without one, the address is that of a plain API."""

    model: str = OWN_MODEL
    base_url: str = API_URL
    api_version: str = ""
    silence_timeout_s: float = 600.0  # a model in one's own rack reads a long prompt without a word

    @property
    def is_openai(self) -> bool:
        """Whether the address is OpenAI's own or Azure's."""
        return bool(self.api_version) or self.base_url.startswith(API_URL.rpartition("/")[0])
