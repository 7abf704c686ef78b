"""The pipeline's code location with one run per claim: what a re-match costs without shared runs."""

import dagster as dg

from citation_pipeline.core.planning.stages import REMATCH_STAGES
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.resources import resources, store_root

_REMATCHED = {dg.AssetKey(stage) for stage in REMATCH_STAGES}


def _is_rematched(asset: object) -> bool:
    """Tell whether a re-match makes an asset: by its name, since a code location has its own copies."""
    return isinstance(asset, dg.AssetsDefinition) and asset.keys <= _REMATCHED


def _one_by_one() -> dg.Definitions:
    alone = dg.BackfillPolicy.multi_run(1)
    return dg.Definitions(
        assets=[
            asset.with_attributes(backfill_policy=alone) if _is_rematched(asset) else asset
            for asset in build_definitions().assets or ()
        ],
        resources=resources(store=store_root()),
        executor=dg.in_process_executor,
    )


defs = _one_by_one()  # the only Definitions of the module: Dagster takes no second one
