"""Asset backfills: asking for one, and which claims the open ones are still to make.

Dagster has no public way to either.
"""

import time
from collections.abc import Mapping, Sequence

import dagster as dg
from dagster._core.definitions.assets.graph.asset_graph_subset import AssetGraphSubset
from dagster._core.execution.backfill import BulkActionsFilter, BulkActionStatus, PartitionBackfill
from dagster._core.utils import make_new_backfill_id

from citation_pipeline.defs.namespaces import HERE, Namespace


def request_backfill(
    instance: dg.DagsterInstance,
    targets: Mapping[str, Sequence[str]],
    *,
    title: str,
    place: Namespace = HERE,
) -> str:
    """Ask the daemon for an asset backfill of these claims by stage, as the UI would; return its id."""
    subsets = {
        place.key(stage): place.claims.empty_subset().with_partition_keys(claim_ids)
        for stage, claim_ids in targets.items()
    }
    backfill = PartitionBackfill.from_asset_graph_subset(
        backfill_id=make_new_backfill_id(),
        backfill_timestamp=time.time(),
        tags={},
        dynamic_partitions_store=instance,
        asset_graph_subset=AssetGraphSubset(
            partitions_subsets_by_asset_key=subsets,
            non_partitioned_asset_keys=set(),  # type: ignore[call-arg]
        ),
        title=title,
        description=None,
        run_config=None,
    )
    instance.add_backfill(backfill)
    return str(backfill.backfill_id)


def claims_of_open_backfills(instance: dg.DagsterInstance, place: Namespace = HERE) -> set[str]:
    """Return the claims of every backfill that has not ended."""
    found: set[str] = set()
    for backfill in instance.get_backfills(filters=BulkActionsFilter(statuses=[BulkActionStatus.REQUESTED])):
        data = backfill.asset_backfill_data
        if data is not None:
            found.update(
                one.partition_key
                for one in data.target_subset.iterate_asset_partitions()
                if one.partition_key is not None and tuple(one.asset_key.path[:-1]) == place.prefix
            )
    return found
