"""A prompt before any provider's form: what a dialect makes a request of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from citation_pipeline.adapters.conversation.asks import Ask, question_of, reply_schema_of
from citation_pipeline.adapters.conversation.page_images import ShownImage
from citation_pipeline.adapters.conversation.profiles import Effort
from citation_pipeline.adapters.conversation.settings import ConversationSettings
from citation_pipeline.core.prompts.instructions import render_instructions
from citation_pipeline.core.prompts.lengths import Shape, sum_of, text_shape
from citation_pipeline.core.prompts.page_images import label_of, render_images_note
from citation_pipeline.core.prompts.sources import render_sources
from citation_pipeline.core.schemas import Schema


@dataclass(frozen=True, slots=True)
class Prompt:
    """Instructions, documents, question, and the form of the answer, made for one model; pictures by digest.

    `reply_schema` is None where a plain answer is asked for (the question asks for the same JSON in any
    case). `keeps_instructions`: other prompts with the same instructions follow, so that a provider's cache
    of them pays; `keeps_documents` likewise, with the same instructions and documents.
    """

    model: str
    instructions: str = field(repr=False)
    documents: str = field(repr=False)
    question: str = field(repr=False)
    answer_tokens: int
    reply_schema: Mapping[str, Any] | None = field(default=None, repr=False)
    effort: Effort | None = None
    keeps_instructions: bool = True
    keeps_documents: bool = False
    images: tuple[ShownImage, ...] = ()
    images_note: str = field(default="", repr=False)

    @property
    def character_count(self) -> int:
        """Return the characters that leave the machine."""
        beside = len(self.images_note) + sum(len(image.label) for image in self.images)
        return len(self.instructions) + len(self.documents) + len(self.question) + beside

    @property
    def text_shape(self) -> Shape:
        """Return what the same consists of, and the tokens of the pictures."""
        texts = (self.instructions, self.documents, self.question, self.images_note)
        labels = (text_shape(image.label, image_tokens=image.tokens) for image in self.images)
        return sum_of(*map(text_shape, texts), *labels)

    @property
    def image_tokens(self) -> int:
        """Return the tokens that the pictures count as."""
        return sum(image.tokens for image in self.images)


def prompt_of(ask: Ask, schema: Schema, settings: ConversationSettings) -> Prompt:
    """Return the prompt of a question about a claim's fields."""
    return Prompt(
        model=ask.model,
        instructions=render_instructions(schema, ask.guide),
        documents=render_sources(ask.sources),
        question=question_of(ask),
        answer_tokens=settings.answer_limit(ask.model),
        reply_schema=reply_schema_of(ask) if ask.structured and settings.structured else None,
        effort=settings.effort_of(ask.model),
        keeps_documents=ask.shares_documents,
        images=tuple(
            ShownImage(label_of(image, ask.sources), image.digest, image.tokens) for image in ask.images
        ),
        images_note=render_images_note(ask.sources) if ask.images else "",
    )
