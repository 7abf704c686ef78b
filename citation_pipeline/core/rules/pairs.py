"""Labels and what they label: to the right, behind dots, below in the same box, or in the same breath.

Works on rows of segments and a tree of known labels. Whether a value has the right type is not asked here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citation_pipeline.core.rules.labels import (
    DECORATION,
    PREFIX,
    LabelHit,
    find_labels,
    opens_with_label,
    words_with_places,
)
from citation_pipeline.core.rules.layout import Row, Segment, is_box_mark
from citation_pipeline.core.rules.lexicon import LabelTree
from citation_pipeline.core.rules.passages import EMPTY, Passage, join
from citation_pipeline.core.rules.segments import (
    continues_label,
    cut_at,
    is_larger,
    is_under,
    part_of,
    whole_of,
)


@dataclass(frozen=True)
class Pair:
    """A label that was found and the passage that it labels; `method` says where the value stood.

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
    whole: Passage = EMPTY

    @property
    def unit(self) -> Passage:
        """What a citation shows: label and value as printed."""
        return self.whole if self.whole.words else join((self.label, self.value))


def read_pairs(rows: Sequence[Row], labels: LabelTree) -> list[Pair]:
    """Return every label with its value, in the order of the page."""
    hits = {
        (row.number, place): find_labels(segment, labels)
        for row in rows
        for place, segment in enumerate(row.segments)
    }
    reader = _Reader(rows, hits)
    return [pair for row in rows for pair in reader.pairs_of(row)]


def pair_of_field(
    label: Passage,
    value: Passage,
    labels: LabelTree,
    *,
    page: int,
    row: int,
    is_recognized: bool = False,
) -> list[Pair]:
    """Return the pairs of a field whose label and value a parser has told apart already.

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


class _Reader:
    """Finds the values of the labels of one document's rows."""

    def __init__(self, rows: Sequence[Row], hits: dict[tuple[int, int], list[LabelHit]]) -> None:
        self.rows = rows
        self.hits = hits

    def pairs_of(self, row: Row) -> Iterator[Pair]:
        for place, segment in enumerate(row.segments):
            hits = self.hits[row.number, place]
            for number, hit in enumerate(hits):
                following = hits[number + 1] if number + 1 < len(hits) else None
                yield from self._pairs_of_hit(row, place, segment, hit, following)

    def _pairs_of_hit(
        self, row: Row, place: int, segment: Segment, hit: LabelHit, following: LabelHit | None
    ) -> Iterator[Pair]:
        label = part_of(segment, hit.start, hit.end)
        pair = Pair(hit.keys, hit.name, label, EMPTY, "", segment.page, row.number)
        stop = following.start if following else len(segment.text)
        if hit.value_start < stop:
            value = part_of(segment, hit.value_start, stop)
            if following is None:
                value = join((value, *self._continued(row, place, segment, hit)))
            method = "inline" if hit.has_separator else "loose"
            yield replace(pair, value=value, method=method, is_firm=hit.has_separator)
            small_print = hit.is_first and following is None
            if not small_print or (hit.has_separator and not self._has_larger_below(row, segment)):
                return
        elif following is not None:
            return
        # a bare label, or one whose line goes on with small print: look beside and below it
        right = self._right(row, place, segment, has_colon=hit.has_separator)
        below = self._below(row, segment)
        prefers_right = right is not None and (
            segment.has_leader
            or hit.has_separator
            or below is None
            or not (self._is_head_of_columns(row) or is_larger(below[0], segment))
            or not (self._is_head_of_columns(row) or self._is_form_row(row, place))
        )
        if hit.value_start >= stop:
            whole = part_of(segment, 0, stop) if following is None else label
            if right is not None and prefers_right:
                yield replace(pair, label=whole, value=right, method="right")
            elif below is not None:
                method = "column" if self._is_head_of_columns(row) else "below"
                yield replace(pair, label=whole, value=join(map(whole_of, below)), method=method)
        elif below is not None and is_larger(below[0], segment):
            yield replace(pair, label=whole_of(segment), value=join(map(whole_of, below)), method="below")

    def _right(self, row: Row, place: int, segment: Segment, *, has_colon: bool) -> Passage | None:
        if place + 1 >= len(row.segments):
            return None
        value = row.segments[place + 1]
        # behind dots or a colon stands a value, though it may read like a label: `Evaluator type ... AME`
        hits = self.hits[row.number, place + 1]
        is_sure = segment.has_leader or (has_colon and bool(hits) and not hits[0].has_separator)
        if opens_with_label(hits, value) and (value.has_leader or not is_sure):
            return None
        rest = [value]
        # a cell may hold several short runs: boxes with their answers
        for other in row.segments[place + 2 :]:
            if not (is_box_mark(other.text) and is_box_mark(value.text)):
                break
            rest.append(other)
        return join((*map(whole_of, rest), *self._wrapped(row, rest[-1], value)))

    def _has_larger_below(self, row: Row, segment: Segment) -> bool:
        below = self._below(row, segment)
        return below is not None and is_larger(below[0], segment)

    def _is_form_row(self, row: Row, place: int) -> bool:
        """Tell whether the neighbour on the right is a label too, with its own larger value below."""
        neighbour = row.segments[place + 1]
        below = self._below(row, neighbour)
        return bool(PREFIX.match(neighbour.text)) or (below is not None and is_larger(below[0], neighbour))

    def _is_head_of_columns(self, row: Row) -> bool:
        """Tell whether a row heads a table: three or more bare texts, nearly each with another below it."""
        if len(row.segments) < 3 or any(s.has_leader or s.text.endswith(":") for s in row.segments):
            return False
        headed = sum(self._below(row, segment) is not None for segment in row.segments)
        return headed >= 3 and headed >= 0.6 * len(row.segments)

    def _below(self, row: Row, label: Segment) -> list[Segment] | None:
        """Return the segments of the cell under a label: same left edge, close below."""
        found: list[Segment] = []
        bottom = label.box.bottom
        reach = 2.6 * label.height
        for other in self.rows[row.number + 1 : row.number + 7]:
            if other.page != label.page:
                break
            for place, segment in enumerate(other.segments):
                if not is_under(segment, label):
                    continue
                if segment.box.top - bottom > reach:
                    return found or None
                hits = self.hits[other.number, place]
                is_label = opens_with_label(hits, segment)
                if not found:
                    if is_label and not is_larger(segment, label):
                        return None
                    if continues_label(segment, label):
                        bottom = segment.box.bottom
                        continue
                elif (
                    is_label
                    or abs(segment.height - found[0].height) > 0.2 * found[0].height
                    or segment.box.top - bottom > 0.9 * segment.height
                ):
                    return found
                found.append(segment)
                bottom = segment.box.bottom
                reach = 1.0 * segment.height
                break
        return found or None

    def _continued(self, row: Row, place: int, segment: Segment, hit: LabelHit) -> list[Passage]:
        return self._wrapped(row, segment, cut_at(segment, hit.value_start))

    def _wrapped(self, row: Row, last: Segment, value: Segment) -> list[Passage]:
        """Return the lines on which a value goes on: below it, nearly full, not opening with a label."""
        found: list[Passage] = []
        current, number = last, row.number
        edge = self._right_edge(row, last)
        while number + 1 < len(self.rows):
            number += 1
            below = self.rows[number]
            if below.page != current.page or below.box.top - current.box.bottom > 0.85 * current.height:
                break
            step = self._continuation(below, current, value, last, edge)
            if step is None:
                break
            found.append(whole_of(step))
            current = step
        return found

    def _continuation(
        self, below: Row, current: Segment, value: Segment, first: Segment, edge: float
    ) -> Segment | None:
        for place, segment in enumerate(below.segments):
            tolerance = 1.2 * segment.height / segment.aspect
            aligned = (
                abs(segment.box.left - value.box.left) < tolerance
                or abs(segment.box.left - first.box.left) < tolerance
            )
            if not aligned:
                continue
            hits = self.hits[below.number, place]
            if (
                hits
                and hits[0].is_first
                and (hits[0].has_separator or hits[0].value_start >= len(segment.text))
            ):
                return None
            if re.match(r"^[A-Z][\w/&' -]{1,38}:(?:\s|$)", segment.text) or is_box_mark(segment.text):
                return None
            if abs(segment.height - current.height) > 0.25 * current.height:
                return None
            opening = len(segment.texts[0]) / max(len(segment.text), 1) * segment.box.width
            if current.box.right + opening < edge - 0.012:
                return None  # the next word would have fitted on the line above: this is another text
            return segment
        return None

    def _right_edge(self, row: Row, segment: Segment) -> float:
        """Return where the column of a segment ends: at the next segment, or at the text's right margin."""
        right = [other.box.left for other in row.segments if other.box.left > segment.box.right]
        margin = max(
            (
                other.box.right
                for other in self.rows[max(0, row.number - 40) : row.number + 40]
                if other.page == row.page
            ),
            default=segment.box.right,
        )
        near = [
            other.box.left
            for around in self.rows[max(0, row.number - 3) : row.number + 4]
            if around.page == row.page
            for other in around.segments
            if other.box.left > segment.box.left + 0.2 and other.box.left > segment.box.right - 0.02
        ]
        return min([*right, *near[:1], margin])
