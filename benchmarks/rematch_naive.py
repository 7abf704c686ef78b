"""The pipeline's code location with one run per claim: what a re-match costs without shared runs."""

import dagster as dg

from citation_pipeline.defs.assets.resolved_citations import resolved_citations
from citation_pipeline.defs.assets.viewer_dataset import viewer_dataset
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.resources import resources, store_root


def _one_by_one() -> dg.Definitions:
    shared = (resolved_citations, viewer_dataset)
    alone = dg.BackfillPolicy.multi_run(1)
    return dg.Definitions(
        assets=[
            *(asset for asset in build_definitions().assets or () if asset not in shared),
            *(asset.with_attributes(backfill_policy=alone) for asset in shared),
        ],
        resources=resources(store=store_root()),
        executor=dg.in_process_executor,
    )


defs = _one_by_one()  # the only Definitions of the module: Dagster takes no second one
