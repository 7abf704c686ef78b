"""The `resolved_citations` asset: every quoted snippet with the place where it is."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial

import dagster as dg
import pyarrow as pa

from citation_pipeline.adapters.tables.answer_rows import fields_of, read_field_table
from citation_pipeline.adapters.tables.change_rows import (
    Promotion,
    are_shown,
    dataset_is_made_of,
    lost_of_shown,
    read_model,
    read_shown_citations,
    read_shown_values,
    set_version,
    values_are_shown,
    write_changes,
    write_promotion,
)
from citation_pipeline.adapters.tables.citation_rows import citation_table, confidence_table
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents, read_similar_pages
from citation_pipeline.adapters.tables.second_readings import with_second_readings
from citation_pipeline.adapters.tables.source_ids import read_former_documents
from citation_pipeline.adapters.tables.tries import trying
from citation_pipeline.adapters.verifications.promotions import Decision, decision_on
from citation_pipeline.adapters.verifications.store import (
    pins_fingerprint,
    pins_of,
    read_pins,
    read_reviews,
    signed_fields_of,
)
from citation_pipeline.core.citations import Citation
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.replacements import FormerDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.resolution.changes import (
    CitationChange,
    Placed,
    compare_citations,
    count_changes,
)
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.field_changes import compare_field_places, is_other_reader
from citation_pipeline.core.resolution.field_confidence import SURE, confidences_of
from citation_pipeline.core.resolution.pins import Pin
from citation_pipeline.core.resolution.promotion import (
    ValueChanges,
    compare_values,
    misplaced_citations,
    only_signed,
    reasons_to_hold,
)
from citation_pipeline.core.resolution.versions import matcher_fingerprint
from citation_pipeline.core.review.verifications import FieldReview
from citation_pipeline.defs.assets.citation_judges import (
    CITATION_JUDGES,
    CitedClaim,
    Resolution,
    judge_citations,
)
from citation_pipeline.defs.assets.extracted_fields import extracted_fields
from citation_pipeline.defs.assets.parsed_documents import parsed_documents
from citation_pipeline.defs.assets.partitions import OWNERS, claims
from citation_pipeline.defs.runs.claim_runs import ClaimOutcome, run_claims
from citation_pipeline.defs.runs.claim_schemas import schema_of
from citation_pipeline.defs.runs.claim_workers import ClaimWorkers
from citation_pipeline.defs.runs.verdicts import checks_to_come, judged_now
from citation_pipeline.defs.runs.watching import GATE_HELD, GATE_PASSED
from citation_pipeline.defs.settings import Settings


def matcher_inputs(claim: Claim, settings: Settings) -> dict[str, str]:
    """Return what the stage is made from beside its upstream."""
    return _inputs_of(read_pins(settings.verifications_url, claim.claim_id))


def _inputs_of(pins: Sequence[Pin]) -> dict[str, str]:
    return {"matcher": matcher_fingerprint(), "pins": pins_fingerprint(pins)}


@dg.asset(
    partitions_def=claims,
    deps=[parsed_documents, extracted_fields],
    group_name="citations",
    kinds={"python", "parquet"},
    owners=OWNERS,
    code_version=matcher_fingerprint(),
    backfill_policy=dg.BackfillPolicy.multi_run(1000),  # no call to anyone: thousands of claims in few runs
)
def resolved_citations(
    context: dg.AssetExecutionContext,
    store: dg.ResourceParam[ClaimStore],
    settings: dg.ResourceParam[Settings],
    workers: dg.ResourceParam[ClaimWorkers],
) -> dg.MaterializeResult[None]:
    """One row per snippet: status, method, score, confidence, regions of block, snippet and value."""
    work = partial(_resolve, store, settings, checks=checks_to_come(context, CITATION_JUDGES))
    return run_claims(context, work, settings=settings, workers=workers)


def _resolve(
    store: ClaimStore, settings: Settings, claim_id: str, *, checks: Collection[str] = ()
) -> ClaimOutcome:
    claim = store.claim(claim_id)
    reviews = read_reviews(settings.verifications_url, claim_id)
    pins = pins_of(reviews)
    inputs = store.upstream_versions("resolved_citations", claim_id) | _inputs_of(pins)
    with trying(store, "resolved_citations", claim_id, inputs):
        former = read_former_documents(store, claim_id)
        documents, field_rows = _documents(store, claim_id, former), read_field_table(store, claim_id)
        fields, schema = fields_of(field_rows), schema_of(claim, store)
        citations = resolve_claim(
            documents,
            fields,
            schema=schema,
            pins=pins,
            former=former,
            similar=read_similar_pages(store, claim_id),
        )
        table = citation_table(claim_id, citations)
        version = set_version(table, field_rows)
        shown = _shown(store, settings, claim_id, inputs, citations, table, version)
        changes = compare_citations(shown, citations)
        words = {document.source.source_id: document.words for document in documents}
        misplaced = misplaced_citations(citations, words)
        reasons = _reasons(
            store, settings, claim_id, inputs, shown, citations, changes, misplaced, fields, reviews
        )
        # before the stage is sealed: what a killed run leaves out, the next one makes again
        write_changes(store, claim_id, changes)
        confidences = list(confidences_of(fields, citations).values())
        store.write_side_table("field_confidences", claim_id, confidence_table(claim_id, confidences))
        write_promotion(store, claim_id, Promotion(version, reasons, misplaced))
        state = store.write_stage(
            "resolved_citations",
            claim_id,
            tables={"citations": table},
            inputs=inputs,
        )
        by_key = {field.field_key: field for field in fields}
        stored = CitedClaim(
            store, claim_id, resolution=Resolution(words, by_key, schema, citations, table, misplaced)
        )
        verdicts = judged_now(partial(judge_citations, stored, settings, checks))
    metadata = {
        **_counts_of(citations),
        **({f"change/{change}": count for change, count in count_changes(changes).items()} if shown else {}),
        "fields_sure": sum(one.confidence >= SURE for one in confidences),
        "fields_unsure": sum(one.confidence < SURE for one in confidences),
        "misplaced": len(misplaced),
        "promotion": "; ".join(reasons) or "may be shown",
        "matcher": inputs["matcher"],
        "table": dg.MetadataValue.path(store.path("citations", f"{claim_id}.parquet")),
    }
    return ClaimOutcome(state, metadata, events=(GATE_HELD if reasons else GATE_PASSED,), verdicts=verdicts)


def _shown(
    store: ClaimStore,
    settings: Settings,
    claim_id: str,
    inputs: Mapping[str, str],
    citations: Sequence[Citation],
    table: pa.Table,
    version: str,
) -> Sequence[Placed]:
    """Return what is shown now; its tables are made again where they were lost and this very set is shown.

    What is shown and cannot be compared holds the new set (`_reasons`).
    """
    lost = lost_of_shown(store, claim_id)
    if not lost and are_shown(store, claim_id, table):
        return citations
    if not lost:
        return read_shown_citations(store, claim_id)
    decided = decision_on(settings.verifications_url, claim_id, version)
    is_refused = decided is not None and decided.decision is Decision.REFUSE
    made_of = dataset_is_made_of(store, claim_id, table, fields_version=inputs["extracted_fields"])
    if is_refused or not made_of:
        return []
    store.copy_table("fields", "shown_fields", claim_id)
    store.write_side_table("shown_citations", claim_id, table)
    return citations


def _reasons(
    store: ClaimStore,
    settings: Settings,
    claim_id: str,
    inputs: Mapping[str, str],
    shown: Sequence[Placed],
    citations: Sequence[Citation],
    changes: Sequence[CitationChange],
    misplaced: Sequence[str],
    fields: Sequence[ExtractedField],
    reviews: Mapping[str, FieldReview],
) -> list[str]:
    """Why the new set would be held back from being shown."""
    lost = lost_of_shown(store, claim_id)  # compared with nothing, nothing would be worse
    if lost:
        return [f"what is shown cannot be compared: {' and '.join(lost)} of the claim is gone or damaged"]
    kept = values_are_shown(store, claim_id, inputs["extracted_fields"])
    swapped = not kept and is_other_reader(
        read_model(store, claim_id, shown=True), read_model(store, claim_id)
    )
    # documents that changed explain other values; with another model nobody could say which it was
    same = swapped or _same_documents(store, claim_id, inputs)
    return reasons_to_hold(
        shown,
        changes,
        settings.promotion if same else only_signed(settings.promotion),
        located=sum(bool(citation.snippet) for citation in citations),
        misplaced=misplaced,
        values=_changed_values(store, claim_id, fields, reviews, are_kept=kept) if same else None,
        fields=compare_field_places(
            shown, citations, valued={field.field_key for field in fields if field.value is not None}
        ),
        is_other_reader=swapped,
    )


def _documents(
    store: ClaimStore, claim_id: str, former: Mapping[str, FormerDocument]
) -> list[ParsedDocument]:
    documents = read_documents(store, claim_id)
    # signed words are compared with every reading of what took their document's place
    return with_second_readings(documents, store, claim_id) if former else documents


def _changed_values(
    store: ClaimStore,
    claim_id: str,
    fields: Sequence[ExtractedField],
    reviews: Mapping[str, FieldReview],
    *,
    are_kept: bool,
) -> ValueChanges:
    values = {field.field_key: field.value for field in fields}
    shown = values if are_kept else read_shown_values(store, claim_id)
    return compare_values(shown, values, signed=signed_fields_of(reviews))


def _counts_of(citations: Sequence[Citation]) -> dict[str, int]:
    statuses = Counter(citation.status.value for citation in citations)
    methods = Counter(citation.method for citation in citations)
    return {
        "dagster/partition_row_count": len(citations),
        "citations": len(citations),
        **{f"status/{status}": count for status, count in sorted(statuses.items())},
        **{f"method/{method}": count for method, count in sorted(methods.items())},
    }


def _same_documents(store: ClaimStore, claim_id: str, inputs: Mapping[str, str]) -> bool:
    """Tell whether what is shown was made from the same documents: then nothing they say has changed."""
    shown = store.stage_state("viewer_dataset", claim_id)
    return shown is not None and shown.inputs.get("parsed_documents") == inputs["parsed_documents"]
