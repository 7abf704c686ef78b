"""The `parsed_documents` asset: every document as pages, blocks and words with boxes."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import dagster as dg

from citation_pipeline.adapters.claim_folders import ClaimFolderError, file_of
from citation_pipeline.adapters.provider_pauses import respecting_pause
from citation_pipeline.adapters.readers import DocumentParser, OnParsed, Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import (
    document_tables,
    read_source_documents,
    similar_page_table,
)
from citation_pipeline.adapters.tables.tries import trying
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.documents.duplicates import find_similar_documents, find_similar_pages
from citation_pipeline.core.documents.parsed import (
    DocumentError,
    DocumentStatus,
    ParsedDocument,
    SourceDocument,
    share_parse,
    unread_document,
)
from citation_pipeline.core.published.claim_files import sources_index
from citation_pipeline.defs.assets.partitions import OWNERS, claims
from citation_pipeline.defs.assets.source_documents import source_documents
from citation_pipeline.defs.runs.claim_runs import ClaimOutcome, run_claims
from citation_pipeline.defs.runs.claim_schemas import check_schema
from citation_pipeline.defs.runs.progress import Progress
from citation_pipeline.defs.settings import Settings


def parser_inputs(claim: Claim, parsers: Readers[DocumentParser]) -> dict[str, str]:
    """Return what the stage is made from beside its upstream."""
    return {"parser": parsers.get(claim.parser).fingerprint}


@dg.asset(
    partitions_def=claims,
    deps=[source_documents],
    group_name="documents",
    kinds={"python", "parquet"},
    owners=OWNERS,
    code_version=code_fingerprint("parser"),
    backfill_policy=dg.BackfillPolicy.multi_run(25),  # minutes of OCR at most when the cache is cold
    pool="parsing",
)
def parsed_documents(
    context: dg.AssetExecutionContext,
    store: dg.ResourceParam[ClaimStore],
    parsers: dg.ResourceParam[Readers[DocumentParser]],
    progress: dg.ResourceParam[Progress],
    settings: dg.ResourceParam[Settings],
) -> dg.MaterializeResult[None]:
    """Documents, pages, blocks and words with boxes; what could not be read is a row with its reason."""

    def work(claim_id: str) -> ClaimOutcome:
        claim = store.claim(claim_id)
        check_schema(claim)
        inputs = store.upstream_versions("parsed_documents", claim_id) | parser_inputs(claim, parsers)
        with trying(store, "parsed_documents", claim_id, inputs):
            sources = read_source_documents(store, claim_id)
            with (
                progress.counting(context, claim_id, "documents parsed", len(sources)) as advance,
                respecting_pause(settings.pauses_dir, claim.parser),
            ):
                documents, from_cache = _parse(claim, sources, parsers.get(claim.parser), advance)
            transient = sum(bool(document.error and document.error.transient) for document in documents)
            if transient:  # never a current input, so the next run tries these again
                inputs["transient_failures"] = str(transient)
            similar = find_similar_pages(documents)
            store.write_json(sources_index(documents), "published", claim_id, "sources_index.json")
            store.write_side_table("similar_pages", claim_id, similar_page_table(claim_id, similar))
            state = store.write_stage(
                "parsed_documents", claim_id, tables=document_tables(claim_id, documents), inputs=inputs
            )
        copies = find_similar_documents(documents, similar)
        metadata = _metadata(store, claim_id, documents, from_cache) | {
            "pages_filed_before": len(similar),
            "documents_filed_before": [f"{c.source_id} = {c.similar_source_id}" for c in copies],
        }
        return ClaimOutcome(state, metadata)

    return run_claims(context, work, retries=settings.night.retries)


def _parse(
    claim: Claim, sources: Sequence[SourceDocument], parser: DocumentParser, advance: OnParsed
) -> tuple[list[ParsedDocument], int]:
    """Parse each content once; a file that left its folder becomes a row like any other unreadable one."""
    found, gone, cached = [], {}, []
    for source in sources:
        if source.duplicate_of is None:
            try:
                found.append((source, file_of(claim, source)))
            except ClaimFolderError as error:
                gone[source.source_id] = _gone(source, parser, str(error))

    def on_parsed(document: ParsedDocument, from_cache: bool) -> None:
        if from_cache:
            cached.append(document.source.source_id)
        advance(document, from_cache)

    parsed = parser.parse_many(found, on_parsed=on_parsed, claim_id=claim.claim_id)
    by_id = gone | {document.source.source_id: document for document in parsed}
    return [
        share_parse(by_id[source.duplicate_of], source) if source.duplicate_of else by_id[source.source_id]
        for source in sources
    ], len(cached)


def _gone(source: SourceDocument, parser: DocumentParser, message: str) -> ParsedDocument:
    error = DocumentError("file_gone", message, "Restore the file.", transient=True)
    return unread_document(
        source, DocumentStatus.CORRUPT, error, parser=parser.name, parser_version=parser.fingerprint
    )


def _metadata(
    store: ClaimStore, claim_id: str, documents: Sequence[ParsedDocument], from_cache: int
) -> dict[str, Any]:
    statuses = Counter(document.status.value for document in documents)
    return {
        "documents": len(documents),
        "pages": sum(len(document.pages) for document in documents),
        "blocks": sum(len(document.blocks) for document in documents),
        "words": sum(len(document.words) for document in documents),
        "from_cache": from_cache,
        **{f"status/{status}": count for status, count in sorted(statuses.items())},
        "document_table": dg.MetadataValue.table(
            [
                dg.TableRecord(
                    {
                        "source_id": document.source.source_id,
                        "status": document.status.value,
                        "pages": len(document.pages),
                        "blocks": len(document.blocks),
                        "words": len(document.words),
                        "ocr_pages": sum(page.words_from != "text" for page in document.pages),
                        "error": document.error.code if document.error else "",
                    }
                )
                for document in documents
            ]
        ),
        "tables": dg.MetadataValue.json(
            [store.path(table, f"{claim_id}.parquet") for table in ("documents", "pages", "blocks", "words")]
        ),
    }
