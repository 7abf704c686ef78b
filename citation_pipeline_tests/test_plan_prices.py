"""What a claim would cost before anything is paid: by others, of a new folder, after a missing key."""

import json
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.scenario import write_claim


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ANTHROPIC_API_KEY", "REDUCTO_API_KEY", "DAGSTER_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")
    return tmp_path / "store"


def planned(store: Path, *arguments: object) -> tuple[int, dict[str, Any]]:
    result = command("plan", *arguments, "--store", store, "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return result.exit_code, {row["stage"]: row for row in rows}


def test_a_folder_that_nobody_ran_is_priced_without_a_key_and_nothing_of_it_is_kept(
    tmp_path: Path, store: Path
) -> None:
    folder = write_claim(tmp_path / "tiny")
    code, rows = planned(store, folder, "--extractor", "claude", "--parser", "reducto")
    assert code == 0
    assert rows["raw_extraction"]["dollars"] > 0
    assert rows["parsed_documents"]["dollars"] > 0
    assert rows["total"]["claims"] == 1
    assert ClaimStore(store).claim_ids() == []
    code, rows = planned(store, folder)
    assert (code, rows["total"]["dollars"]) == (0, 0)


def test_a_missing_key_leaves_a_price_and_another_extractor_is_priced_beside_it(
    tmp_path: Path, store: Path
) -> None:
    folder = write_claim(tmp_path / "tiny")
    failed = command("run", folder, "--store", store, "--extractor", "claude")
    assert failed.exit_code == 1
    assert "ANTHROPIC_API_KEY" in failed.stderr
    _, rows = planned(store, "tiny")
    assert (rows["raw_extraction"]["action"], rows["raw_extraction"]["calls"]) == ("hold", 1)
    assert rows["raw_extraction"]["dollars"] > 0
    assert rows["total"]["dollars"] == 0
    assert rows["total"]["held_dollars"] == rows["raw_extraction"]["dollars"]
    said = command("plan", "tiny", "--store", store).stdout
    assert "ANTHROPIC_API_KEY" in said
    assert "; held: 1 call" in said
    _, others = planned(store, "tiny", "--extractor", "rules")
    assert (others["raw_extraction"]["action"], others["total"]["held_dollars"]) == ("run", 0)
    assert ClaimStore(store).claim("tiny").extractor == "claude"


def test_a_plan_refuses_what_it_would_have_to_ignore(tmp_path: Path, store: Path) -> None:
    folder = write_claim(tmp_path / "tiny")
    assert command("plan", "--rematch", "--extractor", "claude", "--store", store).exit_code == 2
    assert command("plan", folder, "--extractor", "nobody", "--store", store).exit_code == 2
    assert command("plan", folder, "--schema", "nobody", "--store", store).exit_code == 2
    (folder / "claim.toml").write_text('extractor = "nobody"')
    broken = command("plan", folder, "--store", store)
    assert broken.exit_code == 1
    assert "'nobody'" in broken.stderr
