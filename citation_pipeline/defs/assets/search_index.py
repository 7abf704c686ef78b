"""The `search_index` asset: each claim's documents as searchable chunks, and the history of its fields."""

from collections import Counter
from datetime import UTC, datetime
from functools import partial

import dagster as dg

from citation_pipeline.adapters.tables.answer_rows import read_extraction
from citation_pipeline.adapters.tables.chunk_rows import (
    chunk_table,
    extend_history,
    history_table,
    read_history,
)
from citation_pipeline.adapters.tables.citation_rows import read_citations
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.tables.tries import trying
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.documents.dates import dates_of
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline.core.retrieval.chunks import cut_document
from citation_pipeline.defs.assets.extracted_fields import extracted_fields
from citation_pipeline.defs.assets.parsed_documents import parsed_documents
from citation_pipeline.defs.assets.partitions import OWNERS, claims
from citation_pipeline.defs.assets.resolved_citations import resolved_citations
from citation_pipeline.defs.runs.claim_runs import ClaimOutcome, run_claims
from citation_pipeline.defs.runs.claim_workers import ClaimWorkers
from citation_pipeline.defs.settings import Settings


def index_inputs() -> dict[str, str]:
    """Return what the stage is made from beside its upstream."""
    return {"chunks": code_fingerprint("chunks")}


@dg.asset(
    partitions_def=claims,
    deps=[parsed_documents, extracted_fields, resolved_citations],
    group_name="search",
    kinds={"python", "parquet"},
    owners=OWNERS,
    code_version=code_fingerprint("chunks"),
    backfill_policy=dg.BackfillPolicy.multi_run(2000),  # as the viewer's, for the same reason
)
def search_index(
    context: dg.AssetExecutionContext,
    store: dg.ResourceParam[ClaimStore],
    settings: dg.ResourceParam[Settings],
    workers: dg.ResourceParam[ClaimWorkers],
) -> dg.MaterializeResult[None]:
    """Chunks of every readable document, each knowing its words; and what each field said after each run.

    The SQLite file that is searched is filled from these tables by whoever searches, so a run never waits
    for another one's lock.
    """

    return run_claims(context, partial(_index, store), workers=workers, settings=settings)


def _index(store: ClaimStore, claim_id: str) -> ClaimOutcome:
    inputs = store.upstream_versions("search_index", claim_id) | index_inputs()
    with trying(store, "search_index", claim_id, inputs):
        documents = read_documents(store, claim_id)
        dates = dates_of(documents)
        chunks = [
            chunk
            for document in documents
            if document.is_readable and document.status is not DocumentStatus.DUPLICATE
            for chunk in cut_document(
                document, document_date=dates.get(document.source.source_id, ""), claim_id=claim_id
            )
        ]
        history = extend_history(
            read_history(store, claim_id),
            read_extraction(store, claim_id),
            read_citations(store, claim_id),
            extraction_version=inputs["extracted_fields"],
            citations_version=inputs["resolved_citations"],
            recorded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        state = store.write_stage(
            "search_index",
            claim_id,
            tables={
                "chunks": chunk_table(claim_id, chunks),
                "field_history": history_table(claim_id, history),
            },
            inputs=inputs,
        )
    kinds = Counter(chunk.kind for chunk in chunks)
    metadata = {
        "dagster/partition_row_count": len(chunks),
        "chunks": len(chunks),
        **{f"kind/{kind}": count for kind, count in sorted(kinds.items())},
        "history_entries": len(history),
        "table": dg.MetadataValue.path(store.path("chunks", f"{claim_id}.parquet")),
    }
    return ClaimOutcome(state, metadata)
