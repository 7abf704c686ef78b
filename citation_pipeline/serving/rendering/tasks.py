"""What a worker process can be asked to do, by name."""

from collections.abc import Callable, Mapping

from citation_pipeline.serving.evidence.annotations import annotate_file
from citation_pipeline.serving.evidence.produced_pages import produce_document
from citation_pipeline.serving.rendering.documents import draw_page_image
from citation_pipeline.serving.rendering.marked_pages import draw_cited_page
from citation_pipeline.serving.rendering.page_copies import cut_page


def wake() -> bytes:
    """Do nothing: a worker that answers is up."""
    return b""


TASKS: Mapping[str, Callable[..., bytes]] = {
    "draw_page_image": draw_page_image,
    "draw_cited_page": draw_cited_page,
    "annotate_file": annotate_file,
    "cut_page": cut_page,
    "produce_document": produce_document,
    "wake": wake,
}
