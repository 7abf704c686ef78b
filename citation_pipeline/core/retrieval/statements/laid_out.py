"""Labels with their values as the page's layout has them: the fields of forms, and the cells of tables.

The parser has seen rules, boxes and columns, so these are firmer than what rows of text suggest (`pairs`,
`rows`). A check box answers with the words that it ticks.
"""

import re
from collections.abc import Iterator, Sequence

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.layout.forms import KeyValue, checkboxes_of, fields_of
from citation_pipeline.core.layout.tables import Cell, Table, tables_of
from citation_pipeline.core.layout.ticks import CHECKED, UNCHECKED, split_tokens, words_behind
from citation_pipeline.core.retrieval.statements.printed_documents import (
    LETTER,
    QUOTE_WORDS,
    PrintedDocument,
)
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.rules.pages.passages import Passage, passage_of, without_leaders
from citation_pipeline.core.rules.pages.segments import shared_width

_LABEL_WORDS = 14  # the longest printed labels of the state's forms; a longer text is a sentence
_BOXED = 0.55  # of a form's boxes so many have a label over a value; wrapped cells of a list are fewer
_NUMBERED_BOX = re.compile(r"\(?\d{1,2}[a-z]?[.)]?\s*[A-Z]")
_BOX_NUMBER = re.compile(r"^\(?\d{1,2}[a-z]?[.)]?\s*(?=[A-Z])")
# words of which a form's captions are made
_NAMES = re.compile(
    r"(?i)\b(?:names?|dates?|birth\s?date|address|telephone|phone|fax|no\.|number|employer|employee|worker|carrier|"
    r"insurer|agent|title|occupation|wages?|time|signature|location|city|zip|nature|type|body|physician|hired|"
    r"policy|sex|marital|prepared|premises|hospitalized|accident|injury|business|department|shift|dependents)\b"
)
_LEAST_CAPTIONS, _MOSTLY = 4, 3
_ABOVE = 2.5  # line heights between a value and the caption under it
_DAY = re.compile(r"\b\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}\b")
_CROSS = re.compile(r"[xX✓✔✗✘☑☒]|\[x\]")
_MARKS = (CHECKED, UNCHECKED)


def read_laid_out_statements(printed: PrintedDocument) -> Iterator[Statement]:
    """Return the fields of a document's forms as pairs, and its tables as pairs and cells."""
    row_of = {word: row.number for row in printed.rows for word in row.words}
    reader = _Reader(printed, row_of)
    found = list(reader.fields())
    for table in tables_of(printed.document):
        found += reader.table(table)
    captioned = [
        page for page in {s.page for s in found} if _has_captions([s for s in found if s.page == page])
    ]
    named: set[int] = set()
    for statement in found:
        is_turned = statement.kind == "pair" and statement.page in captioned
        for kept in reader.reversed(statement) if is_turned else (statement,):
            named.update(kept.words)
            yield kept
    for page in captioned:
        yield from reader.above_captions(page, named)


def _has_captions(found: Sequence[Statement]) -> bool:
    """Tell whether a page names its values below or behind them: a state's form with captions under lines."""
    pairs = [(bool(_NAMES.search(s.label)), bool(_NAMES.search(s.text))) for s in found if s.kind == "pair"]
    before = sum(label and not value for label, value in pairs)
    behind = sum(value and not label for label, value in pairs)
    return behind >= _LEAST_CAPTIONS and behind > _MOSTLY * before


def heads_of_boxes(document: ParsedDocument) -> Iterator[int]:
    """Return the words that are no values of their neighbours: heads of columns, empty boxes, check boxes."""
    for table in tables_of(document):
        is_headed = sum(bool(name) for name in table.header) > 1
        ticked = {cell.row for cell in table.cells if any(mark in cell.text for mark in _MARKS)}
        for cell in table.cells:
            is_head = (is_headed and cell.is_header) or _NUMBERED_BOX.match(cell.text)
            if is_head or cell.row in ticked:
                yield from cell.word_ids


class _Reader:
    """What is read in one document, under the headings that its rows have."""

    def __init__(self, printed: PrintedDocument, row_of: dict[int, int]) -> None:
        self._printed = printed
        self._document: ParsedDocument = printed.document
        self._row_of = row_of

    def fields(self) -> Iterator[Statement]:
        """Return the labels with the values beside or below them that the parser joined."""
        ticked: dict[int, list[tuple[range, bool]]] = {}
        for box in checkboxes_of(self._document):
            ticked.setdefault(box.block_id, []).append((box.label_ids, box.checked))
        for field in fields_of(self._document):
            value = _ticked_value(field, ticked.get(field.block_id, ()))
            yield from self._pair(field.label_ids, value)

    def reversed(self, statement: Statement) -> Iterator[Statement]:
        """Return a pair whose value is in front of its caption, the right way round."""
        value = set(statement.value_words)
        yield from self._pair(statement.value_words, [w for w in statement.words if w not in value])

    def above_captions(self, page: int, named: set[int]) -> Iterator[Statement]:
        """Return what stands right above each caption of a page that has no value yet."""
        segments = [s for row in self._printed.rows if row.page == page for s in row.segments]
        for caption in segments:
            is_caption = _NAMES.search(caption.text) and sum(c.isdigit() for c in caption.text) <= 2
            if not is_caption or not named.isdisjoint(caption.words):
                continue
            above = [
                (caption.box.top - other.box.bottom, other)
                for other in segments
                if other.box.bottom <= caption.box.top + 0.3 * caption.height
                and shared_width(other, caption) > 0
            ]
            gap, value = min(above, key=lambda found: found[0], default=(1.0, caption))
            if gap < _ABOVE * caption.height and named.isdisjoint(value.words):
                yield from self._pair(caption.words, value.words)

    def table(self, table: Table) -> Iterator[Statement]:
        """Return what a table states: boxes of a form, labels beside values, or cells under heads."""
        rows = [[cell for cell in table.row(n) if cell.word_ids or cell.text] for n in range(table.rows)]
        filled = [cell for row in rows for cell in row]
        if _share_boxed([self._lines(cell) for cell in filled]) >= _BOXED:
            for cell in filled:
                yield from self._box(cell)
            yield from self._stacked(rows)
        elif sum(bool(name) for name in table.header) > 1:
            for row in rows:
                yield from self._cells(table, row)
        else:
            for row in rows:
                yield from self._beside(row)

    def _box(self, cell: Cell) -> Iterator[Statement]:
        """Return the label in a form's box with the lines below it, or with what is ticked there."""
        lines = self._lines(cell)
        if len(lines) < 2:
            return
        rest = [word for line in lines[1:] for word in line]
        options = self._options(cell)
        if options:
            rest = [word for words, checked in options if checked for word in words]
        yield from self._pair(lines[0], rest)

    def _stacked(self, rows: Sequence[Sequence[Cell]]) -> Iterator[Statement]:
        """Return the numbered labels of a row of boxes with the values in the row below."""
        for labels, values in zip(rows, rows[1:], strict=False):
            if not labels or not all(_NUMBERED_BOX.match(cell.text) for cell in labels):
                continue
            if any(_NUMBERED_BOX.match(cell.text) and LETTER.search(cell.text) for cell in values):
                continue
            below = {cell.column: cell for cell in values}
            for label in labels:
                value = below.get(label.column)
                if value is not None and len(self._lines(label)) == 1:
                    yield from self._pair(label.word_ids, value.word_ids)

    def _beside(self, row: Sequence[Cell]) -> Iterator[Statement]:
        """Return labels with the cells beside them; of check boxes those that are ticked."""
        if len(row) < 2:
            return
        if any(mark in cell.text for cell in row[1:] for mark in _MARKS):
            ticked = [w for cell in row[1:] for words, on in self._options(cell) if on for w in words]
            yield from self._pair(row[0].word_ids, ticked)
            return
        if len(row) % 2 and len(row) > 3:
            return
        for label, value in zip(row[::2], row[1::2], strict=False):
            if not (_CROSS.fullmatch(value.text) or any(mark in label.text for mark in _MARKS)):
                yield from self._pair(label.word_ids, value.word_ids)

    def _cells(self, table: Table, row: Sequence[Cell]) -> Iterator[Statement]:
        """Return a row's cells, each labelled with what its row is of and with the head of its column."""
        if all(cell.is_header for cell in row) or len(row) < 2:
            return
        first = row[0]
        for cell in row:
            head = table.header[cell.column] if cell.column < len(table.header) else ""
            naming = self._naming(table, row, first, cell)
            name = " ".join(other.text for other in naming)
            if _CROSS.fullmatch(cell.text):
                heads = [h for h in table.cells if h.is_header and h.column == cell.column and h.word_ids]
                if heads and cell is not first:
                    yield from self._pair(first.word_ids, heads[-1].word_ids)
                continue
            if not cell.word_ids or not head or not naming or any(mark in cell.text for mark in _MARKS):
                continue
            words = tuple(word for other in naming for word in other.word_ids)
            if len(words) + len(cell.word_ids) > QUOTE_WORDS:
                continue
            yield self._state("cell", cell.word_ids, (*words, *cell.word_ids), f"{name} {head}")

    def _naming(self, table: Table, row: Sequence[Cell], first: Cell, cell: Cell) -> list[Cell]:
        """Return the cells that tell what a row is of: the first, or all words where that is not enough."""
        same = sum(
            other.text == first.text for other in table.cells if other.column == first.column and other.text
        )
        if cell is not first and LETTER.search(first.text) and same == 1:
            return [first]
        others = [o for o in row if o is not cell and (LETTER.search(o.text) or _DAY.search(o.text))]
        return [first, *(o for o in others if o is not first)] if cell is not first else others

    def _options(self, cell: Cell) -> list[tuple[list[int], bool]]:
        """Return the words behind each check box of a cell, and whether it is ticked."""
        found: list[tuple[list[int], bool]] = []
        texts, at, end = self._document.words.texts, cell.word_ids.start, cell.word_ids.stop
        for token in split_tokens(cell.text):
            count = min(words_behind(token, texts, at, end), end - at)
            if token in _MARKS:
                found.append(([], token == CHECKED))
            elif found:
                found[-1][0].extend(range(at, at + count))
            at += count
        return found

    def _lines(self, cell: Cell) -> list[list[int]]:
        lines: dict[int, list[int]] = {}
        for word in cell.word_ids:
            lines.setdefault(int(self._document.words.line[word]), []).append(word)
        return list(lines.values())

    def _pair(self, label_ids: Sequence[int], value_ids: Sequence[int]) -> Iterator[Statement]:
        label = without_leaders(passage_of(self._document, label_ids))
        value = without_leaders(passage_of(self._document, value_ids))
        if not is_label(label.text) or not value.words or len(label.words) + len(value.words) > QUOTE_WORDS:
            return
        words = (*label.words, *value.words)
        name = _BOX_NUMBER.sub("", label.text.strip()).rstrip(":").strip()
        yield self._state("pair", value.words, words, name)

    def _state(self, kind: str, value_ids: Sequence[int], words: Sequence[int], label: str) -> Statement:
        value: Passage = without_leaders(passage_of(self._document, value_ids))
        return self._printed.state(
            kind,
            page=int(self._document.words.page[words[0]]),
            value=value,
            words=tuple(dict.fromkeys(words)),
            label=label,
            context=self._printed.headings.get(self._row_of.get(words[0], -1), ""),
            is_laid_out=True,
        )


def is_label(text: str) -> bool:
    """Tell whether a text may name a value: a few words, and no sentence."""
    if len(text.split()) > _LABEL_WORDS or not LETTER.search(text):
        return False
    return not text.endswith((",", ";")) and not (text.endswith(".") and len(text.split()) > 4)


def _ticked_value(field: KeyValue, boxes: Sequence[tuple[range, bool]]) -> list[int]:
    """Return the words of a field's value, of check boxes only those that are ticked."""
    value = set(field.value_ids)
    within = [(ids, checked) for ids, checked in boxes if value.intersection(ids)]
    if not within:
        return list(field.value_ids)
    return [word for ids, checked in within if checked for word in ids if word in value]


def _share_boxed(cells: Sequence[Sequence[Sequence[int]]]) -> float:
    """Return the share of a table's cells, of those of more than one word, that have lines below one."""
    several = [lines for lines in cells if sum(len(line) for line in lines) > 1]
    return sum(len(lines) > 1 for lines in several) / len(several) if len(several) > 1 else 0.0
