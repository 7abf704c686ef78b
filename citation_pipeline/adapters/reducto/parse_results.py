"""The parse result as Reducto sends it, validated: the one place where its JSON enters.

The service's SDK lets missing required fields pass; here they are an error that names the place and never
the content. Unknown keys are ignored, unknown block types are kept as they are. Not here: what blocks become
(`conversion`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from citation_pipeline.adapters.reducto.errors import ReductoResultError

LARGEST_PAGE = 50_000
"""No document has more; a larger number would only make us allocate pages."""


class _Wire(BaseModel):
    # hide_input_in_errors: a validation error must not print document text into a traceback
    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True, allow_inf_nan=False)


class WireBox(_Wire):
    """Fractions of the displayed page, origin top left; pages from 1."""

    left: float
    top: float
    width: float
    height: float
    page: int = Field(ge=1, le=LARGEST_PAGE)
    original_page: int | None = Field(default=None, ge=1, le=LARGEST_PAGE)

    @property
    def source_page(self) -> int:
        """The page in the source file; `page` differs from it when a page range was asked for."""
        return self.original_page or self.page


class WireWord(_Wire):
    """A word of a block's content with its place, where the service gives one."""

    text: str
    bbox: WireBox | None = None
    char_start: int | None = None
    char_end: int | None = None


class WireExtra(_Wire):
    """Additions to a block."""

    word_citations: list[WireWord] | None = None


class WireConfidence(_Wire):
    """Numbers behind "high" and "low"."""

    parse_confidence: float | None = None


class WirePiece(_Wire):
    """One page's share of a table that was merged over pages."""

    bbox: WireBox
    content: str = ""


class WireBlock(_Wire):
    """One block."""

    type: str
    content: str
    bbox: WireBox
    confidence: str | None = None
    granular_confidence: WireConfidence | None = None
    extra: WireExtra | None = None
    merged_tables: list[WirePiece] | None = None


class WireChunk(_Wire):
    """A run of blocks; `content` is their text as the service would hand it to a model."""

    content: str = ""
    blocks: list[WireBlock]


class WireUsage(_Wire):
    """What was billed; credits are absent on the newer pricing."""

    num_pages: int | None = None
    credits: float | None = None
    parse_model: str | None = None

    @field_validator("credits", "num_pages", "parse_model", mode="wrap")
    @classmethod
    def _or_none(cls, value: Any, handler: Any) -> Any:
        """A strange bill must not cost the result that was paid for."""
        try:
            return handler(value)
        except ValidationError:
            return None


class ParseResult(_Wire):
    """A whole result: the chunks, and what the job said about itself when that is known."""

    chunks: list[WireChunk]
    usage: WireUsage = WireUsage()
    job_id: str | None = None
    blocks_left_out: int = 0
    """Blocks without a type, text or place that could be read; the others are worth what was paid."""

    @property
    def blocks(self) -> list[WireBlock]:
        """All blocks in reading order."""
        return [block for chunk in self.chunks for block in chunk.blocks]


def read_parse_result(data: bytes, *, job: bytes | None = None, name: str) -> ParseResult:
    """Read a result from bytes; `name` is what errors call it.

    Takes the three forms in which results are kept: the answer of GET /job, the ParseResponse, and the bare
    result that presigned addresses serve. `job` is the job's answer when that lies apart; it adds the usage.
    Raises `ReductoResultError`.
    """
    try:
        value = json.loads(data)
        response = _response_of(json.loads(job)) if job is not None else {}
    except (ValueError, RecursionError) as error:
        raise _unusable(name, "is not JSON", "result_not_json") from error
    response = _response_of(value) or response
    result = _result_of(value)
    if result is None:
        raise _unusable(name, "holds no parse result", "result_missing")
    if result.get("type") == "url":
        raise _unusable(name, "holds only the link to a result, which expires", "result_is_a_link")
    usage = response.get("usage")
    usage = dict(usage) if isinstance(usage, Mapping) else {}
    breakdown = usage.get("usage_breakdown")
    usage["parse_model"] = breakdown.get("parse_model") if isinstance(breakdown, Mapping) else None
    job_id = response.get("job_id")
    chunks, left_out = _readable(result.get("chunks"))
    try:
        return ParseResult.model_validate(
            {
                "chunks": chunks,
                "blocks_left_out": left_out,
                "usage": usage,
                "job_id": job_id if isinstance(job_id, str) else None,
            }
        )
    except ValidationError as error:
        places = [
            ".".join(str(part) for part in detail["loc"]) + f" ({detail['type']})"
            for detail in error.errors(include_input=False, include_url=False, include_context=False)[:3]
        ]
        raise _unusable(name, f"is not a parse result at {', '.join(places)}", "result_malformed") from error


def result_link(response: Mapping[str, Any]) -> str | None:
    """Return the presigned address in a ParseResponse, or None when the result is inline."""
    result = response.get("result")
    if isinstance(result, Mapping) and result.get("type") == "url" and isinstance(result.get("url"), str):
        return str(result["url"])
    return None


def _readable(chunks: Any) -> tuple[Any, int]:
    """Return the chunks with the blocks that can be read, and how many cannot.

    What is only said beside a block (confidence, words, merged parts) is dropped alone where it is bad. A
    result none of whose blocks can be read stays as it is, to be refused as a whole.
    """
    if not isinstance(chunks, list):
        return chunks, 0
    kept: list[Any] = []
    left_out = readable = 0
    for chunk in chunks:
        if not isinstance(chunk, Mapping) or not isinstance(chunk.get("blocks"), list):
            left_out += 1
            continue
        blocks = [block for raw in chunk["blocks"] if (block := _block_of(raw)) is not None]
        left_out += len(chunk["blocks"]) - len(blocks)
        readable += len(blocks)
        content = chunk.get("content")
        kept.append({"content": content if isinstance(content, str) else "", "blocks": blocks})
    return (chunks, 0) if left_out and not readable else (kept, left_out)


def _block_of(raw: Any) -> WireBlock | None:
    try:
        return WireBlock.model_validate(raw)
    except ValidationError:
        pass
    if not isinstance(raw, Mapping):
        return None
    try:
        return WireBlock.model_validate({key: raw.get(key) for key in ("type", "content", "bbox")})
    except ValidationError:
        return None


def _response_of(value: Any) -> Mapping[str, Any]:
    """Unwrap the job's answer; a ParseResponse is known by its usage or job id."""
    if isinstance(value, Mapping) and "status" in value and isinstance(value.get("result"), Mapping):
        value = value["result"]
    if isinstance(value, Mapping) and ("usage" in value or "job_id" in value):
        return value
    return {}


def _result_of(value: Any) -> Mapping[str, Any] | None:
    """Unwrap up to three layers down to the object with the chunks or the link."""
    for _ in range(3):
        if not isinstance(value, Mapping):
            return None
        if "chunks" in value or value.get("type") == "url":
            return value
        value = value.get("result")
    return None


def _unusable(name: str, what: str, code: str) -> ReductoResultError:
    return ReductoResultError(
        f"{name} {what}",
        remedy="Delete it to have the document parsed anew, or put a complete response in its place.",
        operation="result",
        code=code,
    )
