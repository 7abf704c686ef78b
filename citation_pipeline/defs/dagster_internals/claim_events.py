"""Events of many claims at once, as Dagster itself reports them: in batches, and with what each claim's says.

Dagster's public calls take one claim at a time, each in transactions of its own or after reading every
partition key of the deployment. The inner doors that are used instead are all in this module.
"""

import logging
import os
import uuid
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import dagster as dg
from dagster import AssetRecordsFilter, DagsterEventType
from dagster._core.definitions.asset_checks.asset_check_evaluation import (
    AssetCheckEvaluation,
    AssetCheckEvaluationTargetMaterializationData,
)
from dagster._core.events import DagsterEvent, DagsterEventBatchMetadata, StepMaterializationData


def add_claim_metadata(context: dg.AssetExecutionContext, metadata: Mapping[str, Mapping[str, Any]]) -> None:
    """Give the materialization of each claim, by its id, what is shown of it."""
    step = context.op_execution_context.get_step_execution_context()
    found = step._metadata_accumulator
    for key, shown in metadata.items():
        found = found.with_additional_asset_metadata(context.asset_key, key, shown)
    step._metadata_accumulator = found


def report_materializations(
    context: dg.AssetExecutionContext, materializations: Sequence[dg.AssetMaterialization]
) -> None:
    """Report claims as made, in a run that reports the rest as failed."""
    reported = [(StepMaterializationData(made), "Materialized value.") for made in materializations]
    _report(context, DagsterEventType.ASSET_MATERIALIZATION, reported)


def report_released(instance: dg.DagsterInstance, materialization: dg.AssetMaterialization) -> None:
    """Report a claim as made whose dataset was held, as the late outcome of the run that held it.

    Dagster's UI shows "Run ... failed, and did not materialize this asset" until that run has materialized
    it. Where no run of the claim failed, the event belongs to none.
    """
    planned = instance.event_log_storage.get_latest_planned_materialization_info(
        materialization.asset_key, materialization.partition
    )
    run = instance.get_run_by_id(planned.run_id) if planned is not None else None
    if run is None or run.status is not dg.DagsterRunStatus.FAILURE:
        instance.report_runless_asset_event(materialization)
        return
    event = DagsterEvent(
        event_type_value=DagsterEventType.ASSET_MATERIALIZATION.value,
        job_name=run.job_name,
        event_specific_data=StepMaterializationData(materialization),
        message="Released by a person after the run had held it.",
    )
    instance.report_dagster_event(event, run_id=run.run_id)


def report_evaluations(
    context: dg.AssetCheckExecutionContext, evaluations: Sequence[AssetCheckEvaluation]
) -> None:
    """Report what a check found of each claim."""
    reported = [
        (found, f"Asset check '{found.check_name}' {'passed' if found.passed else 'did not pass'}.")
        for found in evaluations
    ]
    _report(context, DagsterEventType.ASSET_CHECK_EVALUATION, reported)


def judged_materializations(
    context: dg.AssetCheckExecutionContext, asset_key: dg.AssetKey, keys: Sequence[str]
) -> Mapping[str, AssetCheckEvaluationTargetMaterializationData]:
    """Return the latest materialization of each claim that has one: a verdict counts for that one only."""
    numbers = context.instance.event_log_storage.get_latest_storage_id_by_partition(
        asset_key, DagsterEventType.ASSET_MATERIALIZATION, set(keys)
    )
    return _read_materializations(context.instance, asset_key, tuple(sorted(numbers.values())))


@lru_cache(maxsize=1)  # the checks of an asset follow each other, and all judge the same
def _read_materializations(
    instance: dg.DagsterInstance, asset_key: dg.AssetKey, numbers: tuple[int, ...]
) -> Mapping[str, AssetCheckEvaluationTargetMaterializationData]:
    records = instance.fetch_materializations(
        AssetRecordsFilter(asset_key=asset_key, storage_ids=numbers), limit=max(1, len(numbers))
    ).records
    return {
        str(record.partition_key): AssetCheckEvaluationTargetMaterializationData(
            storage_id=record.storage_id, run_id=record.run_id, timestamp=record.timestamp
        )
        for record in records
    }


def _report(
    context: dg.AssetExecutionContext | dg.AssetCheckExecutionContext,
    kind: DagsterEventType,
    reported: Sequence[tuple[Any, str]],
) -> None:
    step = context.op_execution_context.get_step_execution_context()
    batch = str(uuid.uuid4())
    for number, (data, message) in enumerate(reported, start=1):
        event = DagsterEvent(
            event_type_value=kind.value,
            job_name=step.job_name,
            step_handle=step.step.handle,
            node_handle=step.step.node_handle,
            step_kind_value=step.step.kind.value,
            logging_tags=step.event_tags,
            event_specific_data=data,
            message=message,
            pid=os.getpid(),
        )
        context.instance.report_dagster_event(
            event,
            run_id=step.run_id,
            log_level=logging.DEBUG,
            batch_metadata=DagsterEventBatchMetadata(batch, is_end=number == len(reported)),
        )
