"""Labels and their values on a page while it is laid out: which words name which, and how that is written.

How a parsed document gives them back is in `forms`.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.lines import LIST_MARKER, Piece, Row
from citation_pipeline.core.layout.sheets import Sheet
from citation_pipeline.core.layout.ticks import LEADER, read_positions, read_tokens

_LONGEST_LABEL = 7  # words before the colon; sentences run longer
_LONGEST_VALUE = 14
_FURTHEST_TICKED = 2.5  # share of the size
_FURTHEST_MARKED = 4.0
_MOST_STRETCHED = 2.0  # justified lines with few words; columns of prose are no closer
_FURTHEST_VALUE = 16.0  # share of the size: values are set at a tab, up to a quarter of the page away


def field_of_piece(sheet: Sheet, piece: Piece) -> int | None:
    """Return how many words of a piece are its label ("Date of birth: 03/14/1980" has 3), or None."""
    if piece.label:
        return piece.label
    texts = [sheet.words.texts[i] for i in piece.words[: _LONGEST_LABEL + 1].tolist()]
    colon = next((i for i, text in enumerate(texts) if text.endswith(":") and len(text) > 1), None)
    if colon is None or colon >= _LONGEST_LABEL or not texts[0][:1].isalnum():
        return None
    if texts[0] == "Dear" or texts[0][:1].islower():
        return None  # a salutation, or the end of a sentence that introduces something
    count, total = colon + 1, len(piece.words)
    bold = sheet.words.bold[piece.words]
    if bool(bold[:count].all()) and not bold[count:].any():
        return count  # set off by weight: however long the value is
    if total > count and piece.size > (1.15 if bool(bold.all()) else 1.6) * sheet.body_size:
        return None  # a title with a colon in it
    ends_sentence = sheet.words.texts[int(piece.words[-1])].endswith((".", ";"))
    if total - count > (5 if ends_sentence else _LONGEST_VALUE):
        return None
    return count


def join_labels(sheet: Sheet, pieces: Sequence[Piece]) -> list[Piece]:
    """Join labels with the values that are a tab away on their row, and boxes with what they tick.

    `pieces` come from the left.
    """
    if _alternates(sheet, pieces):
        return [_with_value(*pair) for pair in zip(pieces[::2], pieces[1::2], strict=True)]
    joined: list[Piece] = []
    for piece in pieces:
        if joined:
            last = joined[-1]
            if sheet.marks[last.words[-1]] >= 0 and piece.left - last.right < _FURTHEST_TICKED * last.size:
                joined[-1] = replace(_with_value(last, piece), label=last.label)
                continue
            if _is_marker(sheet, last) and piece.left - last.right < _FURTHEST_MARKED * last.size:
                joined[-1] = replace(_with_value(last, piece), label=0)
                continue
            label = field_of_piece(sheet, last)
            if (
                label == len(last.words)
                and piece.left - last.right < _FURTHEST_VALUE * last.size
                and field_of_piece(sheet, piece) is None
            ):
                joined[-1] = _with_value(last, piece)
                continue
        joined.append(piece)
    return joined


def _alternates(sheet: Sheet, pieces: Sequence[Piece]) -> bool:
    """Tell whether a row is bold labels, each with its value in plain print behind it: two or more pairs."""
    if len(pieces) < 4 or len(pieces) % 2:
        return False
    bold = [sheet.words.bold[piece.words] for piece in pieces]
    return all(own.all() for own in bold[::2]) and not any(own.any() for own in bold[1::2])


def _is_marker(sheet: Sheet, piece: Piece) -> bool:
    """Tell whether a piece is only the marker of a list item or the number of a heading."""
    first = int(piece.words[0])
    text = sheet.words.texts[first]
    numbered = text.isdigit() and len(text) < 3 and bool(sheet.words.bold[first])
    return len(piece.words) == 1 and (numbered or LIST_MARKER.fullmatch(text) is not None)


def join_stretched(rows: Sequence[Row]) -> list[list[Piece]]:
    """Join pieces of lines that are only stretched: where the line above or below prints across the gap."""
    found: list[list[Piece]] = []
    for number, row in enumerate(rows):
        around = [
            piece
            for other in rows[max(number - 1, 0) : number + 2]
            if other is not row and abs(other.top - row.top) < 2 * row.size
            for piece in other.pieces
        ]
        joined: list[Piece] = []
        for piece in row.pieces:
            last = joined[-1] if joined else None
            if (
                last is not None
                and piece.left - last.right < _MOST_STRETCHED * last.size
                and min(len(last.words), len(piece.words)) > 1
                and any(other.left < last.right - 1 and other.right > piece.left + 1 for other in around)
            ):
                joined[-1] = replace(_with_value(last, piece), label=0)
            else:
                joined.append(piece)
        found.append(joined)
    return found


def _with_value(label: Piece, value: Piece) -> Piece:
    return Piece(
        np.concatenate([label.words, value.words]),
        label.left,
        min(label.top, value.top),
        value.right,
        max(label.bottom, value.bottom),
        max(label.size, value.size),
        label=len(label.words),
    )


def join_columns(sheet: Sheet, rows: Sequence[Sequence[Piece]]) -> list[Piece]:
    """Join labels in a column of their own with the values beside them; return the pieces of all rows.

    Three rows whose values begin at one x, or whose gap is filled with leaders, make such a list. A table
    of contents is none: its values are page numbers.
    """
    marked = [[_marked(sheet, piece) for piece in row] for row in rows]
    starts: dict[int, tuple[float, float]] = {}
    for number, row in enumerate(marked):
        x = _value_start(sheet, row)
        if x is not None:
            starts[number] = (x, row[0].left)
    pairs = Counter(starts.values())
    lists = {
        start
        for start in pairs
        if sum(
            count
            for other, count in pairs.items()
            if abs(other[0] - start[0]) < 3 and abs(other[1] - start[1]) < 3
        )
        >= 3
    }
    pages = {x: _counts_pages(sheet, marked, starts, x) for x in {start[0] for start in lists}}
    joined: list[Piece] = []
    for number, row in enumerate(marked):
        start = starts.get(number)
        if start in lists and start is not None and not pages[start[0]]:
            joined.append(row[0] if len(row) == 1 else _with_value(row[0], row[1]))
        else:
            joined.extend(piece if not piece.label else replace(piece, label=0) for piece in row)
    return joined


def _marked(sheet: Sheet, piece: Piece) -> Piece:
    """Count a piece's words up to its leaders as its label."""
    for i, position in enumerate(piece.words[:-1].tolist()):
        if i and LEADER.fullmatch(sheet.words.texts[position]):
            return replace(piece, label=i + 1)
    return piece


def _value_start(sheet: Sheet, row: Sequence[Piece]) -> float | None:
    """Return the x where a row's only value begins, or None when the row is no label with a value."""
    if len(row) == 1 and row[0].label:
        return float(sheet.words.edges[row[0].words[row[0].label], 0])
    if any(sheet.marks[piece.words[0]] >= 0 for piece in row):
        return None
    if len(row) == 2 and any(field_of_piece(sheet, piece) is not None for piece in row):
        return None  # two labels with values side by side
    if len(row) != 2 or row[0].label or len(row[0].words) > _LONGEST_LABEL:
        return None
    texts = [sheet.words.texts[i] for i in row[0].words.tolist()]
    ends = texts[-1].endswith((".", ",", ";")) and not LEADER.fullmatch(texts[-1])
    if ends or not any(c.isalpha() for c in texts[0]):
        return None
    return row[1].left


def _counts_pages(
    sheet: Sheet, rows: Sequence[Sequence[Piece]], starts: dict[int, tuple[float, float]], start: float
) -> bool:
    values = [
        sheet.words.texts[int(rows[number][-1].words[-1])]
        for number, other in starts.items()
        if abs(other[0] - start) < 3
    ]
    return all(value.isdigit() and len(value) < 4 for value in values)


def write_fields(sheet: Sheet, run: Sequence[Piece]) -> str:
    """Return the content of a run of labels with values: one field a line, a tab after the label."""
    fields: list[str] = []
    for piece in run:
        count = field_of_piece(sheet, piece)
        if count is None and fields:
            fields[-1] += ("" if fields[-1].endswith("\t") else " ") + read_words(sheet, piece.words)
        else:
            label = count or 0
            fields.append(
                f"{read_words(sheet, piece.words[:label])}\t{read_words(sheet, piece.words[label:])}"
            )
    return "\n".join(fields)


def write_cell(sheet: Sheet, lines: Sequence[NDArray[np.int64]], *, label_size: float = 0.0) -> str | None:
    """Return the content of a form's box: label, tab, value; None when the box has no label of its own.

    `label_size` is the print of the form's labels: a box with nothing larger in it is not filled in.
    """
    label = label_lines(sheet, lines)
    if label_size and float(sheet.words.sizes[np.concatenate(lines)].max()) < _contrast(sheet) * label_size:
        label = _caption(sheet, lines) if sheet.recognized else sum(len(line) for line in lines)
    elif label is None and label_size and len(lines) > 1:
        label = len(lines[0])  # sizes do not tell here, but in a form the first line names the box
    if label is None:
        return None
    words = np.concatenate(lines)
    return f"{read_words(sheet, words[:label])}\t{read_words(sheet, words[label:])}"


def _caption(sheet: Sheet, lines: Sequence[NDArray[np.int64]]) -> int:
    """Return how many words are caption where sizes do not tell: the lines printed like the first."""
    texts = [" ".join(sheet.words.texts[i] for i in line.tolist()) for line in lines]
    count = 0
    for text, line in zip(texts, lines, strict=True):
        if count and (text.isupper() != texts[0].isupper() or not any(c.isalpha() for c in text)):
            break
        count += len(line)
    return count


def label_size(sheet: Sheet, boxes: Sequence[Sequence[NDArray[np.int64]]]) -> float:
    """Return the size of a form's labels where they are set smaller than the values, or 0."""
    small = []
    for lines in boxes:
        if len(lines) > 1:
            sizes = [median(sheet.words.sizes[line].tolist()) for line in lines]
            if max(sizes) > _contrast(sheet) * sizes[0]:
                small.append(sizes[0])
    return median(small) if len(small) >= 2 else 0.0


def _contrast(sheet: Sheet) -> float:
    """Return from which ratio print is larger: sizes of a text layer are exact, those of a scan are not."""
    return 1.2 if sheet.recognized else 1.08


def label_lines(sheet: Sheet, lines: Sequence[NDArray[np.int64]]) -> int | None:
    """Return how many words at the start of a form's box are its label, or None.

    The label is the small print over a larger value, what is before a colon, or a numbered caption.
    """
    if not lines:
        return None
    words = sheet.words
    sizes = [median(words.sizes[line].tolist()) for line in lines]
    count = 0
    contrast = _contrast(sheet)
    for line, size in zip(lines, sizes, strict=True):
        if size > sizes[0] * contrast:
            break
        count += len(line)
    total = sum(len(line) for line in lines)
    if count < total:
        return count if max(sizes) > sizes[0] * contrast else None
    texts = [words.texts[i] for i in lines[0].tolist()]
    colon = next((i for i, text in enumerate(texts[: _LONGEST_LABEL + 3]) if text.endswith(":")), None)
    if colon is not None:
        return colon + 1
    bold = words.bold[lines[0]]
    if bool(bold.all()) and len(lines) > 1 and not words.bold[lines[1]].any():
        return len(lines[0])
    if re.fullmatch(r"\d{1,2}[a-z]?\.", texts[0]) and len(texts) > 1:
        return len(lines[0])
    return None


def read_words(sheet: Sheet, positions: NDArray[np.int64]) -> str:
    """Return words as they are read: checkboxes in the one notation, drawn ones included."""
    all_texts = [sheet.words.texts[i] for i in positions.tolist()]
    kept = (
        read_positions(all_texts) if any(text[0] in "._…·" for text in all_texts) else range(len(all_texts))
    )
    marks = sheet.marks[positions].tolist()
    return " ".join(read_tokens([all_texts[i] for i in kept], [marks[i] for i in kept]))


def read_lines(sheet: Sheet, lines: Sequence[NDArray[np.int64]]) -> str | None:
    """Return the content of lines with checkboxes, or None when it is just the words."""
    plain = sheet.is_plain or all(
        sheet.printed[line].all() and (sheet.marks[line] < 0).all() for line in lines
    )
    if plain and not any(sheet.words.texts[i] in ("[", "(") for line in lines for i in line.tolist()):
        return None
    return "\n".join(read_words(sheet, line) for line in lines)
