"""What the package takes of Dagster's private parts: in one place, and named when an upgrade breaks it."""

import ast
import importlib
import inspect
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.storage import dagster_run, tags

from citation_pipeline.defs.automation import busy_claims
from citation_pipeline.defs.dagster_internals import (
    backfills,
    claim_events,
    crons,
    event_storage,
    history,
    output_capture,
    placing,
    postgres_storage,
    run_launchers,
    worker_launcher,
    worker_notes,
    worker_runs,
)
from citation_pipeline.defs.runs.claim_runs import RETRY_NUMBER_TAG

ROOM = "citation_pipeline/defs/dagster_internals"
MODULES = (
    backfills,
    claim_events,
    crons,
    event_storage,
    history,
    output_capture,
    placing,
    postgres_storage,
    run_launchers,
    worker_launcher,
    worker_notes,
    worker_runs,
)


def private_imports(path: Path) -> list[tuple[str, str]]:
    """Every name that a file imports from a private module of Dagster: module and name."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dagster._"):
            found += [(str(node.module), alias.name) for alias in node.names]
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names if alias.name.startswith("dagster._")]
    return found


def test_private_names_are_imported_in_one_place_only(project: Path) -> None:
    elsewhere = [
        f"{path.relative_to(project)} imports {module}.{name}"
        for path in sorted((project / "citation_pipeline").rglob("*.py"))
        if not path.is_relative_to(project / ROOM)
        for module, name in private_imports(path)
    ]
    assert elsewhere == []


def test_every_private_name_is_there(project: Path) -> None:
    missing = [
        f"{path.name}: {module}.{name}"
        for path in sorted((project / ROOM).glob("*.py"))
        for module, name in private_imports(path)
        if name and not hasattr(importlib.import_module(module), name)
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("owner", "name", "parameters"),
    [
        (dg.DefaultRunLauncher, "launch_run", ["self", "context"]),
        (dg.DefaultRunLauncher, "terminate", ["self", "run_id"]),
        (dg.DefaultRunLauncher, "check_run_worker_health", ["self", "run"]),
        (dg.DefaultRunLauncher, "get_run_worker_debug_info", ["self", "run", "include_container_logs"]),
        (event_storage.SqliteEventLogStorage, "store_event", ["self", "event"]),
        (event_storage.SqliteEventLogStorage, "store_event_batch", ["self", "events"]),
        (event_storage.SqliteEventLogStorage, "delete_events", ["self", "run_id"]),
        (event_storage.SqliteEventLogStorage, "path_for_shard", ["self", "run_id"]),
        (event_storage.SqliteEventLogStorage, "_store_asset_event", ["self", "conn", "event", "event_id"]),
        (
            event_storage.SqliteEventLogStorage,
            "_store_asset_event_tags",
            ["self", "conn", "events", "event_ids"],
        ),
        (
            event_storage.SqliteEventLogStorage,
            "_store_asset_check_evaluation_planned",
            ["self", "event", "event_id"],
        ),
        (dg.DagsterInstance, "get_ref", ["self"]),
        (
            postgres_storage.PostgresEventLogStorage,
            "__init__",
            ["self", "postgres_url", "should_autocreate_tables", "inst_data", "token_provider"],
        ),
        (postgres_storage.PostgresEventLogStorage, "_connect", ["self"]),
        (postgres_storage.PostgresRunStorage, "connect", ["self"]),
        (postgres_storage.PostgresScheduleStorage, "connect", ["self", "run_id"]),
        (postgres_storage.PostgresEventLogStorage, "store_event", ["self", "event"]),
        (worker_launcher.RunLauncher, "launch_run", ["self", "context"]),
        (worker_launcher.RunLauncher, "terminate", ["self", "run_id"]),
        (worker_launcher.RunLauncher, "check_run_worker_health", ["self", "run"]),
        (worker_notes.DaemonCursorStorage, "set_cursor_values", ["self", "pairs"]),
        (worker_notes.DaemonCursorStorage, "get_cursor_values", ["self", "keys"]),
    ],
)
def test_what_is_replaced_or_called_takes_what_it_took(owner: type, name: str, parameters: list[str]) -> None:
    assert list(inspect.signature(getattr(owner, name)).parameters) == parameters


def test_tags_and_states_are_called_as_dagster_calls_them() -> None:
    names = [name for name in vars(busy_claims) if name.endswith("_TAG")]
    assert len(names) == 5
    for name in names:
        assert getattr(busy_claims, name) == getattr(tags, name), name
    assert RETRY_NUMBER_TAG == tags.RETRY_NUMBER_TAG
    assert set(busy_claims.NOT_FINISHED_STATUSES) == set(dagster_run.NOT_FINISHED_STATUSES)


def test_the_modules_say_why_there_is_no_public_way() -> None:
    assert all(len(inspect.getdoc(module) or "") > 80 for module in MODULES)
