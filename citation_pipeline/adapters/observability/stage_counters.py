"""Counters that outlive a process: how long each stage took per claim, and how often the gate held a set.

One small SQLite file in the work dir, or for several hosts two tables of the database that they share,
written once per step of a run. Names of stages and numbers, no claim's id; it grows with the stages alone.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from citation_pipeline.adapters.coordination.database import Coordination, insertion
from citation_pipeline.adapters.coordination.shapes import COUNTED_EVENTS, STAGE_SECONDS

FILE_NAME = "counters.sqlite"
BUCKETS_S = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, float("inf"))
"""Upper bounds of the seconds of one claim: from a re-match of some letters to a thousand pages of OCR."""

_BUSY_S = 5.0  # another process writes for milliseconds; a file that is busy for longer is not waited for
_TABLES = """
CREATE TABLE IF NOT EXISTS stage_seconds (
    stage TEXT, outcome TEXT, bucket REAL, claims INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (stage, outcome, bucket));
CREATE TABLE IF NOT EXISTS events (name TEXT PRIMARY KEY, times INTEGER NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class StageSeconds:
    """How long one stage took for the claims that ended one way: per bucket how many, and all seconds."""

    stage: str
    outcome: str
    claims: Mapping[float, int]
    seconds: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Everything counted since the file was made."""

    stages: Sequence[StageSeconds] = ()
    events: Mapping[str, int] = field(default_factory=dict)


def _in_buckets(
    seconds: Iterable[tuple[str, float]],
) -> tuple[Mapping[tuple[str, float], int], Mapping[tuple[str, float], float]]:
    """Return claims and seconds by outcome and bucket."""
    claims, total = Counter[tuple[str, float]](), defaultdict[tuple[str, float], float](float)
    for outcome, taken in seconds:
        bucket = next(bound for bound in BUCKETS_S if taken <= bound)
        claims[outcome, bucket] += 1
        total[outcome, bucket] += taken
    return claims, total


def note_shared_step(
    coordination: Coordination,
    stage: str,
    *,
    seconds: Iterable[tuple[str, float]],
    events: Mapping[str, int],
) -> None:
    """As `note_step`, in the database that several hosts share. Raises SQLAlchemyError."""
    claims, total = _in_buckets(seconds)

    def add(connection: Connection) -> None:
        for (outcome, bucket), times in claims.items():
            row = insertion(connection.dialect.name, STAGE_SECONDS).values(
                stage=stage, outcome=outcome, bucket=bucket, claims=times, seconds=total[outcome, bucket]
            )
            added = {name: STAGE_SECONDS.c[name] + row.excluded[name] for name in ("claims", "seconds")}
            connection.execute(
                row.on_conflict_do_update(index_elements=["stage", "outcome", "bucket"], set_=added)
            )
        for name, times in events.items():
            row = insertion(connection.dialect.name, COUNTED_EVENTS).values(name=name, times=times)
            connection.execute(
                row.on_conflict_do_update(
                    index_elements=["name"], set_={"times": COUNTED_EVENTS.c.times + row.excluded.times}
                )
            )

    coordination.write_once(add)


def read_shared_counts(coordination: Coordination) -> Counts:
    """As `read_counts`, of all hosts. Raises CoordinationError."""
    columns = STAGE_SECONDS.c
    rows = coordination.read(
        lambda connection: connection.execute(
            select(columns.stage, columns.outcome, columns.bucket, columns.claims, columns.seconds)
        ).all()
    )
    events = coordination.read(
        lambda connection: connection.execute(select(COUNTED_EVENTS.c.name, COUNTED_EVENTS.c.times)).all()
    )
    return _counts_of([tuple(row) for row in rows], {name: times for name, times in events})


def note_step(
    path: Path, stage: str, *, seconds: Iterable[tuple[str, float]], events: Mapping[str, int]
) -> None:
    """Add a step's claims, each as outcome and seconds, and named events. Raises sqlite3.Error, OSError."""
    claims, total = _in_buckets(seconds)
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)) as connection:
        connection.executescript(_TABLES)
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            "INSERT INTO stage_seconds VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
            "claims = claims + excluded.claims, seconds = seconds + excluded.seconds",
            [(stage, *key, times, total[key]) for key, times in claims.items()],
        )
        connection.executemany(
            "INSERT INTO events VALUES (?, ?) ON CONFLICT DO UPDATE SET times = times + excluded.times",
            [(name, times) for name, times in events.items() if times],
        )
        connection.execute("COMMIT")


def read_counts(path: Path) -> Counts:
    """Return what was counted, nothing where there is no file yet. Raises sqlite3.Error."""
    if not path.is_file():
        return Counts()
    with closing(sqlite3.connect(f"file:{path}?mode=ro", timeout=_BUSY_S, uri=True)) as connection:
        rows = connection.execute(
            "SELECT stage, outcome, bucket, claims, seconds FROM stage_seconds"
        ).fetchall()
        events = dict(connection.execute("SELECT name, times FROM events").fetchall())
    return _counts_of(rows, events)


def _counts_of(rows: Iterable[tuple[Any, ...]], events: Mapping[str, int]) -> Counts:
    found: dict[tuple[str, str], list[tuple[float, int, float]]] = {}
    for stage, outcome, bucket, claims, seconds in rows:
        found.setdefault((stage, outcome), []).append((bucket, claims, seconds))
    stages = [
        StageSeconds(
            stage,
            outcome,
            {bucket: claims for bucket, claims, _ in sorted(parts)},
            sum(seconds for *_, seconds in parts),
        )
        for (stage, outcome), parts in sorted(found.items())
    ]
    return Counts(stages, events)
