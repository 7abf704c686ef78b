"""A fleet's settings: its `dagster.yaml`, the limits of its pools, and what `doctor` says of it."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml
from dagster._core.remote_origin import GrpcServerCodeLocationOrigin
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import WorkspaceFileTarget

from citation_pipeline.defs.dagster_internals.event_storage import BatchedEvents
from citation_pipeline.defs.dagster_internals.worker_launcher import WorkerRunLauncher
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.fleet import diagnosis
from citation_pipeline.defs.instances import open_instance
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.fleets import Fleet, running_fleet, wait_until
from citation_pipeline_tests.loopback import free_port
from citation_pipeline_tests.object_servers import BUCKET, CREDENTIALS, s3_server
from citation_pipeline_tests.postgres import running_postgres
from citation_pipeline_tests.redis_server import running_redis

STORE = "s3://claims/team-a?region=eu-central-1&scheme=http&endpoint_override=127.0.0.1:9000"


def init(monkeypatch: pytest.MonkeyPatch, out: Path, *options: str, **settings: str) -> dict[str, Any]:
    """Write a fleet's file with these settings, and return what it says."""
    monkeypatch.setenv("CITATION_PIPELINE_STORE", STORE)
    monkeypatch.setenv("CITATION_PIPELINE_DAGSTER_DATABASE_URL", "postgresql://me:s3cret@db/dagster")
    monkeypatch.setenv("CITATION_PIPELINE_BROKER_URL", "redis://:s3cret@broker/0")
    for name, value in settings.items():
        monkeypatch.setenv(f"CITATION_PIPELINE_{name}", value)
    result = command("fleet", "init", "--out", out, *options)
    assert result.exit_code == 0, result.output
    written: dict[str, Any] = yaml.safe_load(out.read_text())
    return written


def test_the_file_holds_no_password_and_no_path_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init(monkeypatch, tmp_path / "dagster.yaml")
    text = (tmp_path / "dagster.yaml").read_text()
    assert "s3cret" not in text
    assert not re.search(r"[\s\"'](/[a-z]+)+/", text), "a path of this machine"
    assert str(tmp_path) not in text


def test_the_file_says_what_the_settings_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = init(
        monkeypatch,
        tmp_path / "dagster.yaml",
        RUNS="7",
        QUEUES="parsed_documents=cpu, raw_extraction=few",
        LOST_AFTER_S="20",
    )
    launcher = written["run_launcher"]["config"]
    assert launcher["queues"] == {"parsed_documents": "cpu", "raw_extraction": "few"}
    assert launcher["lost_after_seconds"] == 20
    assert launcher["broker"] == {"env": "CITATION_PIPELINE_BROKER_URL"}
    assert written["concurrency"]["runs"]["max_concurrent_runs"] == 7
    assert written["compute_logs"]["config"] == {
        "bucket": "claims",
        "prefix": "team-a/compute-logs",
        "endpoint_url": "http://127.0.0.1:9000",
        "use_ssl": False,
        "region": "eu-central-1",
        "skip_empty_files": True,
    }
    kubernetes = init(monkeypatch, tmp_path / "k8s.yaml", "--launcher", "kubernetes")
    assert kubernetes["run_launcher"]["class"] == "K8sRunLauncher"
    assert kubernetes["storage"] == written["storage"]


def test_a_file_that_says_something_else_is_written_over_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "dagster.yaml"
    init(monkeypatch, out)
    init(monkeypatch, out)  # the same again
    monkeypatch.setenv("CITATION_PIPELINE_RUNS", "9")
    refused = command("fleet", "init", "--out", out)
    assert refused.exit_code == 2
    assert "--force" in refused.output
    assert command("fleet", "init", "--out", out, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("STORE", "/data/store", "CITATION_PIPELINE_STORE"),
        ("QUEUES", "parsing=cpu", "parsed_documents"),
        ("QUEUES", "parsed_documents", "CITATION_PIPELINE_QUEUES"),
    ],
)
def test_settings_that_no_fleet_can_have_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, named: str
) -> None:
    monkeypatch.setenv("CITATION_PIPELINE_STORE", STORE)
    monkeypatch.setenv(f"CITATION_PIPELINE_{name}", value)
    refused = command("fleet", "init", "--out", tmp_path / "dagster.yaml")
    assert refused.exit_code == 2
    assert named in refused.output
    assert not (tmp_path / "dagster.yaml").exists()


def test_pools_have_their_limits_whoever_wrote_the_file(tmp_path: Path) -> None:
    (tmp_path / "dagster.yaml").write_text("concurrency: {pools: {default_limit: 1}}\n")
    with open_instance(tmp_path) as instance:
        limits = {pool.name: pool.limit for pool in instance.event_log_storage.get_pool_limits()}
        assert limits == {"parsing": 1, "extraction": 4, "warehouse": 1}
        instance.event_log_storage.set_concurrency_slots("parsing", 3)  # somebody's own choice
    with open_instance(tmp_path) as instance:
        limits = {pool.name: pool.limit for pool in instance.event_log_storage.get_pool_limits()}
        assert limits["parsing"] == 3


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Fleet, str]]:
    """A database, a broker and a bucket, as hosts reach them."""
    with (
        running_postgres() as postgres,
        running_redis() as redis,
        s3_server() as endpoint,
        running_fleet(tmp_path_factory.mktemp("fleet"), postgres, redis) as fleet,
    ):
        address = endpoint.removeprefix("http://")
        yield fleet, f"s3://{BUCKET}/x?region=us-east-1&scheme=http&endpoint_override={address}"


@pytest.fixture
def deployed(servers: tuple[Fleet, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fleet:
    """The environment of one host of the fleet, with its own folder."""
    fleet, store = servers
    settings = {
        "CITATION_PIPELINE_STORE": store,
        "CITATION_PIPELINE_WORK_DIR": str(tmp_path / "work"),
        "CITATION_PIPELINE_DAGSTER_DATABASE_URL": fleet.database,
        "CITATION_PIPELINE_COORDINATION_URL": fleet.database,
        "CITATION_PIPELINE_VERIFICATIONS_URL": fleet.database,
        "CITATION_PIPELINE_BROKER_URL": fleet.broker,
        "CITATION_PIPELINE_RUNS": "3",
        "CITATION_PIPELINE_RUNS_PARSING": "2",
        "DAGSTER_HOME": str(tmp_path / "home"),
        **CREDENTIALS,
        "DAGSTER_EVENT_BATCH_SIZE": "1000",  # so that what a storage switches on is put back
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return fleet


def doctor() -> tuple[int, dict[str, dict[str, str]]]:
    result = command("doctor", "--json")
    found = [json.loads(line) for line in result.stdout.splitlines()]
    return result.exit_code, {finding["check"]: finding for finding in found}


def test_what_was_not_looked_at_has_not_passed(deployed: Fleet) -> None:
    code, found = doctor()
    assert code == 1
    assert found["store"]["state"] == found["conditional writes"]["state"] == "ok"
    assert found["Dagster's database"]["state"] == found["reviews"]["state"] == "ok"
    assert found["instance"]["state"] == "failed"
    assert "fleet init" in found["instance"]["remedy"]
    for check in ("pools", "daemon", "broker", "workers", "versions", "clocks", "slots", "queues"):
        assert found[check]["state"] == "not run", check


def test_a_deployment_is_looked_at_whole_and_each_fault_has_its_remedy(
    deployed: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("fleet", "init").exit_code == 0
    code, found = doctor()
    assert found["instance"]["state"] == "ok"
    assert found["pools"]["state"] == "failed"
    assert found["pools"]["remedy"] == "citation-pipeline fleet pools"
    assert found["broker"]["state"] == "ok"
    assert found["workers"]["state"] == "failed"
    assert found["slots"]["state"] == "not run"
    pools = command("fleet", "pools", "--json")
    assert [json.loads(line)["limit"] for line in pools.stdout.splitlines()] == [2, 4, 1]

    deployed.start_worker("host-1", slots=2)
    wait_until(lambda: doctor()[1]["workers"]["state"] == "ok", "the worker never answered")
    code, found = doctor()
    assert code == 1  # no daemon; its store is not this host's; fewer slots than runs
    assert found["pools"]["state"] == found["clocks"]["state"] == found["queues"]["state"] == "ok"
    assert found["versions"]["state"] == "ok"
    assert found["slots"]["state"] == "failed"
    assert "CITATION_PIPELINE_RUNS=2" in found["slots"]["remedy"]
    assert found["stores of workers"]["state"] == "failed"
    assert found["daemon"]["state"] == "failed"

    monkeypatch.setattr(diagnosis, "code_version", lambda: "0123456789abcdef")  # another code on this host
    assert doctor()[1]["versions"]["state"] == "failed"
    everything = json.dumps(found)
    assert deployed.database not in everything


def test_the_file_that_is_written_is_one_that_opens(deployed: Fleet, tmp_path: Path) -> None:
    assert command("fleet", "init").exit_code == 0
    with dg.DagsterInstance.from_config(str(tmp_path / "home")) as instance:
        assert isinstance(instance.run_launcher, WorkerRunLauncher)
        assert isinstance(instance.event_log_storage, BatchedEvents)
        assert type(instance.compute_log_manager).__name__ == "S3ComputeLogManager"
        assert instance.run_monitoring_enabled
        assert instance.run_retries_enabled


def test_a_machine_alone_is_looked_at_without_database_and_broker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("CITATION_PIPELINE_STORE", str(tmp_path / "store"))
    assert command("dev", "--prepare").exit_code == 0
    code, found = doctor()
    assert code == 0, found
    assert set(found) == {"store", "reviews", "decided once", "instance", "pools"}


def test_an_address_that_no_alert_could_be_sent_to_is_found_before_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("CITATION_PIPELINE_ALERT_URLS", "slacc://secret/word")
    said = command("doctor", "--store", tmp_path / "store", "--json")
    assert said.exit_code == 1
    assert "secret" not in said.output
    findings = {row["check"]: row for row in map(json.loads, said.stdout.splitlines())}
    assert findings["alerts"]["state"] == "failed"
    assert "address 1 in CITATION_PIPELINE_ALERT_URLS" in findings["alerts"]["detail"]


def test_a_storage_that_ignores_conditions_is_found_out(
    deployed: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    import obstore

    put = obstore.put
    monkeypatch.setattr(obstore, "put", lambda store, path, data, **_: put(store, path, data))
    found = doctor()[1]["conditional writes"]
    assert found["state"] == "failed"
    assert "second creation" in found["detail"]
    assert "older version" in found["detail"]


def test_servers_that_do_not_answer_are_named_with_their_variables(
    deployed: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("fleet", "init").exit_code == 0
    monkeypatch.setenv("CITATION_PIPELINE_BROKER_URL", "redis://:hidden@127.0.0.1:1/0")
    monkeypatch.setenv("CITATION_PIPELINE_VERIFICATIONS_URL", "postgresql://me:hidden@127.0.0.1:1/db")
    result = command("doctor")
    assert result.exit_code == 1
    assert "CITATION_PIPELINE_BROKER_URL" in result.output
    assert "CITATION_PIPELINE_VERIFICATIONS_URL" in result.output
    assert "hidden" not in result.output


def test_files_of_one_machine_are_refused_for_what_a_fleet_shares(
    deployed: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITATION_PIPELINE_VERIFICATIONS_URL")
    monkeypatch.delenv("CITATION_PIPELINE_COORDINATION_URL")
    found = doctor()[1]
    assert found["reviews"]["state"] == found["decided once"]["state"] == "failed"


def test_a_rematch_is_shared_out_in_runs_of_as_many_claims_as_the_settings_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITATION_PIPELINE_STORE", str(tmp_path))

    def claims_of_runs() -> dict[str, int | None]:
        graph = build_definitions().get_repository_def().asset_graph
        stages = ("parsed_documents", "resolved_citations", "viewer_dataset")
        policies = {stage: graph.get(dg.AssetKey(stage)).backfill_policy for stage in stages}
        return {stage: policy.max_partitions_per_run for stage, policy in policies.items() if policy}

    assert claims_of_runs() == {
        "parsed_documents": 25,
        "resolved_citations": 1000,
        "viewer_dataset": 2000,
    }
    monkeypatch.setenv("CITATION_PIPELINE_REMATCH_CLAIMS", "50")
    assert claims_of_runs() == {"parsed_documents": 25, "resolved_citations": 50, "viewer_dataset": 100}


@pytest.mark.parametrize("address", ["4000", "host:", "host:port", "a host:4000"])
def test_a_code_servers_address_that_is_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("CITATION_PIPELINE_STORE", STORE)
    monkeypatch.setenv("CITATION_PIPELINE_CODE_SERVER", address)
    refused = command("fleet", "init", "--out", tmp_path / "dagster.yaml")
    assert refused.exit_code == 2
    assert "CITATION_PIPELINE_CODE_SERVER" in refused.output
    assert not list(tmp_path.iterdir())


def test_daemon_and_web_find_the_code_in_a_server_that_has_it_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, target = tmp_path / "dagster.yaml", WorkspaceFileTarget([str(tmp_path / "workspace.yaml")])
    init(monkeypatch, file)
    (own,) = target.create_origins()
    port = free_port()
    init(monkeypatch, file, "--force", CODE_SERVER=f"127.0.0.1:{port}")
    (served,) = target.create_origins()
    assert isinstance(served, GrpcServerCodeLocationOrigin)
    assert served.location_name == own.location_name, "what was switched on in the UI is kept by it"
    words = ["-m", "dagster", "api", "grpc", "-h", "127.0.0.1", "-p", str(port), "-m", own.location_name]
    server = subprocess.Popen([sys.executable, *words])
    try:
        wait_until(lambda: _listens(port), "the code server does not start")
        with (
            open_instance(tmp_path / "home") as instance,
            WorkspaceProcessContext(instance, target) as workspace,
        ):
            assert "nightly" in _schedules(workspace)
    finally:
        server.kill()
        server.wait()


def _schedules(workspace: WorkspaceProcessContext) -> set[str]:
    """The schedules of the locations that are loaded."""
    entries = workspace.create_request_context().get_code_location_entries().values()
    repositories = [
        r for e in entries if e.code_location for r in e.code_location.get_repositories().values()
    ]
    return {schedule.name for repository in repositories for schedule in repository.get_schedules()}


def _listens(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0
