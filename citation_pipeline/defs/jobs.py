"""The jobs people start: a whole claim, and a re-match that calls nobody."""

import dagster as dg

from citation_pipeline.core.stages import STAGES

process_claims = dg.define_asset_job(
    "process_claims",
    selection=dg.AssetSelection.assets(*STAGES),
    description="Documents to viewer dataset, for one claim a run.",
)

rematch_claims = dg.define_asset_job(
    "rematch_claims",
    selection=dg.AssetSelection.assets("resolved_citations", "viewer_dataset"),
    description="Finds every snippet again and rebuilds the viewer dataset; parses nothing and asks nobody.",
)

refresh_warehouse = dg.define_asset_job(
    "refresh_warehouse",
    selection=dg.AssetSelection.assets("claims_warehouse"),
    description="Brings the DuckDB file up to the store.",
)
