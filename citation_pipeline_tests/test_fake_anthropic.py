"""The loopback Claude behaves as the contract says: it is driven by the real SDK."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import pytest

from citation_pipeline.core.prompts.reply_format import REPLY_SCHEMA
from citation_pipeline_tests.claude_scenes import PROJECT
from citation_pipeline_tests.fake_anthropic.records import Settings
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

SAY = [{"role": "user", "content": "hello"}]
MODEL = "claude-sonnet-5-5"


@pytest.fixture
def claude() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


@pytest.fixture
def sdk(claude: FakeAnthropic) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key="test-key", base_url=claude.url, max_retries=0, timeout=60) as client:
        yield client


def create(sdk: anthropic.Anthropic, **more: Any) -> anthropic.types.Message:
    body = {"model": MODEL, "max_tokens": 100, "messages": SAY, **more}
    return sdk.messages.create(**body)


def test_a_thinking_block_comes_before_the_text_and_usage_is_told(sdk: anthropic.Anthropic):
    message = create(sdk)
    assert [block.type for block in message.content] == ["thinking", "text"]
    assert message.stop_reason == "end_turn"
    assert message.usage.output_tokens > 0
    assert message._request_id.startswith("req_")


def test_a_stream_assembles_to_the_same_message(sdk: anthropic.Anthropic):
    with sdk.messages.stream(model=MODEL, max_tokens=100, messages=SAY) as stream:
        message = stream.get_final_message()
    assert [block.type for block in message.content] == ["thinking", "text"]
    assert message.stop_reason == "end_turn"


@pytest.mark.filterwarnings("default:The model:DeprecationWarning")
@pytest.mark.parametrize(
    "more",
    [
        {"extra_body": {"temperature": 0}},
        {"extra_body": {"top_p": 1}},
        {"extra_body": {"top_k": 1}},
        {"tool_choice": {"type": "any"}, "tools": [{"name": "t", "input_schema": {"type": "object"}}]},
        {"thinking": {"type": "disabled"}},
        {"thinking": {"type": "enabled", "budget_tokens": 1024}},
        {"messages": [*SAY, {"role": "assistant", "content": "{"}]},
        {"max_tokens": 128_001},
        {
            "output_config": {
                "format": {"type": "json_schema", "schema": {"type": "object", "properties": {}}}
            }
        },
        {"model": "claude-sonnet-4-5-20250929", "output_config": {"effort": "low"}},
    ],
)
def test_what_the_api_refuses_is_refused(sdk: anthropic.Anthropic, more: dict[str, Any]):
    with pytest.raises(anthropic.BadRequestError):
        create(sdk, **more)


def test_citations_and_a_json_format_exclude_each_other(sdk: anthropic.Anthropic):
    document = {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "x"},
        "citations": {"enabled": True},
    }
    messages = [{"role": "user", "content": [document, {"type": "text", "text": "q"}]}]
    form = {"format": {"type": "json_schema", "schema": dict(REPLY_SCHEMA)}}
    with pytest.raises(anthropic.BadRequestError):
        create(sdk, messages=messages, output_config=form)
    assert create(sdk, messages=messages).stop_reason == "end_turn"


def test_the_wrong_key_and_unknown_models_and_paths_are_refused(
    claude: FakeAnthropic, sdk: anthropic.Anthropic
):
    with (
        anthropic.Anthropic(api_key="other", base_url=claude.url, max_retries=0) as stranger,
        pytest.raises(anthropic.AuthenticationError),
    ):
        create(stranger)
    with pytest.raises(anthropic.NotFoundError):
        create(sdk, model="claude-99")
    with pytest.raises(anthropic.NotFoundError):
        sdk.files.list()


def test_a_prompt_beyond_the_context_window_is_refused(claude: FakeAnthropic, sdk: anthropic.Anthropic):
    claude.records.settings.context_tokens = 10
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long"):
        create(sdk, messages=[{"role": "user", "content": "x" * 1000}])


@pytest.mark.parametrize(
    ("status", "error"),
    [(429, anthropic.RateLimitError), (529, anthropic.OverloadedError), (500, anthropic.InternalServerError)],
)
def test_scripted_statuses_reach_the_sdk_once(
    claude: FakeAnthropic, sdk: anthropic.Anthropic, status: int, error: type[Exception]
):
    claude.add("messages", "status", status=status, headers={"retry-after": "7"})
    with pytest.raises(error) as caught:
        create(sdk)
    assert caught.value.response.headers["retry-after"] == "7"
    assert create(sdk).stop_reason == "end_turn"


def test_a_cached_prefix_is_written_once_and_read_afterwards(sdk: anthropic.Anthropic):
    system = [{"type": "text", "text": "rule " * 1000, "cache_control": {"type": "ephemeral"}}]
    first, second = create(sdk, system=system).usage, create(sdk, system=system).usage
    assert first.cache_creation_input_tokens > 1000
    assert first.cache_read_input_tokens == 0
    assert second.cache_read_input_tokens == first.cache_creation_input_tokens


def test_batches_end_after_some_polls_with_shuffled_rows_of_each_outcome(
    claude: FakeAnthropic, sdk: anthropic.Anthropic
):
    good = {"model": MODEL, "max_tokens": 10, "messages": SAY}
    requests = [{"custom_id": f"r{n}", "params": good} for n in range(6)]
    requests.append({"custom_id": "bad", "params": {**good, "temperature": 0}})
    claude.add("batch_row", "expired")
    batch = sdk.messages.batches.create(requests=requests)
    assert sdk.messages.batches.retrieve(batch.id).processing_status == "in_progress"
    ended = sdk.messages.batches.retrieve(batch.id)
    assert (ended.request_counts.succeeded, ended.request_counts.errored, ended.request_counts.expired) == (
        5,
        1,
        1,
    )
    assert ended.results_url.startswith(claude.url)
    rows = list(sdk.messages.batches.results(batch.id))
    assert {row.custom_id for row in rows} == {request["custom_id"] for request in requests}
    assert next(r for r in rows if r.custom_id == "bad").result.error.error.type == "invalid_request_error"


def test_a_health_data_organization_has_no_batches():
    with (
        FakeAnthropic(settings=Settings(hipaa=True)) as fake,
        anthropic.Anthropic(api_key="test-key", base_url=fake.url, max_retries=0) as client,
        pytest.raises(anthropic.BadRequestError),
    ):
        client.messages.batches.list()


def test_it_runs_by_hand_and_answers_its_admin_path(tmp_path: Path):
    answers = tmp_path / "answers.json"
    answers.write_text('{"extractions": []}', encoding="utf-8")
    command = [sys.executable, "-m", "citation_pipeline_tests.fake_anthropic", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--answers", str(answers)], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[3]
        with anthropic.Anthropic(api_key="test-key", base_url=url, max_retries=0) as client:
            create(client)
        fault = json.dumps({"operation": "messages", "kind": "nonsense"}).encode()
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{url}/__admin/faults", data=fault, timeout=60)
        refused.value.close()
        with urllib.request.urlopen(f"{url}/__admin", timeout=60) as response:
            state = json.load(response)
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert state["counters"]["answers"] == 1
    assert "hello" not in json.dumps(state)
