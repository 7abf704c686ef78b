"""The scenario claim put into a store stage by stage, without Dagster: for tests of what reads the store."""

from pathlib import Path

from citation_pipeline.adapters.claim_folders import (
    claim_of_folder,
    describe_documents,
    file_of,
    fingerprint_files,
)
from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.adapters.tables.answer_rows import extraction_tables, reply_table
from citation_pipeline.adapters.tables.citation_rows import citation_table
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import document_tables, source_document_table
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline_tests.scenario import LineParser


def store_claim(store: ClaimStore, folder: Path) -> None:
    """Bring a claim's folder to resolved citations in the store."""
    claim = claim_of_folder(folder, schema="workers_comp", parser="local", extractor="replay")
    claim_id = claim.claim_id
    store.register(claim)
    sources = describe_documents(claim)
    documents = LineParser().parse_many([(source, file_of(claim, source)) for source in sources])
    schema, extractor = load_schema("workers_comp"), ReplayExtractor()
    replies = extractor.ask(claim, documents, schema)
    readable = [document for document in documents if document.is_readable]
    extraction = extractor.read(replies, readable, schema)
    citations = resolve_claim(documents, extraction.fields, schema=schema, pins=())
    for stage, tables in {
        "source_documents": {"source_documents": source_document_table(claim_id, sources)},
        "parsed_documents": document_tables(claim_id, documents),
        "raw_extraction": {"raw_extraction": reply_table(claim_id, replies)},
        "extracted_fields": extraction_tables(claim_id, extraction),
        "resolved_citations": {"citations": citation_table(claim_id, citations)},
    }.items():
        inputs = store.upstream_versions(stage, claim_id) | {"files": fingerprint_files(claim)}
        store.write_stage(stage, claim_id, tables=tables, inputs=inputs)
