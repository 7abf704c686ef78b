"""A document's running text as paragraphs, in the order in which a person would read it."""

import re

from citation_pipeline.core.documents.parsed import Block, ParsedDocument
from citation_pipeline.core.layout.forms import fields_of
from citation_pipeline.core.layout.tables import tables_of
from citation_pipeline.core.rules.pages.passages import Passage, join, passage_of, without_leaders

_RUNNING = frozenset({"Header", "Footer", "Page Number"})
_ENDS = re.compile(r"[.?!:;][\"'\u201d\u2019)\]]*$")
_OPENS = re.compile(r"^[a-z(\u2013-]")


def read_paragraphs(document: ParsedDocument) -> list[Passage]:
    """Return the running text as paragraphs in reading order; what a page break tore is put together.

    A form's field (label and value) and a table's cell are paragraphs of their own.
    """
    fields: dict[int, list[Passage]] = {}
    for field in fields_of(document):
        if len(field.value_ids):
            words = (*field.label_ids, *field.value_ids)
            fields.setdefault(field.block_id, []).append(without_leaders(passage_of(document, words)))
    for table in tables_of(document):
        fields[table.block_id] = [passage_of(document, cell.word_ids) for cell in table.cells]
    found: list[Passage] = []
    open_type = ""
    for block in document.blocks:
        if block.type in _RUNNING or block.word_end == block.word_start:
            continue
        if block.block_id in fields:
            found.extend(passage for passage in fields[block.block_id] if passage.words)
            open_type = ""
            continue
        passage = _passage_of_block(document, block)
        joins = (
            found
            and open_type == block.type
            and not _ENDS.search(found[-1].text)
            and _OPENS.match(passage.text)
            and block.type in ("Text", "List Item")
        )
        if joins:
            found[-1] = join((found[-1], passage))
        else:
            found.append(passage)
        open_type = block.type
    return found


def _passage_of_block(document: ParsedDocument, block: Block) -> Passage:
    return passage_of(document, range(block.word_start, block.word_end))
