"""The `verified_quality` asset: how right the pipeline is, judged by what people signed."""

import json
from collections.abc import Iterator

import dagster as dg

from citation_pipeline.adapters.tables.answer_rows import read_extraction
from citation_pipeline.adapters.tables.citation_rows import read_citations
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.tables.store_errors import StoreError
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.evaluation.evaluation import Evaluation, evaluate
from citation_pipeline.core.evaluation.reports import as_json
from citation_pipeline.core.evaluation.verified_truth import truth_of_reviews
from citation_pipeline.defs.assets.partitions import OWNERS
from citation_pipeline.defs.assets.resolved_citations import resolved_citations
from citation_pipeline.defs.runs.claim_schemas import schema_of
from citation_pipeline.defs.settings import Settings


@dg.asset(
    deps=[dg.AssetDep(resolved_citations, partition_mapping=dg.AllPartitionMapping())],
    group_name="quality",
    kinds={"python", "json"},
    owners=OWNERS,
    code_version=code_fingerprint("quality"),
)
def verified_quality(
    context: dg.AssetExecutionContext,
    store: dg.ResourceParam[ClaimStore],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult[None]:
    """Values, places and confidence of every reviewed claim against its confirmed and corrected fields.

    A citation that lies where a person pinned it is left out: it says nothing about the matcher.
    """
    found = list(_evaluations(store, settings, context))
    for evaluation in found:
        report = json.dumps(as_json(evaluation), indent=1)
        store.write_bytes(report.encode(), "verified_quality", f"{evaluation.claim_id}.json")
    return dg.MaterializeResult(
        metadata={
            "claims": len(found),
            "fields": sum(len(evaluation.fields) for evaluation in found),
            "fields_right": sum(row.is_right for evaluation in found for row in evaluation.fields),
            "by_claim": dg.MetadataValue.table([_row(evaluation) for evaluation in found]),
            "reports": dg.MetadataValue.path(store.path("verified_quality")),
        }
    )


def _evaluations(
    store: ClaimStore, settings: Settings, context: dg.AssetExecutionContext
) -> Iterator[Evaluation]:
    verifications = VerificationStore(settings.verifications_url)
    try:
        for claim_id in sorted(verifications.last_ids()):
            try:
                schema = schema_of(store.claim(claim_id), store)
                documents = read_documents(store, claim_id)
                shas = {d.source.source_id: d.source.sha256 for d in documents}
                truth = truth_of_reviews(claim_id, schema, verifications.reviews(claim_id), shas=shas)
                citations = [
                    c for c in read_citations(store, claim_id) if not c.method.startswith("verified")
                ]
                fields = read_extraction(store, claim_id).fields
                yield evaluate(truth, fields, citations, documents)
            except StoreError as error:
                context.log.warning(f"claim {claim_id} is left out: {error}")
    finally:
        verifications.close()


def _row(evaluation: Evaluation) -> dg.TableRecord:
    return dg.TableRecord(
        {
            "claim_id": evaluation.claim_id,
            "fields": len(evaluation.fields),
            "right": sum(row.is_right for row in evaluation.fields),
            # nothing to judge is no zero
            "word_box_f1": _figure(evaluation.word_box_f1),
            "page_f1": _figure(evaluation.page_f1),
        }
    )


def _figure(share: float | None) -> str:
    return "n/a" if share is None else f"{share:.4f}"
