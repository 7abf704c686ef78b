"""One pipeline: every asset, check, job, schedule, sensor and resource, in a namespace.

Reads no environment; `definitions` is the project's own code location, `components` others'.
"""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from citation_pipeline.adapters.known_sources import keep_sources
from citation_pipeline.adapters.object_storage.addresses import shown_root
from citation_pipeline.core.planning.stages import REMATCH_STAGES
from citation_pipeline.defs.assets.checks import CHECKS
from citation_pipeline.defs.assets.claim_plans import claim_plans
from citation_pipeline.defs.assets.claims_warehouse import claims_warehouse
from citation_pipeline.defs.assets.descriptions import described
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
from citation_pipeline.defs.automation.jobs import build_jobs
from citation_pipeline.defs.automation.nightly import build_morning, build_nightly
from citation_pipeline.defs.automation.notifications import build_failure_sensor
from citation_pipeline.defs.automation.pruning import build_pruning_job, build_weekly
from citation_pipeline.defs.automation.retries import build_retry_job
from citation_pipeline.defs.dagster_internals.placing import placed_asset, placed_check, placed_resources
from citation_pipeline.defs.namespaces import Namespace
from citation_pipeline.defs.settings import Settings

CLAIM_ASSETS = (
    source_documents,
    parsed_documents,
    raw_extraction,
    extracted_fields,
    resolved_citations,
    viewer_dataset,
    search_index,
)

keep_sources()  # after the assets, for the next process

_REMATCHED = frozenset({*REMATCH_STAGES, "search_index"})
_USUAL_CLAIMS = 1000  # of the matching's runs; what follows takes whole runs of it


def share_runs(asset: dg.AssetsDefinition, claims: int) -> dg.AssetsDefinition:
    """Return an asset whose re-match puts about so many claims into a run of a backfill."""
    policy = asset.backfill_policy
    if claims == _USUAL_CLAIMS or asset.key.path[-1] not in _REMATCHED or policy is None:
        return asset
    most = (policy.max_partitions_per_run or _USUAL_CLAIMS) * claims // _USUAL_CLAIMS
    return asset.with_attributes(backfill_policy=dg.BackfillPolicy.multi_run(max(1, most)))


def define(
    place: Namespace,
    settings: Settings,
    given: Mapping[str, Any],
    *,
    executor: dg.ExecutorDefinition | None = None,
    nights: bool = True,
) -> dg.Definitions:
    """Return the pipeline's definitions in a namespace, with its resources as `given`.

    `executor` is for runs of no job of ours: backfills, and whatever else the code location holds. Without
    `nights` there are neither schedules nor sensors.
    """
    night = settings.night
    jobs = build_jobs(place, settings.placement)
    retry_failed, prune_history = build_retry_job(place), build_pruning_job(place)
    assets = [
        *(
            share_runs(
                placed_asset(asset, place, settings.placement.step_tags(asset.key.path[-1])),
                settings.rematch_claims,
            )
            for asset in CLAIM_ASSETS
        ),
        keep_fresh(placed_asset(claims_warehouse, place), night),
        placed_asset(claim_plans, place),
        placed_asset(verified_quality, place),
    ]
    automation: dict[str, Any] = {
        "schedules": [
            build_nightly(night, jobs["process_claims"], place),
            build_morning(night, jobs["finish_nightly_batch"], place),
            build_weekly(night, prune_history, place),
        ],
        "sensors": [
            build_intake(night.inbox, place),
            build_batch_sensor(night, jobs["process_claims"], place),
            build_failure_sensor(night, place),
        ],
    }
    return dg.Definitions(
        assets=[
            *(described(asset, place, shown_root(settings.store)) for asset in assets),
            build_nightly_batches(night, place),
        ],
        asset_checks=[placed_check(check, place) for check in (*CHECKS, no_claim_is_left_behind)],
        jobs=[*jobs.values(), retry_failed, prune_history],
        resources=placed_resources(given, place),
        executor=executor,
        **(automation if nights else {}),
    )
