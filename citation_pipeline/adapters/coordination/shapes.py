"""The SQL shapes of what is decided once: leases, notes, requests that left. Ids, counts and times only."""

from sqlalchemy import BigInteger, Column, Float, Index, Integer, MetaData, String, Table, Text

METADATA = MetaData()
_LONGEST_KEY = 300  # a stage and a claim id, two hashes, or a folder's name

LEASES = Table(
    "coordination_leases",
    METADATA,
    Column("name", String(_LONGEST_KEY), primary_key=True),
    Column("owner", String(32), nullable=False),  # whose end gives the lease back, see `owners`
    Column("nonce", String(32), nullable=False),  # of this one taking
    Column("holder", String(200), nullable=False),  # host and process, for people
    Column("taken_at", Float, nullable=False),  # by the database's clock, in seconds since 1970
    Column("expires_at", Float, nullable=False),
)
NOTES = Table(
    "coordination_notes",
    METADATA,
    Column("kind", String(40), primary_key=True),
    Column("key", String(_LONGEST_KEY), primary_key=True),
    Column("claim_id", String(100), nullable=False, default="", index=True),  # "" where it is of none
    Column("facts", Text, nullable=False),  # JSON
    Column("at", Float, nullable=False),
)
STAGE_SECONDS = Table(
    "stage_seconds",
    METADATA,
    Column("stage", String(60), primary_key=True),
    Column("outcome", String(20), primary_key=True),
    Column("bucket", Float, primary_key=True),  # upper bound of one claim's seconds
    Column("claims", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
)
COUNTED_EVENTS = Table(
    "counted_events",
    METADATA,
    Column("name", String(60), primary_key=True),
    Column("times", Integer, nullable=False),
)
OUTBOUND_REQUESTS = Table(
    "outbound_requests",
    METADATA,
    # SQLite counts up by itself only in a column of the type INTEGER
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("nonce", String(32), nullable=False, unique=True),  # a row that is sent twice is kept once
    Column("day", String(10), nullable=False),
    Column("claim_id", String(100), nullable=False, index=True),
    Column("facts", Text, nullable=False),  # JSON, as a line of a ledger's file
    Index("outbound_requests_by_day", "day", "id"),
    sqlite_autoincrement=True,  # an id is never given again: readers remember how far they have read
)
