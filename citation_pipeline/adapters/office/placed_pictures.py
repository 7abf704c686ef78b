"""Pictures inside office files: placed on the page and read as a scan pasted into a letter would be."""

from collections.abc import Sequence

from citation_pipeline.adapters.local_parser.refusals import RefusedDocumentError
from citation_pipeline.adapters.office.images import content_of_picture, open_picture
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.typesetting import Typesetter
from citation_pipeline.core.documents.composition import BlockDraft
from citation_pipeline.core.layout.content import PagePicture
from citation_pipeline.core.layout.pages import lay_out

UNREAD_PICTURE = "unread_picture"
_LEAST_SIDE = 24  # pixels; bullets and rules drawn as pictures hold no word


def place_picture(
    setter: Typesetter, data: bytes, options: OfficeOptions, *, size: tuple[float, float] | None = None
) -> None:
    """Place a picture, `size` in points or as large as its resolution says; what it says is read.

    One that cannot be opened (a metafile, a damaged one) is a warning of the page.
    """
    try:
        picture = open_picture(data, options.limits)
    except RefusedDocumentError:
        setter.warn(UNREAD_PICTURE)
        return
    width, height = size or (picture.width_pt, picture.height_pt)
    recognize = options.recognize_page

    def read(number: int, width: float, height: float) -> Sequence[BlockDraft]:
        if min(picture.grey.shape) < _LEAST_SIDE:
            return ()
        if recognize is None:
            setter.warn(UNREAD_PICTURE)
            return ()
        return lay_out(content_of_picture(_as_shown(picture, width, height), recognize))

    setter.picture(data, width=width, height=height, read=read)


def _as_shown(picture: PagePicture, width: float, height: float) -> PagePicture:
    """Return the picture in the size in which the document shows it: its letters' sizes are told by it."""
    rows = picture.grey.shape[0]
    return PagePicture(picture.grey, rows * 72 / max(height, 1.0), picture.page, width, height)
