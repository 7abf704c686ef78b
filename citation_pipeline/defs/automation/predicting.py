"""What a claim's stages are likely to cost: calls, tokens, dollars, pages and minutes, with no external call.

What was parsed before is counted; other files are weighed.
"""

from collections.abc import Mapping, Sequence

from citation_pipeline.adapters.claude.extractor import ClaudeExtractor
from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.inbox import document_sizes
from citation_pipeline.adapters.readers import Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.stored_files import StoreError
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.planning.nights import PredictedCost
from citation_pipeline.core.planning.stages import StageDecision
from citation_pipeline.defs.assets.raw_extraction import documents_to_read
from citation_pipeline.defs.runs.claim_schemas import schema_of
from citation_pipeline.defs.settings import Settings

FREE_STAGE_MINUTES = 0.02  # about a second a claim and stage, a fifty-document claim included

_BYTES_PER_PAGE = 50_000  # between a page of text (some 10 kB) and a scanned one (some 100 kB)
_CHARACTERS_PER_PAGE = 2_500  # a full page of a medical report
_LOCAL_SECONDS_PER_PAGE = 1.0  # between a text layer (milliseconds) and recognition (some 3 s)
_REDUCTO_SECONDS_PER_PAGE = 2.0
_OUTPUT_TOKENS_PER_SECOND = 60.0
_CALLS_PER_DOCUMENT = 5  # Reducto: upload, job, polls, result


def predict_costs(
    claim: Claim,
    decisions: Sequence[StageDecision],
    *,
    store: ClaimStore,
    extractors: Readers[Extractor],
    settings: Settings,
) -> Mapping[str, PredictedCost]:
    """Return the cost of each stage that would run; raises a PipelineError."""
    running = {decision.stage for decision in decisions if decision.action == "run"}
    costs = {stage: PredictedCost(minutes=FREE_STAGE_MINUTES) for stage in running}
    if not running & {"parsed_documents", "raw_extraction"}:
        return costs
    is_parsed = "parsed_documents" not in running
    documents, pages = _sizes(claim, store, is_fresh=is_parsed or "source_documents" not in running)
    if not is_parsed:
        costs["parsed_documents"] = _parsing(claim, documents, pages, settings)
    if "raw_extraction" in running and claim.extractor == "claude":
        extractor = extractors.get(claim.extractor)
        if isinstance(extractor, ClaudeExtractor):
            costs["raw_extraction"] = _asking(claim, extractor, store, pages, is_parsed=is_parsed)
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


def _parsing(claim: Claim, documents: int, pages: int, settings: Settings) -> PredictedCost:
    if claim.parser != "reducto":
        return PredictedCost(
            pages=pages, minutes=pages * _LOCAL_SECONDS_PER_PAGE / settings.workers / 60 + FREE_STAGE_MINUTES
        )
    calls = documents * _CALLS_PER_DOCUMENT
    seconds = max(pages * _REDUCTO_SECONDS_PER_PAGE, calls / settings.reducto_requests_per_second)
    return PredictedCost(
        calls=calls,
        pages=pages,
        dollars=round(pages * settings.night.reducto_dollars_per_page, 4),
        minutes=round(seconds / 60, 4),
    )


def _asking(
    claim: Claim, extractor: ClaudeExtractor, store: ClaimStore, pages: int, *, is_parsed: bool
) -> PredictedCost:
    if is_parsed:
        found = extractor.estimate(documents_to_read(store, claim.claim_id), schema_of(claim, store))
        calls, read, written, dollars = (
            found.calls,
            found.input_tokens,
            found.output_tokens,
            found.cost_usd,
        )
    else:
        limit = extractor.settings.prompt_limit()
        read = round(pages * _CHARACTERS_PER_PAGE / extractor.settings.characters_per_token)
        calls = -(-read // limit)
        written = calls * min(10_000, extractor.settings.answer_limit())  # 84 fields with their citations
        price = extractor.settings.profile().price_of(min(read, limit))
        dollars = round((read * price.input + written * price.output) / 1e6, 4)
    minutes = round(written / _OUTPUT_TOKENS_PER_SECOND / 60, 4)
    return PredictedCost(
        calls=calls, input_tokens=read, output_tokens=written, dollars=dollars, minutes=minutes
    )
