"""What a deployment looks like in numbers: claims by state, citations by status, waits, reviews, costs.

Read from the store's own tables and journals, of each claim again only what changed since the last look.
Counts and names of stages alone: no claim's id leaves this module. How they are shown belongs to
`exposition`.
"""

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from sqlalchemy.exc import SQLAlchemyError

from citation_pipeline.adapters.coordination.database import CoordinationError, open_at
from citation_pipeline.adapters.observability.spends import Spend, SpendReader
from citation_pipeline.adapters.observability.stage_counters import (
    FILE_NAME,
    Counts,
    read_counts,
    read_shared_counts,
)
from citation_pipeline.adapters.observability.tallies import Tallies, Tally, sum_of
from citation_pipeline.adapters.outbound_ledger import SentRequests
from citation_pipeline.adapters.read_model.held_sets import held_promotion
from citation_pipeline.adapters.sql_engines import ClosedDatabaseError, DamagedDatabaseError, is_unused
from citation_pipeline.adapters.tables.archived_claims import archived_claim_ids
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.night_waits import read_waits
from citation_pipeline.adapters.tables.tries import failed_tries
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.review.verifications import FieldReview, ReviewState

STATES = ("complete", "partial", "held", "failed", "waiting", "archived")


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that is measured, at one moment (`read_at`, seconds since 1970)."""

    read_at: float
    claims: Tally  # by state
    failures: Tally  # open claims whose last try of a stage failed, by stage
    documents: Tally  # by status
    citations: Tally  # by status
    reviews: Tally  # decided fields: agreed, disagreed
    waiting_claims: int  # registered, and neither made nor failed
    oldest_wait_s: float
    nights_waited: int  # the longest wait that the last night found
    counts: Counts = Counts()
    spends: Sequence[Spend] = ()
    unreadable: Sequence[str] = ()  # sources that could not be read this time: their figures are missing


class FigureReader:
    """Reads a store's figures; safe to share between threads, one of which reads at a time."""

    def __init__(
        self,
        store: ClaimStore,
        *,
        work_dir: Path,
        verifications_url: str,
        page_dollars: Mapping[str, float] | None = None,
        coordination_url: str = "",
    ) -> None:
        """Open a store; `page_dollars` is what parsers charge for a page, by vendor."""
        self._store, self._work_dir, self._url = store, work_dir, verifications_url
        decided = open_at(coordination_url) if coordination_url else store.coordination
        self._decided = decided
        sent = SentRequests(work_dir / "ledger", decided)
        self._spends = SpendReader(sent, page_dollars=page_dollars or {})
        self._kept: dict[str, Tallies] = {}
        self._reading = threading.Lock()
        self._last: Figures | None = None

    def read(self, *, max_age_s: float = 0.0) -> Figures:
        """Return the figures, of `max_age_s` seconds ago at most."""
        with self._reading:
            if self._last is None or time.time() - self._last.read_at > max_age_s:
                self._last = self._read()
            return self._last

    def _read(self) -> Figures:
        store, now = self._store, time.time()
        registered = {
            name.removesuffix(".json"): info.modified
            for name, info in store.place.files("claims").items()
            if name.endswith(".json")
        }
        archived = set(archived_claim_ids(store))
        unreadable: list[str] = []
        failed = {
            claim_id: tries for claim_id, tries in failed_tries(store).items() if claim_id not in archived
        }
        citations = self._by_status("citations", unreadable)
        documents = self._by_status("documents", unreadable)
        partial = self._flagged("unread_pages", unreadable)
        reasons = self._flagged("promotions", unreadable, column="reasons_to_hold")
        held = {
            claim_id
            for claim_id in reasons - archived
            if held_promotion(store, self._url, claim_id) is not None
        }
        datasets = store.listed("viewer_dataset")
        made = {claim_id for claim_id in registered if datasets.has("viewer_dataset", claim_id, "data.json")}
        states = {
            claim_id: _state_of(
                claim_id, archived=archived, held=held, failed=failed, made=made, partial=partial
            )
            for claim_id in registered
        }
        waiting = [claim_id for claim_id, state in states.items() if state == "waiting"]
        since = min((registered[claim_id] for claim_id in waiting), default=now)
        return Figures(
            read_at=now,
            claims={state: 0 for state in STATES} | Counter(states.values()),
            failures=Counter(failure.stage for tries in failed.values() for failure in tries),
            documents=sum_of(documents, registered),
            citations=sum_of(citations, registered),
            reviews=self._reviews(registered, unreadable),
            waiting_claims=len(waiting),
            oldest_wait_s=max(now - since, 0.0),
            nights_waited=self._nights_waited(unreadable),
            counts=self._counts(unreadable),
            spends=self._spends.read(unreadable),
            unreadable=sorted(set(unreadable)),
        )

    def _by_status(self, table: str, unreadable: list[str]) -> dict[str, Tally]:
        def tally(rows: pa.Table) -> Iterable[tuple[str, str, float]]:
            counted = rows.group_by(["claim_id", "status"]).aggregate([([], "count_all")])
            for row in counted.to_pylist():
                yield row["claim_id"], row["status"], row["count_all"]

        return self._tallied(table, ["claim_id", "status"], tally, unreadable)

    def _flagged(self, table: str, unreadable: list[str], *, column: str = "claim_id") -> set[str]:
        """Return the claims of which a table has a row; with `column`, a row with something in it."""

        def tally(rows: pa.Table) -> Iterable[tuple[str, str, float]]:
            for row in rows.to_pylist():
                if row[column]:
                    yield row["claim_id"], "rows", 1

        columns = list(dict.fromkeys(["claim_id", column]))
        found = self._tallied(table, columns, tally, unreadable)
        return {claim_id for claim_id, tally in found.items() if tally}

    def _tallied(
        self,
        table: str,
        columns: Sequence[str],
        tally: Callable[[pa.Table], Iterable[tuple[str, str, float]]],
        unreadable: list[str],
    ) -> dict[str, Tally]:
        def read(claim_ids: list[str]) -> Mapping[str, Tally]:
            found: dict[str, dict[str, float]] = {}
            for claim_id, name, number in tally(self._rows(table, claim_ids, columns, unreadable)):
                found.setdefault(claim_id, {})[name] = number
            return found

        return self._kept.setdefault(table, Tallies()).update(self._store.table_marks(table), read)

    def _rows(
        self, table: str, claim_ids: list[str], columns: Sequence[str], unreadable: list[str]
    ) -> pa.Table:
        try:
            return self._store.read_tables(table, claim_ids, columns)
        except Exception:  # noqa: BLE001 - a torn file, or one that was taken away: found below
            parts = []
            for claim_id in claim_ids:
                try:
                    parts.append(self._store.read_tables(table, [claim_id], columns))
                except Exception:  # noqa: BLE001 - whatever it is, the others count
                    unreadable.append(table)
            return pa.concat_tables(parts) if parts else pa.table({name: [] for name in columns})

    def _reviews(self, registered: Mapping[str, Any], unreadable: list[str]) -> Tally:
        if is_unused(self._url):
            return {}
        try:
            kept = VerificationStore(self._url)
            try:
                marks = {claim_id: str(last) for claim_id, last in kept.last_ids().items()}

                def read(names: list[str]) -> dict[str, Tally]:
                    return {name: _verdicts(kept.reviews(name)) for name in names}

                return sum_of(self._kept.setdefault("reviews", Tallies()).update(marks, read), registered)
            finally:
                kept.close()
        except (DamagedDatabaseError, ClosedDatabaseError):
            raise  # of this machine, and nothing mends it but a person
        except SQLAlchemyError:  # the reviewers' database may be on another machine
            unreadable.append("reviews")
            return {}

    def _nights_waited(self, unreadable: list[str]) -> int:
        try:
            return max((wait.nights for wait in read_waits(self._store).values()), default=0)
        except FileNotFoundError:
            return 0
        except ValueError:
            unreadable.append("nights")
            return 0

    def _counts(self, unreadable: list[str]) -> Counts:
        try:
            if self._decided is not None and self._decided.file is None:
                return read_shared_counts(self._decided)
            return read_counts(self._work_dir / FILE_NAME)
        except (sqlite3.Error, SQLAlchemyError, CoordinationError):
            unreadable.append("counters")
            return Counts()


def _state_of(
    claim_id: str,
    *,
    archived: Collection[str],
    held: Collection[str],
    failed: Collection[str],
    made: Collection[str],
    partial: Collection[str],
) -> str:
    """Return the one state that a claim counts in: what somebody has to look at comes first."""
    by_state = {"archived": archived, "held": held, "failed": failed}
    for state, claims in by_state.items():
        if claim_id in claims:
            return state
    if claim_id not in made:
        return "waiting"
    return "partial" if claim_id in partial else "complete"


def _verdicts(reviews: Mapping[str, FieldReview]) -> Tally:
    """Count a claim's fields by what people said of the value that they saw."""
    found: Counter[str] = Counter()
    for review in reviews.values():
        saw = next(iter(review.overruled[-1:]), None)  # what the last one who disagreed was shown
        if review.state is ReviewState.CONFIRMED or (review.state is ReviewState.ABSENT and saw is None):
            found["agreed"] += 1
        elif review.state in (ReviewState.CORRECTED, ReviewState.ABSENT):
            found["disagreed"] += 1
    return dict(found)
