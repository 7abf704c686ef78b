"""Whether a PDF may carry files, told from its bytes without the PDF library.

Nearly every PDF carries none, and to ask the library costs a process (`office.pdf_attachments`).
"""

import re
import zlib
from mmap import mmap

# what names a file's content: in a dictionary of its own, or packed with others into an object stream
_NAMES = re.compile(rb"/(?:EF|EmbeddedFiles?)(?![A-Za-z])")
_PACKED = re.compile(rb"/ObjStm\b[^\0]{0,2000}?stream\r?\n")
_MOST_UNPACKED = 16 * 2**20  # of one object stream, whose writers put some hundreds of objects into each


def may_hold_files(data: bytes | mmap) -> bool:
    """Tell whether a PDF may carry files; False is sure but for names that are written to deceive."""
    if _NAMES.search(data):
        return True
    with memoryview(data) as view:
        for match in _PACKED.finditer(data):
            try:
                with view[match.end() :] as packed:
                    objects = zlib.decompressobj().decompress(packed, _MOST_UNPACKED)
            except zlib.error:
                return True  # encrypted, or packed in another way
            if _NAMES.search(objects):
                return True
    return False
