"""One document by itself: parsed again alone, with what depends on it; its tries are told."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from click.testing import Result

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_tries import read_document_tries
from citation_pipeline.adapters.tables.tries import failed_tries
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.defs.automation.nightly import build_nightly
from citation_pipeline.defs.instances import open_instance
from citation_pipeline.defs.readers import extractors, parsers
from citation_pipeline.defs.resources import read_settings
from citation_pipeline.defs.runs.processing import Processing
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.scenario import write_claim


@pytest.fixture
def claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A claim of four documents, one of them no PDF although it is named so, which ran once."""
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")
    folder = write_claim(tmp_path / "tiny")
    (folder / "documents" / "torn.pdf").write_bytes(b"%PDF-1.4 and nothing else")
    assert call(folder, "run", str(folder), "--extractor", "replay").exit_code == 1  # it is partial
    return folder


def call(folder: Path, *arguments: str) -> Result:
    return command(*arguments, "--store", str(folder.parent / "store"), "--json")


def tries(folder: Path) -> dict[str, int]:
    store = ClaimStore(folder.parent / "store")
    return {source_id: one.tries for source_id, one in read_document_tries(store, "tiny").items()}


def parsed(folder: Path) -> tuple[dict[str, dict[str, Any]], list[dg.AssetObservation]]:
    """The rows of the last parse as the UI shows them, and what was observed of single documents."""
    key = dg.AssetKey("parsed_documents")
    with open_instance(folder.parent / "home") as instance:
        event = instance.get_latest_materialization_event(key)
        observed = [
            record.event_log_entry.asset_observation
            for record in instance.fetch_observations(key, 50).records
        ]
    assert event is not None
    assert event.asset_materialization is not None
    table = event.asset_materialization.metadata["document_table"]
    assert isinstance(table, dg.TableMetadataValue)
    rows = {str(record.data["source_id"]): dict(record.data) for record in table.records}
    return rows, [one for one in observed if one is not None]


def test_one_document_is_parsed_again_alone_and_what_says_the_same_runs_nothing_else(claim: Path) -> None:
    before = tries(claim)
    assert (before["older-letter"], before["newer-letter"]) == (1, 1)

    ended = call(claim, "run", str(claim), "--document", "older-letter")

    assert ended.exit_code == 0, ended.output
    told = json.loads(ended.stdout.splitlines()[0])
    assert (told["status"], told["ran"]) == ("unchanged", ["source_documents", "parsed_documents"])
    assert tries(claim) == before | {"older-letter": 2}
    rows, _ = parsed(claim)
    assert [name for name, row in rows.items() if row["parsed_now"]] == ["older-letter"]


def test_an_exchanged_document_brings_what_depends_on_it(claim: Path) -> None:
    (claim / "documents" / "torn.pdf").unlink()
    (claim / "documents" / "torn.txt").write_text("It is whole now.")

    ended = call(claim, "run", "tiny", "--document", "torn")

    told = json.loads(ended.stdout.splitlines()[0])
    assert ended.exit_code == 0, ended.output
    assert "viewer_dataset" in told["ran"]
    sources = ClaimStore(claim.parent / "store").read_viewer_dataset("tiny")["sources"]
    assert {source["id"]: source["status"] for source in sources}["torn"] == "parsed"


def test_a_document_that_was_not_read_is_observed_with_its_tries_and_remedy(claim: Path) -> None:
    call(claim, "run", "tiny", "--document", "torn")
    rows, observed = parsed(claim)
    assert (rows["torn"]["status"], rows["torn"]["tries"]) == ("corrupt", 2)
    assert rows["torn"]["remedy"]
    last = observed[0]
    assert last.partition == "tiny"
    assert last.metadata["source_id"].value == "torn"
    assert last.metadata["tries"].value == 2


def test_a_name_that_the_claim_does_not_have_is_refused_and_holds_nothing_up(claim: Path) -> None:
    ended = call(claim, "run", "tiny", "--document", "older-leter")
    assert ended.exit_code == 1
    assert "tiny has no document older-leter: choose of" in ended.stderr
    assert failed_tries(ClaimStore(claim.parent / "store")) == {}
    assert call(claim, "run", "a", "b", "--document", "x").exit_code == 2


def test_a_document_that_failed_for_a_passing_reason_is_tried_alone_by_the_next_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")
    folder = write_claim(tmp_path / "tiny")
    letter = folder / "documents" / "newer_letter.txt"
    (folder / "documents" / "copy of newer.txt").unlink()
    processing = Processing(store=str(tmp_path / "store"))
    try:
        claim = claim_of_folder(folder, schema="workers_comp", parser="local", extractor="replay")
        processing.store.register(claim)
        assert processing.run(claim, STAGES[:1]).failure is None
        letter.rename(tmp_path / "elsewhere")  # its share was away for a moment
        processing.run(claim, STAGES[1:])
        (tmp_path / "elsewhere").rename(letter)
        rows, observed = parsed(folder)
        assert rows["newer-letter"]["error"] == "file_gone"
        again = {o.metadata["source_id"].value: o.metadata["is_tried_again_at_night"].value for o in observed}
        assert again == {"newer-letter": True, "nothing": False}
        before = tries(folder)

        (request,) = [one for one in night(processing) if isinstance(one, dg.RunRequest)]
        stages = [key.to_user_string() for key in request.asset_selection or ()]
        assert (request.partition_key, stages[0]) == ("tiny", "parsed_documents")
        assert processing.run(claim, stages).failure is None

        rows, _ = parsed(folder)
        assert {row["error"] for row in rows.values()} == {"", "empty_file"}
        assert [name for name, row in rows.items() if row["parsed_now"]] == ["newer-letter"]
        assert tries(folder) == before | {"newer-letter": before["newer-letter"] + 1}
        assert not [one for one in night(processing) if isinstance(one, dg.RunRequest)]
    finally:
        processing.close()


def night(processing: Processing) -> list[dg.RunRequest | dg.SkipReason]:
    """What one tick of the schedule asks for."""
    settings = read_settings(processing.store.root)
    context = dg.build_schedule_context(
        processing._instance, scheduled_execution_time=datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
    )
    given = {"parsers": parsers(settings), "extractors": extractors(settings)}
    found = build_nightly(settings.night)(context, store=processing.store, settings=settings, **given)
    return list(found)
