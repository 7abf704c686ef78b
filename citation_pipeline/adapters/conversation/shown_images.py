"""One claim's pictures of pages: which go with a question, and what becomes of a model that refuses them."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from citation_pipeline.adapters.conversation.asks import Ask, Request
from citation_pipeline.adapters.conversation.errors import ProviderRequestError, RefusedImagesError
from citation_pipeline.adapters.conversation.page_images import (
    Draw,
    DrawnImage,
    ImagePart,
    ImageRefusals,
    filled,
)
from citation_pipeline.adapters.conversation.settings import ConversationSettings
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.prompts.page_images import ImageLimits, PageImage, choose_images, images_of

_SHARE = 0.4  # of a prompt that pictures may take: the text is what quotations are checked against
_LOG = logging.getLogger(__name__)


def image_limits(
    settings: ConversationSettings, refusals: ImageRefusals | None, model: str
) -> ImageLimits | None:
    """Return what a model takes of pictures, None where none are allowed, seen or taken."""
    limits = settings.images_of(model)
    return None if limits is None or (refusals is not None and refusals.is_refused(model)) else limits


class ShownImages:
    """The pictures of one claim's pages; each model that is asked has limits of its own."""

    def __init__(
        self,
        documents: Sequence[ParsedDocument],
        settings: ConversationSettings,
        *,
        refusals: ImageRefusals | None = None,
    ) -> None:
        self._documents, self._settings, self._refusals = documents, settings, refusals
        self._chosen: dict[ImageLimits, list[PageImage]] = {}

    def with_images(self, ask: Ask) -> Ask:
        """Return an ask with the pictures that go with it: none with rows of a table, or for a quotation."""
        limits = image_limits(self._settings, self._refusals, ask.model)
        if limits is None or ask.without_images or ask.window is not None or ask.is_requote:
            return ask if not ask.images else replace(ask, images=())
        if limits not in self._chosen:
            most = self._settings.images_per_claim
            self._chosen[limits] = choose_images(self._documents, limits, most=most)
        most_tokens = int(self._settings.prompt_limit(ask.model) * _SHARE)
        found = images_of(ask.sources, self._chosen[limits], limits, most_tokens=most_tokens)
        return replace(ask, images=found)

    def tokens(self, ask: Ask) -> int:
        """Return the tokens of the pictures that go with an ask."""
        return sum(image.tokens for image in self.with_images(ask).images)

    def note_answered(self, ask: Ask, refusal: ProviderRequestError | None) -> None:
        """Remember what an answer says of pictures; `refusal` came to the same question with them."""
        if self._refusals is None:
            return
        if ask.images:
            self._refusals.note_taken(ask.model)
        elif refusal is not None:
            names_images = isinstance(refusal, RefusedImagesError)
            self._refusals.note_refused(ask.model, names_images=names_images)


def drawn_request(request: Request, draw: Draw, part_of: ImagePart) -> Request:
    """Return a request with its pictures in it, without those that cannot be drawn."""
    images = request.ask.images
    if not images:
        return request
    drawn = {image.digest: DrawnImage(data) for image in images if (data := draw(image)) is not None}
    if len(drawn) < len(images):
        _LOG.warning(
            "%d of %d pictures of pages could not be drawn: the pages are asked about by their text alone",
            len(images) - len(drawn),
            len(images),
        )
    kept = tuple(image for image in images if image.digest in drawn)
    return replace(
        request,
        ask=replace(request.ask, images=kept),
        body=filled(request.body, drawn, part_of),
        image_tokens=sum(image.tokens for image in kept),
        image_count=len(kept),
        image_bytes=sum(len(image.data) for image in drawn.values()),
    )
