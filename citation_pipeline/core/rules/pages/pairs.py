"""Labels and what they label: to the right, behind dots, below in the same box, or in the same breath.

Works on rows of segments and a tree of known labels. Whether a value has the right type is not asked here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citation_pipeline.core.rules.lexicons.label_trees import LabelTree
from citation_pipeline.core.rules.pages.labelled_rows import LabelledRows
from citation_pipeline.core.rules.pages.labels import LabelHit, opens_with_label
from citation_pipeline.core.rules.pages.layout import Row, Segment, is_box_mark
from citation_pipeline.core.rules.pages.passages import EMPTY, Passage, join
from citation_pipeline.core.rules.pages.segments import cut_at, is_larger
from citation_pipeline.core.rules.pages.sentences import cut_sentences
from citation_pipeline.core.values.dates import find_dates

_CENTS = re.compile(r"\$? ?-?\d[\d,]*\.\d{2}")
_COUNT = re.compile(r"\d{1,5}")
# `Date received: 08/12` is another label than `Date`.
_LONGER_LABEL = re.compile(r"(?:[a-z][\w/'\u2019-]*\s+){0,2}[a-z][\w/'\u2019-]*\s?:(?=\s|$)")
_SUM = re.compile(r"[($\u20ac\u00a3]*-?\d[\d.,]*\d[)%\u20ac]*")


@dataclass(frozen=True)
class Pair:
    """A label that was found and the passage that it labels; `method` says where the value was.

    `keys` are the fields that use the label. `label` may be empty of words for a part of a compound.
    """

    keys: frozenset[str]
    name: tuple[str, ...]
    label: Passage
    value: Passage
    method: str
    page: int
    row: int
    is_firm: bool = True
    is_second: bool = False
    whole: Passage = EMPTY

    @property
    def unit(self) -> Passage:
        """What a citation shows: label and value as printed."""
        return self.whole if self.whole.words else join((self.label, self.value))


def read_pairs(rows: Sequence[Row], labels: LabelTree) -> list[Pair]:
    """Return every label with its value, in the order of the page."""
    labelled = LabelledRows(rows, labels)
    return [pair for row in rows for pair in _pairs_of_row(labelled, row)]


def _pairs_of_row(labelled: LabelledRows, row: Row) -> Iterator[Pair]:
    for place, segment in enumerate(row.segments):
        hits = labelled.hits[row.number, place]
        for number, hit in enumerate(hits):
            following = hits[number + 1] if number + 1 < len(hits) else None
            yield from _pairs_of_hit(labelled, row, place, segment, hit, following)


def _pairs_of_hit(
    labelled: LabelledRows, row: Row, place: int, segment: Segment, hit: LabelHit, following: LabelHit | None
) -> Iterator[Pair]:
    label = segment.passage.part(hit.start, hit.end)
    pair = Pair(hit.keys, hit.name, label, EMPTY, "", segment.page, row.number)
    stop = following.start if following else len(segment.text)
    if hit.value_start < stop:
        value = segment.passage.part(hit.value_start, stop)
        if following is None:
            value = join((value, *labelled.wrapped(row, segment, cut_at(segment, hit.value_start))))
        if not hit.is_first:
            # a label inside running text names what its own sentence says
            value = next(iter(cut_sentences(value)), value)
        if not hit.has_separator and _LONGER_LABEL.match(value.text):
            return
        method = "inline" if hit.has_separator else "loose"
        yield replace(pair, value=value, method=method, is_firm=hit.has_separator)
        small_print = hit.is_first and following is None
        if not small_print or (hit.has_separator and not labelled.has_larger_below(row, segment)):
            return
    elif following is not None:
        return
    # a bare label, or one whose line goes on with small print: look beside and below it
    right = _right(labelled, row, place, segment, has_colon=hit.has_separator)
    below = labelled.below(row, segment)
    prefers_right = right is not None and (
        segment.has_leader
        or hit.has_separator
        or below is None
        or not (labelled.is_head_of_columns(row) or is_larger(below[0], segment))
        or not (labelled.is_head_of_columns(row) or labelled.is_form_row(row, place))
    )
    if hit.value_start >= stop:
        whole = segment.passage.part(0, stop) if following is None else label
        if right is not None and prefers_right and not _is_record(row, place, hit):
            yield replace(pair, label=whole, value=right, method="right")
            if below is not None and not hit.has_separator:
                # for a field whose kind of value is not on the right
                lower = join(cell.passage for cell in below)
                yield replace(pair, label=whole, value=lower, method="below", is_second=True)
        elif below is not None:
            method = "below"
            if labelled.is_head_of_columns(row):
                # one cell under a head is its value, several are a listing's
                is_one = len(below) == 1 and not labelled.heads_listing(row)
                method = "under" if is_one else "column"
            value = join(cell.passage for cell in below)
            if not hit.is_first:
                value = next(iter(cut_sentences(value)), value)
            yield replace(pair, label=whole, value=value, method=method)
    elif below is not None and is_larger(below[0], segment):
        yield replace(pair, label=segment.passage, value=join(cell.passage for cell in below), method="below")


def _is_record(row: Row, place: int, hit: LabelHit) -> bool:
    """Tell whether a bare label stands inside a record: `03/05/25  4139  Clinic  MED  148.75`."""
    return place >= 2 and not hit.has_separator and bool(find_dates(row.segments[0].text[:12]))


def _right(
    labelled: LabelledRows, row: Row, place: int, segment: Segment, *, has_colon: bool
) -> Passage | None:
    if place + 1 >= len(row.segments):
        return None
    value = row.segments[place + 1]
    # behind dots or a colon is a value, though it may read like a label: `Evaluator type ... AME`
    hits = labelled.hits[row.number, place + 1]
    is_sure = segment.has_leader or (has_colon and bool(hits) and not hits[0].has_separator)
    if opens_with_label(hits, value) and (value.has_leader or not is_sure):
        return None
    rest = [value]
    # a count before a sum: `Totals  23  $24,150.00`
    if _COUNT.fullmatch(value.text):
        rest.extend(
            other for other in row.segments[place + 2 :] if _SUM.fullmatch(other.text.replace(" ", ""))
        )
    # a cell may hold several short runs: boxes with their answers
    for other in row.segments[place + 2 :]:
        if not (is_box_mark(other.text) and is_box_mark(value.text)):
            break
        rest.append(other)
    return join((*(cell.passage for cell in rest), *labelled.wrapped(row, rest[-1], value)))


def is_one_of_columns(rows: Sequence[Row], pair: Pair) -> bool:
    """Tell whether more sums follow a value on its row: `Weekly rate  700.00  725.00` has heads above."""
    if pair.method not in ("right", "grid", "field", "under") or not pair.value.words:
        return False
    last = pair.value.words[-1]
    for row in rows[max(pair.row - 1, 0) : pair.row + 2]:
        places = [n for n, segment in enumerate(row.segments) if last in segment.words]
        if places:
            # behind another text, `Weekly rate  700.00  Wage  1,050.00`, a sum is that text's
            beside = row.segments[places[0] + 1 : places[0] + 2]
            return any(_CENTS.fullmatch(segment.text) for segment in beside)
    return False
