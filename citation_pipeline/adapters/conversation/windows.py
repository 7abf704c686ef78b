"""Long lists by windows of their table's rows: which are asked for, and what is asked again.

An answer holds some hundred items. A list that is a longer table's rows is asked for by its first items,
which tell the table, then window by window; a window whose answer leaves rows out is asked for those again.
"""

from collections.abc import Sequence
from dataclasses import replace

from citation_pipeline.adapters.conversation.asks import Ask, RowWindow
from citation_pipeline.adapters.conversation.reading import PartReading
from citation_pipeline.core.answers.long_lists import LongTable, align, table_of_items
from citation_pipeline.core.prompts.sources import SourceText, plain_text
from citation_pipeline.core.schemas import Schema

ROWS_AT_ONCE = 50
TOKENS_PER_ROW = 150  # an item with its citation
_FEWEST_ROWS = 5  # an answer that cannot hold these holds none


def windows_at_once(answer_tokens: int) -> int:
    """Return how many rows one answer has room for."""
    return max(_FEWEST_ROWS, min(ROWS_AT_ONCE, answer_tokens // TOKENS_PER_ROW))


class Windows:
    """The windows of one claim's long lists; `most` bounds their requests."""

    def __init__(self, tables: Sequence[LongTable], schema: Schema, *, rows: int, most: int) -> None:
        self.tables = tables
        self._lists = {field.key for field in schema.fields if field.value_type == "array"}
        self._rows = rows
        self._left = most
        self._begun: set[tuple[str, str, int]] = set()

    def shown_in(self, ask: Ask) -> bool:
        """Tell whether an ask shows a long table."""
        return bool(self._lists) and any(_shows(ask, table) for table in self.tables)

    def begin(self, ask: Ask, part: PartReading) -> list[Ask]:
        """Return the windows of the lists of which an answer gave the first items."""
        shown = [table for table in self.tables if _shows(ask, table)]
        asks: list[Ask] = []
        for field in part.extraction.fields if shown else ():
            if field.field_key not in self._lists or not isinstance(field.value, list) or not field.value:
                continue
            table = table_of_items(field.value, shown)
            mark = (field.field_key, table.source_id, table.block_id) if table else None
            if table is None or mark is None or mark in self._begun:
                continue
            if len(align(field.value, table, table.data)) == len(table.data):
                continue  # all of it came at once
            self._begun.add(mark)
            asks += self._asks(ask, field.field_key, table, range(len(table.rows)), again=False)
        return asks

    def begin_unread(self, ask: Ask) -> list[Ask]:
        """Return the windows of a list that does not fit an answer by itself: by the longest table shown."""
        shown = [table for table in self.tables if _shows(ask, table)]
        key = ask.field_keys[0] if ask.field_keys else ""
        if not shown or key not in self._lists:
            return []
        table = max(shown, key=lambda one: len(one.data))
        mark = (key, table.source_id, table.block_id)
        if mark in self._begun:
            return []
        self._begun.add(mark)
        return self._asks(ask, key, table, range(len(table.rows)), again=False)

    def halve(self, ask: Ask) -> list[Ask]:
        """Return the halves of a window that is too long for a prompt, [] for a window of few rows."""
        window = ask.window
        if window is None or not ask.field_keys or len(window.numbers) <= _FEWEST_ROWS:
            return []
        middle = len(window.numbers) // 2
        halves = (window.numbers[:middle], window.numbers[middle:])
        return [
            one
            for half in halves
            for one in self._asks(ask, ask.field_keys[0], window.table, half, again=window.again)
        ]

    def follow(self, ask: Ask, part: PartReading) -> list[Ask]:
        """Return what a window's reply calls for: its halves where it was cut, else the rows left out."""
        window = ask.window
        assert window is not None
        key, table = part.scope.field_keys[0], window.table
        wanted = [number for number in window.numbers if table.rows[number].is_data]
        items = next((f.value for f in part.extraction.fields if f.field_key == key), None)
        found = align(items, table, window.numbers) if isinstance(items, list) else {}
        missing = [number for number in wanted if number not in set(found.values())]
        if not missing:
            return []
        if not part.reply.is_complete and (halves := self.halve(ask)):
            return halves
        return [] if window.again else self._asks(ask, key, table, missing, again=True)

    def _asks(
        self, ask: Ask, key: str, table: LongTable, numbers: Sequence[int], *, again: bool
    ) -> list[Ask]:
        asks = []
        for start in range(0, len(numbers), self._rows):
            chosen = tuple(numbers[start : start + self._rows])
            if not any(table.rows[number].is_data for number in chosen):
                continue
            if not self._left:
                break  # what is left unasked is found when the list is put together
            self._left -= 1
            asks.append(
                replace(
                    ask,
                    sources=(_source(ask, table, chosen),),
                    field_keys=(key,),
                    round=ask.round + 1,
                    row_counts={},
                    shares_documents=False,
                    has_long_tables=False,
                    window=RowWindow(table, chosen, again),
                )
            )
        return asks


def _shows(ask: Ask, table: LongTable) -> bool:
    return ask.window is None and any(source.source_id == table.source_id for source in ask.sources)


def _source(ask: Ask, table: LongTable, numbers: Sequence[int]) -> SourceText:
    whole = next(source for source in ask.sources if source.source_id == table.source_id)
    return replace(
        whole,
        text=plain_text(table.render(numbers)),
        first_page=table.rows[numbers[0]].page,
        last_page=table.rows[numbers[-1]].page,
        piece="",
    )
