"""The `claims_warehouse` asset: all claims in one DuckDB file."""

import dagster as dg

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.warehouse import FILE_NAME, refresh_warehouse
from citation_pipeline.defs.partitions import OWNERS
from citation_pipeline.defs.resolved_citations import resolved_citations
from citation_pipeline.defs.viewer_dataset import viewer_dataset


@dg.asset(
    deps=[
        dg.AssetDep(asset, partition_mapping=dg.AllPartitionMapping())
        for asset in (resolved_citations, viewer_dataset)
    ],
    group_name="warehouse",
    kinds={"duckdb"},
    owners=OWNERS,
    code_version="1",
    pool="warehouse",  # one refresh at a time: each starts from the file that the last one published
)
def claims_warehouse(
    context: dg.AssetExecutionContext, store: dg.ResourceParam[ClaimStore]
) -> dg.MaterializeResult[None]:
    """Documents, fields, citations and costs of every claim, refreshed for those that changed."""
    refresh = refresh_warehouse(store)
    return dg.MaterializeResult(
        metadata={
            "claims_refreshed": refresh.refreshed,
            "claims_removed": refresh.removed,
            "claims_unchanged": refresh.unchanged,
            **{f"rows/{table}": count for table, count in refresh.rows.items()},
            "file": dg.MetadataValue.path(str(store.local_path(FILE_NAME))),
        }
    )
