"""Checking the audit chain of a database or of an export, and writing exports."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.verifications.audit import (
    MEANING,
    entry_as_json,
    entry_of_json,
    length_of,
    read_entries,
    repeated_events,
    unlinked_events,
)
from citation_pipeline.adapters.verifications.database import is_unused, opened
from citation_pipeline.adapters.verifications.signing import PublicKeys
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.review.chain import Report, check_chain

FORMAT = "citation-pipeline audit chain 1"


class AuditFileError(PipelineError, ValueError):
    """A file that is no export of an audit chain."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is no export of an audit chain: write one with `audit export --out FILE`")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An exported chain, or the part of it that concerns one claim."""

    links: Sequence[Mapping[str, Any]]
    claim_id: str | None = None


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
    _check_earlier(report, {entry.link.digest for entry in entries}, earlier, head)
    return report


def check_export(excerpt: Excerpt, *, keys: PublicKeys, head: str = "") -> Report:
    """Check an export by itself, with no database at hand."""
    entries = [entry_of_json(kept) for kept in excerpt.links]
    begins_with = {"begins_with": entries[0].link.previous} if excerpt.claim_id and entries else {}
    report = check_chain(entries, verify=keys.verify, **begins_with)
    _check_earlier(report, {entry.link.digest for entry in entries}, None, head)
    return report


def export_chain(url: str, *, claim_id: str | None = None) -> dict[str, Any]:
    """Return the chain as a JSON object; with a claim, of other claims no more than their links."""
    links: list[dict[str, Any]] = []
    length = 0
    if not is_unused(url):
        with opened(url) as database, database.reading() as connection:
            links = [entry_as_json(entry) for entry in read_entries(connection, claim_id=claim_id)]
            length = length_of(connection)
    return as_export(links, claim_id=claim_id, length=length)


def as_export(links: Sequence[Mapping[str, Any]], *, claim_id: str | None, length: int) -> dict[str, Any]:
    """Return links as an export with what it means written into it."""
    return {
        "format": FORMAT,
        "meaning": MEANING,
        "claim_id": claim_id,
        "exported_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "length": length,
        "head": links[-1]["digest"] if links else "",
        "links": list(links),
    }


def read_export(path: Path) -> Excerpt:
    """Return an exported chain; raises AuditFileError."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["format"] != FORMAT:
            raise ValueError(kept["format"])
        for link in kept["links"]:
            entry_of_json(link)
        return Excerpt(kept["links"], kept["claim_id"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AuditFileError(path) from error


def _check_earlier(report: Report, digests: set[str], earlier: Excerpt | None, head: str) -> None:
    lost = sum(link["digest"] not in digests for link in earlier.links) if earlier else 0
    if lost:
        report.faults.append(f"{lost} links of the earlier export are not in the chain any more")
    if head and head not in digests:
        report.faults.append("the head that was given is not in the chain: links were cut off or made anew")
