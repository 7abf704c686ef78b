"""Model profiles: the shipped ones, a file of a user's before them, and what is assumed of others."""

from pathlib import Path

import pytest

from citation_pipeline.adapters.chat_completions.extractor import ChatExtractor
from citation_pipeline.adapters.claude.extractor import ClaudeExtractor
from citation_pipeline.adapters.conversation.profile_files import (
    ModelFileError,
    read_profiles,
    shipped_profiles,
)
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline_tests.claude_scenes import document_of, workers_comp

OWN = """
[models."qwen3:32b"]
context = 40_960
output = 8_192
prices = [{ input = 0, output = 0 }]
structured = false

[models.claude-sonnet-5-5]
context = 500_000
output = 64_000
prices = [{ input = 1, output = 5 }]
effort = "low"
"""


def test_a_file_of_ones_own_adds_models_and_changes_shipped_ones(tmp_path: Path):
    path = tmp_path / "models.toml"
    path.write_text(OWN)
    profiles = read_profiles(str(path))
    own = profiles.of("qwen3:32b")
    assert (own.context_tokens, own.structured, own.effort, own.price_of(9).input) == (40_960, False, None, 0)
    changed = profiles.of("claude-sonnet-5-5")
    assert (changed.context_tokens, changed.effort, changed.price_of(9).cache_read) == (500_000, "low", 1)
    assert profiles.of("claude-opus-5-5") == shipped_profiles().of("claude-opus-5-5")


@pytest.mark.parametrize(
    ("name", "known_as"),
    [
        ("us.anthropic.claude-sonnet-5-5-20260901-v1:0", "claude-sonnet-5-5"),
        ("anthropic.claude-haiku-5-5-v1:0", "claude-haiku-5-5"),
        ("claude-opus-5-5@20260801", "claude-opus-5-5"),
        ("openai/gpt-5.4", "gpt-5.4"),
        ("openai/gpt-5.4-mini", "gpt-5.4-mini"),
        ("gpt-5.4-nano", None),
        ("claude-sonnet-5-55", None),
        ("my-claude-sonnet-5-5", None),
    ],
)
def test_a_model_is_known_by_its_name_within_another_providers(name: str, known_as: str | None):
    found = shipped_profiles().find(name)
    assert (found.model if found else None) == known_as


def test_an_unknown_model_is_asked_with_stated_defaults_and_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    settings = ReaderSettings(
        tmp_path,
        variables={"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "CITATION_PIPELINE_MODEL": "nobody-knows-7b"},
    )
    extractors = [
        ChatExtractor.build(settings),
        ChatExtractor.build(settings),
        ClaudeExtractor.build(settings),
    ]
    warned = [record.getMessage() for record in caplog.records if "nobody-knows-7b" in record.getMessage()]
    assert len(warned) == 1
    for stated in ("32768", "8192", "$3.00", "$15.00", "CITATION_PIPELINE_MODELS"):
        assert stated in warned[0]
    for extractor in extractors:
        assert extractor.settings.profile().context_tokens == 32_768
        assert extractor.price(Workload(1, 10), None).dollars > 0
    assert extractors[0].settings.prompt_limit() + extractors[0].settings.answer_limit() == 32_768


def test_a_small_answer_is_asked_for_fewer_fields_at_a_time(tmp_path: Path):
    path = tmp_path / "models.toml"
    path.write_text("[models.small]\ncontext = 16_384\noutput = 2_200\n")
    variables = {
        "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
        "CITATION_PIPELINE_MODEL_OPENAI": "small",
        "CITATION_PIPELINE_MODEL": "another",
        "CITATION_PIPELINE_MODELS": str(path),
    }
    extractor = ChatExtractor.build(ReaderSettings(tmp_path, variables=variables))
    assert extractor.model == "small"
    found = extractor.price(Workload(1, 1, [document_of("a", ["text"])]), workers_comp())
    assert found.calls == 5 + 2  # groups of fields, and second looks by a guess
    assert found.dollars == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[models.x]\ncontext = 5\noutput = 500", "context is a number of tokens"),
        ("[models.x]\ncontext = 5000", "output is a number of tokens"),
        ("[models.x]\ncontext = 5000\noutput = 500\ntemperature = 1", "there is no 'temperature'"),
        ("[models.x]\ncontext = 5000\noutput = 500\neffort = 'huge'", "effort is one of low"),
        ("[models.x]\ncontext = 5000\noutput = 500\nprices = [{ input = -1, output = 1 }]", "0 or more"),
        ("[models.x]\ncontext = 5000\noutput = 500\nprices = [{ input = 1 }]", "a price takes input, output"),
        ("[model.x]\ncontext = 5000", "there is no section 'model'"),
        ("models = 3", "one section a model"),
        ("not toml", "is no TOML"),
    ],
)
def test_a_file_that_cannot_be_used_names_the_model_and_the_key(text: str, said: str, tmp_path: Path):
    path = tmp_path / "models.toml"
    path.write_text(text)
    with pytest.raises(ModelFileError, match=said) as caught:
        read_profiles(str(path))
    assert "models.toml" in str(caught.value)
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_profiles(str(tmp_path / "missing.toml"))
