"""A second look at fields of low confidence: quoted first, bounded, and never made surer than it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.core.extraction import Confidence
from citation_pipeline.core.prompts.reply_format import QUOTING_SCHEMA, REPLY_SCHEMA
from citation_pipeline_tests.chat_scenes import ChatDesk
from citation_pipeline_tests.claude_scenes import Desk, document_of, field_of, workers_comp
from citation_pipeline_tests.fake_anthropic.prompts import ReadPrompt
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.fake_openai import FakeChat

SCHEMA = workers_comp()
KEYS = [field.key for field in SCHEMA.fields if field.value_type == "string"][:10]
KEY = KEYS[0]
DOCUMENTS = [
    document_of("letter", ["Our file AB-12345 of today"]),
    document_of("bill", ["Your file ZZ-99999"]),
]


class Doubter:
    """Answers one value unsurely, and another (or none) when asked for exactly some fields."""

    def __init__(self, first: dict[str, Any], second: dict[str, Any], keys: list[str] | None = None) -> None:
        self.first, self.second, self.keys = first, second, keys or [KEY]
        self.asked: list[tuple[list[str], tuple[str, ...]]] = []

    def answer(self, prompt: ReadPrompt) -> list[dict[str, Any]]:
        self.asked.append((sorted(prompt.sources), prompt.asked))
        said = self.first if len(prompt.asked) == len(SCHEMA.fields) else self.second
        silent = {"value": None, "confidence": "high", "citations": []}
        return [
            {"field_key": key, "provenance": "extracted", **(said if key in self.keys else silent)}
            for key in prompt.asked
        ]


def said(value: Any, source_id: str, snippet: str, confidence: str = "low") -> dict[str, Any]:
    cited = [{"source_id": source_id, "text_snippet": snippet, "page": 1}] if snippet else []
    return {"value": value, "confidence": confidence, "citations": cited}


FIRST = said("AB-12345", "letter", "Our file AB-12345")


def test_a_field_of_low_confidence_is_looked_at_again_in_the_documents_that_it_cites(tmp_path: Path) -> None:
    doubter = Doubter(FIRST, said("AB-12345", "letter", "Our file AB-12345 of today", "high"))
    with FakeAnthropic(doubter) as claude:
        desk = Desk(claude, tmp_path)
        _, extraction = desk.run(DOCUMENTS)
        desk.run(DOCUMENTS)
        body = claude.records.bodies[1]
    assert doubter.asked[1] == (["letter"], (KEY,))
    assert desk.paid == 2, "the second run pays for none of the two"
    properties = body["output_config"]["format"]["schema"]["properties"]["extractions"]["items"]["properties"]
    assert list(properties).index("citations") < list(properties).index("value")
    field = field_of(extraction, KEY)
    assert field.confidence is Confidence.MEDIUM, "a model that agrees with itself is no second witness"
    assert [one.text for one in field.snippets] == ["Our file AB-12345 of today", "Our file AB-12345"]
    assert [row.purpose for row in desk.rows] == [None, "second_look"]


def test_a_value_that_the_second_look_does_not_find_stays_in_doubt(tmp_path: Path) -> None:
    with FakeAnthropic(Doubter(FIRST, said(None, "", "", "high"))) as claude:
        _, extraction = Desk(claude, tmp_path).run(DOCUMENTS)
    field = field_of(extraction, KEY)
    assert (field.value, field.confidence) == ("AB-12345", Confidence.LOW)
    assert "not_confirmed" in field.warnings


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        (FIRST, said("ZZ-99999", "letter", "no such words"), "AB-12345"),
        (
            said("XY-1", "letter", "words that are nowhere"),
            said("AB-12345", "letter", "Our file AB-12345"),
            "AB-12345",
        ),
        (FIRST, said("AB-12345 of today", "letter", "AB-12345 of today"), "AB-12345"),
    ],
)
def test_of_two_values_the_one_whose_words_are_there_is_kept_and_the_other_stays_beside_it(
    tmp_path: Path, first: dict[str, Any], second: dict[str, Any], kept: str
) -> None:
    with FakeAnthropic(Doubter(first, second)) as claude:
        _, extraction = Desk(claude, tmp_path).run(DOCUMENTS)
    field = field_of(extraction, KEY)
    assert (field.value, field.confidence) == (kept, Confidence.LOW)
    assert "conflicting_values" in field.warnings
    assert [one.field_key for one in extraction.conflicts] == [KEY]


def test_no_more_fields_than_the_limit_are_looked_at_again_and_none_where_it_is_zero(tmp_path: Path) -> None:
    doubter = Doubter(FIRST, FIRST, KEYS)
    with FakeAnthropic(doubter) as claude:
        Desk(claude, tmp_path / "a").run(DOCUMENTS, second_look_fields=3)
        Desk(claude, tmp_path / "b").run(DOCUMENTS, second_look_fields=0)
    assert [len(keys) for _, keys in doubter.asked] == [len(SCHEMA.fields), 3, len(SCHEMA.fields)]


def test_a_model_server_is_asked_for_the_quotation_first_too(tmp_path: Path) -> None:
    with FakeChat(answers=Doubter(FIRST, FIRST)) as chat:  # type: ignore[arg-type]
        ChatDesk(chat, tmp_path).run(DOCUMENTS)
        schema = chat.requests[1]["response_format"]["json_schema"]["schema"]
    assert json.dumps(schema) == json.dumps(QUOTING_SCHEMA)
    assert sorted(map(str, schema)) == sorted(map(str, REPLY_SCHEMA))
