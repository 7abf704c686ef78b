"""A night of a few claims with stumbling providers: all complete or named, nothing paid twice."""

from pathlib import Path

import pytest

from citation_pipeline_tests.night_scene import Troubles, as_json, run_night

CLAIMS = 3
# of so few calls a good part must fail for each kind to be met
TROUBLES = Troubles(too_many=0.2, overloaded=0.15, unreadable=0.1, stalled=0.05, stall_s=1.0)


@pytest.mark.timeout(1500)
def test_every_claim_ends_complete_or_named_and_spend_equals_the_ledger(tmp_path: Path) -> None:
    night = run_night(tmp_path, claims=CLAIMS, troubles=TROUBLES, most_seconds=1200)
    told = as_json(night)
    assert len(night.complete) + len(night.named) == CLAIMS, told
    assert night.unexplained == set(), told
    assert sum(night.faults.values()) > 0, told
    assert night.billed_twice == 0, told
    assert night.answers == night.distinct_requests, told
    assert night.jobs == night.documents == night.billed_pages == night.ledger_pages, told
    assert night.billed_tokens == night.ledger_tokens, told
    assert night.stored_dollars == pytest.approx(night.ledger_dollars), told
