"""Dated notes: a log's entries, each with its own date."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.rules.pages.layout import Row, Segment
from citation_pipeline.core.rules.pages.passages import Passage, join
from citation_pipeline.core.values.dates import find_dates

_TIME = re.compile(r"^[\s,@-]*(?:\d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]\.?m\.?)?)?", re.IGNORECASE)
# What a log prints before the date of a note, and behind it before the note itself.
_LEAD = re.compile(
    r"^(?:[\u2022*#\[(-]\s*)?(?:\d{1,4}[.)]\s+)?(?:(?:note|entry|activity|event|diary|created?|entered|posted|logged|date)"
    r"(?: (?:date|on|no\.?))?\s?[:#-]?\s+|date:\s*){0,2}",
    re.IGNORECASE,
)
_ATTRIBUTES = re.compile(
    r"^[\])\s,;|-]*(?:(?:author|user|by|entered by|created by|type|category|topic|subject|adjuster|examiner|"
    r"note type)"
    r":\s*(?:[A-Z][\w.'-]*|[\w.-]{2,12})(?:[ ,;|]+(?=\S)|$)){0,4}",
    re.IGNORECASE,
)
_INITIALS = re.compile(
    r"^[\s|/-]*(?:[A-Z]{2,3}\b)?[\s|:-]*(?:\[[^\]]{2,30}\]|\([A-Z -]{2,30}\))?[\s:|\u2013-]*"
)


@dataclass(frozen=True)
class Entry:
    """One note: the day it was made on (ISO), its words without date, time and initials, all of its words.

    `row` is the number of its first row.
    """

    date: str
    body: Passage
    whole: Passage
    row: int


def read_entries(rows: Sequence[Row], labelled: frozenset[int] = frozenset()) -> list[Entry]:
    """Return the dated entries of a log; rows without a date of their own belong to the entry above.

    A date that is one of the `labelled` words, a label's value, opens no note: a screen prints it in a box.
    """
    entries: list[Entry] = []
    left = _left_of_dates(rows)
    running = _running_texts(rows)
    date, edge = "", 0.0
    body: list[Passage] = []
    whole: list[Row] = []

    def close() -> None:
        if date and any(part.words for part in body):
            everything = join(row.passage for row in whole)
            entries.append(Entry(date, join(body), everything, whole[0].number))

    for row in rows:
        opening = _opening(row, left) if row.words[0] not in labelled else None
        if opening is not None:
            close()
            date, first = opening
            body, whole, edge = [first], [row], _body_edge(row)
        elif date and not _is_running(row, running):
            is_wrapped = len(row.segments) == 1 and not _is_mark(row.segments[0])
            body.extend(s.passage for s in row.segments if is_wrapped or s.box.right > edge)
            whole.append(row)
    close()
    return entries


def is_log(entries: Sequence[Entry], rows: Sequence[Row]) -> bool:
    """Tell whether dated rows are a log whatever it is called: notes in the order of their days, little else.

    A register's rows are dated too, but are numbers and names rather than words.
    """
    if len(entries) < _LEAST_ENTRIES:
        return False
    days = [entry.date for entry in entries]
    steps = list(zip(days, days[1:], strict=False))
    in_order = max(sum(a <= b for a, b in steps), sum(a >= b for a, b in steps))
    told = sum(len(_TOLD.findall(entry.body.text)) >= _LEAST_TOLD for entry in entries)
    words = sum(len(row.words) for row in rows)
    within = sum(len(entry.whole.words) for entry in entries)
    return in_order >= _IN_ORDER * len(steps) and told >= _MOSTLY * len(entries) and within >= _MOSTLY * words


_LEAST_ENTRIES = 5
_IN_ORDER = 0.85
_MOSTLY = 0.6
_TOLD = re.compile(r"\b[^\W\d_]*[a-z][^\W\d_]+\b")  # words in small letters, which registers hardly have
_LEAST_TOLD = 4
# What a note says of itself: it is about another file, or was taken back.
_NOT_OF_THIS_CLAIM = re.compile(
    r"\b(?:entered|posted|keyed|filed|noted|logged|made|scanned)\s+(?:here\s+)?in\s+error\b|\bmis-?filed\b|"
    r"\b(?:belongs?|pertains?|relates?|goes|moved)\s+(?:to|in|under|on)\s+(?:another|a\s+different|the\s+other|"
    r"an\s+unrelated|someone\s+else)|\b(?:wrong|incorrect)\s+(?:claim|file|claimant|account)\b|"
    r"\bdisregard\s+(?:this|prior|above|previous)\s+(?:note|entry)|\bvoid(?:ed)?\s+(?:note|entry)\b",
    re.IGNORECASE,
)


def is_in_error(entry: Entry) -> bool:
    """Tell whether a note says that it is about another claim, or was made in error."""
    return bool(_NOT_OF_THIS_CLAIM.search(entry.body.text))


def _running_texts(rows: Sequence[Row]) -> frozenset[str]:
    """Return the texts, digits blanked, that are on several pages: headers and footers."""
    pages: dict[str, set[int]] = {}
    for row in rows:
        pages.setdefault(re.sub(r"\d+", "0", row.text), set()).add(row.page)
    return frozenset(text for text, where in pages.items() if len(where) > 1)


def _is_running(row: Row, running: frozenset[str]) -> bool:
    if re.sub(r"\d+", "0", row.text) in running and (row.box.top < 0.1 or row.box.bottom > 0.9):
        return True
    return row.box.bottom > 0.9 and bool(
        re.search(r"\bpage\s+\d+|^printed\b|^\d+\s*/\s*\d+$", row.text, re.I)
    )


def _left_of_dates(rows: Sequence[Row]) -> float:
    """Return the left edge at which most entries open with their dates."""
    edges = [row.segments[0].box.left for row in rows if _date_at_start(row.segments[0].text)]
    return sorted(edges)[len(edges) // 2] if edges else 0.0


def _date_at_start(text: str) -> tuple[str, int] | None:
    lead = _LEAD.match(text)
    begin = lead.end() if lead else 0
    for span in find_dates(text[: begin + 40]):
        if span.start in (0, begin):
            return str(span.value), span.end
    return None


def _opening(row: Row, left: float) -> tuple[str, Passage] | None:
    first = row.segments[0]
    dated = _date_at_start(first.text)
    if dated is None or abs(first.box.left - left) > 0.03:
        return None
    date, end = dated
    rest = first.text[end:]
    end += _TIME.match(rest).end()  # type: ignore[union-attr]  # matches the empty text too
    end += _ATTRIBUTES.match(first.text[end:]).end()  # type: ignore[union-attr]
    end += _INITIALS.match(first.text[end:]).end()  # type: ignore[union-attr]
    if len(row.segments) == 1 and end >= len(first.text):
        if first.text.endswith((".", ",", ";", ")")):
            return None  # the end of a sentence that wrapped: `closing letter by` `10/04/24.`
        return date, Passage((), ())
    body = [_rest(first, end)] if end < len(first.text) else []
    body += [s.passage for s in row.segments[1:] if not _is_mark(s)]
    return date, join(body)


def _body_edge(row: Row) -> float:
    """Return the left edge of a log's note column: what is left of it goes on with time or topic."""
    bodies = [s for s in row.segments[1:] if not _is_mark(s)]
    return bodies[0].box.left if bodies else 0.0


def _rest(segment: Segment, start: int) -> Passage:
    return segment.passage.part(start, len(segment.text))


def _is_mark(segment: Segment) -> bool:
    """Tell whether a cell of an entry's first row is a time, initials or a topic: short, no full stop."""
    text = segment.text
    if _ATTRIBUTES.match(text).end() >= len(text) > 0:  # type: ignore[union-attr]
        return True
    return len(text) <= 22 and not text.endswith(".") and (text.isupper() or len(text.split()) <= 2)
