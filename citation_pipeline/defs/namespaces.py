"""Where an instance of the pipeline has its names: keys, jobs, sensors, pools, resources and partitions.

The project's own code location has no prefix. Another project may hold several instances, each in a namespace
of its own. What is built there is built by `placing` from the definitions in `assets`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import dagster as dg

from citation_pipeline.defs.assets.partitions import OWNERS, claims

JOBS = (
    "process_claims",
    "rematch_claims",
    "plan_claims",
    "refresh_warehouse",
    "finish_nightly_batch",
    "retry_failed",
    "judge_quality",
    "prune_history",
)


@dataclass(frozen=True)
class Namespace:
    """A key prefix, and what all assets below it share."""

    prefix: tuple[str, ...] = ()
    owners: Sequence[str] = tuple(OWNERS)
    tags: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def claims(self) -> dg.DynamicPartitionsDefinition:
        """The partitioning by claim."""
        return dg.DynamicPartitionsDefinition(name=self.claims_name) if self.prefix else claims

    @property
    def claims_name(self) -> str:
        """The name of the partitioning by claim."""
        return self.name("claims")

    def key(self, name: str) -> dg.AssetKey:
        """Return an asset's key."""
        return dg.AssetKey([*self.prefix, name])

    def name(self, name: str) -> str:
        """Return the name of a job, sensor, schedule, pool, resource or group: no path, so joined by `_`."""
        return "_".join([*self.prefix, name])

    def owns(self, run: dg.DagsterRun) -> bool:
        """Tell whether a run is one of this instance's: by its job, or by what it makes."""
        if run.job_name in {self.name(job) for job in JOBS}:
            return True
        selected = run.asset_selection or ()
        length = len(self.prefix)
        return not selected or any(tuple(key.path[:length]) == self.prefix for key in selected)


HERE = Namespace()
"""The project's own code location."""


def namespace_of(key: dg.AssetKey) -> Namespace:
    """Return the namespace that an asset's key lies in, for an asset that looks for its neighbours."""
    return Namespace(tuple(key.path[:-1])) if len(key.path) > 1 else HERE
