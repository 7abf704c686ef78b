"""Getting a document's bytes to Reducto, directly or, when they are many, through a presigned address.

The file name that is sent is made of the content's hash: names of claim files name people.
"""

from __future__ import annotations

from collections.abc import Callable

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.reducto.clients import ReductoClient
from citation_pipeline.adapters.reducto.errors import ReductoAddressExpiredError, ReductoDocumentError
from citation_pipeline.adapters.reducto.transport import Errand
from citation_pipeline.core.documents.parsed import SourceDocument

_FRESH_ADDRESSES = 3  # times to ask for an address before an expired one is the caller's problem
_EXTENSIONS = {
    file_types.PDF: ".pdf",
    file_types.PNG: ".png",
    file_types.JPEG: ".jpg",
    file_types.TIFF: ".tiff",
}


def upload_document(
    client: ReductoClient,
    source: SourceDocument,
    data: bytes,
    *,
    errand: Errand,
    on_promised: Callable[[str], object],
) -> str:
    """Upload and return the file id; `on_promised` hears of a presigned one before bytes go there."""
    if len(data) <= client.connection.direct_upload_limit:
        name = source.sha256[:16] + _EXTENSIONS.get(source.media_type, "")
        try:
            return client.upload(data, file_name=name, media_type=source.media_type, errand=errand)
        except ReductoDocumentError as error:
            if error.http_status != 413:  # the service's limit is lower than we were told
                raise
    for attempt in range(1, _FRESH_ADDRESSES + 1):
        file_id, address = client.promise_upload(errand=errand)
        on_promised(file_id)
        try:
            client.put_bytes(address, data, errand=errand)
            break
        except ReductoAddressExpiredError:
            if attempt == _FRESH_ADDRESSES:
                raise
    return file_id
