"""A claim in a line of a list: its state and counts, no document text."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.review.standing import awaits_second, is_decided, needs_review
from citation_pipeline.core.viewer.issues import unread_sources
from citation_pipeline.core.viewer.sureness import LOW, sureness


@dataclass(frozen=True, slots=True)
class ClaimSummary:
    """Counts of a reviewed dataset.

    `unread` documents were not all read by the extractor, `unreadable` ones not by the parser. `fields` are
    those that are shown, the ones that a person marked absent among them. `low_confidence` counts fields that
    nobody decided on, `first_signers` by person the values that wait for a second one.
    """

    documents: int
    pages: int
    is_partial: bool
    unread: int
    unreadable: int
    fields: int
    reviewed: int
    needs_review: int
    conflicts: int
    unresolved: int
    awaiting_second: int
    low_confidence: int
    top_risk: float
    first_signers: Mapping[str, int]


def summarize(dataset: Mapping[str, Any]) -> ClaimSummary:
    """Return the counts of a dataset with people's reviews over it."""
    fields, sources = dataset["fields"], dataset["sources"]
    return ClaimSummary(
        documents=len(sources),
        pages=sum(source["pageCount"] for source in sources),
        is_partial=dataset.get("status") == "partial",
        unread=len(unread_sources(dataset.get("issues", ()))),
        unreadable=sum(source.get("status") not in ("parsed", "duplicate") for source in sources),
        fields=len(fields),
        reviewed=sum(is_decided(field) for field in fields),
        needs_review=sum(needs_review(field) for field in fields),
        conflicts=sum(bool(field.get("conflicts")) for field in fields),
        # what a person marked absent has no place to be resolved to
        unresolved=sum(not field["citations"] and not field.get("markedAbsent") for field in fields),
        awaiting_second=sum(awaits_second(field) for field in fields),
        low_confidence=sum(sureness(field) == LOW and not is_decided(field) for field in fields),
        top_risk=max((field["risk"]["score"] for field in fields if "risk" in field), default=0.0),
        first_signers=dict(
            Counter(field["review"]["signers"][0] for field in fields if awaits_second(field))
        ),
    )
