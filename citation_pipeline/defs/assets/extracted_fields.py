"""The `extracted_fields` asset: validated values with the snippets behind them."""

from collections import Counter
from dataclasses import replace
from functools import lru_cache

import dagster as dg

from citation_pipeline.adapters.extractors.by_document import read_and_check
from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.extractors.second_reader import second_reader_fingerprint
from citation_pipeline.adapters.readers import Readers
from citation_pipeline.adapters.schema_files import lexicon_of
from citation_pipeline.adapters.tables.answer_rows import extraction_tables, read_replies
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.tables.tries import trying
from citation_pipeline.core.answers.coverage import cover
from citation_pipeline.core.answers.writing import write_answer
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.consistency.claims import (
    consistency_fingerprint,
    doubt_disagreeing,
    find_violations,
)
from citation_pipeline.core.document_schemas import main_schema, sources_of
from citation_pipeline.core.schemas import Schema
from citation_pipeline.defs.assets.partitions import OWNERS, claims
from citation_pipeline.defs.assets.raw_extraction import documents_to_read, raw_extraction
from citation_pipeline.defs.runs.claim_runs import ClaimOutcome, run_claims
from citation_pipeline.defs.runs.claim_schemas import schema_of
from citation_pipeline.defs.settings import Settings


def answer_inputs(schema: Schema) -> dict[str, str]:
    """Return what the stage is made from beside its upstream."""
    return {
        "schema": schema.fingerprint,
        "answers": code_fingerprint("answers"),
        "consistency": _consistency_of(schema),
        "second_reader": second_reader_fingerprint(schema),
    }


# made anew it takes milliseconds, and a plan asks for it once for each claim
@lru_cache(maxsize=64)
def _consistency_of(schema: Schema) -> str:
    return consistency_fingerprint(schema)


@dg.asset(
    partitions_def=claims,
    deps=[raw_extraction],
    group_name="extraction",
    kinds={"python", "parquet"},
    owners=OWNERS,
    code_version=code_fingerprint("answers"),
    backfill_policy=dg.BackfillPolicy.multi_run(
        200
    ),  # reading stored replies: no call, two CPU seconds a claim
)
def extracted_fields(
    context: dg.AssetExecutionContext,
    store: dg.ResourceParam[ClaimStore],
    settings: dg.ResourceParam[Settings],
    extractors: dg.ResourceParam[Readers[Extractor]],
) -> dg.MaterializeResult[None]:
    """One row per field of the schema: value, provenance, confidence and the quoted snippets."""

    def work(claim_id: str) -> ClaimOutcome:
        claim = store.claim(claim_id)
        schema = schema_of(claim, store)
        inputs = store.upstream_versions("extracted_fields", claim_id) | answer_inputs(schema)
        with trying(store, "extracted_fields", claim_id, inputs):
            documents = documents_to_read(store, claim_id)
            said, extraction = read_and_check(
                extractors.get(claim.extractor), read_replies(store, claim_id), documents, schema
            )
            # as it came, under its published name: what another extractor may be given to replay
            store.write_json(write_answer(said), "published", claim_id, "extraction_raw.json")
            sheets = read_documents(store, claim_id, with_text=False)
            violations = find_violations(
                schema,
                extraction.fields,
                documents,
                lexicon_of(main_schema(schema)),
            )
            extraction = replace(extraction, fields=doubt_disagreeing(extraction.fields, violations))
            coverage = cover(sheets, extraction.pages_read, tuple(schema.by_key), only_in=sources_of(schema))
            state = store.write_stage(
                "extracted_fields",
                claim_id,
                tables=extraction_tables(claim_id, extraction, coverage, violations=violations),
                inputs=inputs,
            )
        issues = Counter(issue.code for issue in extraction.issues)
        broken = Counter(violation.rule_id or violation.code for violation in violations)
        metadata = {
            "dagster/partition_row_count": len(extraction.fields),
            "schema": schema.name,
            "fields_in_schema": len(schema.fields),
            "fields_answered": len(extraction.fields),
            "fields_with_warnings": sum(bool(field.warnings) for field in extraction.fields),
            "conflicting_values": len(extraction.conflicts),
            "fields_found": sum(field.value is not None for field in extraction.fields),
            "is_partial": coverage.is_partial,
            "documents_not_read": len(coverage.unread_source_ids),
            "snippets": sum(len(field.snippets) for field in extraction.fields),
            **{f"issue/{code}": count for code, count in sorted(issues.items())},
            "violations": len(violations),
            **{f"violation/{rule}": count for rule, count in sorted(broken.items())},
            "table": dg.MetadataValue.path(store.path("fields", f"{claim_id}.parquet")),
        }
        return ClaimOutcome(state, metadata)

    return run_claims(context, work, settings=settings)
