"""Labels and their values, on a page while it is laid out, and read back from a parsed document.

A Key Value block's content has one line a field, label and value parted by a tab; checkboxes read `[x]`
and `[ ]` in every block. Words stay as printed. So a stored block gives its fields back: tokens of the
content and words of the block pair up in order (`fields_of`, `checkboxes_of`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.boxes import Box, union_of_rows
from citation_pipeline.core.documents import Block, ParsedDocument
from citation_pipeline.core.layout.lines import Piece
from citation_pipeline.core.layout.sheets import Sheet
from citation_pipeline.core.layout.ticks import CHECKED, UNCHECKED, read_tokens, split_tokens, words_behind

_LONGEST_LABEL = 7  # words before the colon; sentences run longer
_LONGEST_VALUE = 14


@dataclass(frozen=True, slots=True)
class KeyValue:
    """A field of a form: the words of its label and of its value (empty when nothing is filled in)."""

    block_id: int
    label_ids: range
    value_ids: range


@dataclass(frozen=True, slots=True)
class Checkbox:
    """A checkbox, the words of the statement that it ticks, and the box around mark and statement."""

    block_id: int
    checked: bool
    mark_ids: range
    label_ids: range
    box: Box | None


def field_of_piece(sheet: Sheet, piece: Piece) -> int | None:
    """Return how many words of a piece are its label ("Date of birth: 03/14/1980" has 3), or None."""
    texts = [sheet.words.texts[i] for i in piece.words[: _LONGEST_LABEL + 1].tolist()]
    colon = next((i for i, text in enumerate(texts) if text.endswith(":") and len(text) > 1), None)
    if colon is None or colon >= _LONGEST_LABEL or not texts[0][:1].isalnum():
        return None
    count, total = colon + 1, len(piece.words)
    bold = sheet.words.bold[piece.words]
    if bool(bold[:count].all()) and not bold[count:].any():
        return count  # set off by weight: however long the value is
    ends_sentence = sheet.words.texts[int(piece.words[-1])].endswith((".", ";"))
    if total - count > (5 if ends_sentence else _LONGEST_VALUE):
        return None
    return count


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


def write_cell(sheet: Sheet, lines: Sequence[NDArray[np.int64]]) -> str | None:
    """Return the content of a form's box: label, tab, value; None when the box has no label of its own."""
    label = label_lines(sheet, lines)
    if label is None:
        return None
    words = np.concatenate(lines)
    return f"{read_words(sheet, words[:label])}\t{read_words(sheet, words[label:])}"


def label_lines(sheet: Sheet, lines: Sequence[NDArray[np.int64]]) -> int | None:
    """Return how many words at the start of a form's box are its label, or None.

    The label is the small print over a larger value, what stands before a colon, or a numbered caption.
    """
    if not lines:
        return None
    words = sheet.words
    sizes = [float(np.median(words.sizes[line])) for line in lines]
    count = 0
    for line, size in zip(lines, sizes, strict=True):
        if size > sizes[0] * 1.08:
            break
        count += len(line)
    total = sum(len(line) for line in lines)
    if count < total:
        return count if max(sizes) > sizes[0] * 1.08 else None
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
    at = positions.tolist()
    return " ".join(read_tokens([sheet.words.texts[i] for i in at], [int(sheet.marks[i]) for i in at]))


def read_lines(sheet: Sheet, lines: Sequence[NDArray[np.int64]]) -> str | None:
    """Return the content of lines with checkboxes, or None when it is just the words."""
    plain = all(sheet.printed[line].all() and (sheet.marks[line] < 0).all() for line in lines)
    if plain and not any(sheet.words.texts[i] in ("[", "(") for line in lines for i in line.tolist()):
        return None
    return "\n".join(read_words(sheet, line) for line in lines)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    ids: range
    ends_label: bool
    begins_line: bool


def _tokens(document: ParsedDocument, block: Block) -> Iterator[_Token]:
    """Pair the tokens of a block's content with its words; a drawn box has none."""
    texts, at = document.words.texts, block.word_start
    for line in block.content.split("\n"):
        begins = True
        label, tab, value = line.partition("\t")
        for part, ends_label in ((label, bool(tab)), (value, False)):
            found = split_tokens(part)
            for number, text in enumerate(found):
                count = words_behind(text, texts, at, block.word_end)
                ids = range(at, min(at + count, block.word_end))
                at = ids.stop
                yield _Token(text, ids, ends_label and number == len(found) - 1, begins)
                begins = False


def fields_of(document: ParsedDocument) -> Iterator[KeyValue]:
    """Yield the labels with their values of a document, fresh from a parser or loaded from the store."""
    for block in document.blocks:
        if block.type != "Key Value" or "\t" not in block.content:
            continue
        start, label_end, at = block.word_start, -1, block.word_start
        for token in _tokens(document, block):
            if token.begins_line and label_end >= 0:
                yield KeyValue(block.block_id, range(start, label_end), range(label_end, at))
                start, label_end = at, -1
            at = token.ids.stop
            if token.ends_label:
                label_end = at
        if label_end >= 0:
            yield KeyValue(block.block_id, range(start, label_end), range(label_end, at))


def checkboxes_of(document: ParsedDocument) -> Iterator[Checkbox]:
    """Yield the checkboxes outside tables, each with the words up to the next one on its line."""
    for block in document.blocks:
        if block.type == "Table" or (CHECKED not in block.content and UNCHECKED not in block.content):
            continue
        tokens = list(_tokens(document, block))
        for number, token in enumerate(tokens):
            if token.text not in (CHECKED, UNCHECKED):
                continue
            end = number + 1
            while end < len(tokens) and tokens[end].text not in (CHECKED, UNCHECKED):
                if tokens[end].begins_line:
                    break
                end += 1
            label = range(token.ids.stop, max(tokens[end - 1].ids.stop, token.ids.stop))
            around = range(token.ids.start, max(label.stop, token.ids.stop))
            box = union_of_rows(document.words.boxes[around.start : around.stop]) if len(around) else None
            yield Checkbox(block.block_id, token.text == CHECKED, token.ids, label, box)
