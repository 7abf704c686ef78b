"""The readers: each finds candidates of all fields in one document in one way.

What to look for comes from the lexicon. Which candidate wins is `choice`'s affair.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.rules.candidates import Candidate, Item, candidate_of, holds_in
from citation_pipeline.core.rules.document_sentences import Sentence, is_readable
from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.kinds import Taken, take
from citation_pipeline.core.rules.layout import Row, Segment
from citation_pipeline.core.rules.lexicon import FieldRules, Lexicon, Pattern
from citation_pipeline.core.rules.list_readers import read_headings, read_records
from citation_pipeline.core.rules.lists import item_of_match, read_items
from citation_pipeline.core.rules.pairs import Pair, read_pairs
from citation_pipeline.core.rules.passages import Passage
from citation_pipeline.core.rules.place_readers import read_positions, read_ticks
from citation_pipeline.core.rules.table_readers import read_tables

# How far each way of standing beside a label is to be trusted.
_METHODS = {"field": 1.0, "inline": 1.0, "right": 0.95, "below": 0.92, "column": 0.85, "loose": 0.6}
# What answers a yes-or-no label stands in the first sentence behind it.
_FIRST_SENTENCE = re.compile(r"(?<=[a-z0-9)]{2})\.\s+(?=[A-Z])")
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
        yield from read_tables(reading, rules, affinity)
        yield from read_records(reading, rules, affinity)
        yield from read_headings(reading, rules, affinity)
        yield from read_positions(reading, rules, affinity)
        yield from read_ticks(reading, rules, affinity)


def _affinity(rules: FieldRules, reading: DocumentReading) -> float:
    return rules.documents.get(reading.type, rules.documents.get("*", 1.0))


def _from_pairs(reading: DocumentReading, lexicon: Lexicon) -> Iterator[Candidate]:
    if reading.first_entry is not None:
        for sentence in (s for s in reading.sentences if not s.is_head):
            for pair in read_pairs([_as_row(sentence.passage)], lexicon.labels):
                yield from _of_pair(reading, lexicon, pair, sentence)
    for pair in reading.pairs:
        if reading.first_entry is None or pair.row < reading.first_entry:
            yield from _of_pair(reading, lexicon, pair, None)


def _as_row(passage: Passage) -> Row:
    """Return a sentence as a row of one segment, so that labels inside notes read like those of forms."""
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
        weight *= rules.label_weights.get(pair.name, 1.0)
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
    if not text.strip() or not is_readable(text, longest=900) or value.words[0] in reading.unticked:
        return
    if rules.negations and any(p.expression.search(text) for p in rules.negations):
        if rules.kind == "list":
            yield candidate_of(reading, rules, None, unit, as_of, weight, method, items=(), is_list=True)
            return
        if rules.kind == "boolean":
            yield candidate_of(reading, rules, False, unit, as_of, weight, method)
            return
    if rules.kind == "list":
        if re.match(r"^(?:none|no)\b", text, re.IGNORECASE) and len(text) < 40:
            yield candidate_of(reading, rules, None, unit, as_of, weight, method, items=(), is_list=True)
            return
        items = read_items(value, rules)
        if items and method not in ("loose", "column"):
            apart = method == "below" and len(items) > 1
            shown = items if apart else [Item(i.value, unit, i.members) for i in items]
            yield candidate_of(reading, rules, None, unit, as_of, weight, method, items=shown, is_list=True)
        return
    if rules.kind in ("boolean", "enum"):
        text = _FIRST_SENTENCE.split(text, maxsplit=1)[0]
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
    yield candidate_of(reading, rules, best.value, unit, as_of, weight, method)


def _from_sentences(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    patterns = [p for p in rules.patterns if holds_in(p, reading)]
    cues = [p for p in rules.cues if holds_in(p, reading)]
    negations = [p for p in rules.negations if holds_in(p, reading)]
    if not (patterns or cues or negations):
        return
    for sentence, text in reading.statements:
        yield from _negated(reading, rules, negations, sentence, affinity)
        for cue in cues:
            if cue.says(text):
                value: Any = cue.member if rules.kind == "enum" else cue.member == "true"
                weight = affinity * cue.weight
                yield candidate_of(reading, rules, value, sentence.unit, sentence.as_of, weight, "sentence")
                break
        for pattern in patterns:
            if not pattern.says(text):
                continue
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
        if pattern.says(sentence.passage.text):
            is_list = rules.kind == "list"
            yield candidate_of(
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
                yield candidate_of(
                    reading, rules, None, unit, as_of, weight, "sentence", items=items, is_list=True
                )
        return
    found = pattern.expression.search(text)
    if found is not None and found.groupdict().get("v"):
        taken: list[Taken] = take(found["v"], rules)
        if taken:
            yield candidate_of(reading, rules, taken[0].value, unit, as_of, weight, "sentence")


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
