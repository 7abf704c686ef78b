"""The wire of the Chat Completions API, by the `openai` SDK: OpenAI, Azure, and whoever speaks like them."""

import json
import math
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from citation_pipeline.adapters.chat_completions.capabilities import Capabilities, RememberedCapabilities
from citation_pipeline.adapters.chat_completions.errors import (
    UnexplainedRefusalError,
    error_in_reply,
    error_of,
    plain_id,
)
from citation_pipeline.adapters.chat_completions.replies import is_filtered, read_reply, read_usage
from citation_pipeline.adapters.chat_completions.requests import arguments_for
from citation_pipeline.adapters.chat_completions.settings import ChatSettings
from citation_pipeline.adapters.conversation.asks import Request
from citation_pipeline.adapters.conversation.errors import (
    ProviderError,
    ProviderUnavailableError,
    RefusedFormatError,
    says_no_images,
)
from citation_pipeline.adapters.conversation.quiet_sdks import keep_bodies_out_of_logs
from citation_pipeline.adapters.conversation.replies import Reply, Usage
from citation_pipeline.adapters.conversation.transports import Keep

VENDOR = "openai"
# prose has four to five characters a token; beyond this, the server has not read all of the prompt
_MOST_CHARACTERS_PER_TOKEN = 7.0


class ChatTransport:
    """Sends chats by the SDK's client, which the key lives in alone; safe to share between threads."""

    endpoint = "/chat/completions"
    count_endpoint = ""  # the API has no way to count

    def __init__(
        self,
        settings: ChatSettings,
        new_sdk: Callable[..., Any],
        *,
        remembered: RememberedCapabilities,
        has_key: bool,
        vendor: str = VENDOR,
    ) -> None:
        import httpx2
        import openai

        from citation_pipeline.adapters.conversation.bounded_errors import cut_errors

        keep_bodies_out_of_logs("openai")
        self.vendor = vendor
        self.most_characters_per_token = None if settings.is_openai else _MOST_CHARACTERS_PER_TOKEN
        self._settings = settings
        self._remembered = remembered
        self._capabilities = remembered.read()
        self._for_once = False
        self._lock = threading.Lock()
        # a gateway without keys may turn a made-up one away
        self._headers: dict[str, Any] = {} if has_key else {"Authorization": openai.omit}
        timeout = httpx2.Timeout(settings.silence_timeout_s, connect=settings.connect_timeout_s)
        http = openai.DefaultHttpxClient(timeout=timeout, event_hooks={"response": [cut_errors]})
        weakref.finalize(self, http.close)  # the SDK does that of its own client alone
        self.sdk = new_sdk(max_retries=0, timeout=timeout, http_client=http)

    def send(self, request: Request, keep: Keep) -> str | None:
        """Send once; the reply's bytes are passed on as they came over the wire."""
        import openai

        capabilities = self._capabilities
        arguments = arguments_for(request, capabilities)
        create = self.sdk.chat.completions.with_streaming_response.create
        try:
            with create(**arguments, extra_headers=self._headers) as response:
                for chunk in response.iter_bytes():
                    keep(chunk)
                request_id = plain_id(response.request_id)
        except openai.APIStatusError as error:
            # a filter's refusal of the prompt is an answer: the documents are asked about one by one
            if not is_filtered(_body_of(error)):
                raise
            keep(error.response.content)
            return plain_id(error.request_id)
        with self._lock:
            if self._for_once:  # this prompt's fault and not the server's
                self._capabilities, self._for_once = self._remembered.read(), False
            else:
                self._remembered.keep(capabilities)
        return request_id

    @property
    def headers(self) -> Mapping[str, Any]:
        """What every call sends beside the SDK's own headers."""
        return self._headers

    def batched_body(self, request: Request) -> dict[str, Any]:
        """Return a request as a batch takes it: in the form that this server is known to take, unstreamed."""
        body = arguments_for(request, self._capabilities)
        body.pop("stream_options", None)
        del body["stream"]
        return body

    def count(self, request: Request) -> int:
        """Return the tokens that a prompt is likely to have, rather too many than too few."""
        return math.ceil(request.character_count / self._settings.characters_per_token)

    def read_reply(self, body: bytes) -> Reply:
        """Read a whole reply; raises UnreadableReplyError."""
        return read_reply(body)

    def usage_of(self, body: bytes) -> Usage | None:
        """Return the tokens that a part of a reply reports."""
        return read_usage(body)

    def failure_of(self, error: BaseException) -> ProviderError | None:
        """Return our error for the SDK's exception; None for what is not the SDK's."""
        import httpx2
        import openai

        if isinstance(error, openai.APIStatusError):
            found = error_of(
                error.status_code,
                _body_of(error) or error.response.text,
                headers=error.response.headers,
                request_id=error.request_id,
                model=self._settings.model,
            )
            found.names_images = says_no_images(error.response.text)
            return found
        if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
            return _unreachable("timed_out", "did not answer in time")
        if isinstance(error, openai.APIConnectionError | httpx2.TransportError):
            return _unreachable("connection_lost", "could not be reached, or the connection broke")
        if isinstance(error, openai.OpenAIError | httpx2.HTTPError | json.JSONDecodeError):
            return _unreachable("unreadable", f"answered what cannot be read ({type(error).__name__})")
        return None

    def failure_in_reply(self, kind: str, request_id: str | None) -> ProviderError:
        """Return our error for one that came inside an answer that had begun well."""
        return error_in_reply(kind, request_id)

    def cut(self, reason: str, request_id: str | None = None) -> ProviderUnavailableError:
        """Return the error for an answer that came, but not whole."""
        return ProviderUnavailableError(
            f"the model server's answer did not arrive whole: {reason}. Run the claim again later.",
            code="cut_reply",
            status=200,
            request_id=request_id,
        )

    def give_way(self, error: RefusedFormatError) -> bool:
        """Ask without what was refused from now on; tell whether there was anything left to do without."""
        with self._lock:
            less: Capabilities | None = self._capabilities.without(error.code)
            if less is None:
                # nothing helped, so the format was not the cause: the next request is asked as before
                self._capabilities, self._for_once = self._remembered.read(), False
                return False
            is_unexplained = isinstance(error, UnexplainedRefusalError)
            self._for_once = is_unexplained and self._remembered.is_proven
            self._capabilities = less
            return True

    def close(self) -> None:
        """Close all connections."""
        self.sdk.close()


def _body_of(error: Any) -> dict[str, Any]:
    """Return an error's JSON body, however the SDK unwrapped it; {} where it is none."""
    try:
        body = json.loads(error.response.content)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _unreachable(code: str, what: str) -> ProviderUnavailableError:
    return ProviderUnavailableError(f"the model server {what}. Run the claim again later.", code=code)
