"""Pairs: a label with the value behind its colon, beside it, or below it in the same box.

Any short text may be a label here, known or not; the rules' `pairs` find the values of known ones.
"""

import re
from collections.abc import Iterator, Sequence

from citation_pipeline.core.retrieval.statements.printed_documents import LETTER, NUMBERED, PrintedDocument
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.rules.pages.layout import Row, Segment
from citation_pipeline.core.rules.pages.passages import Passage, join
from citation_pipeline.core.rules.pages.segments import shared_width

_LABEL_WORDS = 14  # the longest printed labels of the state's forms; a longer text is a sentence
_VALUE_WORDS = 16  # a longer line under a label is a sentence of its own
_BELOW = 2.4  # line heights between a label and the value under it in one box
_COLON = re.compile(r"^(?P<label>[^:]{2,90}?)\s*[:?]\s+(?P<value>\S.*)$")
_GOES_ON = re.compile(r"[a-z(&]|.*[a-z,]$")


def read_pair_statements(printed: PrintedDocument) -> Iterator[Statement]:
    """Return every label with each of the values that it may have."""
    rows = printed.rows
    for at, row in enumerate(rows):
        heading = printed.headings[row.number]
        for place, segment in enumerate(row.segments):
            inner = _COLON.match(segment.text)
            if inner is not None and len(inner["label"].split()) <= _LABEL_WORDS:
                value = _with_continuation(rows, at, segment, inner.start("value"))
                yield _pair(printed, segment, inner["label"], value, heading)
                continue
            if not _is_label_like(segment):
                continue
            right = row.segments[place + 1] if place + 1 < len(row.segments) else None
            if right is not None and not NUMBERED.match(right.text):
                yield _pair(printed, segment, segment.text, right.passage, heading)
            if len(row.segments) >= 4:
                continue  # a table's row: its cells are under heads, not under each other
            for below in _below(rows, at, segment):
                if NUMBERED.match(below.text) or len(below.texts) > _VALUE_WORDS:
                    continue
                yield _pair(printed, segment, segment.text, below.passage, heading)


def _is_label_like(segment: Segment) -> bool:
    text = segment.text
    if len(segment.texts) > _LABEL_WORDS or not LETTER.search(text):
        return False
    return not text.endswith((".", ",", ";")) or bool(NUMBERED.match(text))


def _with_continuation(rows: Sequence[Row], at: int, segment: Segment, start: int) -> Passage:
    """Return the value after a label's colon and the lines that plainly go on with it."""
    passage = segment.passage.part(start, len(segment.text))
    for row in rows[at + 1 : at + 3]:
        below = next((s for s in row.segments if _is_under(s, segment)), None)
        if (
            below is None
            or below.page != segment.page
            or ":" in below.text[:40]
            or passage.text.endswith(".")
        ):
            break
        if abs(below.box.left - segment.box.left) > 0.02 or NUMBERED.match(below.text):
            break
        if not _GOES_ON.match(below.text):
            break
        passage = join((passage, below.passage))
    return passage


def _below(rows: Sequence[Row], at: int, label: Segment) -> Iterator[Segment]:
    """Return the segment under a label, if it is in the same box and no other label is between."""
    for row in rows[at + 1 : at + 4]:
        if row.page != label.page:
            return
        for segment in row.segments:
            if _is_under(segment, label):
                near = segment.box.top - label.box.bottom <= _BELOW * max(label.height, segment.height)
                if near:
                    yield segment
                return


def _is_under(segment: Segment, label: Segment) -> bool:
    narrower = min(segment.box.width, label.box.width)
    return segment.box.top >= label.box.top and shared_width(segment, label) > 0.3 * narrower


def _pair(printed: PrintedDocument, label: Segment, text: str, value: Passage, heading: str) -> Statement:
    return printed.state(
        "pair",
        page=label.page,
        value=value,
        words=tuple(dict.fromkeys((*label.words, *value.words))),
        label=text.strip(),
        context=heading,
    )
