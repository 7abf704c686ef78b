"""The `viewer_dataset` asset: `data.json`, one per claim."""

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import dagster as dg

from citation_pipeline.adapters.tables.answer_rows import read_extraction
from citation_pipeline.adapters.tables.change_rows import Promotion, mark_as_shown, read_promotion
from citation_pipeline.adapters.tables.citation_rows import read_citations
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents, read_similar_pages
from citation_pipeline.adapters.tables.second_readings import with_second_readings
from citation_pipeline.adapters.tables.store_errors import DamagedTableError
from citation_pipeline.adapters.tables.tries import trying
from citation_pipeline.adapters.tables.violation_rows import read_violations
from citation_pipeline.adapters.verifications.promotions import Decision, PromotionDecision
from citation_pipeline.adapters.verifications.store import read_reviews
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.resolution.candidates import place_candidates
from citation_pipeline.core.review.overlay import mark_reviews
from citation_pipeline.core.review.standing import is_verified, needs_review
from citation_pipeline.core.review.verifications import FieldReview
from citation_pipeline.core.viewer.contract import list_breaches
from citation_pipeline.core.viewer.dataset import build_viewer_dataset
from citation_pipeline.defs.assets.citation_judges import SHOWN_BREACHES
from citation_pipeline.defs.assets.extracted_fields import extracted_fields
from citation_pipeline.defs.assets.parsed_documents import parsed_documents
from citation_pipeline.defs.assets.partitions import OWNERS, claims
from citation_pipeline.defs.assets.resolved_citations import resolved_citations
from citation_pipeline.defs.runs.claim_runs import ClaimOutcome, run_claims
from citation_pipeline.defs.runs.claim_schemas import schema_of
from citation_pipeline.defs.runs.claim_workers import ClaimWorkers
from citation_pipeline.defs.runs.held_sets import accept_held, describe_decision, held_decision
from citation_pipeline.defs.runs.verdicts import Verdict, checks_to_come, judged_now
from citation_pipeline.defs.settings import Settings

_VALID = "the_dataset_is_valid"  # the check of it
_FIELD_LISTS = ("fields", "absentFields", "unreadFields")


class PromotionHeldError(PipelineError):
    """A new set of citations that is worse than the shown one; the viewer dataset stays as it is.

    The message holds the commands to type, with the store that they need.
    """

    def __init__(self, claim_id: str, reasons: Sequence[str], *, store: str) -> None:
        where = f"{claim_id} --store {shlex.quote(store)}"
        super().__init__(
            f"the viewer dataset of {claim_id} stays as it is: {'; '.join(reasons)}. After an upgrade of "
            "the extractor this is expected where it believes less: values that are lost are candidates "
            f"beside their fields. To see what would change: `citation-pipeline promotions show {where}` "
            f"(or the viewer). To show the new set: `citation-pipeline promotions accept {where} "
            f'--why "..."`. To keep the shown one: `citation-pipeline promotions refuse {where} --why "..."`'
        )


class NoVerdictError(PipelineError):
    """A set of citations whose verdict is gone or damaged: nobody knows whether it would be worse."""

    def __init__(self, claim_id: str, *, store: str) -> None:
        super().__init__(
            f"the viewer dataset of {claim_id} stays as it is: the gate's verdict on the newest set (the "
            "table promotions) is missing or damaged. To have it judged again: "
            f"`citation-pipeline rematch {claim_id} --store {shlex.quote(store)}`"
        )


class Showing(dg.Config):
    """What is shown all the same: citations that the promotion gate holds back; what is shown already."""

    show_held: bool = False
    rebuild: bool = False
    decided_by: str = ""  # with show_held: whose decision is kept
    why: str = ""


def viewer_inputs(claim: Claim, settings: Settings) -> dict[str, str]:
    """Return what the stage is made from beside its upstream."""
    return _inputs_of(read_reviews(settings.verifications_url, claim.claim_id))


def _inputs_of(reviews: Mapping[str, FieldReview]) -> dict[str, str]:
    last = max((review.last_id for review in reviews.values()), default=0)
    return {"viewer": code_fingerprint("viewer"), **({"reviews": str(last)} if last else {})}


@dg.asset(
    partitions_def=claims,
    deps=[parsed_documents, extracted_fields, resolved_citations],
    group_name="viewer",
    kinds={"python", "json"},
    owners=OWNERS,
    code_version=code_fingerprint("viewer"),
    # another policy than its upstream's: in one run of both, a claim whose places fail held up the others.
    # Whole runs of the upstream's: with fewer, each left a claim or two to a run of their own
    backfill_policy=dg.BackfillPolicy.multi_run(2000),
)
def viewer_dataset(
    context: dg.AssetExecutionContext,
    config: Showing,
    store: dg.ResourceParam[ClaimStore],
    settings: dg.ResourceParam[Settings],
    workers: dg.ResourceParam[ClaimWorkers],
) -> dg.MaterializeResult[None]:
    """The claim's `data.json`: sources, fields with display values, and each citation's place."""
    if config.show_held:
        for claim_id in context.partition_keys:
            accept_held(store, settings, claim_id, by=config.decided_by or "Dagster UI", why=config.why)
    is_judged = bool(checks_to_come(context, {_VALID}))
    work = partial(build, store, settings, rebuild=config.rebuild, is_judged=is_judged)
    return run_claims(context, work, settings=settings, workers=workers)


def build(
    store: ClaimStore, settings: Settings, claim_id: str, *, rebuild: bool = False, is_judged: bool = False
) -> ClaimOutcome:
    """Build one claim's dataset, or keep the shown one where a person refused the new set.

    With `is_judged`, what is stored then is judged as the check `the_dataset_is_valid` does. Raises
    PromotionHeldError while nobody has decided on a set that the gate holds back, and NoVerdictError for one
    that the gate has not judged.
    """
    claim = store.claim(claim_id)
    promotion = _read_verdict(store, claim_id)
    decided = held_decision(settings, claim_id, promotion)
    reviews = read_reviews(settings.verifications_url, claim_id)
    inputs = store.upstream_versions("viewer_dataset", claim_id) | _inputs_of(reviews)
    with trying(store, "viewer_dataset", claim_id, inputs):
        _check_verdict(store, claim_id, promotion, decided)
        is_refused = decided is not None and decided.decision is Decision.REFUSE
        # what a re-match moved nothing of: building it again would give the same bytes
        kept = None if rebuild or is_refused else store.read_intact_viewer_dataset(claim_id, inputs)
        if kept is not None:
            dataset, state = kept
            mark_as_shown(store, claim_id)
        elif is_refused:
            dataset = store.read_viewer_dataset(claim_id)
            dataset.pop("pipeline", None)  # what it was made from: the refused set counts as dealt with
            dataset = mark_reviews(dataset, reviews)
            state = store.write_viewer_dataset(claim_id, dataset, inputs=inputs)
        else:
            mark_as_shown(store, claim_id)  # before the stage is sealed, as other side tables
            extraction, schema = read_extraction(store, claim_id), schema_of(claim, store)
            fields = extraction.fields
            documents = read_documents(store, claim_id)
            dataset = build_viewer_dataset(
                claim_id,
                schema=schema,
                documents=with_second_readings(documents, store, claim_id),
                fields=fields,
                model=extraction.model,
                pages_read=extraction.pages_read,
                answer_issues=extraction.issues,
                violations=read_violations(store, claim_id),
                citations=read_citations(store, claim_id),
                candidates=place_candidates(documents, fields, schema=schema),
                similar=read_similar_pages(store, claim_id),
            )
            dataset = mark_reviews(dataset, reviews)
            state = store.write_viewer_dataset(claim_id, dataset, inputs=inputs)
        read = dataset if kept is not None else None
        verdicts = judged_now(partial(_judge_stored, store, claim_id, read)) if is_judged else {}
    metadata = _counts(dataset) | {
        "unchanged": kept is not None or is_refused,
        "promotion": describe_decision(decided),
        "dataset": dg.MetadataValue.path(store.path("viewer_dataset", claim_id, "data.json")),
    }
    return ClaimOutcome(state, metadata, verdicts=verdicts)


def _read_verdict(store: ClaimStore, claim_id: str) -> Promotion | None:
    """Return the gate's verdict on the newest set, None for one that is missing or damaged."""
    try:
        return read_promotion(store, claim_id)
    except DamagedTableError:
        return None


def _check_verdict(
    store: ClaimStore, claim_id: str, promotion: Promotion | None, decided: PromotionDecision | None
) -> None:
    if promotion is None:
        raise NoVerdictError(claim_id, store=store.url)
    if promotion.reasons and decided is None:
        raise PromotionHeldError(claim_id, promotion.reasons, store=store.url)


def _judge_stored(store: ClaimStore, claim_id: str, kept: Mapping[str, Any] | None) -> Mapping[str, Verdict]:
    """Judge the dataset as it is stored; one that was `kept` was just read."""
    return {_VALID: judge_dataset(store.read_viewer_dataset(claim_id) if kept is None else kept)}


def judge_dataset(dataset: Mapping[str, Any]) -> Verdict:
    """Judge whether a stored dataset keeps its contract."""
    breaches = list_breaches(dataset)
    return Verdict(not breaches, {"breaches": len(breaches), "first": breaches[:SHOWN_BREACHES]})


def _counts(dataset: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a dataset holds, as counts for the claim's metadata."""
    return {
        "sources": len(dataset["sources"]),
        "fields": len(dataset["fields"]),
        "absent_fields": len(dataset["absentFields"]),
        **{
            f"{status}_fields": sum(field["status"] == status for field in dataset["unreadFields"])
            for status in ("unread", "doubted", "unreadable")
        },
        "is_partial": dataset["status"] == "partial",
        "issues": len(dataset["issues"]),
        "candidates": sum(
            len(field.get("candidates", ())) for name in _FIELD_LISTS for field in dataset[name]
        ),
        "fields_verified": sum(is_verified(field) for field in dataset["fields"]),
        "fields_needing_review": sum(needs_review(field) for name in _FIELD_LISTS for field in dataset[name]),
        "placed_citations": sum(len(field["citations"]) for field in dataset["fields"]),
        "unplaced_citations": sum(len(field["unresolvedCitations"]) for field in dataset["fields"]),
    }
