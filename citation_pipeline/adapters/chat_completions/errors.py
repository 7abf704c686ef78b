"""A model server's errors, by status and by what its body says; the many dialects of one API.

Bodies are only looked at, never shown: they may quote the prompt.
"""

import re
from collections.abc import Mapping
from typing import Any

from citation_pipeline.adapters.chat_completions.replies import WEB_PAGE
from citation_pipeline.adapters.conversation.errors import (
    OversizedPromptError,
    ProviderAccessError,
    ProviderError,
    ProviderRequestError,
    ProviderUnavailableError,
    RefusedFormatError,
    retry_after,
    says_no_credit,
    says_too_long,
)

_TRANSIENT = frozenset({408, 409, 425, 429})
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OPTIONAL = ("max_completion_tokens", "max_tokens", "stream_options", "reasoning_effort")
_FORMAT = (
    "response_format",
    "json_schema",
    "json_object",
    "grammar",
    "guided",
    "structured output",
    "schema",
)
_UNKNOWN_MODEL = re.compile(
    r"model_not_found|deploymentnotfound|model .{0,200}(?:does not exist|not found|is not available)|"
    r"(?:unknown|invalid|no such|not a valid) model|model_not_available|"
    r"does not exist or you do not have access",
    re.IGNORECASE | re.DOTALL,
)


class UnexplainedRefusalError(RefusedFormatError):
    """A refusal that names nothing: the format of the answer is the likeliest cause of those."""


def error_of(
    status: int, body: Any, *, headers: Mapping[str, str], request_id: str | None, model: str
) -> ProviderError:
    """Return the error for an answer with an error status; `body` is the parsed JSON, or the text."""
    request_id = plain_id(request_id)
    said, param = _said(body)
    where = f"HTTP {status}, request {request_id or 'without an id'}"
    is_page = isinstance(body, str) and body.lstrip()[:1] == "<"
    told = _told(status, said, is_page=is_page, model=model)
    if told is not None:
        kind, code, message, remedy = told
        return kind(f"{message} ({where}). {remedy}", code=code, status=status, request_id=request_id)
    names_format = any(word in said for word in _FORMAT)
    if status in (400, 422, 501) or (status == 500 and names_format):
        return _refusal(status, said, param, where, names_format=names_format, request_id=request_id)
    if status in _TRANSIENT or status >= 500:
        what = "a gateway before the model server" if is_page else "the model server"
        return ProviderUnavailableError(
            f"{what} is not available now ({where}). Run the claim again later.",
            code=str(status),
            status=status,
            request_id=request_id,
            retry_after_s=retry_after(headers),
            is_worth_repeating=headers.get("x-should-retry") != "false",
        )
    return ProviderRequestError(
        f"the model server does not take this request ({where}). Check model and limits.",
        code=str(status),
        status=status,
        request_id=request_id,
    )


def _told(
    status: int, said: str, *, is_page: bool, model: str
) -> tuple[type[ProviderError], str, str, str] | None:
    """Return kind, code, message and remedy of what a person has to put right, or a smaller prompt does."""
    if says_no_credit(said):
        return (
            ProviderAccessError,
            "no_credit",
            "the model server refused: there is no credit or quota left",
            "Add some, then run the claim again.",
        )
    if status in (401, 403):
        return (
            ProviderAccessError,
            str(status),
            "the model server refused the key",
            "Check OPENAI_API_KEY (Azure: AZURE_OPENAI_API_KEY) and what it may do.",
        )
    if status in (400, 404, 422) and _UNKNOWN_MODEL.search(said):
        return (
            ProviderAccessError,
            "unknown_model",
            f"the model server knows no model {model[:100]!r}",
            "Set CITATION_PIPELINE_MODEL to one that it serves (GET /v1/models lists them).",
        )
    if status in (301, 302, 307, 308, 404, 405) or (is_page and status < 500 and status not in _TRANSIENT):
        return (
            ProviderAccessError,
            "no_api",
            "no Chat Completions API answers at this address",
            "Check OPENAI_BASE_URL: it usually ends in /v1.",
        )
    if status == 413 or says_too_long(said):
        return (
            OversizedPromptError,
            "prompt_too_long",
            "prompt and answer do not fit the model's context",
            "Give the model a profile with its context in the file that CITATION_PIPELINE_MODELS names.",
        )
    return None


def error_in_reply(kind: str, request_id: str | None) -> ProviderError:
    """Return the error for one that came inside an answer that had begun well."""
    if kind == WEB_PAGE:
        return ProviderAccessError(
            "a web page answered instead of a model server: a gateway wants a sign-in, or the address is "
            "another's. Check OPENAI_BASE_URL: it usually ends in /v1.",
            code="no_api",
            status=200,
            request_id=request_id,
        )
    if says_too_long(kind):
        return OversizedPromptError(
            "prompt and answer do not fit the model's context. Give the model a profile with its context.",
            code="prompt_too_long",
            status=200,
            request_id=request_id,
        )
    return ProviderUnavailableError(
        "the model server broke off its answer with an error. Run the claim again later.",
        code="200_error",
        status=200,
        request_id=request_id,
    )


def plain_id(request_id: str | None) -> str | None:
    """Return a request id of a plain form, or None."""
    return request_id if request_id and _REQUEST_ID.fullmatch(request_id) else None


def _refusal(
    status: int, said: str, param: str, where: str, *, names_format: bool, request_id: str | None
) -> ProviderError:
    """Return the error for a request that was not taken; its code names what to do without."""
    # the longer name first: it holds the shorter
    named = next((name for name in _OPTIONAL if name == param), "") or next(
        (name for name in _OPTIONAL if re.search(rf"(?<![a-z_]){name}(?![a-z_])", said)), ""
    )
    kind = RefusedFormatError if named or names_format else UnexplainedRefusalError
    return kind(
        f"the model server does not take this request ({where}). Check model and limits.",
        code=named or ("response_format" if names_format else str(status)),
        status=status,
        request_id=request_id,
    )


def _said(body: Any) -> tuple[str, str]:
    """Return everything an error's body says, in small letters, and the parameter it names."""
    if isinstance(body, str):
        return body.lower(), ""
    if not isinstance(body, dict):
        return "", ""
    inner = body.get("error")
    error = inner if isinstance(inner, dict) else body
    parts = [error.get(key) for key in ("message", "code", "type", "detail", "error")]
    parts += [body.get(key) for key in ("message", "detail")]
    return " ".join(str(part) for part in parts if part).lower(), str(error.get("param") or "")
