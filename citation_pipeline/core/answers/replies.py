"""A provider's reply as it arrived, before anything reads it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredReply:
    """One reply, byte for byte, with what it cost.

    `request_fingerprint` names the request: the same one is never paid for twice. Tokens count 0, money
    in US dollars and `latency_s` in seconds where no model was called; `asked_at` is ISO 8601 UTC or "".
    `scope` tells what was asked, as JSON in the provider's own shape without document text, or "": a claim
    asked in parts is put together from it.
    """

    request_fingerprint: str
    provider: str
    model: str
    body: bytes
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float = 0.0
    latency_s: float = 0.0
    asked_at: str = ""
    scope: str = ""
