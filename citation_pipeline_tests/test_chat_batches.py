"""Batches of model servers: by files, journaled, killed and resumed, and nothing paid twice."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.conversation.batch_wires import BatchesOffError, NoBatchesError
from citation_pipeline.adapters.conversation.batches import Batches
from citation_pipeline.adapters.conversation.errors import ProviderError, ProviderUnavailableError
from citation_pipeline_tests.chat_scenes import ChatDesk
from citation_pipeline_tests.claude_scenes import CLAIM
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_openai import DIALECTS, FakeChat
from citation_pipeline_tests.test_claude_asking import DOCUMENTS, EXPECTED, REFERENCE, values_of
from citation_pipeline_tests.test_claude_batches import LaterClock

OTHER = replace(CLAIM, claim_id="claim-2")
# servers whose parameters are known beforehand: what a batch sends cannot be tried out first
TAKES_ALL = replace(DIALECTS["vllm"], key_header="authorization")
AZURE = replace(DIALECTS["azure"], refused=())


@pytest.fixture(params=[TAKES_ALL, AZURE], ids=["openai", "azure"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ChatDesk]:
    with FakeChat(request.param, ReferenceAnswers(REFERENCE, must_be_read=True)) as chat:
        yield ChatDesk(chat, tmp_path)


def batches_of(desk: ChatDesk, **settings: Any) -> Batches:
    """As a new process would make it: everything it knows is on disk."""
    return desk.extractor(**{"batches_allowed": True, **settings}).batches()


def submit(desk: ChatDesk, **settings: Any) -> Any:
    claims = [(CLAIM, DOCUMENTS), (OTHER, DOCUMENTS[:1])]
    return batches_of(desk, **settings).submit(claims, desk.schema)


def collect(desk: ChatDesk) -> Any:
    assert batches_of(desk).collect() == []  # in progress
    (collected,) = batches_of(desk).collect()
    return collected


def test_batches_are_off_until_somebody_says_that_the_data_may_go_there(desk: ChatDesk) -> None:
    with pytest.raises(BatchesOffError, match="health-data terms"):
        submit(desk, batches_allowed=False)
    assert desk.chat.files == {}


def test_a_batch_survives_a_restart_serves_the_live_run_at_half_the_price_and_leaves_no_file(
    desk: ChatDesk,
) -> None:
    (entry,) = submit(desk)
    assert entry.claim_ids == ("claim-1", "claim-2")
    collected = collect(desk)
    assert collected.complete_claims == ("claim-1", "claim-2")
    assert collected.outcomes == {"succeeded": 2}
    assert desk.chat.files == {}
    replies, extraction = desk.run(DOCUMENTS, api_key="")
    assert desk.chat.counters["answers"] == 2
    assert values_of(extraction) == EXPECTED
    reply = replies[0]
    full = (reply.input_tokens * 2 + reply.cache_read_tokens * 0.5 + reply.output_tokens * 10) / 1e6
    assert reply.cost_usd == pytest.approx(full / 2)
    paid = {row.claim_id: row.cost_usd for row in desk.rows if row.cost_usd}
    assert paid["claim-1"] == pytest.approx(reply.cost_usd)
    assert set(paid) == {"claim-1", "claim-2"}
    assert batches_of(desk).collect() == []


def test_what_is_in_a_batch_is_neither_submitted_again_nor_asked_live(desk: ChatDesk) -> None:
    submit(desk)
    assert submit(desk) == []
    with pytest.raises(ProviderUnavailableError, match="Collect the batch"):
        desk.run(DOCUMENTS)


@pytest.mark.parametrize("kind", ["expired", "errored", "no_choices"])
def test_a_request_that_a_batch_did_not_answer_is_free_to_be_asked_live(desk: ChatDesk, kind: str) -> None:
    desk.chat.row_faults = [{}, {"kind": kind}]  # rows come in another order than they went
    submit(desk)
    collected = collect(desk)
    assert (collected.complete_claims, collected.incomplete_claims) == (("claim-2",), ("claim-1",))
    _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED


def test_a_batch_whose_id_never_arrived_is_found_by_its_mark(desk: ChatDesk) -> None:
    desk.chat.loses_next_batch = True
    with pytest.raises(ProviderUnavailableError):
        submit(desk)
    assert submit(desk) == []  # to send it again might pay twice
    assert collect(desk).outcomes == {"succeeded": 2}
    assert len(desk.chat.batches) == 1
    assert desk.chat.counters["answers"] == 2


def test_a_batch_that_never_came_to_be_frees_its_requests_after_a_while(desk: ChatDesk) -> None:
    desk.chat.loses_next_batch = True
    with pytest.raises(ProviderUnavailableError):
        submit(desk)
    desk.chat.batches.clear()
    assert batches_of(desk).collect() == []
    desk.time = LaterClock()
    assert batches_of(desk).collect() == []
    _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED


def test_a_process_that_dies_while_collecting_collects_again_and_accounts_once(
    desk: ChatDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(desk)
    batches_of(desk).collect()
    with monkeypatch.context() as patch:
        patch.setattr("citation_pipeline.adapters.claude.batch_journal.BatchJournal.close", _die)
        with pytest.raises(RuntimeError):
            batches_of(desk).collect()
    (collected,) = batches_of(desk).collect()
    assert collected.outcomes == {"succeeded": 2}
    assert desk.chat.counters["answers"] == 2
    assert len([row for row in desk.rows if row.cost_usd]) == 2


def _die(*arguments: object) -> None:
    raise RuntimeError


def test_a_server_without_files_is_said_to_have_no_batches_and_is_asked_live(desk: ChatDesk) -> None:
    desk.chat.has_files = False
    with pytest.raises(NoBatchesError, match="has no batches"):
        submit(desk)
    _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED


def test_a_file_that_did_not_arrive_leaves_the_requests_free(
    desk: ChatDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("citation_pipeline_tests.fake_openai_batches._file", lambda *arguments: (0, None))
        with pytest.raises(ProviderError):
            submit(desk)
    assert len(submit(desk)) == 1


def test_without_an_open_batch_nobody_is_called_and_no_key_is_needed(desk: ChatDesk) -> None:
    assert desk.extractor(api_key="").batches().collect() == []
    assert desk.rows == []
