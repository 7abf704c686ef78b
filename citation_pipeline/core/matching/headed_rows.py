"""A table row quoted with its header words between the cells: `Date: 05/16/2023; Paid: 402.29`.

Every value must be in one row and every header word in the header above it, of one or several lines; each
header belongs to the column of the value that follows it, or the quotation says something else than the
table. The row's first cell may go before without its header (`Therapy: Billed 310.00, Paid 188.02`), and all
headers may go before all values, as in a table written in Markdown. The columns may be quoted in any order.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import pairwise

from citation_pipeline.core.matching.checks import Findings
from citation_pipeline.core.matching.confusions import slips_between
from citation_pipeline.core.matching.header_columns import (
    LINES,
    Columns,
    columns_of,
    header_columns,
    nearest_column,
)
from citation_pipeline.core.matching.header_runs import Run, likeness_near, runs_of
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.marks import compare_marks
from citation_pipeline.core.matching.numerals import CURRENCIES, has_digit
from citation_pipeline.core.matching.snippets import PreparedSnippet
from citation_pipeline.core.matching.word_signs import with_end_signs

_LABELLED = re.compile(r"[:=|\n\t;—–：；｜]|,\s|\.{3}|…|\s-\s")
_LEAST_TOKENS, _MOST_TOKENS = 3, 80
_MOST_PLACES = 2_000  # of one word: what is printed more often tells no row
_MOST_ROWS = 8  # rows with most of the quoted words that are looked at
_MOST_ABOVE = 400  # rows between a value and its header: a table over several pages
_LEAST_GROUPS = 2  # headers with their values, the row's first cell counted
_LEAST_CELLS = 2  # of a row and its header
_SEPARATORS = "|;,:=/·•–—-\"'{}[]()"
_NOTHING = frozenset((b"null", b"none", b"nil", b"blank", b"empty"))  # quoted of an empty cell
_MOST_GAP = 3  # words without letter or digit between two of a value


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
    if not any(has_digit(token.key) for token in tokens):
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
        weight = len(key) * (2 if has_digit(key) else 1)
        for row in set(row_of[index.words_with(key, 0, len(row_of))].tolist()):
            weights[row] += weight
    return [row for row, _ in nsmallest(_MOST_ROWS, weights.items(), key=lambda item: (-item[1], item[0]))]


def _headed(
    index: DocumentIndex, snippet: PreparedSnippet, tokens: Sequence[_Token], row: int
) -> HeadedRow | None:
    cells = index.words_of_row(row)
    if len(columns_of(index, cells)) < _LEAST_CELLS:
        return None  # a line of running text has no columns
    own = {index.keys[word] for word in cells}
    tokens = [token for token in tokens if token.key in own or token.key not in _NOTHING]
    labels = [token.key for token in tokens if token.key not in own]
    header = _header_above(index, labels, row)
    if header is None:
        return None
    is_same, is_alike = likeness_near(index, cells[0])
    # nearly all rows end here: on a page that was read well every label is in the header
    if is_same is is_alike and not index.keys_of_rows(header - LINES, header + LINES).issuperset(labels):
        return None
    for columns in header_columns(index, header, row):
        if len(columns) < _LEAST_CELLS:
            continue
        runs = runs_of(index, [token.key for token in tokens], columns, cells, is_same, is_alike)
        if runs:
            return _judged(index, snippet, tokens, columns, cells, runs)
    return None


def _header_above(index: DocumentIndex, labels: Collection[bytes], row: int) -> int | None:
    """Return the row above that holds most of the labels, the nearest of equals."""
    row_of = index.rows.row
    weights: Counter[int] = Counter()
    for key in set(labels):
        places = index.words_with(key, 0, len(row_of))
        for above in set(row_of[places[-_MOST_PLACES:]].tolist()):
            if 0 < row - above <= _MOST_ABOVE:
                weights[above] += len(key)
    return max(weights, key=lambda above: (weights[above], above)) if weights else None


def _begins_cell(index: DocumentIndex, columns: Columns, cells: Sequence[int], word: int) -> bool:
    """Tell whether a word of a row begins a cell: behind a wide gap, or under another header."""
    at = cells.index(word)
    if not at or any(cell[0] == word for cell in columns_of(index, cells)):
        return True
    return nearest_column(index, columns, (word,)) != nearest_column(index, columns, (cells[at - 1],))


def _judged(
    index: DocumentIndex,
    snippet: PreparedSnippet,
    tokens: Sequence[_Token],
    columns: Columns,
    cells: Sequence[int],
    runs: Sequence[Run],
) -> HeadedRow | None:
    """Return the row with what contradicts the quotation; None where it is no row with headers."""
    names = [run for run in runs if run.column is not None]
    values = [run for run in runs if run.column is None]
    if not names or not values or runs[-1].column is not None:
        return None
    is_led = runs[0].column is None and _begins_cell(index, columns, cells, runs[0].words[0])
    if len(names) + is_led < _LEAST_GROUPS or (runs[0].column is None and not is_led):
        return None
    if not any(has_digit(index.keys[word]) for run in values for word in run.words):
        return None
    # header by header with its value, or all headers and then all values
    if len(names) > 1 and not is_led and list(runs) == [*names, *values]:
        order = dict.fromkeys(nearest_column(index, columns, (word,)) for run in values for word in run.words)
        is_in_columns: bool | None = list(order) == [run.column for run in names]
    else:
        is_in_columns = _are_in_columns(index, columns, cells, runs)
    if is_in_columns is None:
        return None
    codes: dict[str, None] = {} if is_in_columns else {"column_differs": None}
    noise = 0
    words: tuple[list[int], list[int]] = ([], [])
    for run in runs:
        quoted = b"".join(tokens[n].key for n in run.tokens)
        noise += slips_between(quoted, b"".join(index.keys[word] for word in run.words))
        own = _filled(index, run.words)
        if run.column is None:
            text = _text_of(snippet, tokens, run)
            own = with_end_signs(index, "".join(text.split()), own)
            printed = " ".join([*(index.words.texts[word] for word in own), _currency(index, text, own[-1])])
            codes.update(dict.fromkeys(compare_marks(text, printed)))
        words[run.column is None].extend(own)
    if noise:
        codes["noise"] = None
    length = len(snippet.key)
    return HeadedRow(
        (*sorted(words[0]), *sorted(words[1])), Findings(tuple(codes), length - noise, noise, 0, 0)
    )


def _are_in_columns(
    index: DocumentIndex, columns: Columns, cells: Sequence[int], runs: Sequence[Run]
) -> bool | None:
    """Tell whether every value is under the header that is quoted before it; None where a header has none."""
    found = True
    for name, value in pairwise(runs):
        if name.column is None:
            continue
        if value.column is not None:
            # nothing is quoted of an empty cell: `Flag: ; Range: 2-7`
            if any(nearest_column(index, columns, cell) == name.column for cell in columns_of(index, cells)):
                return None
            continue
        if not _begins_cell(index, columns, cells, value.words[0]):
            return None
        found &= nearest_column(index, columns, value.words) == name.column
    return found


def _text_of(snippet: PreparedSnippet, tokens: Sequence[_Token], run: Run) -> str:
    """Return the tokens of a run as written, with the signs between them, without what ends a member."""
    first, last = tokens[run.tokens[0]].number, tokens[run.tokens[-1]].number
    texts = [token.text for token in snippet.tokens[first : last + 1]]
    for token in snippet.tokens[last + 1 :]:  # the sign behind an amount has no key
        if token.end > token.start or not token.text.strip(_SEPARATORS):
            break
        texts.append(token.text)
    return " ".join(texts).rstrip(",;|；｜")


def _currency(index: DocumentIndex, text: str, last: int) -> str:
    """Return the sign of money that is printed behind a value where another one is quoted with it."""
    if CURRENCIES.isdisjoint(text) or last + 1 == len(index.keys):
        return ""
    behind = index.words.texts[last + 1]
    return behind if behind in CURRENCIES else ""


def _filled(index: DocumentIndex, words: Sequence[int]) -> Sequence[int]:
    """Return the words, and the signs without a key that are between two of them: the dash of a range."""
    found: list[int] = []
    for word in words:
        if found and 1 < word - found[-1] <= _MOST_GAP + 1 and not any(index.keys[found[-1] + 1 : word]):
            found += range(found[-1] + 1, word)
        found.append(word)
    return found
