"""The SQL shapes of assignments, leases and open tabs; they lie in the database of the reviews."""

from sqlalchemy import Column, Float, Index, Integer, String, Table, Text

from citation_pipeline.adapters.verifications.shapes import METADATA

ASSIGNMENT_EVENTS = Table(
    "assignment_events",
    METADATA,
    Column("event_id", Integer, primary_key=True, autoincrement=True),
    Column("claim_id", String(100), nullable=False),
    Column("action", String(20), nullable=False),
    Column("person", String(200), nullable=False),
    Column("by", String(200), nullable=False),
    Column("at", String(40), nullable=False),  # ISO 8601 in UTC
    Column("dataset_version", String(80), nullable=False),
    Column("why", Text, nullable=False),
    Index("assignment_events_by_claim", "claim_id", "event_id"),
    sqlite_autoincrement=True,
)

CLAIM_LEASES = Table(
    "claim_leases",
    METADATA,
    Column("claim_id", String(100), primary_key=True),  # one holder at a time
    Column("holder", String(200), nullable=False),
    Column("dataset_version", String(80), nullable=False),
    Column("taken_at", Float, nullable=False),  # seconds since 1970
    Column("expires_at", Float, nullable=False),
)

OPEN_TABS = Table(
    "open_tabs",
    METADATA,
    Column("claim_id", String(100), nullable=False),
    Column("server", String(40), nullable=False),
    Column("name", String(200), nullable=False),
    Column("field_key", String(400), nullable=False),  # "" for none
    Column("seen_at", Float, nullable=False),  # seconds since 1970
    Index("open_tabs_by_claim", "claim_id", "server"),
)

OF_CLAIMS = (ASSIGNMENT_EVENTS, CLAIM_LEASES, OPEN_TABS)
