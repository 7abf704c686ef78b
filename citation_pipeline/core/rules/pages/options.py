"""Questions of a form that are answered by ticking: the label, and which of its options are ticked.

`Compensability  [ ] accepted  [x] accepted in part  [ ] denied` states only what its ticked box says.
Options are on the label's own line, in the cells of its row, or one a line below it. Boxes are as the layout
read them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citation_pipeline.core.documents.parsed import Block, ParsedDocument
from citation_pipeline.core.layout.tables import Table
from citation_pipeline.core.layout.ticks import (
    CHECKED,
    UNCHECKED,
    skip_leaders,
    split_tokens,
    state_of,
    words_behind,
)
from citation_pipeline.core.rules.lexicons.label_trees import LabelTree
from citation_pipeline.core.rules.pages.labels import PREFIX, words_with_places
from citation_pipeline.core.rules.pages.pairs import Pair
from citation_pipeline.core.rules.pages.passages import EMPTY, Passage, join, passage_of

# A heading of options is a label, no sentence.
_LONGEST_HEADING = 14


@dataclass(frozen=True)
class Option:
    """What stands behind one box, and whether the box is ticked."""

    checked: bool
    statement: Passage


@dataclass(frozen=True)
class Options:
    """One question with its options; `label` is empty where nothing is printed before the first box."""

    label: Passage
    options: tuple[Option, ...]
    page: int

    @property
    def ticked(self) -> tuple[Option, ...]:
        """The options whose boxes are ticked."""
        return tuple(option for option in self.options if option.checked)


def read_options(document: ParsedDocument, tables: Sequence[Table]) -> tuple[Options, ...]:
    """Return all questions with boxes, of tables row by row, else line by line."""
    by_block = {table.block_id: table for table in tables}
    found: list[Options] = []
    heading: Passage = EMPTY
    below: list[Option] = []
    page = 0
    for block in document.blocks:
        is_table = block.type == "Table"
        own = list(_of_table(document, by_block[block.block_id])) if block.block_id in by_block else []
        for label, options in () if is_table else _lines(document, block):
            if options and not label.words:
                below.extend(options)
                page = block.page
                continue
            if below:
                found.append(Options(heading, tuple(below), page))
            below = []
            heading = label if not options and len(label.words) <= _LONGEST_HEADING else EMPTY
            if options:
                found.append(Options(label, options, block.page))
        if is_table:
            if below:
                found.append(Options(heading, tuple(below), page))
            heading, below = EMPTY, []
            found.extend(own)
    if below:
        found.append(Options(heading, tuple(below), page))
    return tuple(found)


def pairs_of_options(questions: Sequence[Options], labels: LabelTree) -> Iterator[Pair]:
    """Return the known labels with what is ticked; nothing for a question that nobody ticked."""
    for question in questions:
        if not (question.label.words and question.ticked):
            continue
        text = question.label.text
        spots = words_with_places(text)
        prefix = PREFIX.match(text)
        first = prefix.end() if prefix else 0
        place = next((n for n, spot in enumerate(spots) if spot[1] >= first), None)
        match = labels.longest([word for word, _, _ in spots], place) if place is not None else None
        if match is None or place is None:
            continue
        length, keys = match
        name = tuple(word for word, _, _ in spots[place : place + length])
        value = join(option.statement for option in question.ticked)
        if value.words:
            yield Pair(keys, name, question.label, value, "field", question.page, 0)


def _state_of(token: str) -> bool | None:
    """Return whether a token is a ticked or an empty box, None when it is none."""
    return {CHECKED: True, UNCHECKED: False}.get(token, state_of(token))


def _of_table(document: ParsedDocument, table: Table) -> Iterator[Options]:
    for number in range(table.rows):
        label: list[int] = []
        options: list[tuple[bool, list[int]]] = []
        for cell in table.row(number):
            at = cell.word_ids.start if len(cell.word_ids) else 0
            for token in split_tokens(cell.text):
                end = cell.word_ids.stop if len(cell.word_ids) else 0
                at = skip_leaders(token, document.words.texts, at, end)
                count = words_behind(token, document.words.texts, at, end)
                state = _state_of(token)
                if state is not None:
                    options.append((state, []))
                elif options:
                    options[-1][1].extend(range(at, at + count))
                else:
                    label.extend(range(at, at + count))
                at += count
        if any(words for _, words in options):
            yield Options(
                passage_of(document, label),
                tuple(Option(checked, passage_of(document, words)) for checked, words in options if words),
                table.page,
            )


def _lines(document: ParsedDocument, block: Block) -> Iterator[tuple[Passage, tuple[Option, ...]]]:
    """Return each line of a block: the words before its first box, and the options behind."""
    texts, at = document.words.texts, block.word_start
    for line in block.content.replace("\t", " ").split("\n"):
        label: list[int] = []
        options: list[tuple[bool, list[int]]] = []
        for token in split_tokens(line):
            at = skip_leaders(token, texts, at, block.word_end)
            count = words_behind(token, texts, at, block.word_end)
            stop = min(at + count, block.word_end)
            state = _state_of(token)
            if state is not None:
                options.append((state, []))
            elif options:
                options[-1][1].extend(range(at, stop))
            else:
                label.extend(range(at, stop))
            at = stop
        yield (
            passage_of(document, label),
            tuple(Option(checked, passage_of(document, words)) for checked, words in options if words),
        )
