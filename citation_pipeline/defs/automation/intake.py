"""The `intake` sensor: new folders in the inbox become registered claims. It starts nothing.

A folder that is still being copied waits; a name that cannot be a claim is reported and left unchanged. What
was seen is noted where every host looks, the nightly schedule too.
"""

import hashlib
import json
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import dagster as dg

from citation_pipeline.adapters.claim_folders import ClaimFolderError
from citation_pipeline.adapters.claim_originals import is_from, origin_of
from citation_pipeline.adapters.claim_settings import ClaimSettingsError
from citation_pipeline.adapters.inbox import (
    InboxFolder,
    InboxListing,
    bring_documents,
    claim_of_inbox,
    is_remote,
    list_inbox,
    read_inbox_settings,
)
from citation_pipeline.adapters.inbox_sightings import Sightings, is_settled, look_again
from citation_pipeline.adapters.schema_files import locate_schema
from citation_pipeline.adapters.tables.archived_claims import archived_claim_ids
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.json_schemas.errors import SchemaError
from citation_pipeline.defs.automation.night_settings import InboxSettings
from citation_pipeline.defs.dagster_internals.placing import renamed
from citation_pipeline.defs.namespaces import HERE, Namespace
from citation_pipeline.defs.readers import reader_names
from citation_pipeline.defs.settings import Settings

NAMED_PROBLEMS = NAMED_CLAIMS = 20  # a tick's message is read by people


def look_at_inbox(settings: Settings, *, now: float) -> tuple[InboxListing, set[str]]:
    """Return what lies in the inbox and which of its claims are whole; raises ClaimFolderError."""
    inbox = settings.night.inbox
    listing = list_inbox(inbox.root)
    kept = Sightings(settings.coordination, inbox.root, older=settings.work_dir / "intake.json")
    sightings = look_again(listing.folders, kept.read(), now=now)
    kept.keep(sightings)
    settled = {
        folder.name
        for folder in listing.folders
        if is_settled(
            folder,
            sightings[folder.name],
            now=now,
            settle_s=inbox.settle_s,
            needs_marker=inbox.needs_marker,
        )
    }
    return listing, settled


def register_claims(
    settings: Settings, store: ClaimStore, *, known: Collection[str], now: float
) -> tuple[list[str], dict[str, str], int]:
    """Register the whole folders that are no partitions yet, and those whose `claim.toml` was written again.

    Returns the claims to add as partitions, the names that cannot be taken with their reasons, and how
    many folders are waited for. A known claim whose new `claim.toml` cannot be used stays as it was.
    """
    listing, settled = look_at_inbox(settings, now=now)
    problems = dict(listing.problems)
    registered = set(store.claim_ids())
    archived = archived_claim_ids(store)
    names = reader_names(settings)
    new = []
    for folder in listing.folders:
        if folder.name not in settled or folder.name in archived:
            continue
        if folder.name in known and not folder.settings_mark and not store.keeps_originals:
            continue
        claim = _claim(settings, folder)
        kept = store.claim(folder.name) if folder.name in registered else None
        if kept is not None and not is_from(kept, claim.folder):
            if folder.name not in known:
                problems[folder.name] = "another folder is registered under this name: rename one of the two"
            continue
        try:
            if kept is None:
                _register(store, read_inbox_settings(claim, folder, names=names), folder)
            elif (is_changed := bool(kept.files) and kept.origin_mark != folder.signature) or (
                folder.settings_mark and kept.settings_mark != folder.settings_mark
            ):
                again = replace(kept, folder=claim.folder, documents_dir=claim.documents_dir)
                if folder.settings_mark and kept.settings_mark != folder.settings_mark:
                    again = read_inbox_settings(again, folder, names=names)
                _register(store, replace(again, files=()) if is_changed else again, folder)
        except (ClaimSettingsError, ClaimFolderError) as error:
            problems[folder.name] = str(error)
            continue
        if folder.name not in known:
            new.append(folder.name)
    waiting = len(listing.folders) - len(settled)
    return new, problems, waiting


def _register(store: ClaimStore, claim: Claim, folder: InboxFolder) -> None:
    """Register a claim of the inbox; where the store keeps originals, they are taken in as they lie now."""
    if store.keeps_originals:
        if is_remote(claim.folder) and not claim.files:
            bring_documents(claim)
        claim = replace(claim, origin=origin_of(claim.folder), origin_mark=folder.signature)
    store.register(claim)


def build_intake(inbox: InboxSettings, place: Namespace = HERE) -> dg.SensorDefinition:
    """Return the sensor; it runs by default where an inbox is configured."""
    status = dg.DefaultSensorStatus.RUNNING if inbox.root else dg.DefaultSensorStatus.STOPPED

    def intake(
        context: dg.SensorEvaluationContext,
        store: dg.ResourceParam[ClaimStore],
        settings: dg.ResourceParam[Settings],
    ) -> dg.SensorResult:
        """Registers the folders of the inbox as claims once they are whole; starts nothing."""
        if not settings.night.inbox.root:
            return dg.SensorResult(skip_reason="there is no inbox: set CITATION_PIPELINE_INBOX")
        known = set(context.instance.get_dynamic_partitions(place.claims_name))
        try:
            _check_inbox(settings)
            new, problems, waiting = register_claims(settings, store, known=known, now=time.time())
        except (ClaimFolderError, SchemaError) as error:
            context.log.error(str(error))
            return dg.SensorResult(skip_reason=str(error))
        told = set(json.loads(context.cursor)) if context.cursor else set()
        untold = {name: reason for name, reason in problems.items() if _mark(name, reason) not in told}
        for name, reason in list(untold.items())[:NAMED_PROBLEMS]:
            context.log.warning(f"inbox: {name!r} {reason}")
        return dg.SensorResult(
            dynamic_partitions_requests=[place.claims.build_add_request(new)] if new else [],
            asset_events=[_taken(store.claim(claim_id), place) for claim_id in new],
            skip_reason=_summary(new, waiting, problems=len(problems), untold=list(untold)),
            cursor=json.dumps(sorted(_mark(name, reason) for name, reason in problems.items())),
        )

    return dg.sensor(
        name=place.name("intake"),
        minimum_interval_seconds=60,
        default_status=status,
        description="Registers the folders of the inbox as claims once they are whole, one partition each; "
        "starts nothing: the schedule `nightly` does. Names that cannot be claims are told once.",
    )(renamed(intake, place))


def _taken(claim: Claim, place: Namespace) -> dg.AssetObservation:
    return dg.AssetObservation(
        place.key("source_documents"),
        partition=claim.claim_id,
        description="The folder was taken from the inbox; its first night runs the claim.",
        metadata={"schema": claim.schema, "parser": claim.parser, "extractor": claim.extractor},
    )


def _check_inbox(settings: Settings) -> None:
    """Raise SchemaError or ClaimSettingsError where what the inbox's claims are read by cannot be used."""
    inbox = settings.night.inbox
    locate_schema(inbox.schema)
    chosen = {"parser": inbox.parser, "extractor": inbox.extractor}
    reader_names(settings).check("the inbox", chosen, where="as CITATION_PIPELINE_INBOX_* says,")


def _summary(new: Sequence[str], waiting: int, *, problems: int, untold: Sequence[str]) -> str:
    """Return what a tick did; a name that cannot be taken is only counted once it was told."""
    named = ", ".join(new[:NAMED_CLAIMS]) + (", …" if len(new) > NAMED_CLAIMS else "")
    told = ", ".join(repr(name) for name in untold[:NAMED_PROBLEMS])
    return (
        (f"ADDED {len(new)} claims: {named}; " if new else "no new claim; ")
        + f"{waiting} folders waited for, {problems} names cannot be taken"
        + (f", new among them: {told}" if told else " (told before)" if problems else "")
    )


def _mark(name: str, reason: str) -> str:
    return hashlib.sha256(f"{name!r} {reason}".encode()).hexdigest()[:16]


def _claim(settings: Settings, folder: InboxFolder) -> Claim:
    inbox = settings.night.inbox
    return claim_of_inbox(
        inbox.root,
        folder,
        mirrors=mirrors_of(settings),
        schema=locate_schema(inbox.schema),
        parser=inbox.parser,
        extractor=inbox.extractor,
    )


def mirrors_of(settings: Settings) -> Path:
    """Return where remote documents are brought to."""
    return settings.work_dir / "inbox"
