"""The pipeline as a component of another project: two of them beside the project's own assets."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from citation_pipeline.adapters.deployment.deployment import DeploymentError
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.planning.stages import STAGES

DEFINITIONS = """
from pathlib import Path
import dagster as dg

@dg.definitions
def defs():
    return dg.load_from_defs_folder(path_within_project=Path(__file__).parent)
"""
OWN = """
import dagster as dg

@dg.asset
def nights(settings: dg.ResourceParam[dict]) -> int:
    return len(settings)

@dg.definitions
def own():
    given = {"settings": {"a": 1}}
    return dg.Definitions(assets=[nights], resources=given, executor=dg.multiprocess_executor)
"""
INSTANCE = """
type: citation_pipeline.ClaimPipeline
attributes:
  key_prefix: PREFIX
  store: STORE
  extractor: rules
  owners: ["team:PREFIX"]
  tags: {line: PREFIX}
  settings:
    workers: 1
"""


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A foreign project with two instances, an asset and a resource `settings` of its own."""
    for name in list(os.environ):
        if name.startswith("CITATION_") or name == "DAGSTER_HOME":
            monkeypatch.delenv(name)
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "elsewhere"\nversion = "1"\n[tool.dg]\ndirectory_type = "project"\n'
        '[tool.dg.project]\nroot_module = "elsewhere"\n'
    )
    package = tmp_path / "elsewhere"
    (package / "defs").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "definitions.py").write_text(DEFINITIONS)
    (package / "defs" / "own.py").write_text(OWN)
    for prefix in ("east", "west"):
        folder = package / "defs" / prefix
        folder.mkdir()
        text = INSTANCE.replace("PREFIX", prefix).replace("STORE", str(tmp_path / f"store-{prefix}"))
        (folder / "defs.yaml").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [module for module in sys.modules if module.split(".")[0] == "elsewhere"]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


def load(project: Path) -> dg.Definitions:
    return dg.load_from_defs_folder(path_within_project=project / "elsewhere")


def test_two_instances_live_beside_a_projects_own_assets_under_names_of_their_own(elsewhere: Path) -> None:
    repository = load(elsewhere).get_repository_def()
    keys = {key.to_user_string() for key in repository.asset_graph.get_all_asset_keys()}
    assert "nights" in keys
    for prefix in ("east", "west"):
        assert {f"{prefix}/{stage}" for stage in STAGES} < keys
        node = repository.asset_graph.get(dg.AssetKey([prefix, "viewer_dataset"]))
        assert node.partitions_def == dg.DynamicPartitionsDefinition(name=f"{prefix}_claims")
        assert node.owners == [f"team:{prefix}"]
        assert node.tags["line"] == prefix
        assert node.group_name == f"{prefix}_viewer"
        assert {key.path[0] for key in node.parent_keys} == {prefix}
    assert {"east_process_claims", "west_retry_failed"} <= {job.name for job in repository.get_all_jobs()}
    assert {sensor.name for sensor in repository.sensor_defs} >= {"east_intake", "west_intake"}
    assert {schedule.name for schedule in repository.schedule_defs} >= {"east_nightly", "west_morning"}


def test_the_projects_own_executor_stays_its_own(elsewhere: Path) -> None:
    definitions = load(elsewhere)
    assert definitions.executor is dg.multiprocess_executor
    assert definitions.resolve_job_def("east_process_claims").executor_def is dg.in_process_executor


def test_a_claim_of_one_instance_is_made_by_it_alone_on_an_instance_as_dagster_sets_it_up(
    elsewhere: Path,
) -> None:
    folder = elsewhere / "tiny"
    folder.mkdir()
    (folder / "letter.txt").write_text("Claim Number: ZX-2025-000417")
    store = ClaimStore(elsewhere / "store-east")
    store.register(Claim("tiny", str(folder), str(folder), extractor="rules"))
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("east_claims", ["tiny"])
        job = load(elsewhere).resolve_job_def("east_process_claims")
        assert job.execute_in_process(instance=instance, partition_key="tiny").success
        made = dg.AssetKey(["east", "viewer_dataset"])
        assert instance.get_materialized_partitions(made) == {"tiny"}
        assert instance.get_latest_materialization_event(dg.AssetKey("viewer_dataset")) is None
    assert store.read_viewer_dataset("tiny")["sources"][0]["id"] == "letter"
    assert not (elsewhere / "store-west").exists()


@pytest.mark.parametrize(
    ("attribute", "told"),
    [
        ("parser: locol", "there is no parser 'locol': choose one of azure-layout, local, reducto"),
        ("schema: workers_cmp", "workers_cmp"),
        ("settings: {night_corn: '0 1 * * *'}", "there is no setting 'night_corn': did you mean night_cron"),
        ("settings: {anthropic_key: sk-1}", "anthropic_key is a secret: set ANTHROPIC_API_KEY"),
    ],
)
def test_a_value_that_nothing_can_be_done_with_is_named(elsewhere: Path, attribute: str, told: str) -> None:
    file = elsewhere / "elsewhere/defs/east/defs.yaml"
    lines = [
        line for line in file.read_text().splitlines() if "settings" not in line and "workers:" not in line
    ]
    file.write_text("\n".join([*lines, f"  {attribute}"]))
    with pytest.raises(Exception, match=".*") as raised:
        load(elsewhere).get_repository_def()
    chain: list[str] = []
    error: BaseException | None = raised.value
    while error is not None:
        chain.append(f"{type(error).__name__} {error}")
        error = error.__cause__ or error.__context__
    assert told in "\n".join(chain)
    assert DeploymentError.__name__ in "\n".join(chain)


def dg_command(project: Path, *arguments: str) -> str:
    ended: Any = subprocess.run(
        [Path(sys.executable).with_name("dg"), *arguments],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project), "PYTHONWARNINGS": "ignore", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return str(ended.stdout + ended.stderr)


def test_dg_finds_scaffolds_and_checks_the_component(elsewhere: Path) -> None:
    assert "citation_pipeline.ClaimPipeline" in dg_command(elsewhere, "list", "components")
    dg_command(elsewhere, "scaffold", "defs", "citation_pipeline.ClaimPipeline", "north")
    written = (elsewhere / "elsewhere/defs/north/defs.yaml").read_text()
    assert "key_prefix: north" in written
    assert "All definitions loaded successfully" in dg_command(elsewhere, "check", "defs")


def test_asking_for_the_component_is_what_loads_dagster(project: Path) -> None:
    code = (
        "import sys, citation_pipeline; assert 'dagster' not in sys.modules; "
        "assert 'ClaimPipeline' in dir(citation_pipeline); citation_pipeline.ClaimPipeline; "
        "assert 'dagster' in sys.modules; assert 'citation_pipeline.defs.definitions' not in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=project, check=True)
