"""The `source_documents` asset: which files a claim has."""

from collections import Counter

import dagster as dg

from citation_pipeline.adapters.claim_folders import fingerprint_files
from citation_pipeline.adapters.claim_originals import bring_files
from citation_pipeline.adapters.inbox import bring_documents, is_remote, remote_change
from citation_pipeline.adapters.readers import DocumentParser, Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import source_document_table
from citation_pipeline.adapters.tables.tries import trying
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.defs.assets.partitions import OWNERS, claims
from citation_pipeline.defs.runs.claim_runs import ClaimOutcome, run_claims
from citation_pipeline.defs.runs.claim_schemas import check_schema
from citation_pipeline.defs.runs.document_identities import identify_documents
from citation_pipeline.defs.settings import Settings


def file_inputs(claim: Claim) -> dict[str, str]:
    """Return what the stage is made from beside its upstream; raises ClaimFolderError."""
    changed = remote_change(claim) if is_remote(claim.folder) else None
    return {"files": changed or fingerprint_files(claim), "code": code_fingerprint("documents")}


@dg.asset(
    partitions_def=claims,
    group_name="documents",
    kinds={"python", "parquet"},
    owners=OWNERS,
    code_version=code_fingerprint("documents"),
    backfill_policy=dg.BackfillPolicy.multi_run(100),  # hashing files is cheap: many claims share a run
)
def source_documents(
    context: dg.AssetExecutionContext,
    store: dg.ResourceParam[ClaimStore],
    parsers: dg.ResourceParam[Readers[DocumentParser]],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult[None]:
    """One row per file of the claim: id, name, SHA-256, media type, bytes, and the file it duplicates."""

    def work(claim_id: str) -> ClaimOutcome:
        claim = store.claim(claim_id)
        check_schema(claim)
        bring_files(store, claim)
        if is_remote(claim.folder):
            bring_documents(claim)
        inputs = file_inputs(claim)  # before the files are read: a file that changes meanwhile shows as stale
        with trying(store, "source_documents", claim_id, inputs):
            sources, replacements = identify_documents(claim, store, parsers, settings)
            state = store.write_stage(
                "source_documents",
                claim_id,
                tables={"source_documents": source_document_table(claim_id, sources)},
                inputs=inputs,
            )
        metadata = {
            "dagster/partition_row_count": len(sources),
            "documents": len(sources),
            "duplicates": sum(source.duplicate_of is not None for source in sources),
            "replaced": len(replacements),
            "bytes": sum(source.byte_count for source in sources),
            "media_types": dg.MetadataValue.table(
                [
                    dg.TableRecord({"media_type": kind, "documents": count})
                    for kind, count in sorted(Counter(source.media_type for source in sources).items())
                ]
            ),
            "table": dg.MetadataValue.path(store.path("source_documents", f"{claim_id}.parquet")),
        }
        return ClaimOutcome(state, metadata)

    return run_claims(context, work, settings=settings)
