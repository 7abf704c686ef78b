"""The numbers behind the pictures, read from a store: plain rows, for charts and for data frames alike.

Field keys, claim ids, counts and dollars; nothing that a document says.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from citation_pipeline.adapters.tables.chunk_rows import HistoryEntry, read_history
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_tries import read_document_tries
from citation_pipeline.adapters.tables.store_errors import MissingTableError
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.evaluation.scores import Bin, calibration
from citation_pipeline.core.review.figures import figures_of
from citation_pipeline.core.review.verifications import FieldReview, ReviewState, Verification

_STATUSES = frozenset(status.value for status in CitationStatus)


@dataclass(frozen=True, slots=True)
class LocatedDay:
    """What was located at the end of a day (ISO date) on which anything changed: counts of cited fields."""

    day: str
    resolved: int
    flagged: int
    unresolved: int

    @property
    def share(self) -> float:
        """The part of the cited fields whose quotation was found, sure or flagged (0-1)."""
        return (self.resolved + self.flagged) / (self.resolved + self.flagged + self.unresolved)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A field on which reviewers and pipeline differ: how many verdicts, and what they were."""

    field_key: str
    verdicts: int
    corrected: int
    marked_absent: int

    @property
    def share(self) -> float:
        """The part of the verdicts that said the pipeline was wrong (0-1)."""
        return (self.corrected + self.marked_absent) / self.verdicts if self.verdicts else 0.0


@dataclass(frozen=True, slots=True)
class ClaimCost:
    """What a claim cost in US dollars: its extraction's replies, and the parsing of its documents."""

    claim_id: str
    extraction: float
    parsing: float

    @property
    def dollars(self) -> float:
        """Both together."""
        return self.extraction + self.parsing


def locate_days(store: ClaimStore, claim_ids: Iterable[str]) -> list[LocatedDay]:
    """Return the days on which a field's value or place changed, oldest first, with what was located then.

    A field's history has an entry whenever either changed, so a day's state is each field's last entry.
    """
    entries: list[tuple[str, str, HistoryEntry]] = []
    for claim_id in claim_ids:
        entries += [(one.recorded_at, claim_id, one) for one in read_history(store, claim_id)]
    entries.sort(key=lambda one: one[0])
    now: dict[tuple[str, str], str] = {}
    states: dict[str, dict[str, int]] = {}
    counts = dict.fromkeys(_STATUSES, 0)
    for recorded_at, claim_id, entry in entries:
        before = now.get((claim_id, entry.field_key), "")
        for status, step in ((before, -1), (entry.status, 1)):
            if status in counts:
                counts[status] += step
        now[claim_id, entry.field_key] = entry.status
        states[recorded_at[:10]] = dict(counts)  # the day's last one stays
    return [LocatedDay(day, **found) for day, found in states.items() if sum(found.values())]


def reliability(reviews_of: Mapping[str, Mapping[str, FieldReview]], *, bins: int = 10) -> list[Bin]:
    """Return how often fields of a confidence were right, judged by people's verdicts (claim → reviews).

    The confidence is the one that the person saw: a later run knows more, or is of another opinion. A field
    was right where it was confirmed. Verdicts of older versions, which kept no confidence, are left out.
    """
    judged = [
        (review.seen_confidence, review.state is ReviewState.CONFIRMED)
        for reviews in reviews_of.values()
        for review in reviews.values()
        if review.state is not ReviewState.UNREVIEWED and not review.awaits_second
    ]
    known = [(confidence, is_right) for confidence, is_right in judged if confidence is not None]
    return calibration([one for one, _ in known], [is_right for _, is_right in known], bins=bins)


def disagreements(events: Iterable[Verification]) -> list[Disagreement]:
    """Return the fields that people decided on, those where the pipeline was wrong most often first."""
    _, fields = figures_of(events)
    return [Disagreement(one.field_key, one.verdicts, one.corrected, one.marked_absent) for one in fields]


def claim_costs(store: ClaimStore, claim_ids: Iterable[str]) -> list[ClaimCost]:
    """Return what each claim cost, in the order given; 0.0 for what rules and the embedded parser read."""
    found = []
    for claim_id in claim_ids:
        try:
            rows = store.read_rows("raw_extraction", claim_id, ["cost_usd"])
        except MissingTableError:
            rows = []
        tries = read_document_tries(store, claim_id).values()
        extraction = sum(float(row["cost_usd"] or 0.0) for row in rows)
        found.append(ClaimCost(claim_id, round(extraction, 6), round(sum(one.cost_usd for one in tries), 6)))
    return found
