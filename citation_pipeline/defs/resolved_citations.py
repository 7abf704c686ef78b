"""The `resolved_citations` asset: every quoted snippet with the place where it stands."""

import hashlib
from collections import Counter

import dagster as dg

from citation_pipeline.adapters.tables.answer_rows import citation_table, read_extraction
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.verifications.store import read_pins
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.versions import matcher_fingerprint
from citation_pipeline.defs.claim_runs import ClaimOutcome, run_claims
from citation_pipeline.defs.claim_schemas import schema_of
from citation_pipeline.defs.extracted_fields import extracted_fields
from citation_pipeline.defs.parsed_documents import parsed_documents
from citation_pipeline.defs.partitions import OWNERS, claims
from citation_pipeline.defs.settings import Settings


def matcher_inputs(claim: Claim, settings: Settings) -> dict[str, str]:
    """Return what the stage is made from beside its upstream."""
    pins = repr(read_pins(settings.verifications_url, claim.claim_id))
    return {
        "matcher": matcher_fingerprint(),
        "pins": hashlib.sha256(pins.encode()).hexdigest()[:16],
    }


@dg.asset(
    partitions_def=claims,
    deps=[parsed_documents, extracted_fields],
    group_name="citations",
    kinds={"python", "parquet"},
    owners=OWNERS,
    code_version=matcher_fingerprint(),
    backfill_policy=dg.BackfillPolicy.multi_run(
        500
    ),  # no call to anyone: a re-match of thousands in few runs
)
def resolved_citations(
    context: dg.AssetExecutionContext,
    store: dg.ResourceParam[ClaimStore],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult[None]:
    """One row per snippet: status, method, score, confidence, regions of block, snippet and value."""

    def work(claim_id: str) -> ClaimOutcome:
        claim = store.claim(claim_id)
        inputs = store.upstream_versions("resolved_citations", claim_id) | matcher_inputs(claim, settings)
        citations = resolve_claim(
            read_documents(store, claim_id),
            read_extraction(store, claim_id).fields,
            schema=schema_of(claim, store),
            pins=read_pins(settings.verifications_url, claim_id),
        )
        state = store.write_stage(
            "resolved_citations",
            claim_id,
            tables={"citations": citation_table(claim_id, citations)},
            inputs=inputs,
        )
        statuses = Counter(citation.status.value for citation in citations)
        methods = Counter(citation.method for citation in citations)
        metadata = {
            "citations": len(citations),
            **{f"status/{status}": count for status, count in sorted(statuses.items())},
            **{f"method/{method}": count for method, count in sorted(methods.items())},
            "matcher": inputs["matcher"],
            "table": dg.MetadataValue.path(store.path("citations", f"{claim_id}.parquet")),
        }
        return ClaimOutcome(state, metadata)

    return run_claims(context, work)
