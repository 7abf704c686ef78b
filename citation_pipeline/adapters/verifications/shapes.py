"""The review tables' SQL shapes and the triggers that keep them append-only. Rows are `store`'s work."""

from collections.abc import Iterator

from sqlalchemy import (
    DDL,
    Column,
    Connection,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    event,
)

METADATA = MetaData()

LATER_COLUMNS = (
    "needs_second",
    "seen_confidence",
)  # of `verifications`; databases of earlier versions get them when opened

VERIFICATIONS = Table(
    "verifications",
    METADATA,
    Column("verification_id", Integer, primary_key=True, autoincrement=True),
    Column("claim_id", String(100), nullable=False),
    Column("field_key", String(400), nullable=False),
    Column("action", String(20), nullable=False),
    Column("reviewer", String(200), nullable=False),
    Column("made_at", String(40), nullable=False),  # ISO 8601 in UTC: the same text in every database
    Column("value", Text, nullable=False),  # JSON
    Column("seen_value", Text, nullable=False),  # JSON
    Column("places", Text, nullable=False),  # JSON
    Column("comment", Text, nullable=False),
    # the event that the person had seen last: two people cannot both follow the same one
    Column("follows_id", Integer, nullable=False),
    Column("request_id", String(64), nullable=False, unique=True),  # a repeated request is the same event
    Column("needs_second", Integer, nullable=True),  # 1: two people have to sign; empty in older events
    # in ten-thousandths, so that every database keeps the same number; empty in older events
    Column("seen_confidence", Integer, nullable=True),
    UniqueConstraint("claim_id", "field_key", "follows_id", name="one_event_follows_another"),
    Index("verifications_by_claim", "claim_id", "field_key", "verification_id"),
    sqlite_autoincrement=True,
)

PROMOTION_DECISIONS = Table(
    "promotion_decisions",
    METADATA,
    Column("decision_id", Integer, primary_key=True, autoincrement=True),
    Column("claim_id", String(100), nullable=False),
    Column("version", String(64), nullable=False),  # of the set of citations that was decided on
    Column("decision", String(20), nullable=False),
    Column("decided_by", String(200), nullable=False),
    Column("why", Text, nullable=False),
    Column("reasons", Text, nullable=False),  # JSON: why the set was held
    Column("decided_at", String(40), nullable=False),  # ISO 8601 in UTC
    Index("promotion_decisions_by_claim", "claim_id", "decision_id"),
    sqlite_autoincrement=True,
)

AUDIT_CHAIN = Table(
    "audit_chain",
    METADATA,
    Column("link_id", Integer, primary_key=True, autoincrement=True),
    Column("kind", String(20), nullable=False),  # which table `event_id` is of, see `audit.TABLE_OF`
    Column("event_id", Integer, nullable=False),
    Column("linked_at", String(40), nullable=False),  # ISO 8601 in UTC
    Column("nonce", String(32), nullable=False),  # empty once the event was erased
    Column("commitment", String(64), nullable=False),
    Column("previous", String(64), nullable=False, unique=True),  # no two links follow the same one
    Column("digest", String(64), nullable=False, unique=True),
    Column("signature", String(128), nullable=False),
    Column("key_id", String(16), nullable=False),
    sqlite_autoincrement=True,
)

ERASURES = Table(
    "erasures",
    METADATA,
    Column("erasure_id", Integer, primary_key=True, autoincrement=True),
    # of the claim's id and a salt that only the receipt holds: the id itself is a trace
    Column("claim_sha256", String(64), nullable=False),
    Column("erased_by", String(200), nullable=False),
    Column("erased_at", String(40), nullable=False),  # ISO 8601 in UTC
    Column("why", Text, nullable=False),
    Column("links", Text, nullable=False),  # digests of the erased events' links, one blank between them
    sqlite_autoincrement=True,
)

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("session_sha256", String(64), primary_key=True),  # of the cookie: reading the table opens nothing
    Column("token_sha256", String(64), nullable=False),
    Column("expires_at", Integer, nullable=False),  # seconds since 1970
)

ISSUED_TOKENS = Table(
    "issued_tokens",
    METADATA,
    Column("token_id", Integer, primary_key=True, autoincrement=True),
    Column("name", String(200), nullable=False),
    Column("role", String(20), nullable=False),
    Column("sha256", String(64), nullable=False, unique=True),  # of the secret
    Column("claims", Text, nullable=False),  # JSON: patterns of claim ids
    Column("given_by", String(200), nullable=False),
    Column("expires_at", Integer, nullable=False),  # seconds since 1970
    sqlite_autoincrement=True,
)

SIGN_INS = Table(
    "sign_ins",
    METADATA,
    Column("state_sha256", String(64), primary_key=True),
    Column("browser_sha256", String(64), nullable=False),  # of the cookie that binds it to a browser
    Column("nonce", String(100), nullable=False),
    Column("verifier", String(100), nullable=False),
    Column("return_to", Text, nullable=False),
    Column("expires_at", Integer, nullable=False),  # seconds since 1970
)

IDENTITIES = Table(
    "identities",
    METADATA,
    Column("identity_sha256", String(64), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("role", String(20), nullable=False),
    Column("claims", Text, nullable=False),  # JSON: patterns of claim ids
    Column("expires_at", Integer, nullable=False),  # seconds since 1970
)

APPEND_ONLY = (VERIFICATIONS, PROMOTION_DECISIONS, AUDIT_CHAIN, ERASURES)


def _sqlite_trigger(table: str, verb: str) -> DDL:
    return DDL(  # type: ignore[no-untyped-call]
        f"CREATE TRIGGER IF NOT EXISTS {table}_keep_{verb.lower()} BEFORE {verb} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} are append-only'); END"
    )


def _postgresql_trigger(table: str) -> DDL:
    return DDL(  # type: ignore[no-untyped-call]
        f"CREATE TRIGGER {table}_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION verifications_are_append_only()"
    )


_POSTGRESQL_FUNCTION = DDL(  # type: ignore[no-untyped-call]
    "CREATE OR REPLACE FUNCTION verifications_are_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ "
    "BEGIN RAISE EXCEPTION 'reviews and decisions are append-only'; END $$"
)


def triggers_of(table: Table) -> Iterator[tuple[str, DDL]]:
    """Yield (dialect, statement) of what keeps a table append-only."""
    for verb in ("UPDATE", "DELETE"):
        yield "sqlite", _sqlite_trigger(table.name, verb)
    yield "postgresql", _POSTGRESQL_FUNCTION
    yield "postgresql", _postgresql_trigger(table.name)


def restore_triggers(connection: Connection) -> None:
    """Make the triggers again that an erasure took away; they hold from the end of its transaction."""
    for table in APPEND_ONLY:
        for dialect, statement in triggers_of(table):
            if dialect == connection.dialect.name:
                connection.execute(statement)


for _table in APPEND_ONLY:
    for _dialect, _statement in triggers_of(_table):
        event.listen(_table, "after_create", _statement.execute_if(dialect=_dialect))
