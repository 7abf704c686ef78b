"""Values that an extractor read and does not believe, in an answer and after the evidence check.

They stay beside their field for a person to judge; nothing that counts values counts them.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from citation_pipeline.core.answers.citations import AnswerReading, read_citations
from citation_pipeline.core.answers.values import read_value
from citation_pipeline.core.extraction import ValueCandidate
from citation_pipeline.core.schemas import Field

REASONS = ("weak_evidence", "negated", "conflicting", "superseded", "second_reading")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
# a reviewer reads a handful; more would be a list of everything that was not taken
MOST_CANDIDATES = 5


def read_candidates(raw: Any, target: Field, reading: AnswerReading) -> Iterator[ValueCandidate]:
    """Return a record's candidates; one of a wrong type or of no known reason is an issue."""
    if raw is None:
        return
    if not isinstance(raw, list):
        reading.report("malformed_candidates", target.key)
        return
    for entry in raw[:MOST_CANDIDATES]:
        typed = read_value(entry.get("value"), target) if isinstance(entry, Mapping) else None
        if typed is None or typed.value is None or entry.get("reason") not in REASONS:
            reading.report("malformed_candidates", target.key)
            continue
        date = entry.get("date")
        yield ValueCandidate(
            value=typed.value,
            reason=entry["reason"],
            confidence=_share(entry.get("confidence")),
            date=date if isinstance(date, str) and _ISO_DATE.fullmatch(date) else None,
            snippets=read_citations(entry.get("citations"), target, typed, reading),
        )


def _share(raw: Any) -> float | None:
    is_number = isinstance(raw, int | float) and not isinstance(raw, bool)
    return float(raw) if is_number and 0 <= raw <= 1 else None
