"""Labels with their values, and checkboxes, read back from a parsed document.

A Key Value block's content has one line a field, label and value parted by a tab; checkboxes read `[x]`
and `[ ]` in every block. Words stay as printed. So a stored block gives its fields back: tokens of the
content and words of the block pair up in order. How they are found on a page is in `fields`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from citation_pipeline.core.boxes import Box, union_of_rows
from citation_pipeline.core.documents.parsed import Block, ParsedDocument
from citation_pipeline.core.layout.ticks import CHECKED, UNCHECKED, skip_leaders, split_tokens, words_behind


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
                start = at
                at = skip_leaders(text, texts, at, block.word_end)
                count = words_behind(text, texts, at, block.word_end)
                at = min(at + count, block.word_end)
                last = ends_label and number == len(found) - 1
                if last:  # leaders lead from the label: they are its last words
                    at = skip_leaders("", texts, at, block.word_end)
                yield _Token(text, range(start, at), last, begins)
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
