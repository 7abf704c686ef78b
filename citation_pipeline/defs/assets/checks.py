"""The asset checks: what has to hold of a claim's stages, judged from what they kept.

Thresholds come from the settings. ERROR means that a reviewer would be misled, WARN that someone should
look; a share below the settings' `error_share` is an ERROR whatever the check usually is.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from inspect import getdoc

import dagster as dg

from citation_pipeline.adapters.tables.answer_rows import read_pages_read
from citation_pipeline.adapters.tables.change_rows import read_promotion
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.core.answers.coverage import cover
from citation_pipeline.core.document_schemas import sources_of
from citation_pipeline.core.viewer.issues import is_about_doubtful_page
from citation_pipeline.defs.assets.citation_judges import (
    CitedClaim,
    judge_boxes,
    judge_located,
    judge_values,
    judge_verbatim,
)
from citation_pipeline.defs.assets.extracted_fields import extracted_fields
from citation_pipeline.defs.assets.parsed_documents import parsed_documents
from citation_pipeline.defs.assets.partitions import claims
from citation_pipeline.defs.assets.resolved_citations import resolved_citations
from citation_pipeline.defs.assets.viewer_dataset import judge_dataset, viewer_dataset
from citation_pipeline.defs.runs.claim_checks import ERROR, WARN, judge_claims
from citation_pipeline.defs.runs.claim_schemas import schema_of
from citation_pipeline.defs.runs.claim_workers import ClaimWorkers
from citation_pipeline.defs.runs.held_sets import describe_decision, held_decision
from citation_pipeline.defs.runs.verdicts import Verdict
from citation_pipeline.defs.settings import Settings


def every_document_was_read(store: ClaimStore, settings: Settings, claim_id: str) -> Verdict:
    """Every file of the claim was parsed, and every page surely; what was not may hide something."""
    columns = ["source_id", "status", "error_code", "warnings"]
    rows = store.read_table("documents", claim_id, columns).to_pylist()
    unread = [row for row in rows if row["error_code"]]
    doubtful = Counter(
        row["source_id"]
        for row in rows
        for warning in row["warnings"] or ()
        if is_about_doubtful_page(warning)
    )
    return Verdict(
        bool(rows) and not unread and not doubtful,
        {
            "documents": len(rows),
            "unread": len(unread),
            **{f"code/{code}": n for code, n in Counter(row["error_code"] for row in unread).items()},
            "source_ids": [row["source_id"] for row in unread],
            "doubtful_pages": doubtful.total(),
            "doubtful_source_ids": sorted(doubtful),
        },
    )


def every_field_was_answered(store: ClaimStore, settings: Settings, claim_id: str) -> Verdict:
    """Every field of the schema has an answer, be it that the documents are silent."""
    answered = set(store.read_table("fields", claim_id, ["field_key"]).column(0).to_pylist())
    wanted = {field.key for field in schema_of(store.claim(claim_id), store).fields}
    missing = sorted(wanted - answered)
    return Verdict(not missing, {"fields": len(wanted), "unanswered": missing})


def every_page_was_searched(store: ClaimStore, settings: Settings, claim_id: str) -> Verdict:
    """Parser and extractor read every page for every field; a claim that fails is partial, and says so."""
    schema = schema_of(store.claim(claim_id), store)
    documents = read_documents(store, claim_id, with_text=False)
    coverage = cover(
        documents, read_pages_read(store, claim_id), tuple(schema.by_key), only_in=sources_of(schema)
    )
    reasons = Counter(unread.reason for unread in coverage.unread)
    return Verdict(
        not coverage.is_partial,
        {
            "documents": len(documents),
            "documents_not_read": len(coverage.unread_source_ids),
            "source_ids": coverage.unread_source_ids,
            "fields_not_searched_everywhere": sum(bool(c.unread) for c in coverage.fields.values()),
            **{f"reason/{reason}": count for reason, count in sorted(reasons.items())},
        },
    )


def snippets_are_verbatim(store: ClaimStore, settings: Settings, claim_id: str) -> Verdict:
    """Quoted snippets are in their source as quoted, spaces, case and signs aside."""
    return judge_verbatim(CitedClaim(store, claim_id), settings)


def citations_are_located(store: ClaimStore, settings: Settings, claim_id: str) -> Verdict:
    """Citations have a place that was found without a warning."""
    return judge_located(CitedClaim(store, claim_id), settings)


def values_stand_in_their_regions(store: ClaimStore, settings: Settings, claim_id: str) -> Verdict:
    """Where a snippet was resolved, the value itself is inside its region."""
    return judge_values(CitedClaim(store, claim_id), settings)


def boxes_hold_what_is_quoted(store: ClaimStore, settings: Settings, claim_id: str) -> Verdict:
    """The words inside a resolved citation's boxes are those that it quotes."""
    return judge_boxes(CitedClaim(store, claim_id), settings)


def citations_may_be_shown(store: ClaimStore, settings: Settings, claim_id: str) -> Verdict:
    """The promotion gate: the new set may be shown, or a person has decided on it.

    It holds back the one claim's viewer dataset itself (see `viewer_dataset`), since a blocking check would
    stop every other claim of the run as well.
    """
    promotion = read_promotion(store, claim_id)
    reasons = list(promotion.reasons) if promotion is not None else []
    decided = held_decision(settings, claim_id, promotion)
    metadata = {"reasons": reasons, "decision": describe_decision(decided) if decided else "none"}
    return Verdict(not reasons or decided is not None, metadata)


def the_dataset_is_valid(store: ClaimStore, settings: Settings, claim_id: str) -> Verdict:
    """`data.json` keeps its contract: shape, boxes on the page, citations that join their sources."""
    return judge_dataset(store.read_viewer_dataset(claim_id))


def check_of(
    judge: Callable[[ClaimStore, Settings, str], Verdict],
    asset: dg.AssetsDefinition,
    *,
    severity: dg.AssetCheckSeverity = WARN,
) -> dg.AssetChecksDefinition:
    """Return the asset check that judges an asset's claims; it is named and described as its judge is."""

    @dg.asset_check(asset=asset, name=judge.__name__, description=getdoc(judge), partitions_def=claims)
    def judged(
        context: dg.AssetCheckExecutionContext,
        store: dg.ResourceParam[ClaimStore],
        settings: dg.ResourceParam[Settings],
        workers: dg.ResourceParam[ClaimWorkers],
    ) -> dg.AssetCheckResult:
        return judge_claims(context, partial(judge, store, settings), severity=severity, workers=workers)

    return judged


CHECKS = [
    check_of(every_document_was_read, parsed_documents),
    check_of(every_field_was_answered, extracted_fields),
    check_of(every_page_was_searched, extracted_fields),
    check_of(snippets_are_verbatim, resolved_citations),
    check_of(citations_are_located, resolved_citations),
    check_of(values_stand_in_their_regions, resolved_citations),
    check_of(boxes_hold_what_is_quoted, resolved_citations, severity=ERROR),
    check_of(citations_may_be_shown, resolved_citations, severity=ERROR),
    check_of(the_dataset_is_valid, viewer_dataset, severity=ERROR),
]
