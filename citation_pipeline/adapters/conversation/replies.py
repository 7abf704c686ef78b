"""What a reply is, whoever gave it: its text, why it ended, its tokens and what they cost.

Each provider reads its own bytes into it. Stop reasons are named as Claude names them: `max_tokens`,
`refusal` and `model_context_window_exceeded` are asked again in other ways.
"""

import json
from dataclasses import dataclass
from typing import Any

from citation_pipeline.adapters.conversation.profiles import ModelProfile

BATCH_DISCOUNT = 0.5
_MOST_TOKENS = 10**9
COMPLETE = frozenset({"end_turn", "stop_sequence", "tool_use"})


class UnreadableReplyError(ValueError):
    """Bytes that are no complete reply; `error_type` is the provider's, where the bytes name one."""

    def __init__(self, reason: str, *, error_type: str | None = None) -> None:
        super().__init__(reason)
        self.error_type = error_type


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as they are billed: a prompt is `input + cache_read + cache_write`."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def prompt(self) -> int:
        """Return the tokens of the whole prompt."""
        return self.input + self.cache_read + self.cache_write

    def cost(self, profile: ModelProfile, *, is_batch: bool = False) -> float:
        """Return the US dollars that these tokens cost."""
        price = profile.price_of(self.prompt)
        dollars = (
            self.input * price.input
            + self.output * price.output
            + self.cache_read * price.cache_read
            + self.cache_write * price.cache_write
        ) / 1e6
        return dollars * BATCH_DISCOUNT if is_batch else dollars


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply: its text blocks joined ("" where there is none) and why it ended."""

    text: str
    stop_reason: str
    usage: Usage
    model: str = ""

    @property
    def is_complete(self) -> bool:
        """Tell whether the model came to its own end."""
        return self.stop_reason in COMPLETE


def read_object(data: bytes) -> dict[str, Any]:
    """Return the JSON object that bytes are; raises UnreadableReplyError."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise UnreadableReplyError("the reply is not whole JSON") from None
    if not isinstance(value, dict):
        raise UnreadableReplyError("the reply is not a JSON object")
    return value


def count_of(value: Any) -> int:
    """Return a count of tokens; what is no positive integer, or more than any prompt has, counts as none."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_TOKENS
    return value if is_count else 0
