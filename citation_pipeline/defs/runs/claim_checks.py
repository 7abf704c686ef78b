"""How an asset check judges the claims of its run: a verdict of its own for each.

Dagster gives a run of many claims one result per check. So each claim gets an evaluation of its own on its
partition, and the run's one result tells how many were looked at.
"""

from collections.abc import Callable, Sequence
from functools import partial

import dagster as dg

from citation_pipeline.core.failures import describe_failure
from citation_pipeline.defs.dagster_internals.claim_events import judged_materializations, report_evaluations
from citation_pipeline.defs.runs.claim_runs import NAMED_CLAIMS
from citation_pipeline.defs.runs.claim_workers import ClaimWorkers
from citation_pipeline.defs.runs.verdicts import Verdict

WARN, ERROR = dg.AssetCheckSeverity.WARN, dg.AssetCheckSeverity.ERROR


def judge_claims(
    context: dg.AssetCheckExecutionContext,
    judge: Callable[[str], Verdict],
    *,
    severity: dg.AssetCheckSeverity,
    workers: ClaimWorkers | None = None,
) -> dg.AssetCheckResult:
    """Judge every claim of the run; a claim that cannot be judged fails the check.

    With `workers` and many claims, `judge` runs in their processes and must be picklable. Claims that the run
    made and judged before (`KeptVerdicts`) are not judged again.
    """
    keys = context.partition_keys
    workers = workers or ClaimWorkers()
    if len(keys) == 1:
        verdict = _judge_all(workers, judge, keys)[keys[0]]
        return dg.AssetCheckResult(
            passed=verdict.passed, severity=_severity(verdict, severity), metadata=dict(verdict.metadata)
        )
    check_key = next(iter(context.selected_asset_check_keys))
    judged = judged_materializations(context, check_key.asset_key, keys)
    known = {
        key: verdict
        for key, verdict in workers.verdicts.take(check_key).items()
        if key in judged and judged[key].run_id == context.run.run_id
    }
    rest = [key for key in keys if key not in known]
    verdicts = {**known, **_judge_all(workers, judge, rest)}
    failed = [key for key in keys if not verdicts[key].passed]
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
        for key, verdict in ((key, verdicts[key]) for key in keys)
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


def _judge_all(
    workers: ClaimWorkers, judge: Callable[[str], Verdict], keys: Sequence[str]
) -> dict[str, Verdict]:
    results = workers.map(partial(_judge, judge), keys)
    return {
        key: result if isinstance(result, Verdict) else _no_verdict(result)
        for key, result in zip(keys, results, strict=True)
    }


def _severity(verdict: Verdict, usual: dg.AssetCheckSeverity) -> dg.AssetCheckSeverity:
    return ERROR if verdict.is_error else usual


def _judge(judge: Callable[[str], Verdict], key: str) -> Verdict:
    try:
        return judge(key)
    except Exception as error:  # one claim that cannot be judged leaves the others their verdicts
        return _no_verdict(error)


def _no_verdict(error: Exception) -> Verdict:
    return Verdict(False, {"error": describe_failure(error)})
