"""deploy/helm/values.yaml, held against what each section becomes in a cluster.

The chart is not at hand offline. What it makes of its values is: sections of `dagster.yaml`, which Dagster's
own configuration judges, and parts of pods, which Kubernetes' types judge.
"""

import re
from pathlib import Path
from typing import Any

import kubernetes
import pytest
import yaml
from dagster import DagsterInstance, Shape
from dagster._config import validate_config
from dagster._core.instance.config import dagster_instance_config_schema
from dagster._core.run_coordinator import QueuedRunCoordinator
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import EmptyWorkspaceTarget
from dagster_aws.s3 import S3ComputeLogManager
from dagster_k8s import K8sRunLauncher
from dagster_k8s.models import k8s_model_from_dict, k8s_snake_case_dict
from dagster_webserver.app import create_app_from_workspace_process_context
from starlette.testclient import TestClient

# the keys of the chart of Dagster 1.13 that a section may have: those that it does not know are ignored
KEYS = {
    "global": "serviceAccountName postgresqlSecretName",
    "postgresql": "enabled postgresqlHost postgresqlUsername postgresqlDatabase postgresqlScheme",
    "dagsterWebserver": "replicaCount pathPrefix service readinessProbe envSecrets",
    "dagsterDaemon": "enabled env runCoordinator runMonitoring runRetries",
    "runLauncher": "type config",
    "computeLogManager": "type config",
    "ingress": "enabled",
    "telemetry": "enabled",
}
DEPLOYMENT = "name image dagsterApiGrpcArgs port envConfigMaps envSecrets resources"


@pytest.fixture
def values(project: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((project / "deploy/helm/values.yaml").read_text())
    return loaded


def snake(name: str) -> str:
    return re.sub(r"([A-Z])", lambda found: "_" + found[1].lower(), name)


def as_dagster_names(section: dict[str, Any]) -> dict[str, Any]:
    return {snake(name): value for name, value in section.items()}


def faults(schema: Any, config: Any) -> list[str]:
    return [error.message for error in validate_config(schema, config).errors or ()]


def test_every_key_is_one_that_the_chart_reads(values: dict[str, Any]) -> None:
    for name, section in values.items():
        if isinstance(section, dict) and name in KEYS:
            assert set(section) <= set(KEYS[name].split()), name
    rest = set(values) - set(KEYS)
    assert rest == {"generatePostgresqlPasswordSecret", "dagster-user-deployments"}
    for deployment in values["dagster-user-deployments"]["deployments"]:
        assert set(deployment) <= set(DEPLOYMENT.split())


def test_what_the_daemon_is_given_is_dagsters_own_configuration(values: dict[str, Any]) -> None:
    daemon = values["dagsterDaemon"]
    written = {
        "run_monitoring": as_dagster_names(daemon["runMonitoring"]),
        "run_retries": as_dagster_names(daemon["runRetries"]),
        "telemetry": values["telemetry"],
    }
    schema = dagster_instance_config_schema()
    known = Shape({name: schema[name] for name in written})
    assert faults(known, written) == []
    assert faults(known, written | {"run_monitoring": {"enabled": True, "poll_seconds": 5}})  # it can fail
    queue = as_dagster_names(daemon["runCoordinator"]["config"]["queuedRunCoordinator"])
    assert faults(QueuedRunCoordinator.config_type(), queue) == []


def test_what_the_launcher_is_given_is_the_launchers_own_configuration(values: dict[str, Any]) -> None:
    given = values["runLauncher"]["config"]["k8sRunLauncher"]
    written = {
        "env_config_maps": [one["name"] for one in given["envConfigMaps"]],
        "env_secrets": [one["name"] for one in given["envSecrets"]],
        "resources": given["resources"],
        # what the chart adds itself
        "service_account_name": values["global"]["serviceAccountName"],
        "instance_config_map": "dagster-instance",
        "dagster_home": {"env": "DAGSTER_HOME"},
    }
    assert set(given) == {"envConfigMaps", "envSecrets", "resources"}
    assert faults(K8sRunLauncher.config_type(), written) == []
    logs = as_dagster_names(values["computeLogManager"]["config"]["s3ComputeLogManager"])
    assert faults(S3ComputeLogManager.config_type(), logs) == []
    assert faults(S3ComputeLogManager.config_type(), logs | {"buckets": "x"})  # it can fail


def test_parts_of_pods_are_of_kubernetes_own_types(values: dict[str, Any]) -> None:
    client = kubernetes.client
    launched = values["runLauncher"]["config"]["k8sRunLauncher"]
    web, deployments = values["dagsterWebserver"], values["dagster-user-deployments"]["deployments"]
    parts = [
        (client.V1Probe, web["readinessProbe"]),
        *((client.V1EnvVar, one) for one in values["dagsterDaemon"]["env"]),
        *((client.V1SecretEnvSource, one) for one in (*web["envSecrets"], *launched["envSecrets"])),
        *((client.V1ConfigMapEnvSource, one) for one in launched["envConfigMaps"]),
        (client.V1ResourceRequirements, launched["resources"]),
        *((client.V1ResourceRequirements, one["resources"]) for one in deployments),
    ]
    for kind, part in parts:
        assert k8s_model_from_dict(kind, k8s_snake_case_dict(kind, part)), part


def test_the_web_server_answers_where_its_probe_asks(values: dict[str, Any], tmp_path: Path) -> None:
    web = values["dagsterWebserver"]
    asked = web["readinessProbe"]["httpGet"]
    assert asked["port"] == web["service"]["port"]
    with (
        DagsterInstance.local_temp(str(tmp_path)) as instance,
        WorkspaceProcessContext(instance, EmptyWorkspaceTarget()) as workspace,
    ):
        app = create_app_from_workspace_process_context(workspace, web["pathPrefix"])
        with TestClient(app) as browser:
            assert browser.get(asked["path"]).status_code == 200
            assert browser.get("/server_info").status_code == 404  # where the chart asks without values
