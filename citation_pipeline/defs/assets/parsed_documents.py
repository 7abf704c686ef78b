"""The `parsed_documents` asset: every document as pages, blocks and words with boxes."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import dagster as dg

from citation_pipeline.adapters.claim_folders import ClaimFolderError, file_of
from citation_pipeline.adapters.claim_originals import bring_files
from citation_pipeline.adapters.provider_pauses import respecting_pause
from citation_pipeline.adapters.readers import DocumentParser, OnParsed, Readers, is_paid
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import (
    document_tables,
    read_documents,
    read_source_documents,
    similar_page_table,
)
from citation_pipeline.adapters.tables.document_tries import DocumentTries, count_document_tries
from citation_pipeline.adapters.tables.second_readings import second_reading_table, with_second_readings
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
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.core.published.claim_files import sources_index
from citation_pipeline.defs.assets.partitions import OWNERS, claims
from citation_pipeline.defs.assets.source_documents import source_documents
from citation_pipeline.defs.runs.claim_runs import ClaimOutcome, run_claims
from citation_pipeline.defs.runs.claim_schemas import check_schema
from citation_pipeline.defs.runs.progress import Progress
from citation_pipeline.defs.settings import Settings


class Parsing(dg.Config):
    """What is parsed although it was parsed before; all else is taken as it is."""

    documents: list[str] = []
    """Source ids: these documents alone are parsed again, with no help of the cache."""


class UnknownDocumentError(PipelineError):
    """A document that the claim does not have."""

    def __init__(self, claim_id: str, unknown: Sequence[str], known: Sequence[str]) -> None:
        super().__init__(
            f"{claim_id} has no document {', '.join(unknown)}: choose of {', '.join(known) or 'none'}"
        )


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
    config: Parsing,
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
        sources = read_source_documents(store, claim_id)
        # before the try: a mistyped name is no failure of the claim, which would be held for it
        kept = _kept(store, claim_id, sources, config.documents, parser=inputs["parser"])
        with trying(store, "parsed_documents", claim_id, inputs):
            bring_files(store, claim)
            with (
                progress.counting(context, claim_id, "documents parsed", len(sources)) as advance,
                respecting_pause(settings.coordination, claim.parser),
            ):
                documents, not_tried = _parse(
                    claim, sources, parsers.get(claim.parser), advance, kept=kept, again=config.documents
                )
            transient = sum(bool(document.error and document.error.transient) for document in documents)
            if transient:  # never a current input, so the next run tries these again
                inputs["transient_failures"] = str(transient)
            similar = find_similar_pages(documents)
            store.write_json(sources_index(documents), "published", claim_id, "sources_index.json")
            store.write_side_table("similar_pages", claim_id, similar_page_table(claim_id, similar))
            store.write_side_table("second_readings", claim_id, second_reading_table(claim_id, documents))
            state = store.write_stage(
                "parsed_documents", claim_id, tables=document_tables(claim_id, documents), inputs=inputs
            )
            tries = count_document_tries(
                store,
                claim_id,
                {
                    document.source.source_id: _dollars(parsers.get(claim.parser), document)
                    for document in documents
                    if document.source.source_id not in not_tried
                },
                source_ids=[source.source_id for source in sources],
            )
        _observe_unread(context, claim_id, documents, tries)
        copies = find_similar_documents(documents, similar)
        metadata = _metadata(store, claim_id, documents, not_tried, tries) | {
            "pages_filed_before": len(similar),
            "documents_filed_before": [f"{c.source_id} = {c.similar_source_id}" for c in copies],
        }
        return ClaimOutcome(state, metadata)

    return run_claims(context, work, settings=settings, retries=settings.night.retries)


def _dollars(parser: DocumentParser, document: ParsedDocument) -> float:
    """Return what a document's parse is likely to have cost."""
    work = Workload(files=1, pages=len(document.pages))
    return parser.price(work).dollars if is_paid(parser) else 0.0


def _kept(
    store: ClaimStore,
    claim_id: str,
    sources: Sequence[SourceDocument],
    again: Sequence[str],
    *,
    parser: str,
) -> dict[str, ParsedDocument] | None:
    """Return what is left as it was parsed when some documents alone are parsed again; None when all are.

    What another version of the parser made is not left. Raises UnknownDocumentError for a document that the
    claim does not have.
    """
    if not again:
        return None
    if unknown := sorted(set(again) - {source.source_id for source in sources}):
        raise UnknownDocumentError(claim_id, unknown, [source.source_id for source in sources])
    state = store.stage_state("parsed_documents", claim_id)
    if state is None or state.inputs.get("parser") != parser:
        return {}
    known = with_second_readings(read_documents(store, claim_id), store, claim_id)
    before = {document.source: document for document in known}
    return {s.source_id: before[s] for s in sources if s.source_id not in again and s in before}


def _parse(
    claim: Claim,
    sources: Sequence[SourceDocument],
    parser: DocumentParser,
    advance: OnParsed,
    *,
    kept: Mapping[str, ParsedDocument] | None,
    again: Collection[str] = (),
) -> tuple[list[ParsedDocument], set[str]]:
    """Parse each content once; a file that left its folder becomes a row like any other unreadable one.

    Returns the documents and those of them that were not parsed now: cached, kept or copies of another.
    """
    found, gone, cached = [], {}, set(kept or ())
    forget = getattr(parser, "forget", None)  # of a parser that is paid for, what was bought is found again
    for source in sources:
        if source.duplicate_of is not None:
            cached.add(source.source_id)
        elif source.source_id not in cached:
            if source.source_id in again and forget is not None:
                forget(source)
            try:
                found.append((source, file_of(claim, source)))
            except ClaimFolderError as error:
                gone[source.source_id] = _gone(source, parser, str(error))

    def on_parsed(document: ParsedDocument, from_cache: bool) -> None:
        if from_cache:
            cached.add(document.source.source_id)
        advance(document, from_cache)

    parsed = parser.parse_many(found, on_parsed=on_parsed, claim_id=claim.claim_id)
    by_id = gone | dict(kept or {}) | {document.source.source_id: document for document in parsed}
    return [
        share_parse(by_id[source.duplicate_of], source) if source.duplicate_of else by_id[source.source_id]
        for source in sources
    ], cached


def _observe_unread(
    context: dg.AssetExecutionContext,
    claim_id: str,
    documents: Sequence[ParsedDocument],
    tries: Mapping[str, DocumentTries],
) -> None:
    """Report each document that was not read as an observation of its claim, with tries and cost."""
    for document in documents:
        if document.error is None:
            continue
        one = tries[document.source.source_id]
        context.log_event(
            dg.AssetObservation(
                context.asset_key,
                partition=claim_id,
                description=f"{document.source.source_id} was not read: {document.error.code}",
                metadata={
                    "source_id": document.source.source_id,
                    "status": document.status.value,
                    "error": document.error.code,
                    "remedy": document.error.remedy,
                    "is_tried_again_at_night": document.error.transient,
                    "tries": one.tries,
                    "cost_usd": one.cost_usd,
                },
            )
        )


def _gone(source: SourceDocument, parser: DocumentParser, message: str) -> ParsedDocument:
    error = DocumentError("file_gone", message, "Restore the file.", transient=True)
    return unread_document(
        source, DocumentStatus.CORRUPT, error, parser=parser.name, parser_version=parser.fingerprint
    )


def _metadata(
    store: ClaimStore,
    claim_id: str,
    documents: Sequence[ParsedDocument],
    not_tried: Collection[str],
    tries: Mapping[str, DocumentTries],
) -> dict[str, Any]:
    statuses = Counter(document.status.value for document in documents)
    return {
        "dagster/partition_row_count": len(documents),
        "documents": len(documents),
        "pages": sum(len(document.pages) for document in documents),
        "blocks": sum(len(document.blocks) for document in documents),
        "words": sum(len(document.words) for document in documents),
        "from_cache": len(not_tried),
        **{f"status/{status}": count for status, count in sorted(statuses.items())},
        "document_table": dg.MetadataValue.table(
            [
                dg.TableRecord(
                    {
                        "source_id": document.source.source_id,
                        "status": document.status.value,
                        "error": document.error.code if document.error else "",
                        "tries": tries[document.source.source_id].tries,
                        "cost_usd": tries[document.source.source_id].cost_usd,
                        "parsed_now": document.source.source_id not in not_tried,
                        "pages": len(document.pages),
                        "words": len(document.words),
                        "ocr_pages": sum(page.words_from != "text" for page in document.pages),
                        "remedy": document.error.remedy if document.error else "",
                    }
                )
                # what was not read first: it is what somebody looks for
                for document in sorted(documents, key=lambda document: document.error is None)
            ]
        ),
        "tables": dg.MetadataValue.json(
            [store.path(table, f"{claim_id}.parquet") for table in ("documents", "pages", "blocks", "words")]
        ),
    }
