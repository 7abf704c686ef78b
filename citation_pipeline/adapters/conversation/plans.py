"""How a claim is asked: which documents go into one request, and which fields into one question.

A claim that fits is one request. One that does not is cut by documents, a document that does not fit by
pages, a page that does not fit by characters; a schema too large for one answer by groups of fields.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from citation_pipeline.adapters.conversation.asks import Ask
from citation_pipeline.adapters.conversation.settings import ConversationSettings
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.prompts.guides import NO_GUIDE, Guide
from citation_pipeline.core.prompts.instructions import render_instructions
from citation_pipeline.core.prompts.lengths import likely_tokens
from citation_pipeline.core.prompts.sources import SourceText, read_source
from citation_pipeline.core.schemas import Schema

OVERHEAD = 200
"""Characters of marks, titles and page numbers around a document's own."""
MARKS = 60
"""Likely tokens of the same."""
MARGIN = 0.95
"""What is left between what was counted for the whole and what a part will count."""

Counter = Callable[[Ask], int]
"""Tokens of the prompt of an ask, as its model counts them."""


def readable_sources(documents: Sequence[ParsedDocument]) -> list[SourceText]:
    """Return the documents that have something to read; copies of another one are left out."""
    return [
        source
        for document in documents
        if document.is_readable and document.status is not DocumentStatus.DUPLICATE
        if (source := read_source(document)).text.strip()
    ]


def field_groups(schema: Schema, settings: ConversationSettings) -> list[tuple[str, ...] | None]:
    """Return the groups of fields that are asked for at a time: [None] for all at once.

    Groups keep the schema's order and do not tear a category apart where it fits.
    """
    limit = settings.fields_at_once()
    if len(schema.fields) <= limit:
        return [None]
    groups: list[list[str]] = [[]]
    for category in schema.categories:
        keys = [field.key for field in schema.fields if field.category == category]
        if groups[-1] and len(groups[-1]) + len(keys) > limit:
            groups.append([])
        for key in keys:
            if len(groups[-1]) == limit:
                groups.append([])
            groups[-1].append(key)
    return [tuple(group) for group in groups if group]


def plan_asks(
    sources: Sequence[SourceText],
    documents: Sequence[ParsedDocument],
    schema: Schema,
    settings: ConversationSettings,
    *,
    count: Counter,
    count_images: Counter = lambda ask: 0,
    guide: Guide = NO_GUIDE,
) -> list[Ask]:
    """Return the asks for a claim, each of which fits by the model's own count.

    `count` is only called where the estimate comes near the limit: every count sends the documents out.
    `count_images` gives the tokens of the pictures that go with an ask.
    """
    if not sources:
        return []
    whole = Ask(sources=tuple(sources), model=settings.model, guide=guide)
    limit = settings.prompt_limit()
    parts = [whole]
    instructions = render_instructions(schema, guide)
    # one token is never less than a character, so a prompt of fewer characters fits whatever it says
    if whole.character_count + len(instructions) + count_images(whole) > limit:
        tokens = count(whole)
        if tokens + count_images(whole) > limit:
            sizes = _Sizes(whole, tokens, count(replace(whole, sources=())), count_images)
            parts = _split(whole, documents, limit=limit, sizes=sizes, count=count)
    groups = field_groups(schema, settings)
    return [
        replace(part, field_keys=group, shares_documents=len(groups) > 1)
        for part in parts
        for group in groups
    ]


def halve_sources(ask: Ask, documents: Sequence[ParsedDocument]) -> list[Ask]:
    """Return two asks for a half of the documents each, of a single one's pages, or of a page's text.

    [] where nothing is left to halve.
    """
    sources = list(ask.sources)
    if len(sources) == 1:
        sources = _cut(sources[0], documents, largest=max(1, len(sources[0]) // 2))
    if len(sources) < 2:
        return []
    middle = len(sources) // 2
    return [replace(ask, sources=tuple(half)) for half in (sources[:middle], sources[middle:])]


class _Sizes:
    """How many tokens texts have: by the count of the whole, shared out by our own measure of each.

    Figures have twice the tokens of letters: characters would tell less. `instructions` is the count without
    any document, which is in every part again.
    """

    def __init__(self, whole: Ask, tokens: int, instructions: int, count_images: Counter) -> None:
        self._whole, self._count_images = whole, count_images
        shown = sum(likely_tokens(source.text) + MARKS for source in whole.sources)
        self._rate = max(0, tokens - instructions) / max(1, shown)
        self.instructions = instructions

    def of(self, source: SourceText) -> float:
        """Return the tokens of a text, its marks and the pictures of its pages."""
        pictures = self.pictures(replace(self._whole, sources=(source,)))
        return (likely_tokens(source.text) + MARKS) * self._rate + pictures

    def pictures(self, ask: Ask) -> int:
        """Return the tokens of an ask's pictures."""
        return self._count_images(ask)


def _split(
    whole: Ask, documents: Sequence[ParsedDocument], *, limit: int, sizes: _Sizes, count: Counter
) -> list[Ask]:
    """Pack the documents in their order into parts of like size, each counted and halved until it fits."""
    room = max(limit * MARGIN - sizes.instructions, limit * (1 - MARGIN))
    pieces: list[tuple[SourceText, float]] = []
    for source in whole.sources:
        size = sizes.of(source)
        per_token = len(source) / max(size, 1.0)
        largest, page = (max(1, int(per_token * most)) for most in (room, limit - sizes.instructions))
        cut = [source] if size <= room else _cut(source, documents, largest=largest, largest_page=page)
        pieces += [(piece, sizes.of(piece)) for piece in cut]
    # parts that are full to the limit would differ in number by a token; those of like size do not
    total = sum(size for _, size in pieces)
    wanted = total / math.ceil(total / room)
    parts: list[list[SourceText]] = [[]]
    filled = 0.0
    for piece, size in pieces:
        if parts[-1] and (filled + size > room or filled + size / 2 > wanted):
            parts.append([])
            filled = 0.0
        parts[-1].append(piece)
        filled += size
    fitting: list[Ask] = []
    waiting = [replace(whole, sources=tuple(part)) for part in parts if part]
    while waiting:
        ask = waiting.pop(0)
        if count(ask) + sizes.pictures(ask) > limit and (halves := halve_sources(ask, documents)):
            waiting[:0] = halves
        else:
            fitting.append(ask)
    return fitting


def _cut(
    source: SourceText, documents: Sequence[ParsedDocument], *, largest: int, largest_page: int = 0
) -> list[SourceText]:
    """Cut a document into runs of pages of at most `largest` characters, a longer page into runs of lines.

    A page by itself may have `largest_page`.
    """
    document = next(d for d in documents if d.source.source_id == source.source_id)
    pages = [
        replace(read_source(document, first_page=page, last_page=page), kind=source.kind, date=source.date)
        for page in range(source.first_page, source.last_page + 1)
    ]
    if source.first_page == source.last_page:
        # already a single page, perhaps already a part of it
        pages = [source]
    runs: list[SourceText] = []
    for page in pages:
        if not page.text.strip():
            continue
        last = runs[-1] if runs else None
        if last is not None and not last.piece and len(last) + len(page) + 2 <= largest:
            runs[-1] = replace(last, text=f"{last.text}\n\n{page.text}", last_page=page.last_page)
        elif len(page) <= max(largest, largest_page):
            runs.append(page)
        else:
            texts = _cut_text(page.text, largest)
            runs.extend(
                replace(page, text=text, piece=f"{page.piece}/{number}.{len(texts)}")
                for number, text in enumerate(texts, start=1)
            )
    return runs


_ENDS = ("\n\n", "</tr>", "\n", " ")  # of a block, of a row, of a line, of a word


def _cut_text(text: str, largest: int) -> list[str]:
    """Cut a text between blocks or a table's rows where there are any, so that no label loses its value.

    The pieces together are the text.
    """
    pieces = []
    while len(text) > largest:
        found = ((text.rfind(end, largest // 2, largest - len(end) + 1), len(end)) for end in _ENDS)
        at = next((start + length for start, length in found if start >= 0), largest)
        pieces.append(text[:at])
        text = text[at:]
    return [*pieces, text]
