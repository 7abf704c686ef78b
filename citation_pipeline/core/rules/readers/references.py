"""Values that a sentence names only by pointing elsewhere in its document: `as of the date of this letter`.

The place pointed at is what a citation shows, because there the value is printed. Which sentences point
where comes from the lexicon.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from citation_pipeline.core.documents.own_days import printed_day
from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules, Lexicon, Reference
from citation_pipeline.core.rules.pages.passages import Passage
from citation_pipeline.core.rules.pages.positions import letterhead, signatures
from citation_pipeline.core.rules.readers.candidates import Candidate, affinity_of, candidate_of, holds_in
from citation_pipeline.core.rules.readers.kinds import take
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.polarity import is_conditional

_OWN_DAY = "date"
SIGNATORY = "signatory"
"""What a reference points at that names whoever writes: `I am the evaluator`."""


def read_references(
    reading: DocumentReading, lexicon: Lexicon, stated: Sequence[Candidate]
) -> Iterator[Candidate]:
    """Return what the document's sentences point at; `stated` is all that was read in it outright."""
    for rules in lexicon.fields.values():
        affinity = affinity_of(rules, reading)
        references = [r for r in rules.refers if affinity > 0 and holds_in(r.pattern, reading)]
        for reference in references:
            if reference.to == _OWN_DAY and reading.sections:
                yield from _days_of_sections(reading, rules, reference, affinity)
                continue
            sentence = next((s for s, text in reading.statements if _points(reference, text)), None)
            target = _target(reading, rules, reference.to, stated) if sentence is not None else None
            if sentence is not None and reference.to == _OWN_DAY and reading.first_entry is not None:
                # a note of a log speaks for its own day, which is printed before it
                target = (sentence.as_of, sentence.unit) if sentence.row is not None else None
            if sentence is None or target is None:
                continue
            value, unit = target
            weight = affinity * reference.pattern.weight
            yield candidate_of(reading, rules, value, unit, sentence.as_of, weight, "reference")
            break


def _days_of_sections(
    reading: DocumentReading, rules: FieldRules, reference: Reference, affinity: float
) -> Iterator[Candidate]:
    """Return the day of each letter or notice of a file that says what the reference looks for."""
    seen: set[str] = set()
    for sentence, text in reading.statements:
        section = reading.section_of(sentence.unit.words[0]) if sentence.unit.words else None
        day = section.day if section is not None and not section.is_quoted else ""
        if not day or day in seen or not _points(reference, text):
            continue
        place = _own_day(reading, day)
        if place is not None:
            seen.add(day)
            weight = affinity * reference.pattern.weight
            yield candidate_of(reading, rules, day, place, day, weight, "reference")


def _points(reference: Reference, text: str) -> bool:
    """Tell whether a sentence says what a reference looks for, and not only whether it will be so."""
    found = reference.pattern.expression.search(text) if reference.pattern.says(text) else None
    return found is not None and not is_conditional(text, *found.span())


def _target(
    reading: DocumentReading, rules: FieldRules, to: str, stated: Sequence[Candidate]
) -> tuple[Any, Passage] | None:
    if to == SIGNATORY:
        return _signatory(reading, rules)
    if to == _OWN_DAY:
        place = _own_day(reading)
        return (reading.date, place) if place is not None else None
    found = [c for c in stated if c.key == to and not c.is_list]
    best = max(found, key=lambda c: c.weight, default=None)
    return (best.value, best.unit) if best is not None else None


def read_prints(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Return the day on which a screen or register was printed, for a field that prints in heads."""
    place = printed_day(reading.rows) if rules.in_heads else None
    if place is not None:
        day, segment, start, end = place
        unit = segment.passage.part(start, end)
        yield candidate_of(reading, rules, day, unit, day, affinity * _PRINT, "inline")


_PRINT = 0.95


def _signatory(reading: DocumentReading, rules: FieldRules) -> tuple[Any, Passage] | None:
    """Return who signs the document, else who heads it: `I remain the primary treating physician`."""
    signing = (segment for segment, _ in signatures(reading.rows))
    for segment in (*signing, *letterhead(reading.rows)):
        taken = take(segment.text, rules)
        if taken and taken[0].is_sure:
            return taken[0].value, segment.passage.part(taken[0].start, taken[0].end)
    return None


# When a paper came in is no day of what it says.
_RECEIVED = re.compile(
    r"\b(?:received|rec'?d|request(?:ed)?|referral|service)(?:\s+(?:on|date))?[:\s]*$", re.IGNORECASE
)


def _own_day(reading: DocumentReading, day: str = "") -> Passage | None:
    """Return where the document prints its own day, or another one."""
    wanted = day or reading.date
    for row in reading.rows if wanted else ():
        for segment in row.segments:
            for span in find_dates(segment.text[:200]):
                if str(span.value) == wanted and not _RECEIVED.search(segment.text[: span.start]):
                    return segment.passage.part(span.start, span.end)
    return None
