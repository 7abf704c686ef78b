"""The run queue: Dagster's own, which tells runs that spread many claims over every core from the others.

Of a backfill's runs nothing but the assets says so. Four of them at once on one machine are four times the
processes for the same work, and leave no place to anybody's single claim.
"""

import dagster as dg

SPREAD_TAG = "citation_pipeline/spread"

_SPREAD = frozenset({"resolved_citations", "viewer_dataset", "search_index"})
_MANY = "dagster/asset_partition_range_start"  # Dagster's tag of a run of many partitions


class ClaimRunQueue(dg.QueuedRunCoordinator):
    """Queues runs; those of many claims that only match, build or index them get the tag `SPREAD_TAG`."""

    def submit_run(self, context: dg.SubmitRunContext) -> dg.DagsterRun:
        """Tag the run if it is such a one, and queue it."""
        run = context.dagster_run
        if is_spread(run):
            self._instance.add_run_tags(run.run_id, {SPREAD_TAG: "true"})
        return super().submit_run(context)


def is_spread(run: dg.DagsterRun) -> bool:
    """Tell whether a run does nothing but match, build or index many claims."""
    names = {key.path[-1] for key in run.asset_selection or ()}
    return _MANY in run.tags and bool(names) and names <= _SPREAD
