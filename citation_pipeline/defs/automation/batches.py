"""The `claude_batches` sensor: submits parsed claims as message batches and starts what they answer.

Off unless the deployment says that its data may go there: the provider's health-data terms leave batches
out. While it is on, the nightly schedule runs claims up to their parse and leaves the asking to this sensor.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

import dagster as dg

from citation_pipeline.adapters.claim_originals import bring_files
from citation_pipeline.adapters.conversation.batch_wires import NoBatchesError
from citation_pipeline.adapters.extractors.port import (
    BatchingExtractor,
    CollectedBatch,
    Extractor,
    SubmittedBatches,
)
from citation_pipeline.adapters.readers import DocumentParser, Readers
from citation_pipeline.adapters.tables.archived_claims import open_claim_ids
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.failures import PipelineError, describe_failure
from citation_pipeline.core.planning.nights import ClaimPlan
from citation_pipeline.defs.assets.raw_extraction import documents_to_read
from citation_pipeline.defs.automation.busy_claims import find_busy_claims
from citation_pipeline.defs.automation.jobs import AssetJob, build_jobs
from citation_pipeline.defs.automation.night_settings import NightSettings
from citation_pipeline.defs.automation.planning import plan_claims
from citation_pipeline.defs.dagster_internals.placing import renamed
from citation_pipeline.defs.namespaces import HERE, Namespace
from citation_pipeline.defs.runs.claim_schemas import schema_of
from citation_pipeline.defs.settings import Settings

ASKED_FROM = "raw_extraction"

Asked = tuple[Claim, Sequence[ParsedDocument]]


def build_batch_sensor(
    night: NightSettings,
    job: AssetJob | None = None,
    place: Namespace = HERE,
) -> dg.SensorDefinition:
    """Return the sensor; it runs by default where batches are allowed."""
    running = dg.DefaultSensorStatus.RUNNING if night.batches_allowed else dg.DefaultSensorStatus.STOPPED

    def claude_batches(
        context: dg.SensorEvaluationContext,
        store: dg.ResourceParam[ClaimStore],
        settings: dg.ResourceParam[Settings],
        parsers: dg.ResourceParam[Readers[DocumentParser]],
        extractors: dg.ResourceParam[Readers[Extractor]],
    ) -> Iterator[dg.RunRequest | dg.SkipReason]:
        """Collects the batches that ended; submits what claims ask next, starts those that ask no more."""
        if not settings.night.batches_allowed:
            yield dg.SkipReason("batches are off: CITATION_PIPELINE_CLAUDE_BATCHES says so")
            return
        providers, ended, unset = _collect(extractors)
        try:
            answered = {
                claim_id: batch.batch_id
                for batch in ended
                for claim_id in (*batch.complete_claims, *batch.incomplete_claims)
            }
            # what a batch did not answer is asked live: it would fail there again
            left_open = {claim_id for batch in ended for claim_id in batch.incomplete_claims}
            asked = open_claim_ids(store)
            plans = list(
                plan_claims(asked, store=store, parsers=parsers, extractors=extractors, settings=settings)
            )
            busy = find_busy_claims(context.instance, place) | left_open
            free = [plan for plan in plans if plan.claim_id not in busy]
            failures = [
                describe_failure(error)
                for name, error in unset.items()
                if claims_to_ask(free, store, extractor=name)
            ]
            for failure in failures:
                context.log.error(failure)
            submitted = _submit(context, store, extractors, providers, free=free, answered=answered)
        except PipelineError as error:
            context.log.error(describe_failure(error))
            yield dg.SkipReason(describe_failure(error))
            return
        requests = list(_requests(plans, answered, place))
        yield from requests
        if not requests:
            yield dg.SkipReason("; ".join([f"{submitted} batches submitted, none ended", *failures]))

    return dg.sensor(
        name=place.name("claude_batches"),
        job=job or build_jobs(place)["process_claims"],
        minimum_interval_seconds=300,  # a batch takes minutes to hours
        default_status=running,
        description="Submits parsed claims as message batches of a provider that has them, collects those "
        "that ended and starts their claims. Off unless CITATION_PIPELINE_CLAUDE_BATCHES says that the data "
        "may go there.",
    )(renamed(claude_batches, place))


def _submit(
    context: dg.SensorEvaluationContext,
    store: ClaimStore,
    extractors: Readers[Extractor],
    providers: Mapping[str, SubmittedBatches],
    *,
    free: Sequence[ClaimPlan],
    answered: dict[str, str],
) -> int:
    """Ask what these claims ask next in batches; return how many, and keep `answered` to claims to be run.

    A claim whose asking has no batches is run as it is; one whose replies call for more is asked that first,
    at the batch's price too.
    """
    submitted = 0
    for name, batches in providers.items():
        for group in claims_to_ask(free, store, extractor=name):
            if getattr(extractors.get(name), "needs_files", False):
                for claim, _ in group:
                    bring_files(store, claim)
            try:
                entries = batches.submit(group, schema_of(group[0][0], store))
            except NoBatchesError as error:
                context.log.warning(describe_failure(error))
                at_once = f"at_once:{datetime.now(UTC).date()}"
                answered |= {claim.claim_id: at_once for claim, _ in group}
                continue
            submitted += len(entries)
            for claim_id in {claim_id for entry in entries for claim_id in entry.claim_ids}:
                answered.pop(claim_id, None)
    return submitted


def _collect(
    extractors: Readers[Extractor],
) -> tuple[dict[str, SubmittedBatches], list[CollectedBatch], dict[str, PipelineError]]:
    """Return the batches by extractor, those that ended, and why others that might cannot be asked."""
    providers: dict[str, SubmittedBatches] = {}
    ended: list[CollectedBatch] = []
    unset = {}
    for name in extractors.names:
        if asks_in_batches(extractors, name):
            try:
                batches = cast(BatchingExtractor, extractors.get(name)).batches()
                ended += batches.collect()
                providers[name] = batches
            except PipelineError as error:  # the other providers' claims go on
                unset[name] = error
    return providers, ended, unset


def asks_in_batches(extractors: Readers[Extractor], name: str) -> bool:
    """Tell whether an extractor can be asked in batches, without building it."""
    return bool(extractors.trait(name, "has_batches", False))


def claims_to_ask(plans: Sequence[ClaimPlan], store: ClaimStore, *, extractor: str) -> list[list[Asked]]:
    """Return the claims whose next stage is to ask an extractor, with their documents, grouped by schema."""
    groups: dict[str, list[Asked]] = {}
    for plan in plans:
        claim = store.claim(plan.claim_id)
        if claim.extractor == extractor and plan.stages[:1] == (ASKED_FROM,):
            schema = schema_of(claim, store)
            groups.setdefault(schema.fingerprint, []).append(
                (claim, documents_to_read(store, claim.claim_id))
            )
    return list(groups.values())


def _requests(
    plans: Sequence[ClaimPlan], answered: Mapping[str, str], place: Namespace
) -> Iterator[dg.RunRequest]:
    for plan in plans:
        if plan.claim_id in answered and plan.stages:
            yield dg.RunRequest(
                run_key=f"{answered[plan.claim_id]}:{plan.claim_id}",
                partition_key=plan.claim_id,
                asset_selection=[place.key(stage) for stage in plan.stages],
            )
