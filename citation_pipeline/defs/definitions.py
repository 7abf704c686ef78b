"""The code location: every asset, job and resource by name."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from citation_pipeline.defs.batches import build_batch_sensor
from citation_pipeline.defs.checks import CHECKS
from citation_pipeline.defs.claim_plans import claim_plans
from citation_pipeline.defs.claims_warehouse import claims_warehouse
from citation_pipeline.defs.extracted_fields import extracted_fields
from citation_pipeline.defs.freshness import keep_fresh
from citation_pipeline.defs.intake import build_intake
from citation_pipeline.defs.jobs import (
    end_night,
    judge_quality,
    plan_claims,
    process_claims,
    refresh_warehouse,
    rematch_claims,
)
from citation_pipeline.defs.nightly import build_morning, build_nightly
from citation_pipeline.defs.nights import build_nights, no_claim_is_left_behind
from citation_pipeline.defs.notifications import build_failure_sensor
from citation_pipeline.defs.parsed_documents import parsed_documents
from citation_pipeline.defs.progress import Watcher
from citation_pipeline.defs.raw_extraction import raw_extraction
from citation_pipeline.defs.resolved_citations import resolved_citations
from citation_pipeline.defs.resources import read_settings, resources
from citation_pipeline.defs.retries import retry_failed
from citation_pipeline.defs.search_index import search_index
from citation_pipeline.defs.source_documents import source_documents
from citation_pipeline.defs.verified_quality import verified_quality
from citation_pipeline.defs.viewer_dataset import viewer_dataset


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
            build_nights(night),
            verified_quality,
        ],
        asset_checks=[*CHECKS, no_claim_is_left_behind],
        jobs=[
            process_claims,
            rematch_claims,
            plan_claims,
            refresh_warehouse,
            end_night,
            retry_failed,
            judge_quality,
        ],
        schedules=[build_nightly(night), build_morning(night)],
        sensors=[build_intake(night.inbox), build_batch_sensor(night), build_failure_sensor(night)],
        resources=resources(store=store, watcher=watcher) | dict(readers or {}),
        executor=dg.in_process_executor,  # stages of a claim chain; parsing has processes of its own
    )


defs = build_definitions()
