"""Pairs of a document: the fields that its parser found, and the labels that its rows show elsewhere.

How a label's value is found on the page belongs to `pairs`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.layout.forms import KeyValue, fields_of
from citation_pipeline.core.layout.tables import Table
from citation_pipeline.core.rules.lexicons.label_trees import LabelTree, label_words
from citation_pipeline.core.rules.lexicons.lexicon import Lexicon
from citation_pipeline.core.rules.pages.grids import read_grids
from citation_pipeline.core.rules.pages.labels import DECORATION, PREFIX, words_with_places
from citation_pipeline.core.rules.pages.layout import Row
from citation_pipeline.core.rules.pages.pairs import Pair, read_pairs
from citation_pipeline.core.rules.pages.passages import Passage, join, passage_of, without_leaders

_TWO_FIELDS = re.compile(r":\s+\S|^\S*\d\S*$")
_OPENS_FIELD = re.compile(r"^[A-Z][\w /.&'-]{1,30}:(?:\s|$)")
# The dots of the next label on the line: `COLLEEN SUPV ....... : BEAUDRY`.
_LEADS_ON = re.compile(r"[A-Za-z)] ?\.{3,} ?:")
_GOES_ON_WITH_FIELD = re.compile(r"[.;] [A-Z][\w/&'-]{1,20}(?: [\w/&'-]{1,15}){0,2}: ")


def read_document_pairs(
    document: ParsedDocument, rows: Sequence[Row], tables: Sequence[Table], lexicon: Lexicon
) -> list[Pair]:
    """Return the pairs of grids, then of the parser's fields, then those that the rows show elsewhere."""
    grid = read_grids(rows, lexicon.labels)
    outside = (
        *_field_pairs(document, rows, lexicon),
        *_row_pairs(document, rows, tables, lexicon),
    )
    apart = (pair for pair in outside if not grid.words.intersection(pair.unit.words))
    return [*grid.pairs, *apart, *_led_pairs(rows, lexicon.labels)]


def _field_pairs(document: ParsedDocument, rows: Sequence[Row], lexicon: Lexicon) -> Iterator[Pair]:
    """Return the pairs of the fields that the parser itself found."""
    row_of = {word: row.number for row in rows for word in row.words}
    for field in _whole_fields(document, lexicon):
        label = without_leaders(passage_of(document, field.label_ids))
        value = without_leaders(passage_of(document, field.value_ids))
        if not (label.words and value.words):
            continue
        first = label.words[0]
        yield from _pairs_of_field(
            label,
            value,
            lexicon.labels,
            page=int(document.words.page[first]),
            row=row_of.get(first, 0),
            is_recognized=not isnan(float(document.words.confidence[first])),
        )


def _pairs_of_field(
    label: Passage,
    value: Passage,
    labels: LabelTree,
    *,
    page: int,
    row: int,
    is_recognized: bool = False,
) -> list[Pair]:
    """Return the pairs of a field whose label and value a parser has distinguished already.

    A label that names two things (`TD rate / AWW`) parts a value with as many parts. A recognized label may
    have letters misread.
    """
    text = label.text
    spots = words_with_places(text)
    words = [word for word, _, _ in spots]
    prefix = PREFIX.match(text)
    first = prefix.end() if prefix else 0
    place = next((n for n, spot in enumerate(spots) if spot[1] >= first), None)
    if place is None:
        return []
    match = labels.longest(words, place)
    if match is None and first:
        place, match = 0, labels.longest(words, 0)
    meant = labels.misread(words[place:]) if is_recognized else None
    if meant is not None and (match is None or match[0] < len(meant[0])):
        return [Pair(meant[1], meant[0], label, value, "field", page, row)]
    own = labels.meant(words[place:]) if match is None or place + match[0] < len(words) else None
    if own is not None:
        return [Pair(own[1], own[0], label, value, "field", page, row)]
    if match is None:
        return []
    length, keys = match
    rest = text[spots[place + length - 1][2] :].strip()
    found = Pair(keys, tuple(words[place : place + length]), label, value, "field", page, row)
    second = labels.longest(words, place + length) if rest.startswith("/") else None
    if second is not None:
        halves = _halves(value)
        if halves is not None:
            name = tuple(words[place + length : place + length + second[0]])
            found = replace(found, whole=join((label, value)))
            other = replace(found, keys=second[1], name=name, value=halves[1])
            return [replace(found, value=halves[0]), other]
    return [found] if not rest or not rest[0].isalnum() or DECORATION.match(rest) else []


def _halves(value: Passage) -> tuple[Passage, Passage] | None:
    """Return the two parts of `$809.80 / $1,214.70`."""
    if value.texts.count("/") != 1:
        return None
    cut = value.starts[value.texts.index("/")]
    return value.part(0, cut), value.part(cut + 2, len(value.text))


def _whole_fields(document: ParsedDocument, lexicon: Lexicon) -> Iterator[KeyValue]:
    """Return the parser's fields, but not those where two fields side by side were taken for one."""
    for field in fields_of(document):
        label = " ".join(document.words.texts[word] for word in field.label_ids)
        value = " ".join(document.words.texts[word] for word in field.value_ids)
        if not (label and value) or _TWO_FIELDS.search(label) or _OPENS_FIELD.match(value):
            continue
        if _GOES_ON_WITH_FIELD.search(value[:900]) or _LEADS_ON.search(value[:900]):
            continue
        if not (_are_headings(label, value, lexicon)):
            yield field


def _are_headings(label: str, value: str, lexicon: Lexicon) -> bool:
    """Tell whether two bare labels are side by side: each heads a column of its own."""
    if label.rstrip().endswith((":", ".", "?", "#", "_")):
        return False
    return all(_is_label(text, lexicon) for text in (label, value))


def _is_label(text: str, lexicon: Lexicon) -> bool:
    words = label_words(text)
    found = lexicon.labels.longest(words, 0)
    return found is not None and found[0] == len(words)


def _row_pairs(
    document: ParsedDocument, rows: Sequence[Row], tables: Sequence[Table], lexicon: Lexicon
) -> Iterator[Pair]:
    """Return the pairs that the rows show, where the parser saw neither a field nor a table of records."""
    taken = {
        word for field in _whole_fields(document, lexicon) for word in (*field.label_ids, *field.value_ids)
    }
    of_records = {word for table in tables for word in _record_words(table, lexicon)}
    for pair in read_pairs(rows, lexicon.labels):
        first = pair.label.words[0]
        # a colon makes a label also inside a table: `Total TTC :` below the prices
        has_colon = pair.label.text.rstrip().endswith(":") or (pair.method == "inline" and pair.is_firm)
        if first not in taken and (first not in of_records or has_colon):
            yield pair


_LEADS = 8  # words of a line that leads others
_SUM = re.compile(r"[($\u20ac\u00a3 ]*\d[\d.,]*\d[) ]*")


def _led_pairs(rows: Sequence[Row], labels: LabelTree) -> Iterator[Pair]:
    """Return the sums whose lines another line leads: `Still held:`, and below it `for medical  27,500`."""
    lead: Row | None = None
    for row in rows:
        is_lead = len(row.segments) == 1 and row.text.endswith(":") and len(row.text.split()) <= _LEADS
        if is_lead or len(row.segments) != 2 or not _SUM.fullmatch(row.segments[1].text):
            lead = row if is_lead else None
            continue
        if lead is None or lead.page != row.page:
            continue
        name, value = row.segments
        meant = labels.meant([*label_words(lead.text), *label_words(name.text)])
        if meant is not None:
            label = join((lead.passage, name.passage))
            yield Pair(meant[1], meant[0], label, value.passage, "right", row.page, row.number)


def _record_words(table: Table, lexicon: Lexicon) -> Iterator[int]:
    """Return the words of a table that are no labels: heads of columns, and all of a table of records."""
    firsts: dict[int, str] = {}
    for cell in table.cells:
        if cell.text.strip():
            firsts.setdefault(cell.row, cell.text)
    known = sum(lexicon.labels.longest(label_words(text), 0) is not None for text in firsts.values())
    is_grid = known >= 0.4 * max(len(firsts), 1)
    for cell in table.cells:
        if not is_grid or (cell.row == 0 and table.columns >= 3 and cell.is_header and table.rows > 2):
            yield from cell.word_ids
