"""Claude under an agreement with Amazon or Google: the same conversation, by the SDK's clients for them."""

import math
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from citation_pipeline.adapters.claude.client import ClaudeTransport, NewSdk
from citation_pipeline.adapters.claude.dialect import ClaudeDialect
from citation_pipeline.adapters.claude.errors import ClaudeAccessError
from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.conversation.asks import Request
from citation_pipeline.adapters.conversation.choices import choices_of
from citation_pipeline.adapters.conversation.client import ProviderClient
from citation_pipeline.adapters.conversation.extractor import ModelExtractor
from citation_pipeline.adapters.conversation.profile_files import VARIABLE, read_profiles
from citation_pipeline.adapters.outbound_ledger import Ledger, keep_no_ledger
from citation_pipeline.adapters.reader_settings import ReaderSettings


class _PlatformTransport(ClaudeTransport):
    """A platform's endpoint; one that cannot count tokens is not asked to."""

    def __init__(
        self, settings: ClaudeSettings, new_sdk: NewSdk, *, vendor: str, endpoint: str, counts: str
    ) -> None:
        super().__init__(settings, new_sdk)
        self.vendor, self.endpoint, self.count_endpoint = vendor, endpoint, counts
        self._characters_per_token = settings.characters_per_token

    def count(self, request: Request) -> int:
        """Return the tokens of a prompt: counted, or estimated rather too many than too few."""
        if self.count_endpoint:
            return super().count(request)
        return math.ceil(request.character_count / self._characters_per_token)


class _PlatformExtractor(ModelExtractor):
    vendor = ""
    endpoint = ""
    counts = ""
    fallback_model: str | None = None
    settings: ClaudeSettings

    @classmethod
    def build(cls, settings: ReaderSettings) -> "_PlatformExtractor":
        """Return the extractor of a deployment; what is missing is said when somebody is to be asked."""
        model = settings.model_for(cls.name)
        chosen = ClaudeSettings(
            model=model or ClaudeSettings.model, fallback_model=cls.fallback_model, **choices_of(settings)
        )
        profiles = read_profiles(settings.variable(VARIABLE))
        return cls(
            replace(chosen, models=profiles.covering(chosen.model, chosen.fallback_model)),
            archive=ReplyArchive.of(settings),
            new_sdk=cls.sdk_maker(settings.variable),
            ledger=settings.ledger,
        )

    @classmethod
    def sdk_maker(cls, variable: Callable[[str], str]) -> NewSdk:
        """Return what makes the SDK's client; raises ClaudeAccessError where something is not set."""
        raise NotImplementedError

    def __init__(
        self,
        settings: ClaudeSettings,
        *,
        archive: ReplyArchive,
        new_sdk: NewSdk,
        ledger: Ledger = keep_no_ledger,
        clock: Clock | None = None,
    ) -> None:
        vendor, endpoint, counts = self.vendor, self.endpoint, self.counts

        def connect() -> ProviderClient:
            transport = _PlatformTransport(settings, new_sdk, vendor=vendor, endpoint=endpoint, counts=counts)
            return ProviderClient(transport, settings, ledger=ledger, clock=clock)

        super().__init__(
            settings, dialect=ClaudeDialect(settings, vendor), archive=archive, new_client=connect
        )


class BedrockExtractor(_PlatformExtractor):
    """Asks Claude on Amazon Bedrock; CITATION_PIPELINE_MODEL is the model's id or an inference profile."""

    name = "claude-bedrock"
    pool = "claude-bedrock"
    sends = "the words of every page, to Amazon Bedrock in AWS_REGION"
    vendor = "bedrock"
    endpoint = "/invoke"

    @classmethod
    def sdk_maker(cls, variable: Callable[[str], str]) -> NewSdk:
        """Return what makes the client, with an API key of Bedrock or the credentials of AWS."""

        def make(**how: Any) -> Any:
            import anthropic

            if not (
                variable("CITATION_PIPELINE_MODEL") or variable("CITATION_PIPELINE_MODEL_CLAUDE_BEDROCK")
            ):
                raise _not_set_up(
                    cls.name, "set CITATION_PIPELINE_MODEL to the model's id or inference profile on Bedrock"
                )
            region = variable("AWS_REGION") or variable("AWS_DEFAULT_REGION")
            if not region:
                raise _not_set_up(cls.name, "set AWS_REGION")
            key = variable("AWS_BEARER_TOKEN_BEDROCK") or None
            if key is None and find_spec("botocore") is None:
                raise _not_set_up(
                    cls.name,
                    "set AWS_BEARER_TOKEN_BEDROCK, or install citation-pipeline[bedrock], which signs with "
                    "the credentials of AWS",
                )
            url = variable("ANTHROPIC_BEDROCK_BASE_URL") or None
            return anthropic.AnthropicBedrock(api_key=key, aws_region=region, base_url=url, **how)

        return make


class VertexExtractor(_PlatformExtractor):
    """Asks Claude on Google Vertex AI."""

    name = "claude-vertex"
    pool = "claude-vertex"
    sends = "the words of every page, to Google Vertex AI in CLOUD_ML_REGION"
    vendor = "vertex"
    endpoint = ":rawPredict"
    counts = "count-tokens:rawPredict"
    counts_tokens = True
    fallback_model = ClaudeSettings.fallback_model

    @classmethod
    def sdk_maker(cls, variable: Callable[[str], str]) -> NewSdk:
        """Return what makes the client, with an access token or the credentials of Google."""

        def make(**how: Any) -> Any:
            import anthropic

            region, project = variable("CLOUD_ML_REGION"), variable("ANTHROPIC_VERTEX_PROJECT_ID")
            if not region or not project:
                raise _not_set_up(cls.name, "set CLOUD_ML_REGION and ANTHROPIC_VERTEX_PROJECT_ID")
            token = variable("VERTEX_ACCESS_TOKEN") or None
            if token is None and _is_missing("google.auth"):
                raise _not_set_up(
                    cls.name,
                    "set VERTEX_ACCESS_TOKEN, or install citation-pipeline[vertex], which takes the "
                    "credentials of Google Cloud",
                )
            url = variable("ANTHROPIC_VERTEX_BASE_URL") or None
            return anthropic.AnthropicVertex(
                region=region, project_id=project, access_token=token, base_url=url, **how
            )

        return make


def _is_missing(module: str) -> bool:
    try:
        return find_spec(module) is None
    except ModuleNotFoundError:
        return True


def _not_set_up(name: str, remedy: str) -> ClaudeAccessError:
    return ClaudeAccessError(f"the extractor {name!r} cannot ask anybody: {remedy}", code="not_set_up")
