"""The code location, spelled out by hand: whoever changes it changes this list on purpose."""

import subprocess
import sys
import tomllib
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster_dg_core.context import DgContext

from citation_pipeline.defs.dagster_internals.event_storage import BATCH_SIZE
from citation_pipeline.defs.definitions import defs

GRAPH = {
    "source_documents": set(),
    "parsed_documents": {"source_documents"},
    "raw_extraction": {"parsed_documents"},
    "extracted_fields": {"raw_extraction"},
    "resolved_citations": {"parsed_documents", "extracted_fields"},
    "viewer_dataset": {"parsed_documents", "extracted_fields", "resolved_citations"},
    "search_index": {"parsed_documents", "extracted_fields", "resolved_citations"},
    "claims_warehouse": {"resolved_citations", "viewer_dataset"},
    "claim_plans": set(),
    "nightly_batches": set(),
    "verified_quality": {"resolved_citations"},
}

CLAIMS_PER_RUN = {
    "source_documents": 100,
    "parsed_documents": 25,
    "raw_extraction": 10,
    "extracted_fields": 200,
    "resolved_citations": 1000,
    "viewer_dataset": 2000,  # as many as its upstream, and the two would share a run and its failure
    "search_index": 2000,
}


@pytest.fixture(scope="module")
def repository() -> dg.RepositoryDefinition:
    return defs.get_repository_def()


def test_the_graph_is_the_one_in_the_design(repository: dg.RepositoryDefinition) -> None:
    graph = repository.asset_graph
    found = {
        key.to_user_string(): {parent.to_user_string() for parent in graph.get(key).parent_keys}
        for key in graph.get_all_asset_keys()
    }
    assert found == GRAPH


def test_claims_are_the_partitions_of_all_but_the_warehouse_and_the_plans(
    repository: dg.RepositoryDefinition,
) -> None:
    for name in GRAPH:
        partitions = repository.asset_graph.get(dg.AssetKey(name)).partitions_def
        if name in ("claims_warehouse", "claim_plans", "nightly_batches", "verified_quality"):
            assert partitions is None
        else:
            assert isinstance(partitions, dg.DynamicPartitionsDefinition)
            assert partitions.name == "claims"


def test_each_stage_takes_as_many_claims_a_run_as_its_cost_allows(
    repository: dg.RepositoryDefinition,
) -> None:
    for name, most in CLAIMS_PER_RUN.items():
        policy = repository.asset_graph.get(dg.AssetKey(name)).backfill_policy
        assert policy is not None
        assert policy.max_partitions_per_run == most


def test_a_backfill_sees_all_claims_of_a_re_match_run_at_once_and_asks_for_whole_runs_of_what_follows() -> (
    None
):
    # Dagster reports a run's claims in no order: of half of them, each gap would be a run of its own
    assert CLAIMS_PER_RUN["resolved_citations"] <= BATCH_SIZE
    assert CLAIMS_PER_RUN["viewer_dataset"] % CLAIMS_PER_RUN["resolved_citations"] == 0


def test_every_asset_tells_what_it_holds_who_answers_and_its_code_version(
    repository: dg.RepositoryDefinition,
) -> None:
    for name in GRAPH:
        node = repository.asset_graph.get(dg.AssetKey(name))
        assert len(node.description or "") > 30
        assert node.owners
        assert node.group_name != "default"
        assert node.kinds
        assert node.code_version


def test_checks_are_these(repository: dg.RepositoryDefinition) -> None:
    found = {(key.asset_key.to_user_string(), key.name) for key in repository.asset_graph.asset_check_keys}
    assert found == {
        ("parsed_documents", "every_document_was_read"),
        ("extracted_fields", "every_field_was_answered"),
        ("extracted_fields", "every_page_was_searched"),
        ("resolved_citations", "snippets_are_verbatim"),
        ("resolved_citations", "citations_are_located"),
        ("resolved_citations", "values_stand_in_their_regions"),
        ("resolved_citations", "boxes_hold_what_is_quoted"),
        ("resolved_citations", "citations_may_be_shown"),
        ("viewer_dataset", "the_dataset_is_valid"),
        ("nightly_batches", "no_claim_is_left_behind"),
    }


def test_jobs_are_these(repository: dg.RepositoryDefinition) -> None:
    names = {job.name for job in repository.get_all_jobs() if not job.name.startswith("__")}
    assert names == {
        "process_claims",
        "rematch_claims",
        "refresh_warehouse",
        "finish_nightly_batch",
        "plan_claims",
        "retry_failed",
        "judge_quality",
        "prune_history",
    }


def test_sensors_and_schedules_are_these(repository: dg.RepositoryDefinition) -> None:
    assert {sensor.name for sensor in repository.sensor_defs} == {"intake", "claude_batches", "failed_runs"}
    assert {schedule.name for schedule in repository.schedule_defs} == {"nightly", "morning", "weekly"}


def test_every_job_sensor_and_schedule_says_what_it_does(repository: dg.RepositoryDefinition) -> None:
    told = [*repository.sensor_defs, *repository.schedule_defs, *repository.get_all_jobs()]
    silent = [one.name for one in told if not one.name.startswith("__") and len(one.description or "") < 30]
    assert silent == []


def test_the_rematch_job_holds_only_resolution_and_what_shows_it(repository: dg.RepositoryDefinition) -> None:
    job = repository.get_job("rematch_claims")
    assert {key.to_user_string() for key in job.asset_layer.executable_asset_keys} == {
        "resolved_citations",
        "viewer_dataset",
    }


def test_workspace_and_pyproject_name_the_same_location(project: Path) -> None:
    workspace = yaml.safe_load((project / "workspace.yaml").read_text())["load_from"][0]["python_module"]
    tool = tomllib.loads((project / "pyproject.toml").read_text())["tool"]
    assert workspace["module_name"] == tool["dg"]["project"]["code_location_target_module"]
    assert workspace["module_name"] == tool["dagster"]["module_name"]
    assert workspace["location_name"] == tool["dagster"]["code_location_name"]
    # as `dg dev` names it, which else takes the name of whatever folder the checkout lies in
    assert DgContext.for_project_environment(project, {}).code_location_name == workspace["location_name"]


def test_layers_are_kept(project: Path) -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    found = subprocess.run([lint, "--no-cache"], cwd=project, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout
