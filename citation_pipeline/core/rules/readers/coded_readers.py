"""Readers of lines with a code: `S83.241D Tear of the medial meniscus`, `2. Lumbar sprain S33.5XXA`.

A line that opens or ends with one code and is a description else is an item, whatever is above it. Which
members the words and the code are comes from the lexicon (`coded`).
"""

import re
from collections.abc import Iterator, Sequence

from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.pages.layout import Row
from citation_pipeline.core.rules.pages.passages import Passage, join
from citation_pipeline.core.rules.readers.candidates import Candidate, Item, candidate_of
from citation_pipeline.core.values.names import ICD10

_CODE = re.compile(ICD10)
_MARK = re.compile(
    r"^(?:(?:A|A/P|Dx|DX|Assessment|Impression|Diagnos[ei]s)\s?:\s*)?(?:[xX]\s+)?(?:[A-Z]\s+(?=\d))?"
    r"(?:\(?\d{1,2}(?:[.)]|(?=\s+[A-Z][a-z]))|[-\u2022*])\s*"
)
# One row may number several: `1) Sprain of ankle S93.401A 2) Contusion of foot S90.31XA`.
_NEXT_MARK = re.compile(r"(?<=\S)\s+(?=\(?\d{1,2}[.)]\s+\S)")
_OPENS = re.compile(rf"^(?:A\s?:\s*)?(?:\(?\d{{1,2}}[.)]|[\u2022*-]|{ICD10})")
_EDGES = " \t,;:.()[]-\u2013\u2014|"
_WORD = re.compile(r"[^\W\d_]{3,}")
_LEAST_WORDS, _MOST_WORDS = 2, 22
# What a code's place in the list is called, and a remark that the line's own end cuts off.
_RANK = re.compile(r"primary|principal|main|secondary", re.IGNORECASE)
_RANKED = re.compile(r"\s*\((?:primary|principal|main|secondary)$", re.IGNORECASE)
_OPEN_REMARK = re.compile(r"\s*\([^()]*$")
# Lines of one list are under one another; what is further apart is another list, or a sentence.
_GAP = 2.5
_WEIGHT = 0.9


def read_coded(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Return the lines with a code as lists, each as long as its lines follow one another."""
    if rules.coded is None or reading.first_entry is not None:
        return
    run: list[tuple[Row, Item]] = []
    for row in reading.rows:
        told, _ = rules.coded
        items = [
            item
            for item in _items_of(row, rules.coded)
            if rules.reject is None or not rules.reject.search(str(item.value[told]))
        ]
        if items and run and not _follows(run[-1][0], row):
            yield from _of_run(reading, rules, affinity, run)
            run = []
        run.extend((row, item) for item in items)
    yield from _of_run(reading, rules, affinity, run)


def _items_of(row: Row, members: tuple[str, str]) -> list[Item]:
    """Return the item of a row, or the several that it numbers with a code each."""
    cuts = [0, *(mark.end() for mark in _NEXT_MARK.finditer(row.text)), len(row.text)]
    parts = [row.passage.part(*cut) for cut in zip(cuts, cuts[1:], strict=False)]
    if len(parts) > 2 and not _CODE.search(parts[0].text):
        parts = parts[1:]  # what is before the first number: `Assessment:`
    if len(parts) > 1 and all(len(_CODE.findall(part.text)) == 1 for part in parts):
        items = [item for part in parts if (item := _item_of(part, members)) is not None]
        return items if len(items) == len(parts) else []  # some of a sentence's are no list
    whole = _item_of(row.passage, members)
    return [] if whole is None else [whole]


def _item_of(unit: Passage, members: tuple[str, str]) -> Item | None:
    """Return the item of a line with one code at either end and a description beside it."""
    text = _MARK.sub("", unit.text)
    codes = list(_CODE.finditer(text))
    if len(codes) != 1:
        return None
    before, after = text[: codes[0].start()].strip(_EDGES), text[codes[0].end() :].strip(_EDGES)
    told = _OPEN_REMARK.sub("", _RANKED.sub("", before or after))
    if (before and after and not _RANK.fullmatch(after)) or not (
        _LEAST_WORDS <= len(_WORD.findall(told)) <= _MOST_WORDS
    ):
        return None
    return Item({members[0]: told, members[1]: codes[0][0]}, unit)


def _follows(above: Row, row: Row) -> bool:
    return row.page == above.page and row.box.top - above.box.bottom < _GAP * row.segments[0].height


def _of_run(
    reading: DocumentReading, rules: FieldRules, affinity: float, run: Sequence[tuple[Row, Item]]
) -> Iterator[Candidate]:
    # one line that ends with a code may be a sentence's, wrapped
    is_list = len(run) > 1 or any(_OPENS.match(row.text) for row, _ in run)
    if run and is_list:
        items = [item for _, item in run]
        whole = join(item.unit for item in items)
        weight = affinity * _WEIGHT
        yield candidate_of(
            reading, rules, None, whole, reading.date, weight, "coded", items=items, is_list=True
        )
