"""Where a stage's steps run: queues, executor, CPU and memory, as Dagster's own launchers read them."""

import json
from pathlib import Path
from unittest import mock

import dagster as dg
import pytest
import yaml
from dagster._serdes import ConfigurableClassData
from dagster_k8s import K8sRunLauncher
from dagster_k8s.job import DagsterK8sJobConfig, construct_dagster_k8s_job, get_user_defined_k8s_config

from citation_pipeline.adapters.deployment.deployment import DeploymentError
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.fleet.placement import Placement, queues_of, resources_of

RESOURCES = "parsed_documents=cpu:4,memory:8Gi; raw_extraction=cpu:250m,memory:512Mi; viewer_dataset=cpu:1"


@pytest.fixture
def defined(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dg.RepositoryDefinition:
    monkeypatch.setenv("CITATION_PIPELINE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("CITATION_PIPELINE_RESOURCES", RESOURCES)
    monkeypatch.setenv("CITATION_PIPELINE_QUEUES", "parsed_documents=cpu")
    return build_definitions().get_repository_def()


def pod_of(tags: dict[str, str]) -> dict[str, dict[str, str]]:
    """The resources of the container of a pod that Dagster makes from tags, as Kubernetes is told."""
    job = construct_dagster_k8s_job(
        DagsterK8sJobConfig(job_image="image", dagster_home="/dagster"),
        args=["dagster"],
        job_name="job",
        user_defined_k8s_config=get_user_defined_k8s_config(tags),
    ).to_dict()
    (container,) = job["spec"]["template"]["spec"]["containers"]
    given: dict[str, dict[str, str]] = container["resources"] or {}
    return {name: given[name] for name in ("requests", "limits") if given.get(name)}


def test_a_step_of_parsing_gets_the_cpu_that_the_settings_say_and_extraction_few(
    defined: dg.RepositoryDefinition,
) -> None:
    job = defined.get_job("process_claims")
    steps = {stage: pod_of(dict(job.graph.node_named(stage).tags)) for stage in STAGES}
    assert steps["parsed_documents"] == {
        "requests": {"cpu": "4", "memory": "8Gi"},
        "limits": {"memory": "8Gi"},
    }
    assert steps["raw_extraction"]["requests"] == {"cpu": "250m", "memory": "512Mi"}
    assert steps["viewer_dataset"] == {"requests": {"cpu": "1"}}
    assert steps["source_documents"] == {}
    assert job.graph.node_named("parsed_documents").tags["dagster-celery/queue"] == "cpu"


def test_a_run_whose_steps_share_its_process_gets_the_most_that_one_of_them_asks_for(
    defined: dg.RepositoryDefinition,
) -> None:
    whole, rematch = defined.get_job("process_claims"), defined.get_job("rematch_claims")
    assert pod_of(dict(whole.tags))["requests"] == {"cpu": "4", "memory": "8Gi"}
    assert pod_of(dict(rematch.tags)) == {"requests": {"cpu": "1"}}  # it parses nothing
    assert rematch.tags["citation_pipeline/rematch"] == "true"
    assert whole.executor_def.name == "in_process"


def test_amounts_are_compared_by_what_they_mean() -> None:
    said = resources_of("parsed_documents=cpu:900m,memory:1000Mi;raw_extraction=cpu:1,memory:1G")
    tags = {name: json.dumps(value) for name, value in Placement(resources=said).run_tags(STAGES).items()}
    assert pod_of(tags)["requests"] == {"cpu": "1", "memory": "1000Mi"}


def test_with_a_pod_for_each_step_a_run_needs_nothing_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CITATION_PIPELINE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("CITATION_PIPELINE_RESOURCES", RESOURCES)
    monkeypatch.setenv("CITATION_PIPELINE_EXECUTOR", "kubernetes")
    job = build_definitions().get_repository_def().get_job("process_claims")
    assert job.executor_def.name == "k8s"
    assert pod_of(dict(job.tags)) == {}
    assert pod_of(dict(job.graph.node_named("parsed_documents").tags))["requests"]["cpu"] == "4"


def test_without_these_settings_nothing_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CITATION_PIPELINE_STORE", str(tmp_path / "store"))
    job = build_definitions().get_repository_def().get_job("process_claims")
    assert job.executor_def.name == "in_process"
    assert not [tag for stage in STAGES for tag in job.graph.node_named(stage).tags if "k8s" in tag]
    assert not [tag for tag in job.tags if "k8s" in tag or "celery" in tag]


@pytest.mark.parametrize(
    "said",
    ["parsing=cpu:4", "parsed_documents=gpu:1", "parsed_documents=cpu:many", "parsed_documents", "=cpu:1"],
)
def test_what_is_not_understood_of_resources_is_refused_by_its_variable(said: str) -> None:
    with pytest.raises(DeploymentError, match="CITATION_PIPELINE_RESOURCES"):
        resources_of(said)


def test_a_queue_of_no_stage_is_refused_by_its_variable() -> None:
    with pytest.raises(DeploymentError, match="CITATION_PIPELINE_QUEUES"):
        queues_of("parsing=cpu")


def test_an_executor_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITATION_PIPELINE_EXECUTOR", "fast")
    with pytest.raises(DeploymentError, match="CITATION_PIPELINE_EXECUTOR"):
        build_definitions()


def test_the_file_for_kubernetes_is_one_that_dagsters_launcher_takes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from citation_pipeline.adapters.deployment.deployment import read_deployment
    from citation_pipeline.defs.fleet.instance_files import Launcher, fleet_settings

    written = yaml.safe_load(fleet_settings(read_deployment("s3://claims/store"), Launcher.KUBERNETES))
    for variable, value in {
        "DAGSTER_HOME": "/dagster",
        "CITATION_PIPELINE_IMAGE": "citation-pipeline:1",
        "CITATION_PIPELINE_KUBERNETES_NAMESPACE": "claims",
    }.items():
        monkeypatch.setenv(variable, value)
    said = written["run_launcher"]
    assert (said["module"], said["class"]) == ("dagster_k8s", "K8sRunLauncher")
    data = ConfigurableClassData("dagster_k8s", "K8sRunLauncher", yaml.safe_dump(said["config"]))
    with mock.patch("kubernetes.config.load_incluster_config"):
        launcher = data.rehydrate(as_type=K8sRunLauncher)
    assert launcher.job_namespace == "claims"
    assert launcher.env_secrets == ["citation-pipeline-secrets"]
