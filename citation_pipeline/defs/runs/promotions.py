"""Deciding on a held set: the decision is kept, the dataset follows, and the UI shows it without a run."""

import dagster as dg

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.verifications.promotions import Decision, PromotionDecision
from citation_pipeline.defs.assets.checks import citations_may_be_shown
from citation_pipeline.defs.assets.resolved_citations import resolved_citations
from citation_pipeline.defs.assets.viewer_dataset import build, viewer_dataset
from citation_pipeline.defs.dagster_internals.claim_events import report_released
from citation_pipeline.defs.runs.held_sets import describe_decision, keep
from citation_pipeline.defs.settings import Settings


def decide(
    store: ClaimStore,
    settings: Settings,
    instance: dg.DagsterInstance,
    claim_id: str,
    decision: Decision,
    *,
    by: str,
    why: str,
) -> PromotionDecision:
    """Accept or refuse a claim's held set; its partition is green afterwards, with no run of anything.

    Raises NothingHeldError where none is held. A process killed after the decision was kept leaves the claim
    to its next run, which finds the decision.
    """
    decided = keep(store, settings, claim_id, decision, by=by, why=why)
    outcome = build(store, settings, claim_id)
    report_released(
        instance,
        dg.AssetMaterialization(
            asset_key=viewer_dataset.key,
            partition=claim_id,
            metadata={**outcome.metadata, "data_version": outcome.state.data_version},
            tags={"dagster/data_version": outcome.state.data_version},
        ),
    )
    instance.report_runless_asset_event(
        dg.AssetCheckEvaluation(
            asset_key=resolved_citations.key,
            check_name=citations_may_be_shown.__name__,
            passed=True,
            severity=dg.AssetCheckSeverity.ERROR,
            metadata={"reasons": list(decided.reasons), "decision": describe_decision(decided)},
            partition=claim_id,
        )
    )
    return decided
