"""The review tables' SQL shapes and the triggers that keep them append-only. Rows are `store`'s work."""

from sqlalchemy import DDL, Column, Index, Integer, MetaData, String, Table, Text, UniqueConstraint, event

METADATA = MetaData()

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
    UniqueConstraint("claim_id", "field_key", "follows_id", name="one_event_follows_another"),
    Index("verifications_by_claim", "claim_id", "field_key", "verification_id"),
    sqlite_autoincrement=True,
)

_SQLITE_TRIGGERS = tuple(
    DDL(  # type: ignore[no-untyped-call]
        f"CREATE TRIGGER IF NOT EXISTS verifications_keep_{verb.lower()} BEFORE {verb} ON verifications "
        "BEGIN SELECT RAISE(ABORT, 'verifications are append-only'); END"
    )
    for verb in ("UPDATE", "DELETE")
)
_POSTGRESQL_FUNCTION = DDL(  # type: ignore[no-untyped-call]
    "CREATE OR REPLACE FUNCTION verifications_are_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ "
    "BEGIN RAISE EXCEPTION 'verifications are append-only'; END $$"
)
_POSTGRESQL_TRIGGER = DDL(  # type: ignore[no-untyped-call]
    "CREATE TRIGGER verifications_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON verifications "
    "FOR EACH STATEMENT EXECUTE FUNCTION verifications_are_append_only()"
)

for _trigger in _SQLITE_TRIGGERS:
    event.listen(VERIFICATIONS, "after_create", _trigger.execute_if(dialect="sqlite"))
for _statement in (_POSTGRESQL_FUNCTION, _POSTGRESQL_TRIGGER):
    event.listen(VERIFICATIONS, "after_create", _statement.execute_if(dialect="postgresql"))
