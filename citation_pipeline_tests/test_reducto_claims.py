"""A whole claim through Reducto: the configured rate and concurrency, progress, and what fails."""

import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.readers import DocumentParser
from citation_pipeline.adapters.reducto.errors import ReductoCredentialsError, ReductoUnfinishedClaimError
from citation_pipeline.adapters.reducto.rate_limits import RateLimit
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument, SourceDocument
from citation_pipeline_tests.fake_reducto.desk import CLAIM, Desk, FakeClock
from citation_pipeline_tests.fake_reducto.drawn_documents import DrawnDocument, draw

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]

Sources = list[tuple[SourceDocument, Path]]


def claim_of(count: int, folder: Path) -> Sources:
    """That many different one-page files on disk."""
    sources = []
    for number in range(count):
        drawn = draw((((72, 100, f"Letter number {number} of this claim"),),), source_id=f"letter-{number}")
        path = folder / f"letter-{number}.pdf"
        path.write_bytes(drawn.data)
        sources.append((drawn.source, path))
    return sources


def test_a_claims_documents_come_back_in_order_with_progress(desk: Desk) -> None:
    sources = claim_of(12, desk.folder)
    seen: list[tuple[str, bool, str]] = []

    def on_parsed(document: ParsedDocument, cached: bool) -> None:
        seen.append((document.source.source_id, cached, threading.current_thread().name))

    documents = desk.parser(local=False).parse_many(sources, on_parsed=on_parsed, claim_id=CLAIM)
    assert [document.source.source_id for document in documents] == [f"letter-{n}" for n in range(12)]
    assert [document.text.split()[2] for document in documents] == [str(n) for n in range(12)]
    assert sorted(name for name, _, _ in seen) == sorted(f"letter-{n}" for n in range(12))
    assert {thread for _, _, thread in seen} == {threading.current_thread().name}
    counters = desk.fake.counters
    assert (counters["uploads"], counters["deleted_uploads"], counters["deleted_jobs"]) == (12, 12, 12)


def test_the_parser_is_what_the_pipeline_asks_for(desk: Desk) -> None:
    parser: DocumentParser = desk.parser()
    assert parser.name == "reducto"
    assert parser.fingerprint.startswith("reducto-")


def test_requests_keep_to_the_configured_rate(desk: Desk) -> None:
    parser = desk.parser(local=False, requests_per_second=2.0, concurrency=1, poll_first_s=0.0)
    parser.parse_many(claim_of(6, desk.folder), claim_id=CLAIM)
    at = [row.at.timestamp() for row in desk.ledger if not row.endpoint.startswith("presigned")]
    assert len(at) == 36
    # Nothing else waits here, so the requests stand exactly half a second apart.
    assert [round(later - earlier, 3) for earlier, later in pairwise(at)] == [0.5] * 35


def test_a_server_that_enforces_the_rate_never_has_to(desk: Desk) -> None:
    """Real time, because the server's limit runs on it: 60 requests at 40 a second, room for jitter."""
    desk.fake.configure(rate=50.0, burst=20)
    desk.clock = Clock()  # type: ignore[assignment]
    sources = claim_of(10, desk.folder)
    parser = desk.parser(local=False, requests_per_second=40.0, poll_first_s=0.01)
    assert len(parser.parse_many(sources, claim_id=CLAIM)) == 10
    assert desk.fake.counters["rate_limited"] == 0


def test_a_client_configured_too_fast_still_finishes(desk: Desk) -> None:
    desk.fake.configure(rate=25.0, burst=1, retry_after="0.05")
    desk.clock = Clock()  # type: ignore[assignment]
    parser = desk.parser(local=False, requests_per_second=1000.0, poll_first_s=0.01, tries=50)
    assert len(parser.parse_many(claim_of(5, desk.folder), claim_id=CLAIM)) == 5
    assert desk.fake.counters["rate_limited"] > 0
    assert desk.fake.counters["parse_jobs"] == 5


def test_one_unreadable_document_is_a_row_among_the_others(desk: Desk) -> None:
    sources = claim_of(4, desk.folder)
    desk.fake.configure(outcomes={sources[2][0].sha256: ["Failed:DOCUMENT_CORRUPT"]})
    documents = desk.parser(local=False).parse_many(sources, claim_id=CLAIM)
    statuses = [document.status for document in documents]
    assert statuses.count(DocumentStatus.PARSED) == 3
    assert statuses[2] is DocumentStatus.CORRUPT


def test_documents_that_fail_for_now_are_named_after_all_others_are_kept(desk: Desk) -> None:
    sources = claim_of(5, desk.folder)
    desk.fake.configure(outcomes={sources[1][0].sha256: ["Failed:GPU_UNAVAILABLE"]})
    with pytest.raises(ReductoUnfinishedClaimError, match="1 of 5 documents of claim WC-2023-0001") as caught:
        desk.parser(local=False, job_tries=1).parse_many(sources, claim_id=CLAIM)
    assert caught.value.transient
    assert caught.value.errors[0].source_id == "letter-1"
    desk.fake.configure(outcomes={})
    cached: dict[str, bool] = {}
    desk.parser(local=False).parse_many(
        sources, on_parsed=lambda d, c: cached.update({d.source.source_id: c}), claim_id=CLAIM
    )
    assert [name for name, was in cached.items() if not was] == ["letter-1"]
    assert desk.fake.counters["uploads"] == 5


def test_a_refused_key_stops_the_claim_at_once(desk: Desk) -> None:
    sources = claim_of(30, desk.folder)
    with pytest.raises(ReductoCredentialsError):
        desk.parser(local=False, api_key="wrong", concurrency=2).parse_many(sources, claim_id=CLAIM)
    assert desk.fake.counters["requests:upload"] < 10


def test_an_interrupted_claim_ends_at_once_and_the_next_run_picks_its_jobs_up(desk: Desk) -> None:
    sources = claim_of(6, desk.folder)
    waiting = {source.sha256: ["InProgress"] * 5000 for source, _ in sources[1:]}
    desk.fake.configure(outcomes=waiting)
    parser = desk.parser(local=False, concurrency=6, deadline_s=1e9)

    def interrupt(document: ParsedDocument, cached: bool) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parser.parse_many(sources, on_parsed=interrupt, claim_id=CLAIM)
    jobs = desk.fake.counters["parse_jobs"]
    with pytest.raises(ReductoUnfinishedClaimError):
        desk.parser(local=False, deadline_s=30.0).parse_many(sources, claim_id=CLAIM)
    assert desk.fake.counters["uploads"] == 6
    assert desk.fake.counters["parse_jobs"] == 6 >= jobs


def test_a_file_that_has_gone_from_the_disk_is_a_row(desk: Desk) -> None:
    sources = claim_of(2, desk.folder)
    sources[0][1].unlink()
    documents = desk.parser(local=False).parse_many(sources, claim_id=CLAIM)
    assert [document.error and document.error.code for document in documents] == ["file_unreadable", None]


def test_configured_passwords_are_tried_on_an_encrypted_document(
    desk_for: Callable[[DrawnDocument], Desk], caplog: pytest.LogCaptureFixture
) -> None:
    desk = desk_for(draw(password="open sesame"))
    parser = desk.parser(passwords=("not this one", "open sesame", "never needed"))
    parsed = parser.parse(desk.document.source, desk.document.data, claim_id=CLAIM)
    assert parsed.status is DocumentStatus.PARSED
    assert "Ignatius" in parsed.text
    assert desk.fake.counters["parse_jobs"] == 3
    written = "".join(path.read_text("latin-1") for path in (desk.folder / "journal").glob("coord*"))
    assert "CREATE TABLE" in written
    assert "sesame" not in written + caplog.text + repr(parser)


def test_an_encrypted_document_without_a_fitting_password_is_a_row_with_the_remedy(
    desk_for: Callable[[DrawnDocument], Desk],
) -> None:
    desk = desk_for(draw(password="open sesame"))
    parsed = desk.parser(passwords=("wrong",)).parse(desk.document.source, desk.document.data, claim_id=CLAIM)
    assert parsed.error is not None
    assert (parsed.status, "password" in parsed.error.remedy) == (DocumentStatus.ENCRYPTED, True)
    counters = desk.fake.counters
    assert counters["uploads"] == counters["deleted_uploads"] == 2


def test_files_without_pages_of_their_own_go_to_the_local_parser(desk: Desk) -> None:
    row = SourceDocument("memo", "Memo", "memo.txt", "0" * 64, "text/plain", 5)
    assert desk.parser().parse(row, b"hello", claim_id=CLAIM) is desk.document.local
    refused = desk.parser(local=False).parse(row, b"hello", claim_id=CLAIM)
    assert (refused.status, refused.error and refused.error.code) == (DocumentStatus.UNSUPPORTED, "not_sent")
    assert desk.fake.counters["requests:upload"] == 0


def test_an_empty_file_is_a_row_and_is_not_sent(desk: Desk) -> None:
    row = SourceDocument("nothing", "Nothing", "nothing.pdf", "0" * 64, "application/pdf", 0)
    assert desk.parser().parse(row, b"", claim_id=CLAIM).status is DocumentStatus.EMPTY
    assert desk.fake.counters["requests:upload"] == 0


@given(
    rate=st.floats(min_value=0.1, max_value=50),
    burst=st.integers(min_value=1, max_value=5),
    idle=st.lists(st.floats(min_value=0, max_value=3), min_size=1, max_size=30),
)
def test_no_window_of_time_sees_more_requests_than_the_rate_and_burst_allow(
    rate: float, burst: int, idle: list[float]
) -> None:
    clock = FakeClock()
    limit = RateLimit(rate, burst=burst, clock=clock)
    times = []
    for pause in idle:
        clock.wait(pause)
        limit.acquire()
        times.append(clock.monotonic())
    for first in range(len(times)):
        for last in range(first, len(times)):
            allowed = burst + (times[last] - times[first]) * rate
            assert last - first + 1 <= allowed + 1e-6


def test_waiting_is_no_longer_than_the_rate_demands() -> None:
    clock = FakeClock()
    limit = RateLimit(2.0, burst=3, clock=clock)
    assert [round(limit.acquire(), 6) for _ in range(5)] == [0.0, 0.0, 0.0, 0.5, 0.5]
    limit.pause(10.0)
    assert limit.acquire() == pytest.approx(10.0)


@pytest.mark.parametrize(("rate", "burst"), [(0.0, 1), (-1.0, 1), (1.0, 0)])
def test_a_rate_that_allows_nothing_is_refused(rate: float, burst: int) -> None:
    with pytest.raises(ValueError, match="no request"):
        RateLimit(rate, burst=burst, clock=FakeClock())
