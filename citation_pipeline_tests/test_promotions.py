"""The promotion gate: what would be worse is held, a person decides, and the UI follows without a run."""

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest
from click.testing import Result

import citation_pipeline
from citation_pipeline.adapters.read_model import held_sets
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.verifications.promotions import read_decisions
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Citation, CitationStatus, Region
from citation_pipeline.core.resolution.changes import Change, CitationChange, PlacedSnippet
from citation_pipeline.core.resolution.field_changes import compare_field_places, is_other_reader
from citation_pipeline.core.resolution.promotion import PromotionRules, compare_values, reasons_to_hold
from citation_pipeline.core.viewer.dataset import display_value
from citation_pipeline.defs.assets import resolved_citations
from citation_pipeline.defs.instances import open_instance
from citation_pipeline.defs.resources import read_settings
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.killed_runs import run_claim
from citation_pipeline_tests.scenario import ANSWER, write_claim
from citation_pipeline_tests.viewer_claim.serving import client_of

Shift = Callable[[Citation], Citation]


def shifted(citation: Citation) -> Citation:
    """The citation as before, with every box moved down by 0.37 of the page."""
    regions = tuple(
        replace(
            region, boxes=tuple(Box(b.left, (b.top + 0.37) % 0.95, b.width, b.height) for b in region.boxes)
        )
        for region in citation.snippet
    )
    return replace(citation, snippet=regions)


def flagged(citation: Citation) -> Citation:
    return replace(citation, status=CitationStatus.FLAGGED) if citation.snippet else citation


@pytest.fixture
def shown_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store of a claim whose dataset is shown."""
    store = tmp_path / "store"
    run_claim(write_claim(tmp_path / "tiny"), store)
    monkeypatch.setenv("DAGSTER_HOME", str(store / "dagster_home"))
    return store


@pytest.fixture
def worse_matcher(monkeypatch: pytest.MonkeyPatch) -> Callable[[Shift], None]:
    """Let every citation of the next re-match be changed."""

    def use(change: Shift) -> None:
        resolve = resolved_citations.resolve_claim
        monkeypatch.setattr(
            resolved_citations,
            "resolve_claim",
            lambda *arguments, **options: [change(c) for c in resolve(*arguments, **options)],
        )

    return use


def call(store: Path, *arguments: str) -> Result:
    return command(*arguments, "--store", str(store))


def dataset(store: Path) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads((store / "viewer_dataset/tiny/data.json").read_text())
    kept.pop("pipeline")  # what it was made from
    return kept


def partition_is_green(store: Path) -> bool:
    with open_instance(store / "dagster_home") as instance:
        status = instance.get_status_by_partition(
            dg.AssetKey("viewer_dataset"), ["tiny"], dg.DynamicPartitionsDefinition(name="claims")
        )
        return status is not None and status["tiny"] is not None and status["tiny"].value == "MATERIALIZED"


def failure_notice_is_shown(store: Path) -> bool:
    """Tell whether the UI says, by its own comparison, that a run failed and did not materialize it."""
    key = dg.AssetKey("viewer_dataset")
    with open_instance(store / "dagster_home") as instance:
        planned = instance.event_log_storage.get_latest_planned_materialization_info(key, "tiny")
        wanted = dg.AssetRecordsFilter(asset_key=key, asset_partitions=["tiny"])
        (latest,) = instance.fetch_materializations(wanted, limit=1).records
        run = instance.get_run_by_id(planned.run_id) if planned else None
        return run is not None and run.status.value == "FAILURE" and latest.run_id != run.run_id


def run_count(store: Path) -> int:
    with open_instance(store / "dagster_home") as instance:
        return int(instance.get_runs_count())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (shifted, "3 of 3 located citations have boxes with other words than they quote"),
        (shifted, "3 of 3 located citations would be moved"),
        (flagged, "3 of 3 located citations would be downgraded"),
    ],
)
def test_citations_that_move_off_their_words_or_lose_their_certainty_are_held(
    shown_claim: Path, worse_matcher: Callable[[Shift], None], change: Shift, reason: str
) -> None:
    before = dataset(shown_claim)
    worse_matcher(change)

    ended = call(shown_claim, "rematch")

    assert ended.exit_code == 1
    assert reason in ended.stderr
    assert dataset(shown_claim) == before
    assert not partition_is_green(shown_claim)
    listed = call(shown_claim, "promotions", "list", "--json")
    assert reason in " ".join(json.loads(listed.output)["reasons"])


def test_the_message_of_a_held_claim_holds_the_commands_to_type_and_they_work(
    shown_claim: Path, worse_matcher: Callable[[Shift], None]
) -> None:
    worse_matcher(shifted)
    ended = call(shown_claim, "rematch")
    typed = re.findall(r"`citation-pipeline (promotions \w+ [^`]+)`", ended.stderr)
    assert [command.split()[1] for command in typed] == ["show", "accept", "refuse"]
    assert "After an upgrade" in ended.stderr

    shown, accepted = (command(*shlex.split(line)) for line in typed[:2])

    assert shown.exit_code == accepted.exit_code == 0, shown.output + accepted.output
    assert "moved" in shown.output
    assert not call(shown_claim, "promotions", "list").output.strip()


def test_an_accepted_set_is_shown_and_green_without_another_run_and_the_decision_is_kept(
    shown_claim: Path, worse_matcher: Callable[[Shift], None]
) -> None:
    before = dataset(shown_claim)
    worse_matcher(shifted)
    call(shown_claim, "rematch")
    runs = run_count(shown_claim)
    assert failure_notice_is_shown(shown_claim)

    ended = call(shown_claim, "promotions", "accept", "tiny", "--why", "looked at both", "--by", "Rea")

    assert ended.exit_code == 0, ended.output
    assert dataset(shown_claim) != before
    assert partition_is_green(shown_claim)
    assert not failure_notice_is_shown(shown_claim)
    assert run_count(shown_claim) == runs
    (decided,) = read_decisions(read_settings(str(shown_claim)).verifications_url, "tiny")
    assert (decided.decision, decided.decided_by, decided.why) == ("accept", "Rea", "looked at both")
    assert "3 of 3" in decided.reasons[0]
    assert call(shown_claim, "promotions", "list").output == ""
    assert "Rea: accept  looked at both" in call(shown_claim, "promotions", "show", "tiny").output
    again = call(shown_claim, "promotions", "accept", "tiny", "--why", "twice")
    assert again.exit_code == 1
    assert "nothing of tiny is held back" in again.stderr


def test_a_refused_set_leaves_what_is_shown_and_nothing_waits_any_more(
    shown_claim: Path, worse_matcher: Callable[[Shift], None]
) -> None:
    before = dataset(shown_claim)
    worse_matcher(shifted)
    call(shown_claim, "rematch")
    runs = run_count(shown_claim)

    ended = call(shown_claim, "promotions", "refuse", "tiny", "--why", "the old places are right")

    assert ended.exit_code == 0, ended.output
    assert dataset(shown_claim) == before
    assert partition_is_green(shown_claim)
    assert run_count(shown_claim) == runs
    assert call(shown_claim, "promotions", "list").output == ""
    assert call(shown_claim, "rematch").exit_code == 0  # the same set is not asked about again
    assert dataset(shown_claim) == before


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_held_set_whose_verdict_is_lost_is_not_shown_before_it_is_judged_again(
    shown_claim: Path, tmp_path: Path, worse_matcher: Callable[[Shift], None], is_gone: bool
) -> None:
    before = dataset(shown_claim)
    worse_matcher(shifted)
    run = ("run", str(tmp_path / "tiny"), "--extractor", "replay")
    call(shown_claim, *run)
    spoil(shown_claim / "promotions/tiny.parquet", is_gone=is_gone)

    ended = call(shown_claim, *run)  # of what was resolved before

    assert ended.exit_code == 1
    assert f"citation-pipeline rematch tiny --store {shown_claim}" in ended.stderr
    assert dataset(shown_claim) == before
    if not is_gone:
        assert "promotions is damaged" in call(shown_claim, "promotions", "list").stderr
        with client_of(ServingSettings(str(shown_claim), render_workers=1)) as client:
            assert "cannot be read" in client.get("/api/claims/tiny/held").json()["held"]["reasons"][0]
    assert "3 of 3 located citations" in call(shown_claim, "rematch").stderr  # judged, and held as before
    assert dataset(shown_claim) == before


@pytest.mark.parametrize("table", ["shown_citations", "shown_fields"])
@pytest.mark.parametrize("is_gone", [True, False])
def test_a_set_that_can_be_compared_with_nothing_does_not_replace_what_is_shown(
    shown_claim: Path, worse_matcher: Callable[[Shift], None], table: str, is_gone: bool
) -> None:
    before = dataset(shown_claim)
    worse_matcher(flagged)
    spoil(shown_claim / table / "tiny.parquet", is_gone=is_gone)

    ended = call(shown_claim, "rematch")

    assert ended.exit_code == 1
    assert f"{table} of the claim is gone or damaged" in ended.stderr
    assert dataset(shown_claim) == before
    # a person decides, and all is as it was
    assert call(shown_claim, "promotions", "accept", "tiny", "--why", "looked at it").exit_code == 0
    assert call(shown_claim, "rematch").exit_code == 0


def spoil(file: Path, *, is_gone: bool) -> None:
    data = file.read_bytes()
    file.unlink()  # it may share its bytes with another
    if not is_gone:
        file.write_bytes(data[: len(data) // 2])


def test_another_extraction_of_the_same_documents_does_not_replace_the_shown_values_unasked(
    shown_claim: Path, tmp_path: Path
) -> None:
    before = dataset(shown_claim)
    highlights = call(shown_claim, "highlight", "tiny").stdout
    citations = call(shown_claim, "show", "tiny", "--citations")
    assert citations.stderr == ""
    answers = [dict(answer) for answer in ANSWER["extractions"]]
    answers[1]["value"] = "2025-03-02"
    answers[3]["value"] = 4125.0
    (tmp_path / "tiny/extraction_raw.json").write_text(json.dumps({"extractions": answers}))

    with pytest.raises(AssertionError, match="2 of 4 values would be other ones"):
        run_claim(tmp_path / "tiny", shown_claim)

    assert dataset(shown_claim) == before
    assert call(shown_claim, "highlight", "tiny").stdout == highlights != ""
    for part in ((), ("--citations",), ("--extraction",)):
        assert "promotions show tiny" in call(shown_claim, "show", "tiny", *part).stderr
    assert call(shown_claim, "show", "tiny", "--citations").stdout == citations.stdout != ""
    assert values_of_frames(shown_claim) == values_of(before)
    with client_of(ServingSettings(str(shown_claim), render_workers=1)) as client:
        assert client.get("/api/claims/tiny/fields").json()["claim"]["held"] is True
    assert call(shown_claim, "promotions", "accept", "tiny", "--why", "checked").exit_code == 0
    assert dataset(shown_claim) != before
    assert values_of_frames(shown_claim) == values_of(dataset(shown_claim)) != values_of(before)


def values_of(data: dict[str, Any]) -> dict[str, Any]:
    """What a dataset shows by field: the value, and how sure it is."""
    return {
        field["fieldKey"]: (field["value"], field["fieldConfidence"]["value"]) for field in data["fields"]
    }


def values_of_frames(store: Path) -> dict[str, Any]:
    """The same of the data frames."""
    rows = citation_pipeline.open_store(str(store)).fields()
    rows = rows[rows["value"].notna()]
    return {
        row.field_key: (display_value(json.loads(row.value) if row.number is not pd.NA else row.value), sure)
        for row, sure in zip(rows.itertuples(), rows["confidence"].round(4), strict=True)
    }


def test_an_accepted_change_of_values_lets_no_other_change_through(shown_claim: Path, tmp_path: Path) -> None:
    answers = [dict(answer) for answer in ANSWER["extractions"]]

    def answer(date: str, rate: float) -> None:
        answers[1]["value"], answers[3]["value"] = date, rate
        (tmp_path / "tiny/extraction_raw.json").write_text(json.dumps({"extractions": answers}))

    answer("2025-03-02", 4125.0)
    with pytest.raises(AssertionError, match="2 of 4 values would be other ones"):
        run_claim(tmp_path / "tiny", shown_claim)
    assert call(shown_claim, "promotions", "accept", "tiny", "--why", "checked").exit_code == 0
    accepted = dataset(shown_claim)

    answer("2025-03-03", 4126.0)  # quoted from the very same words
    with pytest.raises(AssertionError, match="2 of 4 values would be other ones"):
        run_claim(tmp_path / "tiny", shown_claim)

    assert dataset(shown_claim) == accepted
    assert call(shown_claim, "promotions", "list").output.startswith("tiny")


def test_a_changed_document_brings_its_values_with_it(shown_claim: Path, tmp_path: Path) -> None:
    letter = tmp_path / "tiny/documents/Older Letter.txt"
    letter.write_text(letter.read_text().replace("412.50", "421.50"))
    answers = [dict(answer) for answer in ANSWER["extractions"]]
    answers[3] |= {
        "value": 421.5,
        "citations": [{"source_id": "older-letter", "text_snippet": "paid at $421.50 per week"}],
    }
    (tmp_path / "tiny/extraction_raw.json").write_text(json.dumps({"extractions": answers}))

    run_claim(tmp_path / "tiny", shown_claim)

    assert "421.5" in json.dumps(dataset(shown_claim))


@pytest.mark.parametrize("change", [Change.LOST, Change.MOVED, Change.DOWNGRADED])
def test_one_verified_place_that_gets_worse_holds_the_whole_set(change: Change) -> None:
    changes = [CitationChange("f#0", "f", change, is_verified=True)]
    changes += [CitationChange(f"g#{n}", "g", Change.SAME) for n in range(99)]
    rules = PromotionRules(lost_share=1.0, moved_share=1.0, downgraded_share=1.0)
    assert reasons_to_hold([], changes, rules) == [f"1 verified citations would be {change.value}"]


def test_a_verified_value_that_another_extraction_changes_holds_the_set() -> None:
    values = compare_values(
        {"a": 1, "b": 2, "c": None}, {"a": 1, "b": 3, "c": 4}, signed=frozenset({"b", "c"})
    )
    assert (values.shown, values.lost, values.changed, values.signed) == (2, [], ["b"], ["b"])
    assert reasons_to_hold([], [], PromotionRules(), values=values) == ["1 verified values would change"]


# --- another extractor or model ---------------------------------------------------------------------


def placed(field: str, number: int, *, words: str, top: float, method: str = "exact") -> PlacedSnippet:
    region = Region(1, (Box(0.1, top, 0.3, 0.02),))
    return PlacedSnippet(
        f"{field}#{number}", field, "letter", words, CitationStatus.RESOLVED, method, (region,)
    )


def test_a_field_keeps_its_place_when_another_model_quotes_more_of_the_same_line() -> None:
    before = [placed("a", 0, words="paid at $412", top=0.1), placed("b", 0, words="born", top=0.5)]
    after = [placed("a", 0, words="was paid at $412 per week", top=0.1), placed("b", 0, words="on", top=0.9)]
    found = compare_field_places(before, after, valued={"a", "b"})
    assert (found.placed, found.lost, found.moved) == (2, [], ["b"])
    assert compare_field_places(before, after[:1], valued={"a", "b"}).lost == ["b"]
    assert compare_field_places(before, after[:1], valued={"a"}).lost == []  # a lost value is counted as one


def test_a_verified_place_that_nothing_quotes_any_more_holds_the_set() -> None:
    before = [placed("a", 0, words="paid", top=0.1, method="verified")]
    after = [placed("a", 0, words="weekly", top=0.7)]
    found = compare_field_places(before, after, valued={"a"})
    rules = PromotionRules(lost_share=1.0, moved_share=1.0)
    assert reasons_to_hold([], [], rules, fields=found) == [
        "1 fields would be cited without the place that was verified"
    ]


def test_a_swapped_model_that_changes_one_value_of_a_few_is_held_and_an_upgrade_is_not() -> None:
    values = compare_values(dict.fromkeys("abcd", 1), {**dict.fromkeys("abc", 1), "d": 2}, signed=frozenset())
    assert reasons_to_hold([], [], PromotionRules(), values=values) == []
    assert reasons_to_hold([], [], PromotionRules(), values=values, is_other_reader=True) == [
        "1 of 4 values would be other ones, by another extractor or model"
    ]
    assert is_other_reader("claude-sonnet-5-5", "claude-haiku-5-5")
    assert is_other_reader("rules-3", "")  # a recorded answer
    assert not is_other_reader("rules-3", "rules-4")
    assert not is_other_reader(None, "rules-4")


def test_another_extractor_is_not_shown_unasked_also_when_a_document_changed(
    shown_claim: Path, tmp_path: Path
) -> None:
    before = dataset(shown_claim)
    with (tmp_path / "tiny/documents/Older Letter.txt").open("a") as letter:
        letter.write("\nSincerely")

    ended = call(shown_claim, "run", str(tmp_path / "tiny"), "--extractor", "rules")

    assert ended.exit_code == 1
    assert "by another extractor or model" in ended.stderr
    assert dataset(shown_claim) == before


def test_an_extraction_that_quotes_other_places_for_the_same_values_is_held(
    shown_claim: Path, tmp_path: Path
) -> None:
    before = dataset(shown_claim)
    answers = [dict(answer) for answer in ANSWER["extractions"]]
    for answer in answers:
        if answer["citations"]:
            first = dict(answer["citations"][0])
            answer["citations"] = [first | {"text_snippet": "Sincerely", "source_id": "newer-letter"}]
    (tmp_path / "tiny/extraction_raw.json").write_text(json.dumps({"extractions": answers}))
    said = "1 of 3 fields would lose their place; 2 of 3 fields would be cited with a doubt"
    with pytest.raises(AssertionError, match=said):
        run_claim(tmp_path / "tiny", shown_claim)
    assert dataset(shown_claim) == before


def test_a_change_of_a_signed_value_is_told_as_one_among_the_changes_of_a_held_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = {"shown_fields": {"fee": 1, "tax": 2}, "fields": {"fee": 3, "tax": 4}}
    monkeypatch.setattr(held_sets, "_values", lambda store, claim_id, table: kept[table])
    changes = held_sets._value_changes(ClaimStore(tmp_path), "any", frozenset({"tax"}))
    assert {change["fieldKey"]: change["isVerified"] for change in changes} == {"fee": False, "tax": True}
