"""The audit chain: each link commits to one event and holds the digest of the link before it.

A link's `commitment` is the SHA-256 of a random nonce and the event. Whoever has event and nonce can check
it; once both are erased nobody can guess the event from it, and the chain still holds. Keeping links is the
adapters' work.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

BEGINNING = "0" * 64  # the `previous` of the first link


class LinkKind(StrEnum):
    """What a link commits to; an adopted event is older than the chain of its database."""

    REVIEW = "review"
    PROMOTION = "promotion"
    ERASURE = "erasure"
    ADOPTED_REVIEW = "adopted_review"
    ADOPTED_PROMOTION = "adopted_promotion"


@dataclass(frozen=True, slots=True)
class Link:
    """One link; `signature` is hexadecimal, over `digest`, by the key `key_id`. Both are empty: unsigned."""

    kind: LinkKind
    event_id: int
    linked_at: str
    commitment: str
    previous: str
    digest: str
    nonce: str = ""
    signature: str = ""
    key_id: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A link with what it commits to; `event` is None where it is not part of what is checked, or is gone."""

    link: Link
    event: Mapping[str, Any] | None = None
    is_foreign: bool = False  # of another claim: a claim's export holds no more than its link


@dataclass
class Report:
    """What a check found; the chain is intact where `faults` is empty."""

    links: int = 0
    events: int = 0  # whose content was compared
    foreign: int = 0
    adopted: int = 0
    erased: int = 0
    signed: int = 0
    checked_signatures: int = 0
    head: str = BEGINNING
    faults: list[str] = field(default_factory=list)


Verify = Callable[[str, str, str], bool | None]  # key id, digest, signature; None: the key is not at hand


def commitment_of(nonce: str, event: Mapping[str, Any]) -> str:
    """Return what a link says of an event."""
    return hashlib.sha256(_canonical({"nonce": nonce, "event": dict(event)})).hexdigest()


def digest_of(*, kind: str, event_id: int, linked_at: str, commitment: str, previous: str) -> str:
    """Return a link's own digest."""
    return hashlib.sha256(
        _canonical(
            {
                "kind": str(kind),
                "event_id": event_id,
                "linked_at": linked_at,
                "commitment": commitment,
                "previous": previous,
            }
        )
    ).hexdigest()


def check_chain(
    entries: Iterable[Entry],
    *,
    verify: Verify = lambda key_id, digest, signature: None,
    begins_with: str = BEGINNING,
) -> Report:
    """Check links in their order: that each follows the last, says what its event says, and is signed.

    An event that is gone is a fault, unless a later link commits to its erasure. `begins_with` is the
    digest before the first link of an excerpt.
    """
    report = Report(head=begins_with)
    gone: dict[str, str] = {}  # digest of the link to what it is called
    for entry in entries:
        link = entry.link
        name = f"link {report.links + 1} ({link.kind.value} {link.event_id})"
        report.links += 1
        report.adopted += link.kind in (LinkKind.ADOPTED_REVIEW, LinkKind.ADOPTED_PROMOTION)
        if link.previous != report.head:
            report.faults.append(
                f"{name} does not follow the link before it: one was removed, added or moved"
            )
        made = digest_of(
            kind=link.kind,
            event_id=link.event_id,
            linked_at=link.linked_at,
            commitment=link.commitment,
            previous=link.previous,
        )
        if made != link.digest:
            report.faults.append(f"{name} is not what its digest says: the link was changed")
        report.head = link.digest
        _check_event(entry, name, report, gone)
        _check_signature(link, name, report, verify)
    report.faults.extend(f"{name}: the event is gone, and no erasure says so" for name in gone.values())
    return report


def check_signed(report: Report) -> None:
    """Add the fault of a chain that no key has signed, where the keys that should have are at hand.

    One signature covers every link before it; without any, all of them can have been made anew.
    """
    if report.links and not report.signed:
        report.faults.append("no link is signed: whoever can write to the database could have made them all")


def excerpt_faults(entries: Iterable[Entry], claim_id: str | None) -> list[str]:
    """Return what shows that an export hides events, shows others, or shows one twice.

    An export of everything (`claim_id` None) holds every event; a claim's excerpt those of that claim alone,
    and every event that another one of them follows. Which foreign link is really another claim's cannot be
    told by the links: only the signature of the whole export shows that none of the claim's was hidden so.
    """
    faults: list[str] = []
    shown: set[int] = set()
    named: set[tuple[str, int]] = set()
    for number, entry in enumerate(entries, start=1):
        link, event = entry.link, entry.event
        name = f"link {number} ({link.kind.value} {link.event_id})"
        table = link.kind.value.removeprefix("adopted_")
        if (table, link.event_id) in named:
            faults.append(f"{name}: another link names the same event")
        named.add((table, link.event_id))
        if claim_id is None and entry.is_foreign:
            faults.append(f"{name}: the event was left out of an export of all claims")
        if event is None:
            continue
        if claim_id is not None and event.get("claim_id") != claim_id:
            faults.append(f"{name}: the event is of another claim than the export")
        if table == LinkKind.REVIEW.value:
            shown.add(link.event_id)
            follows = int(event.get("follows_id") or 0)
            if follows and follows not in shown:
                faults.append(f"{name} follows the event {follows}, which is not in the export")
    return faults


def _check_event(entry: Entry, name: str, report: Report, gone: dict[str, str]) -> None:
    link = entry.link
    if entry.is_foreign:
        report.foreign += 1
    elif entry.event is None:
        gone[link.digest] = name
    elif commitment_of(link.nonce, entry.event) != link.commitment:
        report.faults.append(f"{name}: the event was changed after it was kept")
    else:
        report.events += 1
        if link.kind is LinkKind.ERASURE:
            for digest in entry.event["links"]:
                report.erased += gone.pop(digest, None) is not None


def _check_signature(link: Link, name: str, report: Report, verify: Verify) -> None:
    if not link.signature:
        if report.signed:
            report.faults.append(f"{name} is not signed, though earlier ones are")
        return
    report.signed += 1
    holds = verify(link.key_id, link.digest, link.signature)
    if holds is not None:
        report.checked_signatures += 1
        if not holds:
            report.faults.append(f"{name}: the signature is not by the key {link.key_id}")


def _canonical(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()
