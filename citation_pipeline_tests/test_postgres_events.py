"""Dagster's events in PostgreSQL: many claims at once, each as if alone, and a server that is restarted."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml

from citation_pipeline.defs.dagster_internals.claim_events import report_evaluations
from citation_pipeline.defs.dagster_internals.postgres_storage import with_driver
from citation_pipeline_tests.postgres import PostgresServer, running_postgres

CLAIMS = [f"claim-{number:03}" for number in range(40)]
claims = dg.DynamicPartitionsDefinition(name="claims")


@dg.asset(partitions_def=claims, backfill_policy=dg.BackfillPolicy.single_run())
def made(context: dg.AssetExecutionContext) -> None:
    pass


@dg.asset_check(asset=made, partitions_def=claims)
def judged(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    report_evaluations(
        context,
        [
            dg.AssetCheckEvaluation(
                asset_key=made.key,
                check_name="judged",
                passed=key != "claim-007",
                metadata={},
                partition=key,
            )
            for key in context.partition_keys
        ],
    )
    return dg.AssetCheckResult(passed=False)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_postgres() as running:
        yield running


@pytest.fixture
def instance(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dg.DagsterInstance]:
    monkeypatch.setenv("DATABASE", server.new_database())
    storage = {
        "module": "citation_pipeline.defs.dagster_internals.postgres_storage",
        "class": "FleetPostgresStorage",
        "config": {"postgres_url": {"env": "DATABASE"}},
    }
    settings = {"storage": {"custom": storage}, "telemetry": {"enabled": False}}
    (tmp_path / "dagster.yaml").write_text(yaml.safe_dump(settings))
    monkeypatch.delenv("DAGSTER_EVENT_BATCH_SIZE", raising=False)
    with dg.DagsterInstance.from_config(str(tmp_path)) as opened:
        opened.add_dynamic_partitions("claims", CLAIMS)
        yield opened
    os.environ.pop("DAGSTER_EVENT_BATCH_SIZE", None)


def run(instance: dg.DagsterInstance, *definitions: Any) -> dg.ExecuteInProcessResult:
    return dg.materialize(
        list(definitions),
        instance=instance,
        raise_on_error=False,
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        tags={
            "dagster/asset_partition_range_start": CLAIMS[0],
            "dagster/asset_partition_range_end": CLAIMS[-1],
        },
    )


def statuses(instance: dg.DagsterInstance, name: str) -> dict[str | None, str]:
    key = dg.AssetCheckKey(made.key, name)
    history = instance.event_log_storage.get_asset_check_execution_history(key, limit=1000)
    return {found.partition: found.status.value for found in history if found.partition is not None}


def test_every_process_of_a_fleet_reports_in_batches(instance: dg.DagsterInstance) -> None:
    assert int(os.environ["DAGSTER_EVENT_BATCH_SIZE"]) >= 500


def test_claims_of_one_run_are_made_and_judged_each_by_itself(instance: dg.DagsterInstance) -> None:
    assert run(instance, made, judged).success
    assert instance.get_materialized_partitions(made.key) == set(CLAIMS)
    found = statuses(instance, "judged")
    assert found.pop("claim-007") == "FAILED"
    assert found == dict.fromkeys(set(CLAIMS) - {"claim-007"}, "SUCCEEDED")


def test_a_check_that_did_not_run_is_neither_passed_nor_failed(instance: dg.DagsterInstance) -> None:
    location = dg.Definitions(assets=[made], asset_checks=[judged], jobs=[dg.define_asset_job("both")])
    planned = instance.create_run_for_job(
        location.resolve_job_def("both"),
        tags={
            "dagster/asset_partition_range_start": CLAIMS[0],
            "dagster/asset_partition_range_end": CLAIMS[-1],
        },
    )
    assert set(statuses(instance, "judged").values()) == {"PLANNED"}
    instance.report_run_failed(planned, "its worker is gone")
    assert statuses(instance, "judged") == {}


def test_a_batch_costs_a_fraction_of_its_events_one_by_one(instance: dg.DagsterInstance) -> None:
    def entries(kind: str) -> list[dg.EventLogEntry]:
        stored = []
        for claim in CLAIMS * 5:
            made_now = dg.AssetMaterialization(kind, partition=claim)
            event = dg.DagsterEvent(
                event_type_value=dg.DagsterEventType.ASSET_MATERIALIZATION.value,
                job_name="job",
                event_specific_data=_materialized(made_now),
            )
            stored.append(
                dg.EventLogEntry(
                    error_info=None,
                    level=10,
                    user_message="",
                    run_id="run",
                    timestamp=time.time(),
                    dagster_event=event,
                )
            )
        return stored

    def cost(store: Any) -> float:
        began = time.process_time()
        store()
        return time.process_time() - began

    storage = instance.event_log_storage
    singly = cost(lambda: [storage.store_event(event) for event in entries("singly")])
    at_once = cost(lambda: storage.store_event_batch(entries("at_once")))
    assert at_once < singly / 3, f"{at_once:.2f} s of CPU for a batch, {singly:.2f} s one by one"
    for name in ("singly", "at_once"):
        assert instance.get_materialized_partitions(dg.AssetKey(name)) == set(CLAIMS)


def test_a_restart_of_the_server_is_waited_for(instance: dg.DagsterInstance, server: PostgresServer) -> None:
    assert run(instance, made).success
    server.stop()
    starting = threading.Timer(2, server.start)
    starting.start()
    try:
        assert run(instance, made).success
    finally:
        starting.join()


def test_a_url_without_a_driver_gets_the_one_that_is_installed() -> None:
    assert with_driver("postgresql://me@host/db") == "postgresql+psycopg2://me@host/db"
    assert with_driver("postgres://me@host/db?sslmode=require") == (
        "postgresql+psycopg2://me@host/db?sslmode=require"
    )
    assert with_driver("postgresql+psycopg2://host/db") == "postgresql+psycopg2://host/db"


def _materialized(materialization: dg.AssetMaterialization) -> Any:
    from dagster._core.events import StepMaterializationData

    return StepMaterializationData(materialization)
