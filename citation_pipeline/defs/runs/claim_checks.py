"""How an asset check judges the claims of its run: a verdict of its own for each.

Dagster gives a run of many claims one result per check. So each claim gets an evaluation of its own on its
partition, and the run's one result tells how many were looked at.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import dagster as dg

from citation_pipeline.core.failures import describe_failure
from citation_pipeline.defs.dagster_internals.claim_events import judged_materializations, report_evaluations
from citation_pipeline.defs.runs.claim_runs import NAMED_CLAIMS
from citation_pipeline.defs.runs.claim_workers import ClaimWorkers

WARN, ERROR = dg.AssetCheckSeverity.WARN, dg.AssetCheckSeverity.ERROR


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found of one claim; `metadata` holds counts and ids, never text.

    `is_error` makes it graver than the check usually is.
    """

    passed: bool
    metadata: Mapping[str, Any]
    is_error: bool = False


def judge_claims(
    context: dg.AssetCheckExecutionContext,
    judge: Callable[[str], Verdict],
    *,
    severity: dg.AssetCheckSeverity,
    workers: ClaimWorkers | None = None,
) -> dg.AssetCheckResult:
    """Judge every claim of the run; a claim that cannot be judged fails the check.

    With `workers` and many claims, `judge` runs in their processes and must be picklable.
    """
    keys = context.partition_keys
    results = (workers or ClaimWorkers()).map(partial(_judge, judge), keys)
    verdicts = {
        key: result if isinstance(result, Verdict) else _no_verdict(result)
        for key, result in zip(keys, results, strict=True)
    }
    if len(keys) == 1:
        verdict = verdicts[keys[0]]
        return dg.AssetCheckResult(
            passed=verdict.passed, severity=_severity(verdict, severity), metadata=dict(verdict.metadata)
        )
    failed = [key for key in keys if not verdicts[key].passed]
    check_key = next(iter(context.selected_asset_check_keys))
    judged = judged_materializations(context, check_key.asset_key, keys)
    evaluations = [
        dg.AssetCheckEvaluation(
            asset_key=check_key.asset_key,
            check_name=check_key.name,
            passed=verdict.passed,
            severity=_severity(verdict, severity),
            metadata=dict(verdict.metadata),
            target_materialization_data=judged.get(key),
            partition=key,
        )
        for key, verdict in verdicts.items()
    ]
    report_evaluations(context, evaluations)
    return dg.AssetCheckResult(
        passed=not failed,
        severity=ERROR if any(verdict.is_error for verdict in verdicts.values()) else severity,
        metadata={
            "claims": len(keys),
            "claims_failed": len(failed),
            "failed": dg.MetadataValue.json(failed[:NAMED_CLAIMS]),
        },
    )


def _severity(verdict: Verdict, usual: dg.AssetCheckSeverity) -> dg.AssetCheckSeverity:
    return ERROR if verdict.is_error else usual


def _judge(judge: Callable[[str], Verdict], key: str) -> Verdict:
    try:
        return judge(key)
    except Exception as error:  # one claim that cannot be judged leaves the others their verdicts
        return _no_verdict(error)


def _no_verdict(error: Exception) -> Verdict:
    return Verdict(False, {"error": describe_failure(error)})
