"""Readers of lists that are outside tables: marked lines below a heading, documents that are one item."""

import re
from collections.abc import Iterator
from typing import Any

from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.pages.layout import Row
from citation_pipeline.core.rules.pages.passages import Passage, join
from citation_pipeline.core.rules.readers.candidates import Candidate, Item, candidate_of
from citation_pipeline.core.rules.readers.lists import read_items, read_member
from citation_pipeline.core.rules.readers.taken_values import is_nothing
from citation_pipeline.core.values.dates import find_dates

_ITEM = re.compile(
    r"^\s*(?:\(?\d{1,2}[.)]|\(?[a-h][.)]|[-\u2022*\u2013\u25cf\u25aa]|\[[xX]\]|\u2611|\u2612)\s*(?=\S)"
)
# Of what is still to do the boxes are empty, and what is ticked is done.
_OPEN_ITEM = re.compile(
    r"^\s*(?:\(?\d{1,2}[.)]?|[-\u2022*\u2013\u25cf\u25aa]|\[\s*\]|\u2610|\u25a1)\s+(?=\S)"
)
_DONE = re.compile(
    r"^\s*(?:\[\s*[xX]\s*\]|\u2611|\u2612)|\b(?:done|completed)\s*(?:[A-Z]{2,3})?$", re.IGNORECASE
)


def read_records(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Read a document that is one item as a whole: a lien notice, an operative report."""
    members = {member.name: member for member in rules.field.items}
    for record in rules.records:
        if record.documents and reading.type not in record.documents:
            continue
        value: dict[str, Any] = dict(record.constants)
        units: list[Passage] = []
        for name, spoken in record.members.items():
            pair = next((p for label in spoken for p in reading.pairs if p.name == label), None)
            read = read_member(pair.value.text, members[name]) if pair and name in members else None
            if pair is not None and read not in (None, ""):
                value[name] = read
                units.append(pair.unit)
        for name, expression in record.patterns.items():
            if value.get(name) in (None, "") and name in members:
                found = ((s, m) for s, text in reading.statements if (m := expression.search(text)))
                for sentence, match in found:
                    value[name] = read_member(match[1] if match.groups() else match[0], members[name])
                    units.append(sentence.passage)
                    break
        first = rules.field.items[0].name
        if not value.get(first) or is_nothing(str(value[first])):
            continue
        if rules.reject is not None and rules.reject.search(str(value[first])):
            continue
        items = [Item(value, units[0])]
        weight = affinity * record.weight
        yield candidate_of(
            reading, rules, None, units[0], reading.date, weight, "record", items=items, is_list=True
        )


def read_headings(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Read the bulleted or numbered lines below a heading."""
    if not rules.headings:
        return
    rows = reading.rows
    for number, row in enumerate(rows):
        text = row.text
        if len(text) > 170 or not any(heading.search(text) for heading in rules.headings):
            continue
        parts: list[list[Passage]] = []
        for following in rows[number + 1 : number + 30]:
            whole = following.passage
            mark = (_OPEN_ITEM if rules.ahead else _ITEM).match(whole.text) or _is_dated(following, rules)
            if rules.ahead and _DONE.search(whole.text):
                continue
            if mark:
                parts.append([whole])
            elif (
                parts
                and following.segments[0].box.left > row.segments[0].box.left - 0.005
                and _goes_on(rows[following.number - 1], following)
            ):
                parts[-1].append(whole)
            elif parts or following.number - row.number > 3:
                break
        items = [
            Item(item.value, join(part), item.members)
            for part in parts
            for item in read_items(_unmarked(join(part), rules), rules, is_one=True)
        ]
        if items:
            whole = join(item.unit for item in items)
            yield candidate_of(
                reading, rules, None, whole, reading.date, affinity * 0.95, "list", items=items, is_list=True
            )


def _is_dated(row: Row, rules: FieldRules) -> bool:
    """Tell whether a line of what is still to do ends with its day in a column of its own."""
    if not rules.ahead or len(row.segments) != _ITEM_AND_DAY or len(row.segments[0].texts) < _LEAST_WORDS:
        return False
    day = row.segments[-1].text
    found = find_dates(day)
    return len(found) == 1 and found[0].end - found[0].start >= len(day.strip()) - 1


_ITEM_AND_DAY = 2
_LEAST_WORDS = 4  # `Next diary  6/11` names no task


def _unmarked(line: Passage, rules: FieldRules) -> Passage:
    mark = (_OPEN_ITEM if rules.ahead else _ITEM).match(line.text)
    return line.part(mark.end(), len(line.text)) if mark else line


def _goes_on(above: Row, below: Row) -> bool:
    first = below.segments[0]
    return (
        below.page == above.page
        and below.box.top - above.box.bottom < 0.7 * first.height
        and first.box.left > above.segments[0].box.left + 0.004
        and above.box.right > 0.7
    )
