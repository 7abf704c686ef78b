"""What models take and cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from citation_pipeline.core.prompts.page_images import ImageLimits

Effort = Literal["low", "medium", "high", "xhigh", "max"]


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
    structured: bool = field(default=True, repr=False)  # whether it takes a schema for its answer
    images: ImageLimits | None = None  # None: it sees no pictures

    def price_of(self, prompt_tokens: int) -> Price:
        """Return the price that a prompt of this length is billed at, its answer included."""
        for price in self.prices:
            if price.up_to is None or prompt_tokens <= price.up_to:
                return price
        return self.prices[-1]


class UnknownModelError(ValueError):
    """A model without a profile: its limits and prices are not known; `model` is its id."""

    def __init__(self, model: str, known: Mapping[str, ModelProfile]) -> None:
        super().__init__(
            f"model {model[:100]!r} has no profile: choose one of {', '.join(known)} "
            "or add its limits and prices to `models`"
        )
        self.model = model
