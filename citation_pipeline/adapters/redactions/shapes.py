"""The SQL shape of drawn redactions; it lies in the database of the reviews."""

from sqlalchemy import Column, Float, Index, Integer, String, Table

from citation_pipeline.adapters.verifications.shapes import METADATA

DRAWN_REDACTIONS = Table(
    "drawn_redactions",
    METADATA,
    Column("redaction_id", Integer, primary_key=True, autoincrement=True),
    Column("claim_id", String(100), nullable=False),
    Column("source_id", String(300), nullable=False),
    Column("sha256", String(64), nullable=False),  # of the document on which it was drawn
    Column("page", Integer, nullable=False),
    Column("left", Float, nullable=False),  # in the page frame, 0 to 1
    Column("top", Float, nullable=False),
    Column("width", Float, nullable=False),
    Column("height", Float, nullable=False),
    Column("drawn_by", String(200), nullable=False),
    Column("drawn_at", String(40), nullable=False),  # ISO 8601 in UTC
    Index("drawn_redactions_by_claim", "claim_id"),
    sqlite_autoincrement=True,
)
