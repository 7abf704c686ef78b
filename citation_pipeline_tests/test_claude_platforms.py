"""Claude on Bedrock and Vertex, on loopback: the same claim, the same faults, nothing paid twice."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.claude.errors import ClaudeAccessError
from citation_pipeline.adapters.claude.platforms import BedrockExtractor, VertexExtractor
from citation_pipeline.adapters.claude.replies import read_usage
from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.conversation.extractor import ModelExtractor
from citation_pipeline.adapters.conversation.profile_files import shipped_profiles
from citation_pipeline.adapters.outbound_ledger import OutboundRequest, read_ledger
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.core.failures import describe_failure
from citation_pipeline_tests.claude_scenes import CLAIM, PatientClock, document_of, workers_comp
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.fake_platforms import BEDROCK_MODEL, VERTEX_MODEL, FakePlatform, frame
from citation_pipeline_tests.test_claude_asking import DOCUMENTS, EXPECTED, REFERENCE, values_of

PLATFORMS = ("claude-bedrock", "claude-vertex")


@dataclass
class PlatformDesk:
    platform: FakePlatform
    root: Path
    name: str
    rows: list[OutboundRequest] = field(default_factory=list)
    time: PatientClock = field(default_factory=PatientClock)

    @property
    def variables(self) -> dict[str, str]:
        if self.name == "claude-bedrock":
            return {
                "AWS_REGION": "us-east-1",
                "AWS_BEARER_TOKEN_BEDROCK": self.platform.token,
                "ANTHROPIC_BEDROCK_BASE_URL": self.platform.url,
                "CITATION_PIPELINE_MODEL": BEDROCK_MODEL,
            }
        return {
            "CLOUD_ML_REGION": "us-east5",
            "ANTHROPIC_VERTEX_PROJECT_ID": "project1",
            "VERTEX_ACCESS_TOKEN": self.platform.token,
            "ANTHROPIC_VERTEX_BASE_URL": self.platform.url,
            "CITATION_PIPELINE_MODEL": VERTEX_MODEL,
        }

    def extractor(self, **settings: Any) -> ModelExtractor:
        kind = BedrockExtractor if self.name == "claude-bedrock" else VertexExtractor
        model = self.variables["CITATION_PIPELINE_MODEL"]
        chosen = ClaudeSettings(
            model=model,
            fallback_model=None,
            models=shipped_profiles().covering(model),
            **{"silence_timeout_s": 20.0, **settings},
        )
        variables = self.variables
        return kind(
            chosen,
            archive=ReplyArchive(self.root / "replies"),
            new_sdk=kind.sdk_maker(lambda name: variables.get(name, "")),
            ledger=self.rows.append,
            clock=self.time.clock(),
        )


@pytest.fixture
def claude() -> Iterator[FakeAnthropic]:
    with FakeAnthropic(ReferenceAnswers(REFERENCE, must_be_read=True)) as server:
        yield server


@pytest.fixture(params=PLATFORMS)
def desk(request: pytest.FixtureRequest, claude: FakeAnthropic, tmp_path: Path) -> Iterator[PlatformDesk]:
    with FakePlatform(claude) as platform:
        yield PlatformDesk(platform, tmp_path, request.param)


def run(desk: PlatformDesk, **settings: Any) -> tuple[Any, Any]:
    extractor = desk.extractor(**settings)
    try:
        replies = extractor.ask(CLAIM, DOCUMENTS, workers_comp())
    finally:
        extractor.close()
    return replies, extractor.read(replies, DOCUMENTS, workers_comp())


@pytest.mark.parametrize("answer_tokens", [20_000, 32_000])
def test_a_claim_is_answered_whole_or_in_a_stream_and_paid_once(desk: PlatformDesk, answer_tokens: int):
    replies, extraction = run(desk, answer_tokens=answer_tokens)
    assert values_of(extraction) == EXPECTED
    assert len(replies) == 1
    assert replies[0].cost_usd > 0
    again, same = run(desk, answer_tokens=answer_tokens)
    assert (again, same) == (replies, extraction)
    assert sum(desk.platform.calls.values()) == 1
    vendor = {"claude-bedrock": "bedrock", "claude-vertex": "vertex"}[desk.name]
    assert [(row.vendor, row.code) for row in desk.rows] == [(vendor, "ok")]
    assert desk.rows[0].cost_usd == pytest.approx(replies[0].cost_usd)


def test_what_passes_is_waited_for(desk: PlatformDesk, claude: FakeAnthropic):
    claude.add("messages", "status", status=429, headers={"retry-after": "7"})
    claude.add("messages", "status", status=503)
    claude.add("messages", "cut")
    _, extraction = run(desk)
    assert values_of(extraction) == EXPECTED
    assert [row.code.partition("_")[0] for row in desk.rows][-1] == "ok"
    assert len(desk.rows) == 4


def test_a_refusal_and_a_cut_answer_go_the_ways_of_the_conversation(
    desk: PlatformDesk, claude: FakeAnthropic
):
    claude.add("messages", "refusal")
    replies, extraction = run(desk)
    assert len(replies) == 3  # no other model is set, so it is asked document by document
    assert values_of(extraction) == EXPECTED


@pytest.mark.parametrize(
    ("status", "body", "headers", "words"),
    [
        (403, {"message": "planted words"}, {"x-amzn-errortype": "AccessDeniedException"}, "HTTP 403"),
        (
            400,
            {"message": "The provided model identifier is invalid."},
            {"x-amzn-errortype": "ValidationException"},
            "CITATION_PIPELINE_MODEL",
        ),
        (
            404,
            {"error": {"code": 404, "status": "NOT_FOUND", "message": "planted words"}},
            {},
            "no such model",
        ),
        (401, {"error": {"code": 401, "status": "UNAUTHENTICATED", "message": "planted"}}, {}, "HTTP 401"),
    ],
)
def test_what_a_person_has_to_put_right_is_said_once_and_without_the_platforms_words(
    desk: PlatformDesk, status: int, body: dict[str, Any], headers: dict[str, str], words: str
):
    desk.platform.says = (status, body, headers)
    with pytest.raises(ClaudeAccessError) as caught:
        run(desk)
    assert words in describe_failure(caught.value)
    assert "planted" not in describe_failure(caught.value)
    assert desk.platform.calls["refused"] == 1


def test_an_exception_in_amazons_stream_is_waited_for_and_its_tokens_are_in_the_ledger(
    claude: FakeAnthropic, tmp_path: Path
):
    with FakePlatform(claude) as platform:
        platform.breaks_after = 4
        desk = PlatformDesk(platform, tmp_path, "claude-bedrock")
        _, extraction = run(desk)
    assert values_of(extraction) == EXPECTED
    assert [row.code for row in desk.rows] == ["200_rate_limit_error", "ok"]
    assert (desk.rows[0].input_tokens or 0) > 0


def test_a_vertex_prompt_is_counted_there_and_a_bedrock_one_here(desk: PlatformDesk):
    documents = [document_of(f"d{n}", ["word " * 4_000]) for n in range(4)]
    extractor = desk.extractor(prompt_tokens=16_000)
    replies = extractor.ask(CLAIM, documents, workers_comp())
    assert len(replies) > 1
    counted = desk.platform.calls["count-tokens:rawPredict"]
    assert (counted > 0) == (desk.name == "claude-vertex")
    assert sum("count" in row.endpoint for row in desk.rows) == counted
    extractor.close()


def test_without_an_api_key_a_request_to_bedrock_is_signed_with_the_credentials_of_aws(
    claude: FakeAnthropic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAPLANTED")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted-secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with FakePlatform(claude) as platform:
        desk = PlatformDesk(platform, tmp_path, "claude-bedrock")
        variables = {**desk.variables, "AWS_BEARER_TOKEN_BEDROCK": ""}
        extractor = BedrockExtractor.build(ReaderSettings(tmp_path, variables=variables))
        replies = extractor.ask(CLAIM, DOCUMENTS, workers_comp())
        extractor.close()
    assert len(replies) == 1
    assert all(
        signature.startswith("AWS4-HMAC-SHA256 Credential=AKIAPLANTED") for signature in platform.signed
    )
    assert "planted-secret" not in "".join(platform.signed)
    assert read_ledger(tmp_path / "ledger").to_pylist()[0]["vendor"] == "bedrock"


@pytest.mark.parametrize(
    ("kind", "variables", "said"),
    [
        (BedrockExtractor, {}, "CITATION_PIPELINE_MODEL"),
        (BedrockExtractor, {"CITATION_PIPELINE_MODEL": BEDROCK_MODEL}, "AWS_REGION"),
        (VertexExtractor, {}, "CLOUD_ML_REGION"),
    ],
)
def test_what_has_to_be_set_is_said_before_anybody_is_asked(
    kind: type[ModelExtractor], variables: dict[str, str], said: str, tmp_path: Path
):
    extractor = kind.build(ReaderSettings(tmp_path, variables=variables))  # type: ignore[attr-defined]
    with pytest.raises(ClaudeAccessError, match=said):
        extractor.ask(CLAIM, DOCUMENTS, workers_comp())
    assert read_ledger(tmp_path / "ledger").num_rows == 0


def test_a_stored_stream_of_frames_is_read_as_far_as_it_is_whole():
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}
    payload = json.dumps({"bytes": base64.b64encode(json.dumps(start).encode()).decode()}).encode()
    whole = frame(payload, event_type="chunk", message_type="event")
    for body in (whole, whole + whole[:20], whole + b"\x00" * 40, whole + whole[:-1] + b"x"):
        usage = read_usage(body)
        assert usage is not None
        assert usage.input == 7


@pytest.mark.parametrize("at", range(30, 60, 3))
def test_a_damaged_frame_and_what_follows_it_are_not_believed(at: int):
    """Whichever way the checksum of the damaged bytes differs."""

    def stream(tokens: int) -> bytes:
        start = {"type": "message_start", "message": {"usage": {"input_tokens": tokens, "output_tokens": 1}}}
        payload = json.dumps({"bytes": base64.b64encode(json.dumps(start).encode()).decode()}).encode()
        return frame(payload, event_type="chunk", message_type="event")

    first, second = stream(7), bytearray(stream(9))
    second[at] ^= 1
    usage = read_usage(first + bytes(second) + stream(11))
    assert usage is not None
    assert usage.input == 7
