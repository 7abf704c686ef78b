"""What a claim's stages are likely to cost: calls, tokens, dollars, pages and minutes, with no external call.

What was parsed before is counted; other files are weighed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.inbox import document_sizes
from citation_pipeline.adapters.readers import DocumentParser, Readers
from citation_pipeline.adapters.schema_files import AUTO
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.store_errors import StoreError
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.stages import StageDecision
from citation_pipeline.core.planning.workloads import Workload
from citation_pipeline.defs.assets.raw_extraction import documents_to_read
from citation_pipeline.defs.runs.claim_schemas import schema_of

FREE_STAGE_MINUTES = 0.02  # about a second a claim and stage, a fifty-document claim included

_BYTES_PER_PAGE = 50_000  # between a page of text (some 10 kB) and a scanned one (some 100 kB)


def predict_costs(
    claim: Claim,
    decisions: Sequence[StageDecision],
    *,
    store: ClaimStore,
    parsers: Readers[DocumentParser],
    extractors: Readers[Extractor],
) -> Mapping[str, PredictedCost]:
    """Return the cost of each stage that would run, or is held; raises a PipelineError.

    A held one is priced too: who reads that a key is missing wants to know what it is needed for.
    """
    running = {decision.stage for decision in decisions if decision.action != "skip"}
    costs = {stage: PredictedCost(minutes=FREE_STAGE_MINUTES) for stage in running}
    if not running & {"parsed_documents", "raw_extraction"}:
        return costs
    is_parsed = "parsed_documents" not in running
    documents, pages = _sizes(claim, store, is_fresh=is_parsed or "source_documents" not in running)
    work = Workload(documents, pages)
    if not is_parsed:
        parser = parsers.get(claim.parser)
        costs["parsed_documents"] = PredictedCost(pages=pages, minutes=FREE_STAGE_MINUTES)
        if hasattr(parser, "price"):
            costs["parsed_documents"] = parser.price(work)
    if "raw_extraction" in running and extractors.is_paid(claim.extractor):
        schema = schema_of(claim, store) if is_parsed or claim.schema != AUTO else None
        if is_parsed:
            work = replace(work, documents=documents_to_read(store, claim.claim_id))
        costs["raw_extraction"] = extractors.get(claim.extractor).price(work, schema)
    return costs


def _sizes(claim: Claim, store: ClaimStore, *, is_fresh: bool) -> tuple[int, int]:
    """Return how many documents and pages a claim has: counted where they were parsed, else weighed."""
    try:
        rows = store.read_rows("documents", claim.claim_id, ["bytes", "page_count"])
    except StoreError:
        rows = []
    if rows and is_fresh:
        return len(rows), sum(row["page_count"] or 0 for row in rows)
    # a file of the very size of one that was parsed is that one, as often as makes no difference
    counted = {row["bytes"]: row["page_count"] for row in rows if row["page_count"]}
    sizes = document_sizes(claim)
    pages = (counted.get(size) or max(1, round(size / _BYTES_PER_PAGE)) for size in sizes)
    return len(sizes), sum(pages)
