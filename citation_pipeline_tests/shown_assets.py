"""What the Dagster UI shows of assets: its own queries, answered in this process over a given instance."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import dagster as dg
from dagster._core.remote_origin import InProcessCodeLocationOrigin
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import InProcessWorkspaceLoadTarget
from dagster_graphql.test.utils import execute_dagster_graphql

_PARTITIONS = """{ assetNodes { assetKey { path } isPartitioned assetPartitionStatuses {
    ... on DefaultPartitionStatuses {
        materializedPartitions failedPartitions materializingPartitions } } } }"""
_FRESHNESS = "{ assetNodes { assetKey { path } freshnessStatusInfo { freshnessStatus } } }"


@dataclass(frozen=True)
class ShownPartitions:
    """The partitions of an asset by their colour; a failed one that was made before is in both."""

    materialized: set[str]
    failed: set[str]
    materializing: set[str]


@contextmanager
def open_workspace(instance: dg.DagsterInstance, module: str) -> Iterator[WorkspaceProcessContext]:
    """Open what webserver and daemon look at: a code location's module over an instance."""
    origin = InProcessCodeLocationOrigin(LoadableTargetOrigin(module_name=module, attribute="defs"))
    with warnings.catch_warnings():
        # upstream asks its own deprecated property when it describes a schedule
        warnings.filterwarnings("ignore", message="Property `ScheduleDefinition.environment_vars`")
        workspace = WorkspaceProcessContext(instance, InProcessWorkspaceLoadTarget(origin))
        with workspace:
            yield workspace


def shown_partitions(workspace: WorkspaceProcessContext) -> dict[str, ShownPartitions]:
    """Return what the UI colours, by asset; only assets with claims as partitions."""
    return {
        asset: ShownPartitions(
            set(node["assetPartitionStatuses"]["materializedPartitions"]),
            set(node["assetPartitionStatuses"]["failedPartitions"]),
            set(node["assetPartitionStatuses"]["materializingPartitions"]),
        )
        for asset, node in _ask(workspace, _PARTITIONS).items()
        if node["isPartitioned"]
    }


def shown_freshness(workspace: WorkspaceProcessContext) -> dict[str, str]:
    """Return what the UI says of the freshness of every asset that has a policy."""
    return {
        asset: node["freshnessStatusInfo"]["freshnessStatus"]
        for asset, node in _ask(workspace, _FRESHNESS).items()
        if node["freshnessStatusInfo"]
    }


def _ask(workspace: WorkspaceProcessContext, query: str) -> dict[str, Any]:
    answer = execute_dagster_graphql(workspace.create_request_context(), query).data
    return {node["assetKey"]["path"][0]: node for node in answer["assetNodes"]}
