"""The pipeline's code location with one run per claim: what a re-match costs without shared runs."""

import dagster as dg

from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.resolved_citations import resolved_citations
from citation_pipeline.defs.resources import resources, store_root
from citation_pipeline.defs.viewer_dataset import viewer_dataset

_whole = build_definitions()
_alone = [
    asset.with_attributes(backfill_policy=dg.BackfillPolicy.multi_run(1))
    for asset in (resolved_citations, viewer_dataset)
]
defs = dg.Definitions(
    assets=[
        *(asset for asset in _whole.assets or () if asset not in (resolved_citations, viewer_dataset)),
        *_alone,
    ],
    resources=resources(store=store_root()),
    executor=dg.in_process_executor,
)
