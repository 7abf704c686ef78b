"""What is around a label on a page: the cell below it, the lines on which a value goes on.

Looks at places and sizes, and at where other labels begin; which neighbour is the value, `pairs` decides.
"""

import re
from collections.abc import Sequence

from citation_pipeline.core.rules.lexicons.label_trees import LabelTree
from citation_pipeline.core.rules.pages.labels import PREFIX, LabelHit, find_labels, opens_with_label
from citation_pipeline.core.rules.pages.layout import Row, Segment, is_box_mark
from citation_pipeline.core.rules.pages.passages import Passage
from citation_pipeline.core.rules.pages.segments import continues_label, is_larger, is_under

_UNKNOWN_LABEL = re.compile(r"[A-Z][\w/&' -]{1,38}:(?:\s|$)")


def _opens_line(below: Row, row: Row, value: Segment) -> bool:
    """Tell whether a line has a text of its own where the labelled line has its label: `Earlier reviews`."""
    first, label = below.segments[0], row.segments[0]
    is_under = abs(first.box.left - label.box.left) < _SAME_EDGE and first.box.right < value.box.left
    return first is not value and is_under and first.text[:1].isupper()


_SAME_EDGE = 0.012
# Below a title, `Date received: 08/12` has a label of its own.
_DAY_OF_ITS_OWN = re.compile(r"date\b[\w ]{0,24}:", re.IGNORECASE)
_LEAST_COLUMNS = 4


class LabelledRows:
    """One document's rows, and by row number and place on the row the labels of each segment."""

    def __init__(self, rows: Sequence[Row], labels: LabelTree) -> None:
        self.rows = rows
        self.labels = labels
        self.hits: dict[tuple[int, int], list[LabelHit]] = {
            (row.number, place): find_labels(segment, labels)
            for row in rows
            for place, segment in enumerate(row.segments)
        }

    def has_larger_below(self, row: Row, segment: Segment) -> bool:
        """Tell whether the cell below is set larger."""
        below = self.below(row, segment)
        return below is not None and is_larger(below[0], segment)

    def is_form_row(self, row: Row, place: int) -> bool:
        """Tell whether the neighbour on the right is a label too, with its own larger value below."""
        neighbour = row.segments[place + 1]
        below = self.below(row, neighbour)
        return bool(PREFIX.match(neighbour.text)) or (below is not None and is_larger(below[0], neighbour))

    def is_head_of_columns(self, row: Row) -> bool:
        """Tell whether a row heads a table: three or more bare texts, nearly each with another below it."""
        if any(s.has_leader or s.text.endswith(":") for s in row.segments):
            return False
        if len(row.segments) == 2:
            return self._heads_two(row)
        if len(row.segments) < 3:
            return False
        headed = sum(self.below(row, segment) is not None for segment in row.segments)
        return headed >= 3 and headed >= 0.6 * len(row.segments)

    def heads_listing(self, row: Row) -> bool:
        """Tell whether two rows of a kind stand below a row of heads: claims, payees, each with its own."""
        rows = self.rows[row.number + 1 : row.number + 3]
        if (
            len(row.segments) < _LEAST_COLUMNS
            or len(rows) < 2
            or {row.page} != {other.page for other in rows}
        ):
            return False
        first, second = (
            {
                place: any(c.isdigit() for c in cell.text)
                for place, head in enumerate(row.segments)
                for number, cell in enumerate(other.segments)
                if is_under(cell, head) and not opens_with_label(self.hits[other.number, number], cell)
            }
            for other in rows
        )
        both = first.keys() & second.keys()
        alike = sum(first[place] == second[place] for place in both)
        numbered = sum(first[place] and second[place] for place in both)
        return len(both) >= _LEAST_COLUMNS and alike >= 0.8 * len(both) and numbered > 1

    def _heads_two(self, row: Row) -> bool:
        """Tell whether two bare texts head a value each: no digit in them, one below, and no label below."""
        cells = [self.below(row, segment) for segment in row.segments]
        if any(cell is None for cell in cells) or any(c.isdigit() for s in row.segments for c in s.text):
            return False
        lower = [cell[0] for cell in cells if cell]
        are_labels = any(opens_with_label(find_labels(cell, self.labels), cell) for cell in lower)
        return not are_labels and any(c.isdigit() for cell in lower for c in cell.text)

    def below(self, row: Row, label: Segment) -> list[Segment] | None:
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
                    if (is_label and not is_larger(segment, label)) or _DAY_OF_ITS_OWN.match(segment.text):
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

    def wrapped(self, row: Row, last: Segment, value: Segment) -> list[Passage]:
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
            if step is None or _opens_line(below, row, step):
                break
            found.append(step.passage)
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
            if opens_with_label(self.hits[below.number, place], segment):
                return None
            if _UNKNOWN_LABEL.match(segment.text) or is_box_mark(segment.text):
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
