"""Readers of places that speak without a label: letterhead, addressee, signature, ticked boxes."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.pages.layout import Segment
from citation_pipeline.core.rules.pages.positions import addressees, letterhead, signatures
from citation_pipeline.core.rules.readers.candidates import DOUBTED, Candidate, candidate_of, holds_in
from citation_pipeline.core.rules.readers.kinds import take
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.names import without_degree
from citation_pipeline.core.values.reality import is_no_fact
from citation_pipeline.core.values.spans import fold_words


def read_positions(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Return what letterhead, addressee and signature say about a field."""
    kind = reading.type
    if rules.not_from is not None and rules.not_from.search(reading.document.text[:_OPENING]):
        return
    if rules.kind == "physician" and kind in rules.letterhead and kind in rules.signature:
        yield from _author(reading, rules, affinity * max(rules.letterhead[kind], rules.signature[kind]))
    if rules.kind == "physician" and kind in rules.letterhead:
        yield from _seen_by(
            reading, rules, affinity * max(rules.letterhead[kind], rules.signature.get(kind, 0))
        )
    if kind in rules.letterhead:
        for segment in letterhead(reading.rows):
            found = list(
                _of_segment(reading, rules, segment, affinity * rules.letterhead[kind], "letterhead")
            )
            yield from found
            if found:
                break
    if kind in rules.addressee:
        for segment in addressees(reading.rows):
            yield from _of_segment(reading, rules, segment, affinity * rules.addressee[kind], "addressee")
    if kind in rules.signature or kind in rules.below_signature:
        for segment, below in signatures(reading.rows):
            if kind in rules.signature:
                found = list(
                    _of_segment(reading, rules, segment, affinity * rules.signature[kind], "signature")
                )
                yield from found[:1]
                if found:
                    break
            else:
                for line in below[:2]:
                    yield from _of_segment(
                        reading, rules, line, affinity * rules.below_signature[kind], "signature"
                    )
                break


# Whom a writer speaks for is said at the beginning.
_OPENING = 2500
# A running head, a caption and the title may be above the name of who writes; a report's last lines sign it.
_ROWS_OF_HEAD, _ROWS_OF_END = 9, 16


def _author(reading: DocumentReading, rules: FieldRules, weight: float) -> Iterator[Candidate]:
    """Return the physician who heads a report and whose name is printed again where it ends."""
    rows = reading.rows
    ends = [fold_words(row.text) for row in rows[max(_ROWS_OF_HEAD, len(rows) - _ROWS_OF_END) :]]
    for row in rows[:_ROWS_OF_HEAD]:
        for segment in row.segments if row.page == rows[0].page else ():
            taken = take(segment.text, rules)
            if not (taken and taken[0].is_sure and taken[0].start <= 1):
                continue
            name = fold_words(without_degree(str(taken[0].value)))
            if len(name) > 1 and any(_holds(words, name) for words in ends):
                unit = segment.passage.part(taken[0].start, taken[0].end)
                yield candidate_of(reading, rules, taken[0].value, unit, reading.date, weight, "author")
                return


def _seen_by(reading: DocumentReading, rules: FieldRules, weight: float) -> Iterator[Candidate]:
    """Return the physician beside the day that opens each visit of a chart: `11/13/2025  A. Ruiz MD`."""
    opened = {section.first_word for section in reading.sections if not section.is_quoted}
    for row in reading.rows if len(opened) > 1 else ():
        if opened.isdisjoint(row.words) or not find_dates(row.text[:_DAY]):
            continue
        taken = take(row.text, rules)
        if taken and taken[0].is_sure and len(row.words) <= _LONGEST_OPENING:
            yield candidate_of(reading, rules, taken[0].value, row.passage, reading.date, weight, "author")


_DAY, _LONGEST_OPENING = 12, 10


def _holds(words: Sequence[str], name: Sequence[str]) -> bool:
    """Tell whether a line prints a name: in full, or by its first letters and the surname."""
    if name[-1] not in words:
        return False
    before = words[: words.index(name[-1])]
    return bool(before) and before[-(len(name) - 1) :][0][:1] == name[0][:1]


def read_issuer(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Read who issued a document: the firm with a legal form that heads it and is printed again below.

    The firm that a document is addressed to is printed once, or behind a label.
    """
    if not rules.issuer:
        return
    text = reading.document.text
    for row in reading.rows[:_HEAD]:
        for segment in row.segments if row.page == reading.rows[0].page else ():
            name = re.split(r"\s[-\u2013|\u00b7]\s", segment.text, maxsplit=1)[0].strip(" ,.")
            has_form = _LEGAL_FORM.search(name)
            if not has_form or ":" in name or len(name.split()) > _LONGEST_FIRM:
                continue
            again = text.count(name[: has_form.start()].strip(" ,")) >= _PRINTED_AGAIN
            unit = segment.passage.part(0, len(name))
            weight = affinity * (0.85 if again else 0.5)
            yield candidate_of(reading, rules, name, unit, reading.date, weight, "issuer")


_HEAD = 12
_LONGEST_FIRM = 7
_PRINTED_AGAIN = 2
_LEGAL_FORM = re.compile(
    r"\b(?:Inc|LLC|Ltd|Limited|Corp|Corporation|GmbH|AG|KG|UG|SARL|Sarl|SAS|S\.A\.?S?|SA|S\.L\.?|SL|"
    r"S\.r\.l|sp\. ?z ?o\.? ?o|S\.A|B\.V|N\.V|AB|Oy|ApS|A/S|plc|PLC)\.?$"
)


def _of_segment(
    reading: DocumentReading, rules: FieldRules, segment: Segment, weight: float, method: str
) -> Iterator[Candidate]:
    passage = segment.passage
    taken = take(passage.text, rules)
    if taken and taken[0].is_sure:
        unit = passage.part(taken[0].start, taken[0].end)
        yield candidate_of(reading, rules, taken[0].value, unit, reading.date, weight, method)


def read_ticks(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Read the statements whose boxes are ticked; statements with empty boxes are no facts."""
    ticks = [p for p in rules.ticks if holds_in(p, reading)]
    for statement in reading.ticked if ticks else ():
        for tick in ticks:
            if found := tick.expression.search(statement.text):
                value: Any = tick.member if rules.kind == "enum" else tick.member == "true"
                is_so = value is False or not is_no_fact(rules.field.key, statement.text, *found.span())
                weight = affinity * tick.weight * (1.0 if is_so else DOUBTED)
                yield candidate_of(reading, rules, value, statement, reading.date, weight, "tick")
                break
