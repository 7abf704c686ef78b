"""The files of deploy/: commands and settings that there are, no secret, no server of packages."""

import configparser
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import kubernetes
import pytest
import yaml
from dagster_k8s.models import k8s_model_from_dict, k8s_snake_case_dict

from citation_pipeline.adapters.deployment.deployment import SECTIONS
from citation_pipeline.cli.main import main
from citation_pipeline.defs.resources import PATIENCE, child_environment

ROLES = ("code", "daemon", "web", "worker", "viewer")
SECRETS = re.compile(r"(PASSWORD|SECRET|_KEY$|DATABASE_URL|BROKER_URL|VERIFICATIONS_URL|COORDINATION_URL)")


@pytest.fixture
def deploy(project: Path) -> Path:
    return project / "deploy"


def compose(deploy: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((deploy / "compose.yaml").read_text())
    return loaded


def manifests(deploy: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((deploy / "kubernetes/viewer.yaml").read_text()))


def units(deploy: Path) -> Iterator[tuple[str, configparser.RawConfigParser]]:
    for path in sorted((deploy / "systemd").glob("*.service")):
        unit = configparser.RawConfigParser(strict=False)
        unit.optionxform = str  # type: ignore[assignment, method-assign]
        unit.read(path)
        yield path.name, unit


def test_every_setting_that_is_named_exists(deploy: Path) -> None:
    known = {str(field.validation_alias) for s in SECTIONS for field in s.model_fields.values()}
    of_kubernetes = {"CITATION_PIPELINE_IMAGE", "CITATION_PIPELINE_KUBERNETES_NAMESPACE"}
    for path in deploy.rglob("*"):
        if path.is_file() and path.suffix not in (".json", ".lock"):
            named = set(re.findall(r"\bCITATION_(?:PIPELINE|VIEWER)_[A-Z_]+[A-Z]\b", path.read_text()))
            assert named <= known | of_kubernetes, f"{path.name}: {named - known}"


def test_every_command_that_is_named_exists(deploy: Path) -> None:
    texts = [path.read_text() for path in deploy.rglob("*") if path.suffix in (".sh", ".service", ".yaml")]
    for words in re.findall(r"citation-pipeline ([a-z]+)((?: [a-z]+)*)", "\n".join(texts)):
        command: click.Command | None = main.commands.get(words[0])
        if words[0] in ("fleet",):
            assert isinstance(command, click.Group)
            command = command.commands.get(words[1].split()[0])
        if words[0] in main.commands:
            assert command is not None, words


def test_every_role_has_a_service_a_unit_and_a_way_to_start(deploy: Path) -> None:
    services = compose(deploy)["services"]
    starts = re.findall(r"^    (\w+)\)", (deploy / "entry.sh").read_text(), flags=re.MULTILINE)
    assert set(ROLES) <= set(services)
    assert set(starts) == set(ROLES)
    assert {name for name, _ in units(deploy)} == {
        f"citation-pipeline-{role}.service" for role in (*ROLES, "proxy")
    }
    for role in ROLES:
        assert services[role]["command"] == ["citation-pipeline-role", role]


def test_only_the_proxy_is_published(deploy: Path) -> None:
    published = {name for name, service in compose(deploy)["services"].items() if service.get("ports")}
    assert published == {"proxy"}
    policy = next(found for found in manifests(deploy) if found["kind"] == "NetworkPolicy")
    assert policy["spec"]["podSelector"]["matchLabels"] == {"component": "dagster-webserver"}
    for name, unit in units(deploy):
        if name.endswith(("web.service", "viewer.service")):
            assert re.search(r"(-h|--host) 127\.0\.0\.1", unit["Service"]["ExecStart"])


def test_one_proxy_asks_for_sign_in_before_viewer_and_dagsters_ui_alike(deploy: Path) -> None:
    on_hosts = tomllib.loads((deploy / "systemd/oauth2-proxy.cfg").read_text())
    (deployment,) = (m for m in manifests(deploy) if m["kind"] == "Deployment")
    in_pods = {
        entry["name"]: entry.get("value", "")
        for container in deployment["spec"]["template"]["spec"]["containers"]
        for entry in container["env"]
    }
    in_compose = compose(deploy)["services"]["proxy"]["environment"]
    for behind in (
        ",".join(on_hosts["upstreams"]),
        in_pods["OAUTH2_PROXY_UPSTREAMS"],
        in_compose["OAUTH2_PROXY_UPSTREAMS"],
    ):
        dagster, viewer = map(urlsplit, behind.split(","))
        assert dagster.path == "/dagster/"
        assert viewer.path == "/"
        assert viewer.port == 8321
    groups = {"reviewers", "leads", "administrators"}  # Dagster's UI knows no roles
    assert set(on_hosts["allowed_groups"]) == groups
    assert set(in_pods["OAUTH2_PROXY_ALLOWED_GROUPS"].split(",")) == groups
    assert "reviewers,leads,administrators" in in_compose["OAUTH2_PROXY_ALLOWED_GROUPS"]
    services = dict(units(deploy))
    assert "--path-prefix /dagster" in services["citation-pipeline-web.service"]["Service"]["ExecStart"]
    viewer_unit = (deploy / "systemd/citation-pipeline-viewer.service").read_text()
    assert "CITATION_VIEWER_PROXY_PEERS=127.0.0.1/32" in viewer_unit
    assert in_pods["CITATION_VIEWER_PROXY_PEERS"] == "127.0.0.1/32"
    # TLS on plain hosts: the certificate by its place, the key by systemd
    assert on_hosts["https_address"].endswith(":443")
    assert "tls_key_file" not in on_hosts
    assert "LoadCredential" in services["citation-pipeline-proxy.service"]["Service"]


def test_no_secret_is_written_down(deploy: Path) -> None:
    for service in compose(deploy)["services"].values():
        for name, value in (service.get("environment") or {}).items():
            if SECRETS.search(name):
                assert "${" in str(value), f"{name} is written down"
    settings = next(found for found in manifests(deploy) if found["kind"] == "ConfigMap")["data"]
    assert not [name for name in settings if SECRETS.search(name)]
    for line in (deploy / "systemd/citation-pipeline.env").read_text().splitlines():
        assert line.startswith("#") or not SECRETS.search(line.partition("=")[0])
    proxy = tomllib.loads((deploy / "systemd/oauth2-proxy.cfg").read_text())
    assert not [name for name in proxy if name.endswith("secret")]


def test_the_daemon_waits_for_a_plan_of_very_many_claims_however_it_is_started(
    deploy: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS", "77")  # what somebody chose stays
    by_hand = child_environment(str(tmp_path / "store"))
    assert by_hand["DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS"] == "77"
    hosts = dict(
        line.split("=", 1)
        for line in (deploy / "systemd/citation-pipeline.env").read_text().splitlines()
        if "=" in line and not line.startswith("#")
    )
    chart = yaml.safe_load((deploy / "helm/values.yaml").read_text())["dagsterDaemon"]["env"]
    images = (deploy / "entry.sh").read_text()
    for name, seconds in PATIENCE.items():
        assert int(seconds) >= 3600
        assert hosts[name] == seconds
        assert {"name": name, "value": seconds} in chart
        assert f'export {name}="${{{name}:-{seconds}}}"' in images
    assert (
        by_hand["DAGSTER_SCHEDULE_GRPC_TIMEOUT_SECONDS"] == PATIENCE["DAGSTER_SCHEDULE_GRPC_TIMEOUT_SECONDS"]
    )


def test_runs_at_once_are_as_many_as_slots(deploy: Path) -> None:
    services = compose(deploy)["services"]
    given = services["worker"]["environment"]
    slots = int(given["CITATION_PIPELINE_SLOTS"]) * services["worker"]["deploy"]["replicas"]
    assert int(given["CITATION_PIPELINE_RUNS"]) == slots


def test_manifests_are_objects_of_kubernetes_that_refer_to_each_other(deploy: Path) -> None:
    found = manifests(deploy)
    assert {m["kind"] for m in found} == {
        "ConfigMap",
        "Job",
        "Deployment",
        "Service",
        "Ingress",
        "NetworkPolicy",
    }
    by_kind = {m["kind"]: m for m in found}
    assert all(m["apiVersion"] and m["metadata"]["name"] for m in found)
    labels = by_kind["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert by_kind["Deployment"]["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert by_kind["Service"]["spec"]["selector"].items() <= labels.items()
    (path,) = by_kind["Ingress"]["spec"]["rules"][0]["http"]["paths"]
    assert path["backend"]["service"]["name"] == by_kind["Service"]["metadata"]["name"]
    containers = by_kind["Deployment"]["spec"]["template"]["spec"]["containers"]
    maps = {e["configMapRef"]["name"] for c in containers for e in c["envFrom"] if "configMapRef" in e}
    assert maps == {by_kind["ConfigMap"]["metadata"]["name"]}
    values = yaml.safe_load((deploy / "helm/values.yaml").read_text())
    launched = values["runLauncher"]["config"]["k8sRunLauncher"]
    assert {entry["name"] for entry in launched["envConfigMaps"]} == maps


def test_manifests_have_no_field_that_kubernetes_does_not_know(deploy: Path) -> None:
    known = {
        "ConfigMap": kubernetes.client.V1ConfigMap,
        "Job": kubernetes.client.V1Job,
        "Deployment": kubernetes.client.V1Deployment,
        "Service": kubernetes.client.V1Service,
        "Ingress": kubernetes.client.V1Ingress,
        "NetworkPolicy": kubernetes.client.V1NetworkPolicy,
    }
    for manifest in manifests(deploy):
        assert k8s_model_from_dict(
            known[manifest["kind"]], k8s_snake_case_dict(known[manifest["kind"]], manifest)
        )
    deployment = next(found for found in manifests(deploy) if found["kind"] == "Deployment")
    deployment["spec"]["template"]["spec"]["contaners"] = []
    with pytest.raises(Exception, match="contaners"):  # the check can fail
        k8s_snake_case_dict(kubernetes.client.V1Deployment, deployment)


def test_a_worker_is_given_time_to_finish_its_runs(deploy: Path) -> None:
    assert compose(deploy)["services"]["worker"]["stop_grace_period"] == "1h"
    worker = dict(units(deploy))["citation-pipeline-worker.service"]
    assert worker["Service"]["TimeoutStopSec"] == "3600"
    assert worker["Service"]["KillMode"] == "mixed"


def test_scripts_are_valid_shell_and_the_image_is_made_by_the_one_that_hosts_use(deploy: Path) -> None:
    for script in (deploy / "entry.sh", deploy / "image/install", deploy / "image/check"):
        assert subprocess.run(["sh", "-n", str(script)], check=False).returncode == 0, script
    text = (deploy / "Containerfile").read_text()
    # what installs is the script that `deploy/image/check` walks in an empty environment; CI runs that
    steps = re.findall(r"^RUN (.+)$", text, flags=re.MULTILINE)
    (installing,) = [step for step in steps if not step.startswith("useradd ")]
    assert installing.startswith("PYTHON=python3 /src/deploy/image/install /opt/citation-pipeline")
    assert "deploy/image/check" in (deploy.parent / ".ci/run").read_text().splitlines()
    assert "index-url" not in text
    assert "USER pipeline" in text
    for copied in re.findall(r"^COPY ((?:\S+ )+)\S+$", text, flags=re.MULTILINE):
        for source in copied.split():
            assert (deploy.parent / source).exists(), f"the Containerfile copies {source}"


def test_the_image_is_installed_from_a_lock_with_everything_a_fleet_needs(deploy: Path) -> None:
    lock = (deploy / "image/requirements.lock").read_text()
    for name in (
        "dagster-postgres",
        "dagster-celery",
        "dagster-k8s",
        "dagster-aws",
        "redis",
        "obstore",
        "authlib",
    ):
        assert re.search(rf"^{name}==", lock, flags=re.MULTILINE), name
    assert "://" not in re.sub(r"#.*", "", lock)


def test_a_role_that_there_is_not_is_refused(deploy: Path, tmp_path: Path) -> None:
    fake = tmp_path / "citation-pipeline"
    fake.write_text("#!/bin/sh\nexit 0\n")
    fake.chmod(0o755)
    ended = subprocess.run(
        [str(deploy / "entry.sh"), "cook"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "cook" in ended.stderr
