"""The `raw_extraction` asset: what the extractor replied, before anything reads it."""

import dagster as dg

from citation_pipeline.adapters.claim_originals import bring_files
from citation_pipeline.adapters.conversation.page_images import count_images
from citation_pipeline.adapters.extractors.by_document import ask_by_document, fingerprint_by_document
from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.provider_pauses import respecting_pause
from citation_pipeline.adapters.readers import Readers
from citation_pipeline.adapters.tables.answer_rows import reply_table
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.tables.tries import trying
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.schemas import Schema
from citation_pipeline.defs.assets.parsed_documents import parsed_documents
from citation_pipeline.defs.assets.partitions import OWNERS, claims
from citation_pipeline.defs.runs.claim_runs import ClaimOutcome, run_claims
from citation_pipeline.defs.runs.claim_schemas import schema_of
from citation_pipeline.defs.settings import Settings


def extractor_inputs(claim: Claim, schema: Schema, extractors: Readers[Extractor]) -> dict[str, str]:
    """Return what the stage is made from beside its upstream."""
    fingerprint = fingerprint_by_document(extractors.get(claim.extractor), claim, schema)
    return {"schema": schema.fingerprint, "extractor": fingerprint}


def documents_to_read(store: ClaimStore, claim_id: str) -> list[ParsedDocument]:
    """Return the claim's readable documents, each content once."""
    return [d for d in read_documents(store, claim_id) if d.status is DocumentStatus.PARSED]


@dg.asset(
    partitions_def=claims,
    deps=[parsed_documents],
    group_name="extraction",
    kinds={"parquet"},
    owners=OWNERS,
    code_version=code_fingerprint("prompts"),
    backfill_policy=dg.BackfillPolicy.multi_run(10),  # a provider's outage costs at most ten claims a run
    pool="extraction",
)
def raw_extraction(
    context: dg.AssetExecutionContext,
    store: dg.ResourceParam[ClaimStore],
    extractors: dg.ResourceParam[Readers[Extractor]],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult[None]:
    """The extractor's replies byte for byte, with request fingerprint, usage and cost."""

    def work(claim_id: str) -> ClaimOutcome:
        claim = store.claim(claim_id)
        schema = schema_of(claim, store)
        inputs = store.upstream_versions("raw_extraction", claim_id) | extractor_inputs(
            claim, schema, extractors
        )
        with trying(store, "raw_extraction", claim_id, inputs):
            extractor = extractors.get(claim.extractor)
            documents = documents_to_read(store, claim_id)
            if getattr(extractor, "needs_files", False):
                bring_files(store, claim)
            with respecting_pause(settings.coordination, extractor.name):
                replies = ask_by_document(extractor, claim, documents, schema)
            state = store.write_stage(
                "raw_extraction",
                claim_id,
                tables={"raw_extraction": reply_table(claim_id, replies)},
                inputs=inputs,
            )
        metadata = {
            "dagster/partition_row_count": len(replies),
            "extractor": extractor.name,
            "schema": schema.name,
            "replies": len(replies),
            "models": ", ".join(sorted({reply.model for reply in replies})),
            "input_tokens": sum(reply.input_tokens for reply in replies),
            "output_tokens": sum(reply.output_tokens for reply in replies),
            "page_images": sum(count_images(reply.scope) for reply in replies),
            "cost_usd": round(sum(reply.cost_usd for reply in replies), 6),
            "extractor_fingerprint": inputs["extractor"],
            "table": dg.MetadataValue.path(store.path("raw_extraction", f"{claim_id}.parquet")),
        }
        return ClaimOutcome(state, metadata)

    return run_claims(context, work, settings=settings, retries=settings.night.retries)
