"""Counters that outlive a process: how long each stage took per claim, and how often the gate held a set.

One small SQLite file in the work dir, written once per step of a run. It holds names of stages and numbers,
no claim's id, and grows with the number of stages alone.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

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


def note_step(
    path: Path, stage: str, *, seconds: Iterable[tuple[str, float]], events: Mapping[str, int]
) -> None:
    """Add a step's claims, each as outcome and seconds, and named events. Raises sqlite3.Error, OSError."""
    claims, total = Counter[tuple[str, float]](), defaultdict[tuple[str, float], float](float)
    for outcome, taken in seconds:
        bucket = next(bound for bound in BUCKETS_S if taken <= bound)
        claims[outcome, bucket] += 1
        total[outcome, bucket] += taken
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
        rows = connection.execute("SELECT stage, outcome, bucket, claims, seconds FROM stage_seconds")
        found: dict[tuple[str, str], list[tuple[float, int, float]]] = {}
        for stage, outcome, bucket, claims, seconds in rows:
            found.setdefault((stage, outcome), []).append((bucket, claims, seconds))
        events = dict(connection.execute("SELECT name, times FROM events").fetchall())
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
