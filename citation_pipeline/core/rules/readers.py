"""The readers: each finds candidates of all fields in one document in one way.

What to look for comes from the lexicon. Which candidate wins is `choice`'s affair.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citation_pipeline.core.layout.tables import Table
from citation_pipeline.core.rules.candidates import Candidate, Item
from citation_pipeline.core.rules.documents import DocumentReading, Sentence
from citation_pipeline.core.rules.kinds import Taken, is_nothing, take
from citation_pipeline.core.rules.layout import Row, Segment
from citation_pipeline.core.rules.lexicon import FieldRules, Lexicon, Pattern, TableRule
from citation_pipeline.core.rules.lists import item_of_match, read_items, read_member
from citation_pipeline.core.rules.pairs import Pair, read_pairs
from citation_pipeline.core.rules.passages import Passage, join, passage_of
from citation_pipeline.core.rules.positions import addressees, letterhead, signatures
from citation_pipeline.core.rules.tables import find_heads, rows_below
from citation_pipeline.core.values.dates import find_dates

# How far each way of standing beside a label is to be trusted.
_METHODS = {"field": 1.0, "inline": 1.0, "right": 0.95, "below": 0.92, "loose": 0.6}
_CORRECTION = re.compile(
    r"\bcorrect(?:ed|ion|s|ing)?\b|\bin error\b|\berroneous|\bmis(?:stated|typed|reported)|\bamended\b|"
    r"\bshould (?:be|read|have been)\b|\bnot\s+\S+\s+as (?:previously|originally)|\bleft out\b|\brevised\b|"
    r"\brecalculated\b|\brecomputed\b",
    re.IGNORECASE,
)
_SURE_KINDS = frozenset({"date", "last_date", "money", "percent", "adj", "icd", "code"})


def read_candidates(reading: DocumentReading, lexicon: Lexicon) -> Iterator[Candidate]:
    """Return everything that the document says about any field."""
    yield from _from_pairs(reading, lexicon)
    for rules in lexicon.fields.values():
        affinity = _affinity(rules, reading)
        if affinity <= 0:
            continue
        yield from _from_sentences(reading, rules, affinity)
        yield from _from_answers(reading, rules, affinity)
        yield from _from_tables(reading, rules, affinity)
        yield from _from_records(reading, rules, affinity)
        yield from _from_headings(reading, rules, affinity)
        yield from _from_positions(reading, rules, affinity)
        yield from _from_ticks(reading, rules, affinity)


def _affinity(rules: FieldRules, reading: DocumentReading) -> float:
    return rules.documents.get(reading.type, rules.documents.get("*", 1.0))


def _holds(pattern: Pattern | TableRule, reading: DocumentReading) -> bool:
    return not pattern.documents or reading.type in pattern.documents


def _from_pairs(reading: DocumentReading, lexicon: Lexicon) -> Iterator[Candidate]:
    if reading.first_entry is not None:
        for sentence in reading.sentences:
            for pair in read_pairs([_as_row(sentence.passage)], lexicon.labels):
                yield from _of_pair(reading, lexicon, pair, sentence)
    for pair in reading.pairs:
        if reading.first_entry is None or pair.row < reading.first_entry:
            yield from _of_pair(reading, lexicon, pair, None)


def _as_row(passage: Passage) -> Row:
    """Return a sentence as a row of one segment, so that labels inside notes read like those of forms."""
    from citation_pipeline.core.boxes import Box

    segment = Segment(
        page=1,
        row=0,
        words=passage.words,
        texts=passage.texts,
        box=Box(0.0, 0.0, 1.0, 0.01),
        height=0.01,
        aspect=1.0,
    )
    return Row(page=1, number=0, segments=(segment,))


def _of_pair(
    reading: DocumentReading, lexicon: Lexicon, pair: Pair, sentence: Sentence | None
) -> Iterator[Candidate]:
    for key in pair.keys:
        rules = lexicon.fields.get(key)
        if rules is None:
            continue
        limited = rules.label_documents.get(pair.name)
        affinity = _affinity(rules, reading)
        if affinity <= 0 or (limited and reading.type not in limited):
            continue
        weight = affinity * _METHODS[pair.method] * (1.0 if pair.is_firm else 0.75)
        as_of = sentence.as_of if sentence else reading.date
        unit = sentence.unit if sentence else pair.unit
        yield from _of_value(reading, rules, pair.value, unit, as_of, weight, pair.method)


def _of_value(
    reading: DocumentReading,
    rules: FieldRules,
    value: Passage,
    unit: Passage,
    as_of: str,
    weight: float,
    method: str,
) -> Iterator[Candidate]:
    """Read a value of the field's kind, or a list, out of the passage behind a label or a question."""
    text = value.text
    if not text.strip() or len(text) > 900 or value.words[0] in reading.unticked:
        return
    if rules.negations and any(p.expression.search(text) for p in rules.negations):
        if rules.kind == "list":
            yield _candidate(reading, rules, None, unit, as_of, weight, method, items=(), is_list=True)
            return
        if rules.kind == "boolean":
            yield _candidate(reading, rules, False, unit, as_of, weight, method)
            return
    if rules.kind == "list":
        if re.match(r"^(?:none|no)\b", text, re.IGNORECASE) and len(text) < 40:
            yield _candidate(reading, rules, None, unit, as_of, weight, method, items=(), is_list=True)
            return
        items = read_items(value, rules)
        if items and method != "loose":
            apart = method == "below" and len(items) > 1
            shown = items if apart else [Item(i.value, unit, i.members) for i in items]
            yield _candidate(reading, rules, None, unit, as_of, weight, method, items=shown, is_list=True)
        return
    taken = take(text, rules)
    if not taken:
        return
    best = taken[0]
    if method == "loose" and not (rules.kind in _SURE_KINDS and best.start <= 2 and best.is_sure):
        return
    if rules.kind not in ("text", "firm", "address") and best.start > 60:
        weight *= 0.6
    if rules.kind == "physician" and not best.is_sure:
        weight *= 0.6
    yield _candidate(reading, rules, best.value, unit, as_of, weight, method)


def _candidate(
    reading: DocumentReading,
    rules: FieldRules,
    value: Any,
    unit: Passage,
    as_of: str,
    weight: float,
    method: str,
    *,
    items: Sequence[Item] = (),
    is_list: bool = False,
) -> Candidate:
    return Candidate(
        key=rules.field.key,
        value=value,
        source=reading.number,
        unit=unit,
        as_of=as_of,
        weight=weight,
        method=method,
        document_type=reading.type,
        corrects=bool(_CORRECTION.search(unit.text)) and method in ("sentence", "inline"),
        items=tuple(items),
        is_list=is_list,
    )


_UNTICKED = re.compile(r"^\s*(?:\[\s*\]|\(\s*\)|\u2610|\u25a1|\u25cb)")


def _from_sentences(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    patterns = [p for p in rules.patterns if _holds(p, reading)]
    cues = [p for p in rules.cues if _holds(p, reading)]
    negations = [p for p in rules.negations if _holds(p, reading)]
    if not (patterns or cues or negations):
        return
    for sentence in reading.sentences:
        text = sentence.passage.text
        if _UNTICKED.match(text) or text.endswith("?"):
            continue
        yield from _negated(reading, rules, negations, sentence, affinity)
        for cue in cues:
            if cue.expression.search(text):
                value: Any = cue.member if rules.kind == "enum" else cue.member == "true"
                weight = affinity * cue.weight
                yield _candidate(reading, rules, value, sentence.unit, sentence.as_of, weight, "sentence")
                break
        for pattern in patterns:
            found = list(_of_pattern(reading, rules, pattern, sentence, affinity))
            yield from found
            if found and rules.kind != "list":
                break


def _negated(
    reading: DocumentReading,
    rules: FieldRules,
    negations: Sequence[Pattern],
    sentence: Sentence,
    affinity: float,
) -> Iterator[Candidate]:
    for pattern in negations:
        if pattern.expression.search(sentence.passage.text):
            is_list = rules.kind == "list"
            yield _candidate(
                reading,
                rules,
                None if is_list else False,
                sentence.unit,
                sentence.as_of,
                affinity * pattern.weight,
                "sentence",
                is_list=is_list,
            )
            return


def _of_pattern(
    reading: DocumentReading, rules: FieldRules, pattern: Pattern, sentence: Sentence, affinity: float
) -> Iterator[Candidate]:
    text, unit, as_of = sentence.passage.text, sentence.unit, sentence.as_of
    weight = affinity * pattern.weight
    if rules.kind == "list":
        for match in pattern.expression.finditer(text):
            items = [
                Item(item.value, unit, item.members)
                for item in _items_of_match(match, rules, sentence.passage)
            ]
            if items:
                yield _candidate(
                    reading, rules, None, unit, as_of, weight, "sentence", items=items, is_list=True
                )
        return
    found = pattern.expression.search(text)
    if found is not None and found.groupdict().get("v"):
        taken: list[Taken] = take(found["v"], rules)
        if taken:
            yield _candidate(reading, rules, taken[0].value, unit, as_of, weight, "sentence")


def _items_of_match(match: re.Match[str], rules: FieldRules, passage: Passage) -> list[Item]:
    if match.groupdict().get("v"):
        return read_items(passage.part(*match.span("v")), rules)
    item = item_of_match(match, rules, passage)
    return [item] if item else []


def _from_answers(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    for answer in reading.answers:
        for pattern in rules.questions:
            if pattern.expression.search(answer.question.text):
                weight = affinity * pattern.weight * 0.8
                yield from _of_value(
                    reading, rules, answer.answer, answer.answer, reading.date, weight, "answer"
                )
                break


def _from_tables(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    for table in rules.tables:
        if not _holds(table, reading):
            continue
        found = list(_parsed_tables(reading, rules, table, affinity))
        if found:
            yield from found
        elif table.members:
            yield from _listed(reading, rules, table, affinity)
        elif table.column is not None:
            yield from _cells(reading, rules, table, affinity)


def _parsed_tables(
    reading: DocumentReading, rules: FieldRules, table: TableRule, affinity: float
) -> Iterator[Candidate]:
    """Read the tables that the parser found, cell by cell."""
    for parsed in reading.tables:
        heads = [" ".join(name.split()) for name in parsed.header]
        wanted = table.members or ({"value": table.column} if table.column else {})
        columns: dict[str, int] = {}
        for name, pattern in wanted.items():
            column = next(
                (n for n, h in enumerate(heads) if n not in columns.values() and pattern.search(h)), None
            )
            if column is not None:
                columns[name] = column
        if len(columns) < len(wanted) or not columns:
            continue
        rows = [r for r in (_cells_of_row(reading, parsed, n) for n in range(parsed.rows)) if r]
        weight = affinity * table.weight
        if table.members:
            items = [
                item for cells in rows if (item := _item_of_cells(cells, columns, rules, table)) is not None
            ]
            if items:
                whole = join(item.unit for item in items)
                yield _candidate(
                    reading, rules, None, whole, reading.date, weight, "table", items=items, is_list=True
                )
            continue
        for cells in rows:
            cell = cells.get(columns["value"])
            whole = join(cells.values())
            first = cells[min(cells)].text
            fits = table.row is None or table.row.search(first) or table.row.search(whole.text)
            taken = take(cell.text, rules) if cell and fits else []
            if taken:
                as_of = _row_date(whole, reading.date)
                yield _candidate(reading, rules, taken[0].value, whole, as_of, weight, "table")
                if table.row is not None:
                    break


def _row_date(row: Passage, date: str) -> str:
    """Return the day a row speaks for: its own first date when that is past, else the document's."""
    days = [str(span.value) for span in find_dates(row.text) if str(span.value) <= date]
    return days[0] if days else date


def _cells_of_row(reading: DocumentReading, table: Table, number: int) -> dict[int, Passage]:
    return {
        cell.column: passage_of(reading.document, cell.word_ids)
        for cell in table.row(number)
        if len(cell.word_ids) and not cell.is_header
    }


def _item_of_cells(
    cells: Mapping[int, Passage], columns: Mapping[str, int], rules: FieldRules, table: TableRule
) -> Item | None:
    named = {name: cells[column] for name, column in columns.items() if column in cells}
    return _item_of_row(named, join(cells.values()), rules, table)


def _cells(
    reading: DocumentReading, rules: FieldRules, table: TableRule, affinity: float
) -> Iterator[Candidate]:
    assert table.column is not None
    for number, heads in find_heads(reading.rows, {"value": table.column}):
        for row in reading.rows[number + 1 : number + 16]:
            if row.page != reading.rows[number].page:
                break
            if table.column.search(row.text) and any(table.column.search(s.text) for s in row.segments):
                break
            if table.row is not None and not table.row.search(row.segments[0].text):
                continue
            cell = _cell_under(row, heads["value"], reading.rows[number])
            taken = take(cell.text, rules) if cell else []
            if taken:
                unit = join(Passage(s.words, s.texts) for s in row.segments)
                weight = affinity * table.weight
                yield _candidate(reading, rules, taken[0].value, unit, reading.date, weight, "table")
                break


def _cell_under(row: Row, head: Segment, head_row: Row) -> Segment | None:
    """Return the row's segment that belongs to a head and to none of its neighbours."""

    def distance(cell: Segment, other: Segment) -> float:
        return min(
            abs(cell.box.left - other.box.left),
            abs(cell.box.right - other.box.right),
            abs((cell.box.left + cell.box.right - other.box.left - other.box.right) / 2),
        )

    best = None
    for cell in row.segments:
        nearest = min(head_row.segments, key=lambda other, cell=cell: distance(cell, other))  # type: ignore[misc]
        if nearest is head and (best is None or distance(cell, head) < distance(best, head)):
            best = cell
    return best


def _listed(
    reading: DocumentReading, rules: FieldRules, table: TableRule, affinity: float
) -> Iterator[Candidate]:
    for number, heads in find_heads(reading.rows, table.members):
        items: list[Item] = []
        for row in rows_below(reading.rows, number, heads):
            item = _item_of_row(row.cells, row.whole, rules, table)
            if item is not None:
                items.append(item)
        if items:
            whole = join(item.unit for item in items)
            yield _candidate(
                reading,
                rules,
                None,
                whole,
                reading.date,
                affinity * table.weight,
                "table",
                items=items,
                is_list=True,
            )


def _item_of_row(cells: Any, whole: Passage, rules: FieldRules, table: TableRule) -> Item | None:
    value: dict[str, Any] = dict(table.constants)
    for column, pattern in table.where.items():
        if column not in cells or not pattern.search(cells[column].text):
            return None
    members = {member.name: member for member in rules.field.items}
    for name, cell in cells.items():
        if name in members:
            read = read_member(cell.text, members[name])
            if read not in (None, ""):
                value[name] = read
    first = rules.field.items[0].name if rules.field.items else ""
    if not value.get(first) or is_nothing(str(value[first])):
        return None
    if re.match(r"^(?:total|subtotal|balance|grand)\b", str(value[first]), re.IGNORECASE):
        return None
    if rules.reject is not None and rules.reject.search(str(value[first])):
        return None
    return Item(value, whole, {name: cell for name, cell in cells.items() if name in members})


def _from_records(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
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
        first = rules.field.items[0].name
        if not value.get(first) or is_nothing(str(value[first])):
            continue
        if rules.reject is not None and rules.reject.search(str(value[first])):
            continue
        items = [Item(value, units[0])]
        weight = affinity * record.weight
        yield _candidate(
            reading, rules, None, units[0], reading.date, weight, "record", items=items, is_list=True
        )


_ITEM = re.compile(
    r"^\s*(?:\(?\d{1,2}[.)]|\(?[a-h][.)]|[-\u2022*\u2013\u25cf\u25aa]|\[[xX]\]|\u2611|\u2612)\s*(?=\S)"
)


def _from_headings(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
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
            whole = join(Passage(s.words, s.texts) for s in following.segments)
            mark = _ITEM.match(whole.text)
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
            for item in read_items(_unmarked(join(part)), rules, is_one=True)
        ]
        if items:
            whole = join(item.unit for item in items)
            yield _candidate(
                reading, rules, None, whole, reading.date, affinity * 0.95, "list", items=items, is_list=True
            )


def _unmarked(line: Passage) -> Passage:
    mark = _ITEM.match(line.text)
    return line.part(mark.end(), len(line.text)) if mark else line


def _goes_on(above: Row, below: Row) -> bool:
    first = below.segments[0]
    return (
        below.page == above.page
        and below.box.top - above.box.bottom < 0.7 * first.height
        and first.box.left > above.segments[0].box.left + 0.004
        and above.box.right > 0.7
    )


def _from_positions(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    kind = reading.type
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


def _of_segment(
    reading: DocumentReading, rules: FieldRules, segment: Segment, weight: float, method: str
) -> Iterator[Candidate]:
    passage = Passage(segment.words, segment.texts)
    taken = take(passage.text, rules)
    if taken and taken[0].is_sure:
        unit = passage.part(taken[0].start, taken[0].end)
        yield _candidate(reading, rules, taken[0].value, unit, reading.date, weight, method)


def _from_ticks(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Read the statements whose boxes are ticked; statements with empty boxes are no facts."""
    ticks = [p for p in rules.ticks if _holds(p, reading)]
    for statement in reading.ticked if ticks else ():
        for tick in ticks:
            if tick.expression.search(statement.text):
                value: Any = tick.member if rules.kind == "enum" else tick.member == "true"
                yield _candidate(
                    reading, rules, value, statement, reading.date, affinity * tick.weight, "tick"
                )
                break
