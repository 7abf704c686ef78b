"""Claude's models, prices and address: all that may change without the code changing.

The defaults are those of November 2026 (`docs/extraction-claude.md` names their sources). Not here: the
API key, which is given to the client and kept nowhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from citation_pipeline.adapters.conversation.profiles import ModelProfile, Price
from citation_pipeline.adapters.conversation.settings import ConversationSettings

VENDOR = "anthropic"
API_VERSION = "2026-10-21"
API_URL = "https://api.anthropic.com"

# the SDK refuses longer answers without streaming, since an idle connection may be dropped
LONGEST_UNSTREAMED = 21_333


MODELS: Mapping[str, ModelProfile] = {
    profile.model: profile
    for profile in (
        ModelProfile("claude-opus-5-5", 1_000_000, 128_000, (Price(4, 20, 5, 0.20),)),
        ModelProfile("claude-sonnet-5-5", 1_000_000, 128_000, (Price(2, 10, 2.50, 0.10),)),
        ModelProfile(
            "claude-haiku-5-5",
            1_000_000,
            128_000,
            (Price(0.10, 0.50, 0.125, 0.01, up_to=100_000), Price(0.50, 2.50, 0.625, 0.05)),
        ),
        # end of life 2026-11-30; it takes no effort and thinks only within a budget, so it is not asked to
        ModelProfile("claude-sonnet-4-5-20250929", 200_000, 64_000, (Price(3, 15, 3.75, 0.30),), effort=None),
    )
}


@dataclass(frozen=True)
class ClaudeSettings(ConversationSettings):
    """How Claude is asked; `batches_allowed` is only for data that is no protected health information."""

    model: str = "claude-sonnet-5-5"
    fallback_model: str | None = "claude-opus-5-5"
    base_url: str = API_URL
    cache_ttl: Literal["5m", "1h"] = "5m"
    batches_allowed: bool = False
    models: Mapping[str, ModelProfile] = field(default_factory=lambda: MODELS)
