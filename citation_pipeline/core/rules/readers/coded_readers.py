"""Readers of lines with a code: `S83.241D Tear of the medial meniscus`, `2. Lumbar sprain S33.5XXA`.

A line that opens or ends with one code and is a description else is an item, whatever is above it. Which
members the words and the code are comes from the lexicon (`coded`).
"""

import re
from collections.abc import Iterator, Sequence

from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.pages.layout import Row
from citation_pipeline.core.rules.pages.passages import join
from citation_pipeline.core.rules.readers.candidates import Candidate, Item, candidate_of
from citation_pipeline.core.values.names import ICD10

_CODE = re.compile(ICD10)
_MARK = re.compile(
    r"^(?:(?:A|A/P|Dx|DX|Assessment|Impression|Diagnos[ei]s)\s?:\s*)?(?:[xX]\s+)?(?:[A-Z]\s+(?=\d))?(?:\(?\d{1,2}[.)]|[-\u2022*])\s*"
)
_OPENS = re.compile(rf"^(?:A\s?:\s*)?(?:\(?\d{{1,2}}[.)]|[\u2022*-]|{ICD10})")
_EDGES = " \t,;:.()[]-\u2013\u2014|"
_WORD = re.compile(r"[^\W\d_]{3,}")
_LEAST_WORDS, _MOST_WORDS = 2, 22
# Lines of one list are under one another; what is further apart is another list, or a sentence.
_GAP = 2.5
_WEIGHT = 0.9


def read_coded(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Return the lines with a code as lists, each as long as its lines follow one another."""
    if rules.coded is None or reading.first_entry is not None:
        return
    run: list[tuple[Row, Item]] = []
    for row in reading.rows:
        item = _item_of(row, rules.coded)
        if item is None or (
            rules.reject is not None and rules.reject.search(str(item.value[rules.coded[0]]))
        ):
            continue
        if run and not _follows(run[-1][0], row):
            yield from _of_run(reading, rules, affinity, run)
            run = []
        run.append((row, item))
    yield from _of_run(reading, rules, affinity, run)


def _item_of(row: Row, members: tuple[str, str]) -> Item | None:
    """Return the item of a row with one code at either end and a description beside it."""
    text = _MARK.sub("", row.text)
    codes = list(_CODE.finditer(text))
    if len(codes) != 1:
        return None
    before, after = text[: codes[0].start()].strip(_EDGES), text[codes[0].end() :].strip(_EDGES)
    told = before or after
    if (before and after and after.casefold() != "primary") or not (
        _LEAST_WORDS <= len(_WORD.findall(told)) <= _MOST_WORDS
    ):
        return None
    return Item({members[0]: told, members[1]: codes[0][0]}, row.passage)


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
