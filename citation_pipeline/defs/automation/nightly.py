"""The `nightly` schedule: one run per claim that has something to do, within the night's limits.

It is the only thing that starts claims' runs by itself. What it decided, for every claim and why, is on
the asset `claim_plans`; that it did, on `nightly_batches`. A second schedule refreshes the
warehouse and says which claims were left behind.
"""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import dagster as dg
from dagster_shared.check import CheckError

from citation_pipeline.adapters.claim_folders import ClaimFolderError
from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.readers import DocumentParser, Readers
from citation_pipeline.adapters.tables.archived_claims import open_claim_ids
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.planning.nights import ClaimPlan, NightChoice, Verdict, choose_claims, night_of
from citation_pipeline.defs.assets.claim_plans import plan_metadata
from citation_pipeline.defs.assets.nightly_batches import report_night
from citation_pipeline.defs.automation.batches import ASKED_FROM, asks_in_batches
from citation_pipeline.defs.automation.busy_claims import find_busy_claims
from citation_pipeline.defs.automation.intake import look_at_inbox
from citation_pipeline.defs.automation.jobs import (
    EXTRACTOR_POOL_TAG,
    EXTRACTOR_TAG,
    NIGHT_TAG,
    PARSER_POOL_TAG,
    PARSER_TAG,
    REASONS_TAG,
    AssetJob,
    build_jobs,
)
from citation_pipeline.defs.automation.night_settings import NightSettings
from citation_pipeline.defs.automation.planning import plan_claims
from citation_pipeline.defs.dagster_internals.placing import renamed
from citation_pipeline.defs.namespaces import HERE, Namespace
from citation_pipeline.defs.settings import Settings


def build_nightly(
    night: NightSettings,
    job: AssetJob | None = None,
    place: Namespace = HERE,
) -> dg.ScheduleDefinition:
    """Return the schedule; somebody has to switch it on, since it may spend money."""

    def nightly(
        context: dg.ScheduleEvaluationContext,
        store: dg.ResourceParam[ClaimStore],
        settings: dg.ResourceParam[Settings],
        parsers: dg.ResourceParam[Readers[DocumentParser]],
        extractors: dg.ResourceParam[Readers[Extractor]],
    ) -> Iterator[dg.RunRequest | dg.SkipReason]:
        instance = context.instance
        known = set(instance.get_dynamic_partitions(place.claims_name))
        wanted = [claim_id for claim_id in open_claim_ids(store) if claim_id in known]
        plans = list(
            plan_claims(wanted, store=store, parsers=parsers, extractors=extractors, settings=settings)
        )
        choices = choose_claims(
            plans,
            limits=settings.night.limits,
            busy=find_busy_claims(instance, place),
            unsettled=find_unsettled_claims(settings, wanted),
        )
        at, until_parsed = _time_of(context), settings.night.batches_allowed
        requests = list(
            request_runs(
                plans,
                choices,
                store=store,
                parsers=parsers,
                extractors=extractors,
                at=at,
                until_parsed=until_parsed,
                place=place,
            )
        )
        instance.report_runless_asset_event(
            dg.AssetMaterialization(place.key("claim_plans"), metadata=plan_metadata(plans, choices))
        )
        report_night(instance, store, choices, night=night_of(at), requested=len(requests), place=place)
        if requests:
            yield from requests
        else:
            yield dg.SkipReason(f"nothing to do for {len(plans)} claims: see the asset claim_plans")

    return dg.schedule(
        name=place.name("nightly"),
        job=job or build_jobs(place)["process_claims"],
        cron_schedule=night.cron,
        execution_timezone=night.timezone,
        default_status=dg.DefaultScheduleStatus.STOPPED,
        description="Starts one run per claim whose inputs changed or whose last try may pass now.",
    )(renamed(nightly, place))


def build_morning(
    night: NightSettings,
    job: AssetJob | None = None,
    place: Namespace = HERE,
) -> dg.ScheduleDefinition:
    """Return the schedule that ends the night; it is on from the start, since it costs nothing."""
    return dg.ScheduleDefinition(
        name=place.name("morning"),
        job=job or build_jobs(place)["finish_nightly_batch"],
        cron_schedule=night.warehouse_cron,
        execution_timezone=night.timezone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Refreshes the warehouse, names claims left behind; makes no external call.",
    )


def request_runs(
    plans: Sequence[ClaimPlan],
    choices: Sequence[NightChoice],
    *,
    store: ClaimStore,
    parsers: Readers[DocumentParser],
    extractors: Readers[Extractor],
    at: datetime,
    until_parsed: bool = False,
    place: Namespace = HERE,
) -> Iterator[dg.RunRequest]:
    """Yield a run per claim that starts; claims with something new come before those that try again.

    `until_parsed` leaves what asks a provider that has batches to the sensor of batches.
    """
    retries = {plan.claim_id for plan in plans if plan.is_retry}
    for choice in sorted(choices, key=lambda choice: choice.claim_id in retries):
        if choice.verdict is not Verdict.START:
            continue
        claim = store.claim(choice.claim_id)
        stages = choice.stages
        if until_parsed and ASKED_FROM in stages and asks_in_batches(extractors, claim.extractor):
            stages = stages[: stages.index(ASKED_FROM)]
        if not stages:
            continue
        pools = {
            PARSER_POOL_TAG: parsers.trait(claim.parser, "pool"),
            EXTRACTOR_POOL_TAG: extractors.trait(claim.extractor, "pool"),
        }
        yield dg.RunRequest(
            # the tick's time is part of it: a tick that is evaluated again after a crash starts nothing twice
            run_key=f"{choice.claim_id}@{at.isoformat()}",
            partition_key=choice.claim_id,
            asset_selection=[place.key(stage) for stage in stages],
            tags={
                NIGHT_TAG: night_of(at).isoformat(),
                REASONS_TAG: ", ".join(choice.reasons)[:200],
                PARSER_TAG: claim.parser,
                EXTRACTOR_TAG: claim.extractor,
                **{tag: pool for tag, pool in pools.items() if pool},
            },
        )


def find_unsettled_claims(settings: Settings, claim_ids: Sequence[str]) -> set[str]:
    """Return the claims whose folder in the inbox is still changing; all of them when it cannot be read."""
    if not settings.night.inbox.root:
        return set()
    try:
        listing, settled = look_at_inbox(settings, now=time.time())
    except ClaimFolderError:
        return set(claim_ids)
    return {folder.name for folder in listing.folders} - settled


def _time_of(context: dg.ScheduleEvaluationContext) -> datetime:
    try:
        return context.scheduled_execution_time.astimezone(UTC)
    except CheckError:  # evaluated by hand
        return datetime.now(UTC)
