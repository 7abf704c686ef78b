"""What `doctor` looks at: store, databases, instance, broker, workers, limits; each fault with its remedy."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from citation_pipeline.adapters.deployment.deployment import Deployment
from citation_pipeline.adapters.deployment.fleet_section import BROKER_VARIABLE, DATABASE_VARIABLE
from citation_pipeline.adapters.object_storage.addresses import shown_root
from citation_pipeline.adapters.observability.alerts import VARIABLE as ALERTS_VARIABLE
from citation_pipeline.adapters.observability.alerts import AlertError, check_addresses
from citation_pipeline.adapters.probes.databases import CLOCKS_DIFFER_S, look_at_database
from citation_pipeline.adapters.probes.findings import Finding, State, failed, looked, not_run, ok
from citation_pipeline.adapters.probes.stores import look_at_store
from citation_pipeline.defs.automation.night_settings import night_settings_of
from citation_pipeline.defs.dagster_internals.worker_launcher import WorkerRunLauncher
from citation_pipeline.defs.fleet.versions import code_version
from citation_pipeline.defs.fleet.workers import REPORT
from citation_pipeline.defs.instances import pool_limits

_OF_WORKERS = ("workers", "versions", "clocks", "stores of workers", "slots", "queues")
_ANSWERS_WITHIN_S = 3.0


def diagnose(deployment: Deployment) -> Iterator[Finding]:
    """Yield a finding for each thing that this deployment has."""
    is_fleet = bool(deployment.dagster_database_url or deployment.broker_url)
    yield from look_at_store(deployment.store)
    yield look_at_database(
        "reviews",
        deployment.verifications_url,
        "CITATION_PIPELINE_VERIFICATIONS_URL",
        shared=is_fleet,
    )
    yield look_at_database(
        "decided once",
        deployment.coordination_url,
        "CITATION_PIPELINE_COORDINATION_URL",
        shared=is_fleet,
    )
    if is_fleet:
        url = deployment.dagster_database_url
        yield (
            look_at_database("Dagster's database", url, DATABASE_VARIABLE, shared=True)
            if url
            else failed("Dagster's database", "is not named", f"set {DATABASE_VARIABLE}")
        )
    yield from _look_at_instance(deployment, is_fleet=is_fleet)
    if addresses := deployment.alert_urls.split():
        yield _look_at_alerts(addresses)


def _look_at_alerts(addresses: Sequence[str]) -> Finding:
    """Look whether alerts could be sent, without sending one."""
    try:
        check_addresses(addresses)
    except AlertError as error:  # it names an address by its number
        return failed("alerts", str(error), f"mend {ALERTS_VARIABLE}: see docs/observability.md")
    return ok("alerts", f"{len(addresses)} addresses that apprise knows; nothing was sent")


def _look_at_instance(deployment: Deployment, *, is_fleet: bool) -> Iterator[Finding]:
    home = deployment.dagster_home
    prepare = "citation-pipeline fleet init" if is_fleet else "citation-pipeline dev --prepare"
    follow = ("pools", *(("daemon", "broker", *_OF_WORKERS) if is_fleet else ()))
    if not (home / "dagster.yaml").is_file():
        yield failed("instance", f"{home} has no dagster.yaml", f"write it: {prepare}")
        yield from (not_run(check, "instance") for check in follow)
        return
    try:
        instance = dg.DagsterInstance.from_config(str(home))
        instance.get_runs_count()
        launcher = instance.run_launcher
    except Exception as error:  # the message may hold the database's URL
        yield failed(
            "instance",
            f"cannot be opened ({type(error).__name__})",
            f"mend {home / 'dagster.yaml'} or what it names; or move {home} away, with the history of runs, "
            f"and set up a new one: {prepare}",
        )
        yield from (not_run(check, "instance") for check in follow)
        return
    with instance:
        yield _look_at_settings(instance, launcher, is_fleet=is_fleet)
        yield looked("pools", lambda: _look_at_pools(instance, deployment), "citation-pipeline fleet pools")
        if not is_fleet:
            return
        yield looked("daemon", lambda: _look_at_daemon(instance), "start dagster-daemon on one host")
        if isinstance(launcher, WorkerRunLauncher):
            yield from _look_at_workers(instance, launcher, deployment)


def _look_at_settings(instance: dg.DagsterInstance, launcher: Any, *, is_fleet: bool) -> Finding:
    name = type(launcher).__name__
    if is_fleet and name in ("DefaultRunLauncher", "WatchedRunLauncher"):
        return failed(
            "instance",
            f"{name} starts every run on the daemon's own host",
            "write the fleet's dagster.yaml: citation-pipeline fleet init --force",
        )
    if not instance.run_monitoring_enabled or not instance.run_retries_enabled:
        return failed(
            "instance",
            "runs of a dead host are neither noticed nor started again",
            "set run_monitoring.enabled and run_retries.enabled in dagster.yaml",
        )
    return ok("instance", f"runs are started by {name}, watched and retried")


def _look_at_pools(instance: dg.DagsterInstance, deployment: Deployment) -> Finding:
    wanted = pool_limits(night_settings_of(deployment).runs)
    own = {
        pool.name: pool.limit
        for pool in instance.event_log_storage.get_pool_limits()
        if not pool.from_default
    }
    missing = [pool for pool in wanted if pool not in own]
    if missing:
        return failed(
            "pools",
            f"{', '.join(missing)}: no limit of their own, so one step at a time on all hosts together",
            "citation-pipeline fleet pools",
        )
    others = [
        f"{pool} {own[pool]} (settings: {wanted[pool]})" for pool in wanted if own[pool] != wanted[pool]
    ]
    if others:
        return failed("pools", ", ".join(others), "citation-pipeline fleet pools, or change the settings")
    return ok("pools", ", ".join(f"{pool} {limit}" for pool, limit in own.items() if pool in wanted))


def _look_at_daemon(instance: dg.DagsterInstance) -> Finding:
    beats = instance.get_daemon_heartbeats()
    wanted = {"QUEUED_RUN_COORDINATOR", "MONITORING", "SCHEDULER", "SENSOR", "BACKFILL"}
    now = time.time()
    silent = sorted(kind for kind in wanted if kind not in beats or now - beats[kind].timestamp > 2 * 60)
    if silent:
        return failed(
            "daemon",
            f"no sign of life for two minutes of {', '.join(silent).lower()}",
            "start dagster-daemon on one host, and one only",
        )
    return ok("daemon", f"{len(wanted)} parts gave signs of life within two minutes")


def _look_at_workers(
    instance: dg.DagsterInstance, launcher: WorkerRunLauncher, deployment: Deployment
) -> Iterator[Finding]:
    broker = looked(
        "broker",
        lambda: _look_at_broker(launcher),
        f"check {BROKER_VARIABLE}, that the server runs, and that this host may connect to it",
    )
    yield broker
    if broker.state is not State.OK:
        yield from (not_run(check, "broker") for check in _OF_WORKERS)
        return
    asked_at = time.time()
    inspect = launcher.celery.control.inspect(timeout=_ANSWERS_WITHIN_S)
    reports: Mapping[str, dict[str, Any]] = inspect._request(REPORT) or {}
    if not reports:
        yield failed(
            "workers", "none answers", "start `citation-pipeline fleet worker` on every host that is to work"
        )
        yield from (not_run(check, "workers") for check in _OF_WORKERS[1:])
        return
    yield ok("workers", ", ".join(sorted(reports)))
    yield _compare(
        "versions",
        {name: f"{r['version']} ({r['code']}), Dagster {r['dagster']}" for name, r in reports.items()}
        | {"this host": f"{_installed(reports)} ({code_version()}), Dagster {dg.__version__}"},
        "install the same version on every host: `fleet worker` ends its runs when it is asked to stop",
    )
    yield _look_at_clocks(reports, asked_at)
    yield _compare(
        "stores of workers",
        {name: str(r["store"]) for name, r in reports.items()} | {"this host": shown_root(deployment.store)},
        "set CITATION_PIPELINE_STORE to the same URL on every host",
    )
    yield _look_at_slots(instance, reports)
    yield _look_at_queues(launcher, reports)


def _look_at_broker(launcher: WorkerRunLauncher) -> Finding:
    with launcher.celery.connection_for_read(connect_timeout=5) as connection:
        connection.ensure_connection(max_retries=1, interval_start=0.2, timeout=5)
        transport = str(connection.transport.driver_type)
    return ok("broker", f"{transport} answers")


def _compare(check: str, said: Mapping[str, str], remedy: str) -> Finding:
    if len(set(said.values())) == 1:
        return ok(check, next(iter(said.values())))
    return failed(check, "; ".join(f"{name}: {what}" for name, what in sorted(said.items())), remedy)


def _installed(reports: Mapping[str, Mapping[str, Any]]) -> str:
    from importlib.metadata import version

    return version("citation-pipeline")


def _look_at_clocks(reports: Mapping[str, Mapping[str, Any]], asked_at: float) -> Finding:
    # an answer took place between the question and now
    now = time.time()
    ahead = {name: max(float(r["at"]) - now, asked_at - float(r["at"]), 0.0) for name, r in reports.items()}
    wrong = [f"{name} by {seconds:.0f} s" for name, seconds in ahead.items() if seconds > CLOCKS_DIFFER_S]
    if wrong:
        return failed(
            "clocks", f"differ from this host's: {', '.join(wrong)}", "have all set by one time service (NTP)"
        )
    return ok("clocks", f"differ from this host's by {max(ahead.values()):.1f} s at most")


def _look_at_slots(instance: dg.DagsterInstance, reports: Mapping[str, Mapping[str, Any]]) -> Finding:
    slots = sum(int(r["slots"]) for r in reports.values())
    most = instance.get_concurrency_config().run_queue_config
    runs = most.max_concurrent_runs if most is not None else 10
    if runs > slots or runs < 0:
        return failed(
            "slots",
            f"{runs} runs at once, {slots} slots: runs wait in the broker, and that counts as starting",
            f"set CITATION_PIPELINE_RUNS={slots} and write dagster.yaml anew, or start more workers",
        )
    return ok("slots", f"{runs} runs at once, {slots} slots")


def _look_at_queues(launcher: WorkerRunLauncher, reports: Mapping[str, Mapping[str, Any]]) -> Finding:
    wanted = {launcher.default_queue, *launcher.queues.values()}
    taken = {queue for r in reports.values() for queue in r["queues"]}
    if wanted - taken:
        return failed(
            "queues",
            f"no worker takes runs of {', '.join(sorted(wanted - taken))}",
            "start a worker with --queue for each, or without --queue for all",
        )
    return ok("queues", ", ".join(sorted(wanted)))
