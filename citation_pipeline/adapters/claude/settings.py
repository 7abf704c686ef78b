"""Models, prices, limits and waiting times: all that may change without the code changing.

The defaults are those of November 2026 (`docs/extraction-claude.md` names their sources). Not here: the
API key, which is given to the client and kept nowhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Effort = Literal["low", "medium", "high", "xhigh", "max"]

VENDOR = "anthropic"
API_VERSION = "2026-10-21"
API_URL = "https://api.anthropic.com"

# the SDK refuses longer answers without streaming, since an idle connection may be dropped
LONGEST_UNSTREAMED = 21_333


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens, for prompts of at most `up_to` tokens (None: any)."""

    input: float
    output: float
    cache_write: float
    cache_read: float
    up_to: int | None = None


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """What a model takes and costs; `effort` None means that it knows no such parameter."""

    model: str
    context_tokens: int
    output_tokens: int
    prices: tuple[Price, ...]
    effort: Effort | None = "medium"

    def price_of(self, prompt_tokens: int) -> Price:
        """Return the price that a prompt of this length is billed at, its answer included."""
        for price in self.prices:
            if price.up_to is None or prompt_tokens <= price.up_to:
                return price
        return self.prices[-1]


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


class UnknownModelError(ValueError):
    """A model without a profile: its limits and prices are not known; `model` is its id."""

    def __init__(self, model: str, known: Mapping[str, ModelProfile]) -> None:
        super().__init__(
            f"model {model[:100]!r} has no profile: choose one of {', '.join(known)} "
            "or add its limits and prices to `models`"
        )
        self.model = model


@dataclass(frozen=True)
class ClaudeSettings:
    """How Claude is asked. Tokens are the model's own, times are seconds.

    `prompt_tokens` is how much of a claim goes into one request: less than the context window, since recall
    falls in very long prompts. `follow_ups` is the number of further requests that one claim may cost to
    ask again for what came back missing, cut or refused. `fallback_model` is asked once when a document is
    refused. `batches_allowed` must only be set for data that is no protected health information.
    """

    model: str = "claude-sonnet-5-5"
    effort: Effort | None = None  # None: the profile's
    fallback_model: str | None = "claude-opus-5-5"
    base_url: str = API_URL
    prompt_tokens: int = 180_000
    answer_tokens: int = 32_000  # thinking included; 84 fields take some 12,000
    characters_per_token: float = 2.8  # for estimates; dense forms and figures tokenize worse than prose
    fields_per_request: int = 120  # beyond it an answer may not fit `answer_tokens`
    follow_ups: int = 12
    cache_ttl: Literal["5m", "1h"] = "5m"
    structured: bool = True
    batches_allowed: bool = False
    attempts: int = 6
    first_wait_s: float = 1.0
    longest_wait_s: float = 120.0  # when the provider asks for more, the claim is given back instead
    connect_timeout_s: float = 10.0
    silence_timeout_s: float = 180.0  # between two bytes; a thinking model sends pings
    call_timeout_s: float = 1800.0
    models: Mapping[str, ModelProfile] = field(default_factory=lambda: MODELS)

    def profile(self, model: str | None = None) -> ModelProfile:
        """Return the limits and prices of a model, by default the configured one."""
        wanted = model or self.model
        if wanted not in self.models:
            raise UnknownModelError(wanted, self.models)
        return self.models[wanted]

    def effort_of(self, model: str) -> Effort | None:
        """Return the effort to ask a model for, None where it takes none."""
        profile = self.profile(model)
        return None if profile.effort is None else (self.effort or profile.effort)

    def prompt_limit(self, model: str | None = None) -> int:
        """Return the most tokens of one prompt."""
        profile = self.profile(model)
        return min(self.prompt_tokens, profile.context_tokens - self.answer_limit(model))

    def answer_limit(self, model: str | None = None) -> int:
        """Return the most tokens of one answer."""
        return min(self.answer_tokens, self.profile(model).output_tokens)
