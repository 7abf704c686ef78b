"""The columns of a table's header, of one line or of several, and which of them is over a value.

Which rows and headers a quotation is of is `headed_rows`' work.
"""

from collections.abc import Iterator, Mapping, Sequence

from citation_pipeline.core.matching.index import DocumentIndex

_CELL_GAP = 0.6  # line heights between two words that part two header cells
_ASPECT = 0.75  # of most pages: heights are in shares of the height, widths of the width
LINES = 2
"""Lines of a header above and below its fullest one that are looked at."""
_LINE_STEP = 2.0  # line heights between two lines of one header

_MOST_SIGNS = 2  # words without a key between two of one cell

Columns = list[list[int]]
"""The words of every header cell, line by line, the cells left to right."""


def header_columns(index: DocumentIndex, header: int, row: int) -> Iterator[Columns]:
    """Yield the columns of the header line alone, then those of all lines of the header above a row."""
    words = index.words_of_row(header)
    columns = columns_of(index, words)
    yield columns
    lines = {header: words}
    for step in (-1, 1):
        beside = words
        for number in range(1, LINES + 1):
            line = header + step * number
            other = index.words_of_row(line) if 0 <= line < row else []
            if not other or not _are_beside(index, beside, other):
                break
            lines[line] = other
            beside = other
    if len(lines) > 1:
        yield _merged(index, columns, header, lines)


def columns_of(index: DocumentIndex, words: Sequence[int]) -> Columns:
    """Return the cells of a row: its words, parted at wide gaps."""
    boxes, keys = index.words.boxes, index.keys
    cells: Columns = []
    for word in words:
        left, _, _, height = boxes[word].tolist()
        if cells:
            last = cells[-1][-1]
            # a sign inside a cell has no key and is in no row: `Rate / 100`
            is_sign_between = 1 < word - last <= _MOST_SIGNS + 1 and not any(keys[last + 1 : word])
            before = boxes[word - 1 if is_sign_between else last]
            if (left - before[0] - before[2]) * _ASPECT <= _CELL_GAP * height:
                cells[-1].append(word)
                continue
        cells.append([word])
    return cells


def nearest_column(index: DocumentIndex, columns: Columns, values: Sequence[int]) -> int:
    """Return the number of the column that is over values, or nearest to them."""
    left, right = _extent(index, values)

    def distance(number: int) -> tuple[float, float]:
        low, high = _extent(index, columns[number])
        overlap = min(high, right) - max(low, left)
        edges = min(abs(low - left), abs(high - right), abs(low + high - left - right) / 2)
        return -max(0.0, overlap), edges

    return min(range(len(columns)), key=distance)


def _are_beside(index: DocumentIndex, words: Sequence[int], others: Sequence[int]) -> bool:
    """Tell whether two rows are of one page and no farther apart than lines of one cell."""
    if index.words.page[words[0]] != index.words.page[others[0]]:
        return False
    boxes = index.words.boxes
    height = float(max(boxes[words[0], 3], boxes[others[0], 3]))
    return abs(float(boxes[words[0], 1] - boxes[others[0], 1])) <= _LINE_STEP * height


def _merged(
    index: DocumentIndex, columns: Columns, header: int, lines: Mapping[int, Sequence[int]]
) -> Columns:
    """Return the cells of a header line with those above and below each, top to bottom.

    A cell over several columns, a title, heads none of them by itself.
    """
    found = [{header: column} for column in columns]
    extents = [_extent(index, column) for column in columns]
    for line, words in lines.items():
        if line == header:
            continue
        for cell in columns_of(index, words):
            left, right = _extent(index, cell)
            over = [number for number, (low, high) in enumerate(extents) if min(right, high) > max(left, low)]
            if len(over) == 1:
                found[over[0]].setdefault(line, []).extend(cell)
    return [[word for line in sorted(column) for word in column[line]] for column in found]


def _extent(index: DocumentIndex, words: Sequence[int]) -> tuple[float, float]:
    boxes = index.words.boxes[list(words)]
    return float(boxes[:, 0].min()), float((boxes[:, 0] + boxes[:, 2]).max())
