"""Second looks and questions for other quotations are in a plan's price: guessed, then as measured."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.claude.extractor import ClaudeExtractor
from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.outbound_ledger import append_to
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline_tests.claude_scenes import API_KEY, answers_of, document_of, workers_comp
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

SCHEMA = workers_comp()
WORDS = "The injured worker reported to the clinic and was given work restrictions. " * 40
TRUE, NOWHERE = "The rate of pay is $22.63 per hour.", "hourly earnings come to 22.63 dollars"


def documents_of(number: int) -> list[ParsedDocument]:
    return [
        document_of("letter", [f"Claim number: C-{number}\n{TRUE}\n{WORDS}"]),
        document_of("log", [WORDS]),
    ]


def price(extractor: ClaudeExtractor, documents: Sequence[ParsedDocument]) -> PredictedCost:
    return extractor.price(Workload(len(documents), len(documents), documents), SCHEMA)


def asking(claude: FakeAnthropic, root: Path, **settings: Any) -> ClaudeExtractor:
    return ClaudeExtractor(
        ClaudeSettings(base_url=claude.url, **settings),
        archive=ReplyArchive(root / "replies"),
        api_key=API_KEY,
        ledger=append_to(root / "ledger"),
    )


def answers(*, confidence: str = "high") -> ReferenceAnswers:
    """One value whose quotation is on no page."""
    given = answers_of({"wages.hourly_rate": (22.63, "letter", NOWHERE)})
    for record in given["extractions"]:
        record["confidence"] = confidence
    return ReferenceAnswers(given)


def test_before_the_first_answer_each_kind_of_repeated_question_makes_a_plan_dearer(tmp_path: Path) -> None:
    with FakeAnthropic(answers()) as claude:
        dollars = [
            price(asking(claude, tmp_path, **settings), documents_of(1)).dollars
            for settings in (
                {"second_look_fields": 0},
                {"second_look_fields": 8},
                {"second_look_fields": 8, "requotes": True},
            )
        ]
    assert dollars[0] < dollars[1] < dollars[2] < 2 * dollars[0]


@pytest.mark.parametrize(
    ("settings", "confidence", "purpose"),
    [
        ({"requotes": True}, "high", "requote"),
        ({"second_look_fields": 8}, "low", "second_look"),
    ],
)
def test_what_repeated_questions_have_taken_is_what_a_plan_adds(
    tmp_path: Path, settings: dict[str, Any], confidence: str, purpose: str
) -> None:
    with FakeAnthropic(answers(confidence=confidence)) as claude:
        extractor = asking(claude, tmp_path, follow_ups=4, **settings)
        for number in range(6):
            extractor.ask(Claim(f"c{number}", "", "", extractor="claude"), documents_of(number), SCHEMA)
        lines = [
            line for file in (tmp_path / "ledger").glob("*.jsonl") for line in file.read_text().splitlines()
        ]
        rows = [row for row in map(json.loads, lines) if row["code"] == "ok"]
        planned = price(extractor, documents_of(7))
        without = price(asking(claude, tmp_path, second_look_fields=0), documents_of(7))
        extractor.close()
    repeated = [row for row in rows if row.get("purpose") == purpose]
    assert len(repeated) == 6, [row.get("purpose") for row in rows]
    assert planned.calls == without.calls + 1
    spent = sum(row["cost_usd"] for row in repeated) / 6
    assert planned.dollars - without.dollars == pytest.approx(spent, abs=0.0002)  # prices have four decimals
    paid = sum(row["cost_usd"] for row in rows) / 6
    assert planned.dollars == pytest.approx(paid, rel=0.1)


def test_a_model_that_was_sure_of_all_is_priced_without_second_looks(tmp_path: Path) -> None:
    with FakeAnthropic(answers()) as claude:
        extractor = asking(claude, tmp_path, second_look_fields=8)
        extractor.ask(Claim("c", "", "", extractor="claude"), documents_of(1), SCHEMA)
        none = price(asking(claude, tmp_path, second_look_fields=0), documents_of(2))
        assert price(extractor, documents_of(2)) == none
        extractor.close()
