"""The Dagster instance of a store: set up on first use, and still opened after modules have moved."""

import shutil
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest
import yaml

from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.defs.dagster_internals.run_queue import SPREAD_TAG, is_spread
from citation_pipeline.defs.instances import open_instance
from citation_pipeline_tests.commands import command


def test_an_instance_of_the_first_version_opens_though_its_modules_have_moved(tmp_path: Path) -> None:
    open_instance(tmp_path).dispose()
    settings = tmp_path / "dagster.yaml"
    settings.write_text(settings.read_text().replace("defs.dagster_internals.", "defs."))
    assert "module: citation_pipeline.defs.event_storage\n" in settings.read_text()

    open_instance(tmp_path).dispose()

    assert "module: citation_pipeline.defs.dagster_internals.event_storage\n" in settings.read_text()
    assert "module: citation_pipeline.defs.dagster_internals.run_launchers\n" in settings.read_text()


def test_a_copied_instance_writes_into_its_own_folder_and_one_that_was_set_otherwise_is_left(
    tmp_path: Path,
) -> None:
    open_instance(tmp_path / "first").dispose()
    shutil.copytree(tmp_path / "first", tmp_path / "copy")
    before = (tmp_path / "first" / "dagster.yaml").read_text()

    open_instance(tmp_path / "copy").dispose()

    assert (tmp_path / "copy" / "dagster.yaml").read_text() == before.replace("/first/", "/copy/")
    chosen = before.replace("/first/history", "/elsewhere/history")
    (tmp_path / "first" / "dagster.yaml").write_text(chosen)
    open_instance(tmp_path / "first").dispose()
    assert (tmp_path / "first" / "dagster.yaml").read_text() == chosen


def test_an_instance_is_prepared_for_dg_dev_with_its_launcher_and_limits_and_nothing_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    prepared = command("dev", "--prepare", "--store", tmp_path / "my store")
    assert prepared.exit_code == 0, prepared.output
    home = tmp_path / "my store" / "dagster_home"
    assert prepared.stdout == f"export DAGSTER_HOME='{home}'\n"
    written = yaml.safe_load((home / "dagster.yaml").read_text())
    assert written["run_launcher"]["class"] == "WatchedRunLauncher"
    assert written["concurrency"]["runs"]["max_concurrent_runs"] == 4


def test_loading_the_code_location_tells_nobody_about_dagsters_own_betas(tmp_path: Path) -> None:
    loaded = subprocess.run(
        [sys.executable, "-W", "default", "-c", "import citation_pipeline.defs.definitions"],
        env={"PATH": "", "CITATION_PIPELINE_STORE": str(tmp_path), "DAGSTER_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert "beta" not in loaded.stderr
    assert "BackfillPolicies" not in loaded.stderr


def stage(name: str) -> dg.AssetsDefinition:
    @dg.asset(name=name)
    def made() -> None:
        pass

    return made


def test_runs_that_spread_many_claims_over_the_cores_are_told_from_others(
    tmp_path: Path,
) -> None:
    instance = open_instance(tmp_path)
    job = dg.Definitions(assets=[stage(name) for name in STAGES]).resolve_implicit_global_asset_job_def()
    many = {"dagster/asset_partition_range_start": "a", "dagster/asset_partition_range_end": "z"}

    def found(*assets: str, tags: dict[str, str]) -> bool:
        selection = frozenset(dg.AssetKey(name) for name in assets)
        return is_spread(instance.create_run_for_job(job, asset_selection=selection, tags=tags))

    assert found("resolved_citations", "viewer_dataset", tags=many)
    assert not found("raw_extraction", "resolved_citations", tags=many)  # it waits for a provider
    assert not found("resolved_citations", tags={"dagster/partition": "a"})
    limits = instance.get_concurrency_config().run_queue_config.tag_concurrency_limits
    assert {"key": SPREAD_TAG, "value": "true", "limit": 2} in limits
    instance.dispose()
