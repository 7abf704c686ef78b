"""Every provider on loopback by one name: its variables, its answers, and ways to make it fail."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.records import Settings
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.fake_openai import DIALECTS, FakeChat, said
from citation_pipeline_tests.fake_platforms import BEDROCK_MODEL, VERTEX_MODEL, FakePlatform

KEY = "planted-key-a2f7"
NAMES = ("claude", "claude-bedrock", "claude-vertex", "openai", "azure-openai")


@dataclass
class Provider:
    """A provider on loopback: how many answers it has given, how to make its next calls fail or say."""

    name: str
    variables: dict[str, str]
    answers: Callable[[], int]
    fail: Callable[[], None]
    say: Callable[[str], None]
    bodies: Callable[[], list[Any]] = list
    refuse_images: Callable[[str], None] = print


@contextmanager
def provider_on_loopback(name: str, answers: ReferenceAnswers) -> Iterator[Provider]:
    """Serve one of `NAMES`."""
    if name in ("openai", "azure-openai"):
        with _chat(name, answers) as provider:
            yield provider
        return
    with FakeAnthropic(answers, settings=Settings(api_key=KEY if name == "claude" else "test-key")) as claude:

        def provider_of(**variables: str) -> Provider:
            return Provider(
                name,
                variables,
                answers=lambda: int(claude.records.counters["answers"]),
                fail=lambda: claude.add("messages", "status", status=401, message="near Nguyen", times=-1),
                say=lambda text: claude.add("messages", "text", body=text, times=-1),
                bodies=lambda: claude.records.bodies,
                refuse_images=lambda said: setattr(claude.records.settings, "says_of_images", said),
            )

        if name == "claude":
            yield provider_of(ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=claude.url)
            return
        with FakePlatform(claude, token=KEY) as platform:
            if name == "claude-bedrock":
                yield provider_of(
                    AWS_REGION="us-east-1",
                    AWS_BEARER_TOKEN_BEDROCK=KEY,
                    ANTHROPIC_BEDROCK_BASE_URL=platform.url,
                    CITATION_PIPELINE_MODEL=BEDROCK_MODEL,
                )
                return
            yield provider_of(
                CLOUD_ML_REGION="us-east5",
                ANTHROPIC_VERTEX_PROJECT_ID="project1",
                VERTEX_ACCESS_TOKEN=KEY,
                ANTHROPIC_VERTEX_BASE_URL=platform.url,
                CITATION_PIPELINE_MODEL=VERTEX_MODEL,
            )


@contextmanager
def _chat(name: str, answers: ReferenceAnswers) -> Iterator[Provider]:
    dialect = DIALECTS["azure" if name == "azure-openai" else "openai"]
    with FakeChat(dialect, answers, key=KEY) as chat:
        azure = {
            "AZURE_OPENAI_ENDPOINT": chat.root,
            "AZURE_OPENAI_API_KEY": KEY,
            "CITATION_PIPELINE_MODEL": "extractor",
        }
        plain = {"OPENAI_BASE_URL": chat.url, "OPENAI_API_KEY": KEY, "CITATION_PIPELINE_MODEL": "gpt-5.4"}

        def always(fault: dict[str, Any]) -> None:
            chat.always = fault

        def refuse_images(text: str) -> None:
            chat.dialect = replace(dialect, says_of_images=(400, text) if text else None)

        yield Provider(
            name,
            azure if name == "azure-openai" else plain,
            answers=lambda: chat.counters["answers"],
            fail=lambda: always({"status": 401, "body": said(f"key {KEY} for Nguyen")}),
            say=lambda text: always({"kind": "text", "text": text}),
            bodies=lambda: chat.requests,
            refuse_images=refuse_images,
        )
