"""Claude on the wire: cut streams are in the ledger, a cascade shares its documents, errors tell."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from citation_pipeline.adapters.claude.errors import ClaudeAccessError
from citation_pipeline.core.failures import describe_failure
from citation_pipeline_tests.claude_scenes import Desk, document_of
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.test_claude_asking import DOCUMENTS, EXPECTED, REFERENCE, values_of


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with FakeAnthropic(ReferenceAnswers(REFERENCE, must_be_read=True)) as claude:
        yield Desk(claude, tmp_path / "replies")


@pytest.mark.parametrize(
    ("status", "message", "said"),
    [
        (400, "Your credit balance is too low to access the Anthropic API.", "no credit left"),
        (404, "model: claude-sonnet-5-5", "CITATION_PIPELINE_MODEL"),
    ],
)
def test_what_a_person_has_to_put_right_is_said_and_asked_once(
    desk: Desk, status: int, message: str, said: str
):
    desk.claude.add("messages", "status", status=status, message=message, times=-1)
    with pytest.raises(ClaudeAccessError) as caught:
        desk.run(DOCUMENTS)
    assert said in describe_failure(caught.value)
    assert (len(desk.rows), caught.value.transient) == (1, False)


def test_a_prompt_and_an_answer_that_exceed_the_context_together_are_halved(desk: Desk):
    message = "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"
    desk.claude.add("messages", "status", status=400, message=message)
    replies, extraction = desk.run(DOCUMENTS)
    assert len(replies) == 2
    assert values_of(extraction) == EXPECTED


def test_a_stream_that_was_cut_enters_the_ledger_with_the_tokens_that_it_reported(desk: Desk):
    desk.claude.add("messages", "cut")
    desk.run(DOCUMENTS)
    cut, whole = desk.rows
    assert (cut.code, whole.code) == ("connection_lost", "ok")
    assert cut.input_tokens == whole.input_tokens
    assert 0 < (cut.cost_usd or 0) < (whole.cost_usd or 0)


def test_a_cascade_of_answers_that_are_cut_reads_its_documents_from_the_cache(desk: Desk):
    documents = [*DOCUMENTS, document_of("long", [f"Page {n}. " + "lorem ipsum " * 2_000 for n in range(8)])]
    desk.claude.add("messages", "max_tokens", fraction=0.1, times=6)
    replies, extraction = desk.run(documents)
    assert values_of(extraction) == EXPECTED
    assert len(replies) > 6
    whole = replies[0].input_tokens
    # the first asks without a cache, the second writes it, and the others read it
    assert [reply.cache_write_tokens > whole * 0.8 for reply in replies].count(True) == 1
    assert all(reply.input_tokens < whole * 0.1 for reply in replies[1:])
    uncached = replies[0].cost_usd * len(replies)
    assert sum(reply.cost_usd for reply in replies) < uncached * 0.6
