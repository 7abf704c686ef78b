"""The `viewer_dataset` asset: `data.json`, one per claim."""

import dagster as dg

from citation_pipeline.adapters.tables.answer_rows import read_citations, read_extraction
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.core.viewer import VIEWER_VERSION, build_viewer_dataset
from citation_pipeline.defs.claim_runs import ClaimOutcome, run_claims
from citation_pipeline.defs.claim_schemas import schema_of
from citation_pipeline.defs.extracted_fields import extracted_fields
from citation_pipeline.defs.parsed_documents import parsed_documents
from citation_pipeline.defs.partitions import OWNERS, claims
from citation_pipeline.defs.resolved_citations import resolved_citations


def viewer_inputs() -> dict[str, str]:
    """Return what the stage is made from beside its upstream."""
    return {"viewer": VIEWER_VERSION}


@dg.asset(
    partitions_def=claims,
    deps=[parsed_documents, extracted_fields, resolved_citations],
    group_name="viewer",
    kinds={"python", "json"},
    owners=OWNERS,
    code_version=VIEWER_VERSION,
    backfill_policy=dg.BackfillPolicy.multi_run(500),  # as its upstream, so that a re-match chains in one run
)
def viewer_dataset(
    context: dg.AssetExecutionContext, store: dg.ResourceParam[ClaimStore]
) -> dg.MaterializeResult[None]:
    """The claim's `data.json`: sources, fields with display values, and each citation's place."""

    def work(claim_id: str) -> ClaimOutcome:
        claim = store.claim(claim_id)
        inputs = store.upstream_versions("viewer_dataset", claim_id) | viewer_inputs()
        dataset = build_viewer_dataset(
            claim_id,
            schema=schema_of(claim, store),
            documents=read_documents(store, claim_id),
            fields=read_extraction(store, claim_id).fields,
            citations=read_citations(store, claim_id),
        )
        state = store.write_viewer_dataset(claim_id, dataset, inputs=inputs)
        metadata = {
            "sources": len(dataset["sources"]),
            "fields": len(dataset["fields"]),
            "absent_fields": len(dataset["absentFields"]),
            "placed_citations": sum(len(field["citations"]) for field in dataset["fields"]),
            "unplaced_citations": sum(len(field["unresolvedCitations"]) for field in dataset["fields"]),
            "dataset": dg.MetadataValue.path(store.path("viewer_dataset", claim_id, "data.json")),
        }
        return ClaimOutcome(state, metadata)

    return run_claims(context, work)
