"""What is asked in one request about some documents, and a request that is ready to send."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from citation_pipeline.core.answers.long_lists import LONG_TABLE, LongTable
from citation_pipeline.core.prompts.guides import NO_GUIDE, Guide
from citation_pipeline.core.prompts.lengths import NO_SHAPE, Shape, likely_tokens_of
from citation_pipeline.core.prompts.page_images import PageImage
from citation_pipeline.core.prompts.questions import (
    render_beginnings,
    render_question,
    render_requote,
    render_rows_question,
    render_second_look,
)
from citation_pipeline.core.prompts.reply_format import QUOTING_SCHEMA, REPLY_SCHEMA
from citation_pipeline.core.prompts.sources import SourceText


@dataclass(frozen=True, slots=True)
class RowWindow:
    """Rows of a long table that one list is asked for by; `again` after an answer that left these out."""

    table: LongTable
    numbers: tuple[int, ...]
    again: bool = False


ASKED_AGAIN = "asked_again"
SECOND_LOOK, REQUOTE = "second_look", "requote"
"""What the ledger calls a second look at unsure fields, and a question for other quotations."""


@dataclass(frozen=True)
class Ask:
    """One question about some documents: these fields (None: all), of this model.

    `round` is 0 for the first question about the documents and counts the times it was asked again;
    `shares_documents` tells that other questions about the same documents follow; `guide` is what people
    added to the prompt. `window` asks for one list by some rows of its table; `has_long_tables` asks for the
    beginnings of long lists only, since their windows follow. `quotes_first` is a second look, `is_requote`
    asks for other quotations of what was answered already. `images` are the pictures of pages that go with
    the text; `without_images` shows none, whatever is allowed.
    """

    sources: tuple[SourceText, ...]
    model: str
    field_keys: tuple[str, ...] | None = None
    round: int = 0
    row_counts: Mapping[str, int] = field(default_factory=dict)
    structured: bool = True
    shares_documents: bool = False
    guide: Guide = NO_GUIDE
    window: RowWindow | None = None
    has_long_tables: bool = False
    quotes_first: bool = False
    is_requote: bool = False
    images: tuple[PageImage, ...] = ()
    without_images: bool = False

    @cached_property
    def character_count(self) -> int:
        """Return the characters of the documents."""
        return sum(len(source) for source in self.sources)

    @property
    def page_count(self) -> int:
        """Return the number of pages shown."""
        return sum(source.last_page - source.first_page + 1 for source in self.sources)

    def scope(self) -> str:
        """Return what is asked as JSON without document text: it is stored with the reply."""
        rows: dict[str, Any] = {"quotes_first": True} if self.quotes_first else {}
        if self.images:
            rows["images"] = [image.digest for image in self.images]
        if (window := self.window) is not None:
            at = [window.table.source_id, window.table.block_id]
            rows["rows"] = {"table": at, "numbers": window.numbers}
        return json.dumps(
            {
                "sources": [
                    [one.source_id, one.first_page, one.last_page, *([one.piece] if one.piece else [])]
                    for one in self.sources
                ],
                "field_keys": self.field_keys,
                "round": self.round,
                **rows,
                **({"requote": True} if self.is_requote else {}),
            }
        )


def question_of(ask: Ask) -> str:
    """Return what is asked behind the documents."""
    if ask.window is not None and ask.field_keys:
        total = len(ask.window.table.data)
        return render_rows_question(ask.field_keys[0], count=len(ask.window.numbers), total=total)
    if ask.quotes_first and ask.field_keys:
        return render_second_look(ask.field_keys)
    if ask.is_requote and ask.field_keys:
        return render_requote(ask.field_keys)
    question = render_question(ask.field_keys, is_again=ask.round > 0, row_counts=ask.row_counts)
    return f"{question}\n{render_beginnings(LONG_TABLE)}" if ask.has_long_tables else question


def reply_schema_of(ask: Ask) -> Mapping[str, Any]:
    """Return the JSON Schema of an ask's answer."""
    return QUOTING_SCHEMA if ask.quotes_first else REPLY_SCHEMA


def purpose_of(ask: Ask) -> str | None:
    """Return what the ledger says a request is for, beside the first question: it is priced by itself."""
    if ask.window is not None:
        return "list_rows"
    if ask.is_requote:
        return REQUOTE
    if ask.quotes_first:
        return SECOND_LOOK
    return ASKED_AGAIN if ask.round else None


@dataclass(frozen=True, slots=True)
class Request:
    """An `Ask` ready to send: the body without transport parameters, and its fingerprint.

    Pictures are in the body by their digests; who sends it puts them in (`page_images.filled`).
    """

    ask: Ask
    body: Mapping[str, Any] = field(repr=False)
    fingerprint: str
    character_count: int
    text_shape: Shape = NO_SHAPE  # of the prompt
    purpose: str | None = None  # beside the first question: for the ledger
    reply_schema: Mapping[str, Any] | None = None  # where a server is told it apart from the body
    image_tokens: int = 0  # of `text_shape`
    image_count: int = 0  # of the body: 0 until they are drawn
    image_bytes: int = 0

    @property
    def likely_tokens(self) -> int:
        """Return the likely tokens of the prompt, by our own measure."""
        return likely_tokens_of(self.text_shape)
