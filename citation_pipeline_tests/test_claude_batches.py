"""Batches: submitted by one process, collected by another, never paid for twice."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.claude.batch_journal import BatchJournal, BatchJournalError
from citation_pipeline.adapters.claude.errors import ClaudeRequestError, ClaudeUnavailableError
from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.conversation.batch_wires import BatchesOffError
from citation_pipeline.adapters.conversation.batches import Batches
from citation_pipeline_tests.claude_scenes import CLAIM, Desk, PatientClock
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.test_claude_asking import DOCUMENTS, EXPECTED, REFERENCE, values_of


class LaterClock(PatientClock):
    """Half an hour from now."""

    def clock(self) -> Clock:
        return replace(super().clock(), now=lambda: datetime.now(UTC) + timedelta(minutes=30))


OTHER = replace(CLAIM, claim_id="claim-2")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with FakeAnthropic(ReferenceAnswers(REFERENCE, must_be_read=True)) as claude:
        yield Desk(claude, tmp_path / "replies")


def batches_of(desk: Desk, **settings: Any) -> Batches:
    """As a new process would make it: everything it knows is on disk."""
    return desk.extractor(**{"batches_allowed": True, **settings}).batches()


def submit(desk: Desk, **settings: Any) -> Any:
    claims = [(CLAIM, DOCUMENTS), (OTHER, DOCUMENTS[:1])]
    return batches_of(desk, **settings).submit(claims, desk.schema)


def test_batches_are_off_until_somebody_says_that_the_data_may_go_there(desk: Desk):
    with pytest.raises(BatchesOffError, match="health-data terms"):
        submit(desk, batches_allowed=False)
    assert desk.claude.records.requests == []


def test_a_batch_survives_a_restart_and_its_replies_serve_the_live_run_at_half_the_price(desk: Desk):
    (entry,) = submit(desk)
    assert entry.claim_ids == ("claim-1", "claim-2")
    assert batches_of(desk).collect() == []  # still in progress
    (collected,) = batches_of(desk).collect()
    assert collected.complete_claims == ("claim-1", "claim-2")
    assert collected.outcomes == {"succeeded": 2}
    paid = desk.paid
    replies, extraction = desk.run(DOCUMENTS, api_key=None)
    assert desk.paid == paid == 2
    assert values_of(extraction) == EXPECTED
    assert replies[0].body.startswith(b'{"custom_id"')
    assert replies[0].cost_usd == pytest.approx(
        (
            replies[0].input_tokens * 2
            + replies[0].cache_write_tokens * 2.5
            + replies[0].cache_read_tokens * 0.1
            + replies[0].output_tokens * 10
        )
        * 1e-6
        / 2
    )
    assert batches_of(desk).collect() == []


def test_each_request_of_a_batch_is_in_the_ledger_under_its_claim(desk: Desk):
    submit(desk)
    rows = [row for row in desk.rows if row.document_count]
    assert [(row.claim_id, row.document_count, row.code) for row in rows] == [
        ("claim-1", 2, "ok"),
        ("claim-2", 1, "ok"),
    ]


def test_what_is_in_a_batch_is_neither_submitted_again_nor_asked_live(desk: Desk):
    submit(desk)
    assert submit(desk) == []
    with pytest.raises(ClaudeUnavailableError, match="Collect the batch"):
        desk.run(DOCUMENTS)


@pytest.mark.parametrize("kind", ["expired", "errored", "canceled"])
def test_a_request_that_a_batch_did_not_answer_is_free_to_be_asked_live(desk: Desk, kind: str):
    desk.claude.add("batch_row", kind)
    submit(desk)
    batches_of(desk).collect()
    (collected,) = batches_of(desk).collect()
    assert (collected.complete_claims, collected.incomplete_claims) == (("claim-2",), ("claim-1",))
    _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED


def test_what_a_batch_left_open_is_asked_live_and_alone(desk: Desk):
    desk.claude.add("batch_row", "missing_fields", names=["metadata.date"])
    submit(desk)
    batches_of(desk).collect()
    batches_of(desk).collect()
    replies, extraction = desk.run(DOCUMENTS)
    assert desk.claude.records.requests[-1]["field_keys"] == ["metadata.date"]
    assert len(replies) == 2
    assert values_of(extraction) == EXPECTED


def test_a_batch_whose_id_never_arrived_is_found_again(desk: Desk):
    original = desk.claude.records.add_batch

    def then_die(requests: Any) -> Any:
        original(requests)
        raise ConnectionError  # the handler dies: the batch exists, its answer is lost

    desk.claude.records.add_batch = then_die  # type: ignore[method-assign]
    with pytest.raises(ClaudeUnavailableError):
        submit(desk)
    assert desk.claude.records.counters["batches"] == 1  # to send it again might pay twice
    desk.claude.records.add_batch = original  # type: ignore[method-assign]
    assert submit(desk) == []
    batches_of(desk).collect()
    (collected,) = batches_of(desk).collect()
    assert collected.outcomes == {"succeeded": 2}
    assert len(desk.claude.records.batches) == 1


def lose(desk: Desk, monkeypatch: pytest.MonkeyPatch, *, created: int) -> None:
    """Submit a batch whose answer is lost, after so many batches of its size came to be."""
    original = desk.claude.records.add_batch

    def then_die(requests: Any) -> Any:
        for _ in range(created):
            original(requests)
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(desk.claude.records, "add_batch", then_die)
        with pytest.raises(ClaudeUnavailableError):
            submit(desk)


def test_of_two_batches_that_may_be_the_lost_one_neither_is_taken_for_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
):
    lose(desk, monkeypatch, created=2)
    assert [batches_of(desk).collect() for _ in range(3)] == [[], [], []]
    with pytest.raises(ClaudeUnavailableError, match="Collect the batch"):  # not paid a third time
        desk.run(DOCUMENTS)


def test_a_batch_of_the_same_size_from_an_hour_before_is_not_taken_for_the_lost_one(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
):
    desk.claude.records.add_batch([{"custom_id": "other", "params": {}}] * 2)
    foreign = next(iter(desk.claude.records.batches.values()))
    foreign.created -= 3600
    lose(desk, monkeypatch, created=0)
    assert [batches_of(desk).collect() for _ in range(3)] == [[], [], []]


def test_a_lost_batch_that_never_came_to_be_frees_its_requests_after_a_while(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
):
    lose(desk, monkeypatch, created=0)
    assert batches_of(desk).collect() == []
    with pytest.raises(ClaudeUnavailableError, match="Collect the batch"):  # it may still appear in the list
        desk.run(DOCUMENTS)
    desk.time = LaterClock()
    assert batches_of(desk).collect() == []
    _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED


def test_a_row_of_a_batch_that_cannot_be_read_is_counted_and_asked_live(desk: Desk):
    complete = desk.claude.records.complete

    def without_content(*arguments: Any) -> dict[str, Any]:
        desk.claude.records.complete = complete  # type: ignore[method-assign]
        return {key: value for key, value in complete(*arguments).items() if key != "content"}

    submit(desk)
    batches_of(desk).collect()
    desk.claude.records.complete = without_content  # type: ignore[method-assign]
    (collected,) = batches_of(desk).collect()
    assert collected.outcomes == {"unreadable": 1, "succeeded": 1}
    assert len(collected.incomplete_claims) == 1
    _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED


@pytest.mark.parametrize("status", [429, 529])
def test_a_batch_that_was_turned_away_at_the_door_can_be_submitted_again(desk: Desk, status: int):
    desk.claude.add("batches", "status", status=status)
    with pytest.raises(ClaudeUnavailableError):
        submit(desk)
    assert len(submit(desk)) == 1


def test_a_batch_that_was_refused_leaves_its_requests_free(desk: Desk):
    desk.claude.records.settings.hipaa = True
    with pytest.raises(ClaudeRequestError):
        submit(desk)
    _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED


def test_a_damaged_journal_names_its_file(tmp_path: Path):
    (tmp_path / "one.json").write_text("{", encoding="utf-8")
    with pytest.raises(BatchJournalError, match=r"one\.json"):
        BatchJournal(tmp_path).entries()
