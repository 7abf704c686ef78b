"""Checking the audit chain of a database or of an export, and writing exports."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.sql_engines import is_unused
from citation_pipeline.adapters.verifications.audit import (
    MEANING,
    cut_off_links,
    entry_as_json,
    entry_of_json,
    length_of,
    read_entries,
    repeated_events,
    unlinked_events,
)
from citation_pipeline.adapters.verifications.database import opened
from citation_pipeline.adapters.verifications.signing import PublicKeys, Signer
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.review.chain import Report, check_chain, check_signed, excerpt_faults

FORMAT = "citation-pipeline audit chain 1"


class AuditFileError(PipelineError, ValueError):
    """A file that is no export of an audit chain."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is no export of an audit chain: write one with `audit export --out FILE`")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An exported chain, or the part of it that concerns one claim.

    `digest` is of the whole file but its seal; the seal's `signature` of it is empty where no key was set.
    """

    links: Sequence[Mapping[str, Any]]
    claim_id: str | None = None
    digest: str = ""
    signature: str = ""
    key_id: str = ""


def check_database(url: str, *, keys: PublicKeys, earlier: Excerpt | None = None, head: str = "") -> Report:
    """Check the chain of a database against its events, and against what was exported of it earlier.

    `head` is the digest of a link that must still be there.
    """
    if is_unused(url):
        report = Report()
        _check_earlier(report, set(), earlier, head)
        return report
    with opened(url) as database, database.reading() as connection:
        entries = list(read_entries(connection))
        report = check_chain(entries, verify=keys.verify)
        report.faults += unlinked_events(connection) + repeated_events(connection)
        report.faults += cut_off_links(connection)
    if keys.keys:
        check_signed(report)
    _check_earlier(report, {entry.link.digest for entry in entries}, earlier, head)
    return report


def check_export(excerpt: Excerpt, *, keys: PublicKeys, head: str = "") -> Report:
    """Check an export by itself, with no database at hand."""
    entries = [entry_of_json(kept) for kept in excerpt.links]
    begins_with = {"begins_with": entries[0].link.previous} if excerpt.claim_id and entries else {}
    report = check_chain(entries, verify=keys.verify, **begins_with)
    report.faults += excerpt_faults(entries, excerpt.claim_id)
    if keys.keys:
        check_signed(report)
        _check_seal(report, excerpt, keys)
    _check_earlier(report, {entry.link.digest for entry in entries}, None, head)
    return report


def _check_seal(report: Report, excerpt: Excerpt, keys: PublicKeys) -> None:
    """Check that the export is as it was written: an excerpt could hide events of its claim otherwise."""
    if excerpt.signature:
        if not keys.verify(excerpt.key_id, excerpt.digest, excerpt.signature):
            report.faults.append("the export was changed after it was written: its seal does not hold")
    elif excerpt.claim_id is not None:
        report.faults.append(
            "the export is not sealed: events of the claim could have been left out; export it again where "
            "CITATION_PIPELINE_AUDIT_KEY is set"
        )


def export_chain(url: str, *, claim_id: str | None = None, signer: Signer | None = None) -> dict[str, Any]:
    """Return the chain as a JSON object; with a claim, of other claims no more than their links."""
    links: list[dict[str, Any]] = []
    length = 0
    if not is_unused(url):
        with opened(url) as database, database.reading() as connection:
            links = [entry_as_json(entry) for entry in read_entries(connection, claim_id=claim_id)]
            length = length_of(connection)
    return as_export(links, claim_id=claim_id, length=length, signer=signer)


def as_export(
    links: Sequence[Mapping[str, Any]], *, claim_id: str | None, length: int, signer: Signer | None
) -> dict[str, Any]:
    """Return links as an export with what it means written into it, sealed where there is a signer."""
    export = {
        "format": FORMAT,
        "meaning": MEANING,
        "claim_id": claim_id,
        "exported_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "length": length,
        "head": links[-1]["digest"] if links else "",
        "links": list(links),
    }
    digest = _digest_of(export)
    seal = {"signature": signer.sign(digest), "key_id": signer.key_id} if signer else None
    return {**export, "seal": seal}


def _digest_of(export: Mapping[str, Any]) -> str:
    """Return the SHA-256 of an export without its seal, in one form however the file was laid out."""
    unsealed = {name: kept for name, kept in export.items() if name != "seal"}
    text = json.dumps(unsealed, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_export(path: Path) -> Excerpt:
    """Return an exported chain; raises AuditFileError."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["format"] != FORMAT:
            raise ValueError(kept["format"])
        for link in kept["links"]:
            entry_of_json(link)
        seal = kept.get("seal") or {"signature": "", "key_id": ""}
        return Excerpt(
            kept["links"], kept["claim_id"], _digest_of(kept), str(seal["signature"]), str(seal["key_id"])
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AuditFileError(path) from error


def _check_earlier(report: Report, digests: set[str], earlier: Excerpt | None, head: str) -> None:
    lost = sum(link["digest"] not in digests for link in earlier.links) if earlier else 0
    if lost:
        report.faults.append(f"{lost} links of the earlier export are not in the chain any more")
    if head and head not in digests:
        report.faults.append("the head that was given is not in the chain: links were cut off or made anew")
