"""All pages of a document become blocks: each page alone, then what only repetition shows."""

from collections.abc import Sequence

from citation_pipeline.core.documents import BlockDraft
from citation_pipeline.core.layout.content import PageContent
from citation_pipeline.core.layout.pages import lay_out


def lay_out_document(pages: Sequence[PageContent]) -> list[BlockDraft]:
    """Return the blocks of all pages in reading order, page after page."""
    return [block for page in pages for block in lay_out(page)]
