"""The asset `nightly_batches`: what the schedule did each night, and the check that no claim is left behind.

Only the schedule reports it, so that it is overdue when a night was missed: a plan made by hand, which is
on `claim_plans`, says nothing of the night.
"""

from collections.abc import Sequence
from datetime import date

import dagster as dg

from citation_pipeline.adapters.extractors.port import Extractor
from citation_pipeline.adapters.readers import DocumentParser, Readers
from citation_pipeline.adapters.tables.archived_claims import open_claim_ids
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.night_waits import keep_waits, waits_of
from citation_pipeline.adapters.tables.night_waits import read_waits as read_kept_waits
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.planning.nights import NightChoice, NightLimits, Verdict, choose_claims
from citation_pipeline.core.planning.waits import Wait, count_waits
from citation_pipeline.defs.automation.freshness import freshness_after
from citation_pipeline.defs.automation.night_settings import NightSettings
from citation_pipeline.defs.automation.planning import plan_claims
from citation_pipeline.defs.namespaces import HERE, Namespace
from citation_pipeline.defs.runs.claim_checks import WARN
from citation_pipeline.defs.runs.claim_runs import NAMED_CLAIMS
from citation_pipeline.defs.settings import Settings

NIGHTS = dg.AssetKey("nightly_batches")


def build_nightly_batches(night: NightSettings, place: Namespace = HERE) -> dg.AssetSpec:
    """Return the asset that stands for the nights, overdue when one was not planned in time."""
    return dg.AssetSpec(
        place.key(NIGHTS.path[-1]),
        description="Each night that the schedule planned, with the claims that wait and since when.",
        group_name=place.name("nightly"),
        kinds={"dagster"},
        owners=list(place.owners),
        code_version=code_fingerprint("planning"),
        freshness_policy=freshness_after(night.cron, night=night),
    )


def report_night(
    instance: dg.DagsterInstance,
    store: ClaimStore,
    choices: Sequence[NightChoice],
    *,
    night: date,
    requested: int,
    place: Namespace = HERE,
) -> None:
    """Report that a night was planned, with the claims that are not current and for how long."""
    waits = count_waits(choices, night=night, before=read_waits(instance, store))
    kept = keep_waits(store, waits)
    instance.report_runless_asset_event(
        dg.AssetMaterialization(
            place.key(NIGHTS.path[-1]),
            metadata={
                "night": night.isoformat(),
                "runs_requested": requested,
                "claims_waiting": len(waits),
                "longest_wait_nights": max((wait.nights for wait in waits.values()), default=0),
                "waits": dg.MetadataValue.json(kept),
            },
        )
    )


def read_waits(instance: dg.DagsterInstance, store: ClaimStore) -> dict[str, Wait]:
    """Return the waits that the last night found; none before the first.

    They are kept in the store: an event log may be wiped. One of an earlier version has them alone.
    """
    try:
        return read_kept_waits(store)
    except (FileNotFoundError, ValueError):
        event = instance.get_latest_materialization_event(NIGHTS)
        reported = event.asset_materialization if event else None
        kept = reported.metadata.get("waits") if reported else None
        return waits_of(kept.value) if isinstance(kept, dg.JsonMetadataValue) else {}


@dg.asset_check(asset=NIGHTS)
def no_claim_is_left_behind(
    context: dg.AssetCheckExecutionContext,
    store: dg.ResourceParam[ClaimStore],
    settings: dg.ResourceParam[Settings],
    parsers: dg.ResourceParam[Readers[DocumentParser]],
    extractors: dg.ResourceParam[Readers[Extractor]],
) -> dg.AssetCheckResult:
    """Every claim that several nights in a row found with something to do was made by now.

    Those that were not are named, the longest wait first, with what keeps them: held claims are mended, or
    archived.
    """
    waits = read_waits(context.instance, store)
    allowed = settings.night.nights_waited
    late = [
        claim_id
        for claim_id in open_claim_ids(store)
        if claim_id in waits and waits[claim_id].nights >= allowed
    ]
    plans = plan_claims(late, store=store, parsers=parsers, extractors=extractors, settings=settings)
    left = {
        choice.claim_id: choice
        for choice in choose_claims(list(plans), limits=NightLimits(claims=None))
        if choice.verdict is not Verdict.CURRENT
    }
    named = sorted(left, key=lambda claim_id: (-waits[claim_id].nights, claim_id))[:NAMED_CLAIMS]
    return dg.AssetCheckResult(
        passed=not left,
        severity=WARN,
        metadata={
            "nights_allowed": allowed,
            "claims_waiting": len(waits),
            "claims_left_behind": len(left),
            "longest": dg.MetadataValue.table(
                [_row(left[claim_id], waits[claim_id]) for claim_id in named], _COLUMNS
            ),
        },
    )


_COLUMNS = dg.TableSchema(
    columns=[
        dg.TableColumn("claim_id", "string"),
        dg.TableColumn("nights", "int"),
        dg.TableColumn("since", "string"),
        dg.TableColumn("verdict", "string"),
        dg.TableColumn("reasons", "string"),
    ]
)


def _row(choice: NightChoice, wait: Wait) -> dg.TableRecord:
    return dg.TableRecord(
        {
            "claim_id": choice.claim_id,
            "nights": wait.nights,
            "since": wait.since.isoformat(),
            "verdict": choice.verdict.value,
            "reasons": "; ".join(choice.reasons),
        }
    )
