"""Claude's models, prices and address: all that may change without the code changing.

The defaults are those of November 2026 (`docs/extraction-claude.md` names their sources). Not here: the
API key, which is given to the client and kept nowhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from citation_pipeline.adapters.conversation.profile_files import shipped_profiles
from citation_pipeline.adapters.conversation.profiles import ModelProfile
from citation_pipeline.adapters.conversation.settings import ConversationSettings

VENDOR = "anthropic"
API_VERSION = "2026-10-21"
API_URL = "https://api.anthropic.com"

# the SDK refuses longer answers without streaming, since an idle connection may be dropped
LONGEST_UNSTREAMED = 21_333


MODELS: Mapping[str, ModelProfile] = {
    name: profile for name, profile in shipped_profiles().known.items() if name.startswith("claude-")
}
"""Claude's own of `conversation/models.toml`."""


@dataclass(frozen=True)
class ClaudeSettings(ConversationSettings):
    """How Claude is asked."""

    model: str = "claude-sonnet-5-5"
    fallback_model: str | None = "claude-opus-5-5"
    base_url: str = API_URL
    cache_ttl: Literal["5m", "1h"] = "5m"
    models: Mapping[str, ModelProfile] = field(default_factory=lambda: MODELS)
