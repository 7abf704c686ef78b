"""A model that quoted words that are on no page is asked once more, and only while a claim is extracted."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.tables.answer_rows import extraction_tables
from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline_tests.claude_scenes import Desk, answers_of, document_of
from citation_pipeline_tests.fake_anthropic.answering import Record, ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.prompts import ReadPrompt
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

LETTER = (
    "Claim number: C-1\nThe rate of pay is $22.63 per hour.\nPaid later: $22.63 to the pharmacy.\n"
    "This claim is not litigated."
)
DOCUMENTS = [document_of("letter", [LETTER])]
KEY = "wages.hourly_rate"
WRONG, RIGHT = "hourly earnings come to 22.63 dollars", "The rate of pay is $22.63 per hour."
NUMBER = ("C-1", "letter", "Claim number: C-1")


class SecondThoughts(ReferenceAnswers):
    """Answers the first question with one answer and every later one with another."""

    def __init__(self, first: Any, later: Any) -> None:
        super().__init__(first)
        self._later = ReferenceAnswers(later)
        self.questions: list[ReadPrompt] = []

    def answer(self, prompt: ReadPrompt) -> list[Record]:
        self.questions.append(prompt)
        return super().answer(prompt) if len(self.questions) == 1 else self._later.answer(prompt)


def answers(value: float, quoted: str) -> dict[str, Any]:
    return answers_of({"metadata.claim_number": NUMBER, KEY: (value, "letter", quoted)})


@pytest.fixture
def asked(tmp_path: Path) -> Any:
    def ask(later: Any, *, first: Any = None, **settings: Any) -> tuple[SecondThoughts, int, Extraction]:
        thoughts = SecondThoughts(first or answers(22.63, WRONG), later)
        with FakeAnthropic(thoughts) as claude:
            desk = Desk(claude, tmp_path / "replies")
            _, extraction = desk.run(DOCUMENTS, **{"requotes": True, **settings})
            paid = desk.paid
            # stored replies are read, and matched, as often as anybody likes
            _, again = desk.run(DOCUMENTS, **{"requotes": True, **settings})
            assert again == extraction
            assert desk.paid == paid
        return thoughts, paid, extraction

    return ask


def citation_of(extraction: Extraction, key: str = KEY) -> Citation:
    fields = [field for field in extraction.fields if field.field_key == key]
    (found,) = resolve_claim(DOCUMENTS, fields)
    return found


def quoted(citation: Citation) -> Sequence[str]:
    words = DOCUMENTS[0].words.texts
    return [words[at] for first, last in citation.word_ranges for at in range(first, last)]


def test_words_that_a_model_gives_later_are_shown_as_repaired(asked: Any) -> None:
    thoughts, paid, extraction = asked(answers(22.63, RIGHT))
    assert paid == 2
    assert thoughts.questions[1].asked == (KEY,)  # what stands on the page is not asked again
    found = citation_of(extraction)
    assert " ".join(quoted(found)) == RIGHT
    assert (found.status, found.reason, found.snippet_text) == (CitationStatus.FLAGGED, "repaired", WRONG)
    assert {"snippet_not_found", "repaired", "repaired_by_model"} <= set(found.warnings)
    assert found.confidence < 0.5
    assert citation_of(extraction, "metadata.claim_number").status is CitationStatus.RESOLVED


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (23.1, RIGHT),  # another value: the first answer stays as it was
        (22.63, "hourly wages are 22.63"),  # again on no page
        (22.63, "This claim is not litigated."),  # on the page, but says nothing of it
    ],
)
def test_an_answer_that_does_not_repair_changes_nothing(asked: Any, value: float, words: str) -> None:
    _, paid, extraction = asked(answers(value, words))
    assert paid == 2
    (field,) = [field for field in extraction.fields if field.field_key == KEY]
    assert field.value == 22.63
    assert "repaired_by_model" not in citation_of(extraction).warnings


def test_nobody_is_asked_where_every_quotation_is_found(asked: Any) -> None:
    assert asked(answers(22.63, RIGHT), first=answers(22.63, RIGHT))[1] == 1


def test_nobody_is_asked_without_the_setting(asked: Any) -> None:
    assert asked(answers(22.63, RIGHT), requotes=False)[1] == 1


def test_the_second_quotation_is_kept_in_the_table_of_fields(asked: Any) -> None:
    _, _, extraction = asked(answers(22.63, RIGHT))
    rows = extraction_tables("claim", extraction)["fields"].to_pylist()
    (row,) = [row for row in rows if row["field_key"] == KEY]
    assert row["snippets"][0]["requoted"] == RIGHT
