"""What a re-match changed is told citation by citation, and a worse set does not replace the shown one."""

from dataclasses import replace
from pathlib import Path

import pytest

from citation_pipeline.adapters.tables.change_rows import read_changes, read_shown_citations
from citation_pipeline.adapters.tables.citation_rows import read_citations
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Citation, CitationStatus, Region
from citation_pipeline.core.resolution.changes import Change, compare_citations, count_changes
from citation_pipeline.core.resolution.promotion import PromotionRules, reasons_to_hold
from citation_pipeline.defs.assets import resolved_citations, viewer_dataset
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.killed_runs import run_claim
from citation_pipeline_tests.scenario import write_claim


def cite(number: int, *, top: float | None = 0.1, page: int = 1, **others: object) -> Citation:
    regions = () if top is None else (Region(page, (Box(0.1, top, 0.3, 0.02),)),)
    citation = Citation(
        citation_id=f"field#{number}",
        field_key="field",
        citation_index=number,
        item_path="",
        cited_source_id="letter",
        source_id="letter",
        snippet_text=f"snippet {number}",
        status=CitationStatus.RESOLVED if regions else CitationStatus.UNRESOLVED,
        method="exact",
        score=1.0,
        confidence=0.9,
        snippet=regions,
    )
    return replace(citation, **others)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (cite(0), cite(0), Change.SAME),
        (cite(0), cite(0, top=0.102), Change.SAME),
        (cite(0), cite(0, top=0.5), Change.MOVED),
        (cite(0), cite(0, page=2), Change.MOVED),
        (cite(0), cite(0, source_id="other"), Change.MOVED),
        (cite(0, top=None), cite(0), Change.GAINED),
        (cite(0), cite(0, top=None), Change.LOST),
        (cite(0, top=None), cite(0, top=None), Change.SAME),
        (cite(0), cite(0, status=CitationStatus.FLAGGED), Change.DOWNGRADED),
        (cite(0, status=CitationStatus.FLAGGED), cite(0), Change.UPGRADED),
    ],
)
def test_each_citation_is_compared_with_the_one_before(
    before: Citation, after: Citation, change: Change
) -> None:
    (found,) = compare_citations([before], [after])
    assert found.change is change


def test_another_snippet_is_a_citation_gone_and_a_new_one() -> None:
    changes = compare_citations([cite(0)], [cite(0, snippet_text="other words")])
    assert {change.change for change in changes} == {Change.NEW, Change.GONE}
    assert count_changes(changes)["same"] == 0


def test_a_verified_citation_may_not_be_lost_and_others_only_up_to_a_share() -> None:
    before = [cite(number) for number in range(20)]
    one_lost = [cite(0, top=None), *before[1:]]
    two_lost = [cite(0, top=None), cite(1, top=None), *before[2:]]
    rules = PromotionRules(lost_share=0.05)
    assert reasons_to_hold(before, compare_citations(before, one_lost), rules) == []
    (reason,) = reasons_to_hold(before, compare_citations(before, two_lost), rules)
    assert reason.startswith("2 of 20 located citations")
    signed = [cite(0, method="verified"), *before[1:]]
    (reason,) = reasons_to_hold(signed, compare_citations(signed, one_lost), rules)
    assert reason == "1 verified citations would be lost"


def test_a_dataset_of_which_nothing_moved_is_built_again_only_when_it_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    run_claim(write_claim(tmp_path / "tiny"), store)
    shown = store / "viewer_dataset/tiny/data.json"
    before = shown.read_bytes()
    monkeypatch.setenv("DAGSTER_HOME", str(store / "dagster_home"))
    with monkeypatch.context() as patch:
        patch.setattr(viewer_dataset, "build_viewer_dataset", None)  # nobody may call it
        assert command("rematch", "--store", str(store)).exit_code == 0
    assert shown.read_bytes() == before
    shown.write_bytes(before.replace(b"0.", b"9.", 1))
    assert command("rematch", "--store", str(store)).exit_code == 0
    assert shown.read_bytes() == before


def test_a_rematch_that_loses_citations_keeps_the_shown_dataset_until_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    run_claim(write_claim(tmp_path / "tiny"), store)
    shown = (store / "viewer_dataset/tiny/data.json").read_bytes()
    resolve = resolved_citations.resolve_claim

    def resolve_worse(*arguments: object, **options: object) -> list[Citation]:
        found = resolve(*arguments, **options)  # type: ignore[arg-type]
        worse = replace(found[0], snippet=(), block=(), status=CitationStatus.UNRESOLVED)
        return [worse, *found[1:]]

    monkeypatch.setattr(resolved_citations, "resolve_claim", resolve_worse)
    monkeypatch.setenv("DAGSTER_HOME", str(store / "dagster_home"))
    for _ in range(2):  # the second compares with what is shown, not with what was held back
        result = command("rematch", "--store", str(store))
        assert result.exit_code == 1
        assert "1 of 3 located citations would be lost" in result.stderr
        assert (store / "viewer_dataset/tiny/data.json").read_bytes() == shown
    kept = ClaimStore(store)
    assert [change.change for change in read_changes(kept, "tiny")] == [Change.LOST]
    statuses = [citation.status for citation in read_citations(kept, "tiny")]
    assert [shown.status for shown in read_shown_citations(kept, "tiny")] != statuses
    monkeypatch.undo()
    monkeypatch.setenv("DAGSTER_HOME", str(store / "dagster_home"))
    assert command("rematch", "--store", str(store)).exit_code == 0
    assert (store / "viewer_dataset/tiny/data.json").read_bytes() == shown
