"""What the warehouse is filled from, each source with marks that tell what changed.

Whatever cannot be read is named with its reason and keeps nothing else out. Where the rows go is
the task of `filling`.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy.exc import SQLAlchemyError

from citation_pipeline.adapters.outbound_ledger import SentRequests, sent_requests
from citation_pipeline.adapters.tables.archived_claims import archived_claim_ids
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.store_errors import MissingTableError
from citation_pipeline.adapters.tables.tries import failed_tries
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.adapters.warehouse.shapes import (
    FAILED_TRIES,
    FIELD_REVIEWS,
    FIELD_STATES,
    OUTBOUND_SHAPE,
    REGISTRATIONS,
    TABLES,
    VERIFICATIONS,
    shape_of,
)
from citation_pipeline.core.review.overlay import mark_reviews
from citation_pipeline.core.review.standing import state_of
from citation_pipeline.core.review.verifications import FieldReview, fold


@dataclass(frozen=True, slots=True)
class Reading:
    """Rows by table, of the names in `read`; `unreadable` are the others with their reasons.

    A name in neither is gone since it was listed.
    """

    rows: Mapping[str, pa.Table]
    read: Collection[str]
    unreadable: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """One thing the warehouse is filled from: what is there by name, each with a mark that changes with it.

    `key` is the column of its tables that holds the name: a claim's, or a part's of the ledger. Without
    `marks` the source was not given or could not be asked (`fault`), and what was loaded of it stays.
    """

    name: str
    shapes: Mapping[str, pa.Schema]
    marks: Mapping[str, str] | None
    read: Callable[[Sequence[str]], Reading]
    key: str = "claim_id"
    fault: str = ""


def sources_of(
    store: ClaimStore,
    *,
    ledger: SentRequests | Path | None = None,
    verifications: VerificationStore | None = None,
) -> Iterator[Source]:
    """Return everything the warehouse is filled from."""
    yield _registrations(store)
    for table in TABLES:
        yield _store_table(store, table)
    yield _field_states(store)
    yield _verifications(store, verifications)
    yield _ledger(ledger)


def failed_rows(store: ClaimStore) -> pa.Table:
    """Return the claims' failed tries."""
    rows = [
        {
            "claim_id": claim_id,
            "stage": failed.stage,
            "reason": failed.reason,
            "is_transient": failed.is_transient,
            "nights": failed.nights,
            "failed_at": failed.at,
        }
        for claim_id, tries in sorted(failed_tries(store).items())
        for failed in tries
    ]
    return pa.Table.from_pylist(rows, schema=FAILED_TRIES)


def _store_table(store: ClaimStore, table: str) -> Source:
    shape = shape_of(table)

    def read_one(claim_id: str) -> dict[str, pa.Table]:
        rows = store.read_tables(table, [claim_id], shape.names)
        if not _are_of(rows, [claim_id]):
            raise _OtherClaimsError
        return {table: rows}

    def read(claim_ids: Sequence[str]) -> Reading:
        try:
            rows = store.read_tables(table, claim_ids, shape.names)
            if _are_of(rows, claim_ids):
                return Reading({table: rows}, claim_ids)
        except Exception:  # noqa: BLE001 - whatever it is, it is found and named below
            pass
        return _one_by_one(claim_ids, read_one)

    return Source(table, {table: shape}, store.table_marks(table), read)


def _field_states(store: ClaimStore) -> Source:
    """Return the fields' states as the viewer shows them: a value's absence alone says nothing."""
    listed = store.listed("viewer_dataset")

    def read_one(claim_id: str) -> dict[str, pa.Table]:
        dataset = store.read_viewer_dataset(claim_id)
        rows = [
            {
                "claim_id": claim_id,
                "field_key": field["fieldKey"],
                "state": field["status"],
                "candidates": len(field.get("candidates", ())),
                "unread_documents": len(field.get("unread", ())),
            }
            for name in ("fields", "absentFields", "unreadFields")
            for field in dataset.get(name, ())
        ]
        return {"field_states": pa.Table.from_pylist(rows, schema=FIELD_STATES)}

    marks = {
        claim_id: mark
        for claim_id in store.claim_ids()
        if (mark := listed.file_mark("viewer_dataset", claim_id, "data.json")) is not None
    }
    read = partial(_one_by_one, read_one=read_one)
    return Source("field_states", {"field_states": FIELD_STATES}, marks, read)


def _registrations(store: ClaimStore) -> Source:
    archived = archived_claim_ids(store)
    marks = {
        claim_id: f"{mark}{'-archived' if claim_id in archived else ''}"
        for claim_id, mark in store.table_marks("claims", ".json").items()
    }

    def read_one(claim_id: str) -> dict[str, pa.Table]:
        claim = store.claim(claim_id)
        row = {name: getattr(claim, name, None) for name in REGISTRATIONS.names}
        row |= {"claim_id": claim_id, "is_archived": claim_id in archived}
        return {"registrations": pa.Table.from_pylist([row], schema=REGISTRATIONS)}

    return Source(
        "registrations", {"registrations": REGISTRATIONS}, marks, lambda names: _one_by_one(names, read_one)
    )


def _verifications(store: ClaimStore, kept: VerificationStore | None) -> Source:
    def read_one(claim_id: str) -> dict[str, pa.Table]:
        assert kept is not None  # without it there are no marks
        events = kept.history(claim_id)
        rows = [
            {
                "claim_id": claim_id,
                "field_key": event.field_key,
                "action": event.action.value,
                "reviewer": event.reviewer,
                "made_at": event.made_at,
                "value": _as_json(event.value),
                "seen_value": _as_json(event.seen_value),
                "comment": event.comment,
                "places": len(event.places),
                "verification_id": event.verification_id,
            }
            for event in events
        ]
        folded = fold(events)
        standing = _standing_of(store, claim_id, folded)
        reviews = [
            {
                "claim_id": claim_id,
                "field_key": review.field_key,
                "state": standing.get(review.field_key, (state_of(review, ()).value, None))[0],
                "verdict": review.state.value,
                "value": _as_json(review.value),
                "pipeline_value": _as_json(standing.get(review.field_key, ("", None))[1]),
                "reviewer": review.reviewer,
                "made_at": review.made_at,
                "comments": review.comments,
                "events": review.events,
            }
            for review in folded.values()
        ]
        return {
            "verifications": pa.Table.from_pylist(rows, schema=VERIFICATIONS),
            "field_reviews": pa.Table.from_pylist(reviews, schema=FIELD_REVIEWS),
        }

    marks, fault = None, ""
    if kept is not None:
        listed = store.listed("viewer_dataset")
        try:
            # a verdict holds or not by what the pipeline says now, so the dataset is a part of the mark
            marks = {
                name: f"{last}-{listed.file_mark('viewer_dataset', name, 'data.json') or ''}"
                for name, last in kept.last_ids().items()
            }
        except SQLAlchemyError as error:  # the reviewers' database may be on another machine
            fault = f"cannot be asked ({type(error).__name__})"
    shapes = {"verifications": VERIFICATIONS, "field_reviews": FIELD_REVIEWS}
    return Source("verifications", shapes, marks, lambda names: _one_by_one(names, read_one), fault=fault)


def _standing_of(
    store: ClaimStore, claim_id: str, reviews: Mapping[str, FieldReview]
) -> dict[str, tuple[str, Any]]:
    """Return, by field, the state of review and the pipeline's value; nothing before there is a dataset."""
    try:
        dataset = mark_reviews(store.read_viewer_dataset(claim_id), reviews)
    except MissingTableError:
        return {}
    return {
        field["fieldKey"]: (field["review"]["state"], field.get("rawValue"))
        for name in ("fields", "absentFields", "unreadFields")
        for field in dataset.get(name, ())
        if field["fieldKey"] in reviews
    }


def _ledger(ledger: SentRequests | Path | None) -> Source:
    sent = sent_requests(ledger) if ledger is not None else None

    def read_one(name: str) -> dict[str, pa.Table]:
        assert sent is not None  # without it there are no marks
        rows = sent.table(name)
        rows = rows.rename_columns(["sent_at" if column == "at" else column for column in rows.column_names])
        return {"outbound": rows.append_column("file", pa.array([name] * len(rows), pa.string()))}

    marks = sent.marks() if sent is not None else None
    shapes = {"outbound": OUTBOUND_SHAPE}
    return Source("outbound", shapes, marks, lambda names: _one_by_one(names, read_one), key="file")


class _OtherClaimsError(Exception):
    """A file that holds rows of another claim than the one it is named for."""


def _one_by_one(names: Sequence[str], read_one: Callable[[str], dict[str, pa.Table]]) -> Reading:
    rows: dict[str, list[pa.Table]] = {}
    read, unreadable = [], {}
    for name in names:
        try:
            for table, found in read_one(name).items():
                rows.setdefault(table, []).append(found)
            read.append(name)
        except (MissingTableError, FileNotFoundError):  # taken away since it was listed
            continue
        except _OtherClaimsError:
            unreadable[name] = "rows of another claim"
        except Exception as error:  # noqa: BLE001 - one claim's fault must not keep all others out
            unreadable[name] = f"torn or of another shape ({type(error).__name__})"
    return Reading({table: pa.concat_tables(found) for table, found in rows.items()}, read, unreadable)


def _are_of(rows: pa.Table, claim_ids: Sequence[str]) -> bool:
    """Tell whether the rows are of these claims and are in their order, so that no file holds another's."""
    runs: list[Any] = []
    for chunk in rows["claim_id"].chunks:
        runs += [name for name in pc.run_end_encode(chunk).values.to_pylist() if [name] != runs[-1:]]
    wanted = iter(claim_ids)
    return all(name in wanted for name in runs)


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
