"""The `claims_warehouse` asset: all claims in one DuckDB file, and what the last nights cost."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import dagster as dg
import pyarrow as pa

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.warehouse.places import FILE_NAME, warehouse_file
from citation_pipeline.adapters.warehouse.publishing import read_nights, refresh_warehouse
from citation_pipeline.adapters.warehouse.shapes import RUNS
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.defs.assets.partitions import OWNERS
from citation_pipeline.defs.assets.resolved_citations import resolved_citations
from citation_pipeline.defs.assets.viewer_dataset import viewer_dataset
from citation_pipeline.defs.automation.busy_claims import claims_of_run
from citation_pipeline.defs.automation.jobs import NIGHT_TAG, REASONS_TAG
from citation_pipeline.defs.namespaces import HERE, Namespace, namespace_of
from citation_pipeline.defs.settings import Settings

NIGHTS_SHOWN = 14
UNREADABLE_SHOWN = 100  # all of them are in the table `unreadable_tables`
_RUNS_AT_ONCE = 500  # bounds the memory of reading a long history of runs


@dg.asset(
    deps=[
        dg.AssetDep(asset, partition_mapping=dg.AllPartitionMapping())
        for asset in (resolved_citations, viewer_dataset)
    ],
    group_name="warehouse",
    kinds={"duckdb"},
    owners=OWNERS,
    code_version=code_fingerprint("warehouse"),
    pool="warehouse",  # one refresh at a time: each starts from the file that the last one published
)
def claims_warehouse(
    context: dg.AssetExecutionContext,
    store: dg.ResourceParam[ClaimStore],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult[None]:
    """Claims, documents, fields, citations, runs and costs of every claim, refreshed where they changed."""
    refresh = refresh_warehouse(
        store,
        ledger=settings.sent_requests,
        runs_since=lambda moment: read_runs(
            context.instance, since=moment, place=namespace_of(context.asset_key)
        ),
        verifications_url=settings.verifications_url,
    )
    for name in refresh.unreadable[:UNREADABLE_SHOWN]:
        context.log.warning(f"{name} cannot be read, and what was loaded of it stays: run the claim again")
    if refresh.is_rebuilt:
        context.log.warning("the warehouse that was there could not be used: it was made anew")
    nights = read_nights(warehouse_file(store), most=NIGHTS_SHOWN)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": refresh.rows.get("claims", 0),
            "claims_refreshed": refresh.refreshed,
            "claims_removed": refresh.removed,
            "claims_unchanged": refresh.unchanged,
            "unreadable_tables": len(refresh.unreadable),
            "is_published": refresh.is_published,
            **{f"rows/{table}": count for table, count in refresh.rows.items()},
            **_last_night(nights),
            "nights": dg.MetadataValue.table(
                [dg.TableRecord({name: _plain(value) for name, value in night.items()}) for night in nights],
                dg.TableSchema(columns=[dg.TableColumn(name) for name in nights[0]] if nights else []),
            ),
            "file": dg.MetadataValue.path(store.path(FILE_NAME)),
        }
    )


def read_runs(instance: dg.DagsterInstance, *, since: float, place: Namespace = HERE) -> pa.Table:
    """Return the runs that changed after a moment (seconds since 1970) in the warehouse's shape."""
    known = instance.get_dynamic_partitions(place.claims_name)
    rows: list[dict[str, Any]] = []
    cursor = None
    while True:
        records = instance.get_run_records(
            dg.RunsFilter(updated_after=_moment(since)) if since else None, limit=_RUNS_AT_ONCE, cursor=cursor
        )
        rows += [_run_row(record, known) for record in records if place.owns(record.dagster_run)]
        if len(records) < _RUNS_AT_ONCE:
            return pa.Table.from_pylist(rows, schema=RUNS)
        cursor = records[-1].dagster_run.run_id


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _run_row(record: dg.RunRecord, known: Sequence[str]) -> dict[str, Any]:
    run = record.dagster_run
    claim_ids = claims_of_run(run.tags, known)
    selected = run.asset_selection or frozenset()
    return {
        "run_id": run.run_id,
        "job": run.job_name,
        "status": run.status.value,
        "claim_id": claim_ids[0] if len(claim_ids) == 1 else None,
        "claims": len(claim_ids),
        "stages": sorted(key.path[-1] for key in selected),
        "reasons": run.tags.get(REASONS_TAG),
        "night": run.tags.get(NIGHT_TAG),
        "started_at": record.start_time,
        "ended_at": record.end_time,
        "updated_at": record.update_timestamp.timestamp(),
    }


def _last_night(nights: list[dict[str, Any]]) -> dict[str, Any]:
    if not nights:
        return {}
    last = nights[0]
    return {
        "last_night": str(last["night"]),
        "last_night/requests": last["requests"],
        "last_night/tokens": (last["input_tokens"] or 0) + (last["output_tokens"] or 0),
        "last_night/cost_usd": round(last["cost_usd"] or 0.0, 4),
        "last_night/paid_pages": last["paid_pages"] or 0,
    }


def _plain(value: Any) -> str | int | float | bool | None:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
