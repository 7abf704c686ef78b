"""The jobs people start: a whole claim, and a re-match that makes no external call."""

import dagster as dg

from citation_pipeline.core.planning.stages import REMATCH_STAGES, STAGES

PARSER_TAG, EXTRACTOR_TAG = "citation_pipeline/parser", "citation_pipeline/extractor"
NIGHT_TAG, REASONS_TAG = "citation_pipeline/night", "citation_pipeline/reasons"
REMATCH_TAG = "citation_pipeline/rematch"  # a run that bears it is given no paid provider's client

process_claims = dg.define_asset_job(
    "process_claims",
    selection=dg.AssetSelection.assets(*STAGES),
    description="Documents to viewer dataset, for one claim a run.",
)

rematch_claims = dg.define_asset_job(
    "rematch_claims",
    selection=dg.AssetSelection.assets(*REMATCH_STAGES),
    tags={REMATCH_TAG: "true"},
    description="Finds every snippet again, rebuilds the viewer dataset; makes no external call.",
)

plan_claims = dg.define_asset_job(
    "plan_claims",
    selection=dg.AssetSelection.assets("claim_plans"),
    description="Says what a night would do now and what it would cost; does nothing of it.",
)

refresh_warehouse = dg.define_asset_job(
    "refresh_warehouse",
    selection=dg.AssetSelection.assets("claims_warehouse"),
    description="Brings the DuckDB file up to the store.",
)

finish_nightly_batch = dg.define_asset_job(
    "finish_nightly_batch",
    selection=dg.AssetSelection.assets("claims_warehouse")
    | dg.AssetSelection.checks(dg.AssetCheckKey(dg.AssetKey("nightly_batches"), "no_claim_is_left_behind")),
    description="Brings the DuckDB file up to the night's work and says which claims were left behind.",
)

judge_quality = dg.define_asset_job(
    "judge_quality",
    selection=dg.AssetSelection.assets("verified_quality"),
    description="Judges the pipeline by what people signed.",
)
