"""The code location: every asset, job and resource by name."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from citation_pipeline.defs.assets.checks import CHECKS
from citation_pipeline.defs.assets.claim_plans import claim_plans
from citation_pipeline.defs.assets.claims_warehouse import claims_warehouse
from citation_pipeline.defs.assets.extracted_fields import extracted_fields
from citation_pipeline.defs.assets.nightly_batches import build_nightly_batches, no_claim_is_left_behind
from citation_pipeline.defs.assets.parsed_documents import parsed_documents
from citation_pipeline.defs.assets.raw_extraction import raw_extraction
from citation_pipeline.defs.assets.resolved_citations import resolved_citations
from citation_pipeline.defs.assets.search_index import search_index
from citation_pipeline.defs.assets.source_documents import source_documents
from citation_pipeline.defs.assets.verified_quality import verified_quality
from citation_pipeline.defs.assets.viewer_dataset import viewer_dataset
from citation_pipeline.defs.automation.batches import build_batch_sensor
from citation_pipeline.defs.automation.freshness import keep_fresh
from citation_pipeline.defs.automation.intake import build_intake
from citation_pipeline.defs.automation.jobs import (
    finish_nightly_batch,
    judge_quality,
    plan_claims,
    process_claims,
    refresh_warehouse,
    rematch_claims,
)
from citation_pipeline.defs.automation.nightly import build_morning, build_nightly
from citation_pipeline.defs.automation.notifications import build_failure_sensor
from citation_pipeline.defs.automation.pruning import build_weekly, prune_history
from citation_pipeline.defs.automation.retries import retry_failed
from citation_pipeline.defs.resources import read_settings, resources
from citation_pipeline.defs.runs.progress import Watcher


def build_definitions(
    *, store: str = "", watcher: Watcher | None = None, readers: Mapping[str, Any] | None = None
) -> dg.Definitions:
    """Return the code location over a store; an empty one means what the environment says.

    `readers` replaces the parsers or extractors by others, under their resource names.
    """
    night = read_settings(store).night
    return dg.Definitions(
        assets=[
            source_documents,
            parsed_documents,
            raw_extraction,
            extracted_fields,
            resolved_citations,
            viewer_dataset,
            search_index,
            keep_fresh(claims_warehouse, night),
            claim_plans,
            build_nightly_batches(night),
            verified_quality,
        ],
        asset_checks=[*CHECKS, no_claim_is_left_behind],
        jobs=[
            process_claims,
            rematch_claims,
            plan_claims,
            refresh_warehouse,
            finish_nightly_batch,
            retry_failed,
            judge_quality,
            prune_history,
        ],
        schedules=[build_nightly(night), build_morning(night), build_weekly(night)],
        sensors=[build_intake(night.inbox), build_batch_sensor(night), build_failure_sensor(night)],
        resources=resources(store=store, watcher=watcher) | dict(readers or {}),
        executor=dg.in_process_executor,  # stages of a claim chain; parsing has processes of its own
    )


defs = build_definitions()
