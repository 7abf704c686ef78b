"""A table row quoted with its header words between the cells: `Date: 05/16/2023; Paid: 402.29`.

Every value must be in one row and every header word in one row above it; each header belongs to the column of
the value that follows it, or the quotation says something else than the table.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.matching.checks import Findings
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.marks import compare_marks
from citation_pipeline.core.matching.numerals import has_digit
from citation_pipeline.core.matching.snippets import PreparedSnippet

_LABELLED = re.compile(r"[:=|\n\t;]|,\s")
_LEAST_TOKENS, _MOST_TOKENS = 4, 80
_MOST_PLACES = 2_000  # of one word: what is printed more often tells no row
_MOST_ROWS = 4  # rows with most of the quoted words that are looked at
_MOST_ABOVE = 400  # rows between a value and its header: a table over several pages
_LEAST_GROUPS = 2  # headers with their values
_CELL_GAP = 0.6  # line heights between two words that part two header cells
_ASPECT = 0.75  # of most pages: heights are in shares of the height, widths of the width


@dataclass(frozen=True, slots=True)
class HeadedRow:
    """The words of the header and of the row that are quoted, and what was found of them."""

    words: tuple[int, ...]
    findings: Findings


@dataclass(frozen=True, slots=True)
class _Token:
    number: int
    key: bytes


def find_headed_rows(index: DocumentIndex, snippet: PreparedSnippet) -> list[HeadedRow]:
    """Return the rows that a quotation with labels between its values may be of; empty where it is none."""
    tokens = [
        _Token(number, snippet.key[token.start : token.end])
        for number, token in enumerate(snippet.tokens)
        if token.end > token.start
    ]
    if not _LEAST_TOKENS <= len(tokens) <= _MOST_TOKENS or not _LABELLED.search(snippet.text):
        return []
    if sum(has_digit(token.key) for token in tokens) < _LEAST_GROUPS:
        return []
    found = [_headed(index, snippet, tokens, row) for row in _likely_rows(index, tokens)]
    return [headed for headed in found if headed is not None]


def _likely_rows(index: DocumentIndex, tokens: Sequence[_Token]) -> list[int]:
    row_of = index.rows.row
    weights: Counter[int] = Counter()
    for key in {token.key for token in tokens}:
        # a word in thousands of rows tells none
        if index.count_of(key) > _MOST_PLACES:
            continue
        for row in {int(row_of[place]) for place in index.words_with(key, 0, len(row_of))}:
            weights[row] += len(key) * (2 if has_digit(key) else 1)
    return [row for row, _ in sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:_MOST_ROWS]]


def _headed(
    index: DocumentIndex, snippet: PreparedSnippet, tokens: Sequence[_Token], row: int
) -> HeadedRow | None:
    cells = index.words_of_row(row)
    printed_keys = {index.keys[word] for word in cells}
    if sum(token.key in printed_keys for token in tokens) < _LEAST_GROUPS:
        return None
    values = _in_order(index, tokens, cells)
    labels = [token for token in tokens if token.number not in values]
    if len(values) < _LEAST_GROUPS or not labels:
        return None
    header = _header_above(index, labels, row)
    if header is None:
        return None
    names = _in_order(index, labels, header)
    groups = _groups(tokens, names, values)
    # every quoted label must be in the header, and a label must come first: else these are values alone
    if len(names) < len(labels) or len(groups) < _LEAST_GROUPS or tokens[0].number not in names:
        return None
    keys = {token.number: token.key for token in tokens}
    if sum(any(has_digit(keys[n]) for n in value) for _, value in groups) < _LEAST_GROUPS:
        return None
    codes: dict[str, None] = {}
    columns = _columns(index, header)
    if len(columns) < len(groups) or len(_columns(index, cells)) < len(groups):
        return None  # lines of running text have no columns
    for group, value in groups:
        if not _is_in_column(index, columns, [names[n] for n in group], [values[n] for n in value]):
            codes["column_differs"] = None
        quoted = " ".join(snippet.tokens[n].text for n in value).rstrip(",;|")
        printed = " ".join(index.words.texts[values[n]] for n in value)
        codes.update(dict.fromkeys(compare_marks(quoted, printed)))
    findings = Findings(tuple(codes), len(snippet.key), 0, 0, 0)
    return HeadedRow((*sorted(names.values()), *sorted(values.values())), findings)


def _in_order(index: DocumentIndex, tokens: Sequence[_Token], words: Sequence[int]) -> dict[int, int]:
    """Return which tokens are which words, both in order, as many characters as possible."""
    rows, columns = len(tokens), len(words)
    keys = [index.keys[word] for word in words]
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        key, here, below = tokens[i].key, best[i], best[i + 1]
        for j in range(columns - 1, -1, -1):
            here[j] = max(below[j], here[j + 1])
            if key == keys[j]:
                here[j] = max(here[j], below[j + 1] + len(key))
    found: dict[int, int] = {}
    i = j = 0
    while i < rows and j < columns:
        same = tokens[i].key == keys[j]
        if same and best[i][j] == best[i + 1][j + 1] + len(tokens[i].key):
            found[tokens[i].number] = words[j]
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _header_above(index: DocumentIndex, labels: Sequence[_Token], row: int) -> list[int] | None:
    """Return the words of the row above that holds most of the labels, the nearest of equals."""
    row_of = index.rows.row
    weights: Counter[int] = Counter()
    for key in {token.key for token in labels}:
        places = index.words_with(key, 0, len(row_of))
        for above in {int(row_of[place]) for place in places[-_MOST_PLACES:] if row_of[place] < row}:
            if row - above <= _MOST_ABOVE:
                weights[above] += len(key)
    if not weights:
        return None
    return index.words_of_row(max(weights, key=lambda above: (weights[above], above)))


def _columns(index: DocumentIndex, header: Sequence[int]) -> list[list[int]]:
    """Return the cells of a header row: its words, parted at wide gaps."""
    boxes = index.words.boxes
    cells: list[list[int]] = []
    for word in header:
        left, _, _, height = boxes[word]
        if cells:
            before = boxes[cells[-1][-1]]
            if (left - before[0] - before[2]) * _ASPECT <= _CELL_GAP * height:
                cells[-1].append(word)
                continue
        cells.append([word])
    return cells


def _groups(
    tokens: Sequence[_Token], names: dict[int, int], values: dict[int, int]
) -> list[tuple[list[int], list[int]]]:
    """Return every run of header tokens with the run of value tokens behind it."""
    found: list[tuple[list[int], list[int]]] = []
    group: list[int] = []
    for token in tokens:
        if token.number in names:
            if not group or (found and found[-1][0] is group):
                group = []
            group.append(token.number)
        elif token.number in values and group:
            if not found or found[-1][0] is not group:
                found.append((group, []))
            found[-1][1].append(token.number)
    return found


def _is_in_column(
    index: DocumentIndex, columns: Sequence[Sequence[int]], names: Sequence[int], values: Sequence[int]
) -> bool:
    """Tell whether the column nearest to the values is the one that the names head."""
    left, right = _extent(index, values)

    def distance(column: Sequence[int]) -> tuple[float, float]:
        low, high = _extent(index, column)
        overlap = min(high, right) - max(low, left)
        edges = min(abs(low - left), abs(high - right), abs(low + high - left - right) / 2)
        return -max(0.0, overlap), edges

    nearest = min(columns, key=distance)
    return bool(set(nearest) & set(names))


def _extent(index: DocumentIndex, words: Sequence[int]) -> tuple[float, float]:
    boxes = index.words.boxes[list(words)]
    return float(boxes[:, 0].min()), float((boxes[:, 0] + boxes[:, 2]).max())
