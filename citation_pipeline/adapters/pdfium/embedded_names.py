"""Whether a PDF may carry files, told from its bytes without the PDF library.

Nearly every PDF carries none, and to ask the library costs a process (`office.pdf_attachments`). The bytes
are hostile and nothing confines who reads them here: the work is bounded, and beyond the bound the answer is
yes.
"""

import re
import zlib
from mmap import mmap

# what names a file's content: in a dictionary of its own, or packed with others into an object stream
_NAMES = re.compile(rb"/(?:EF|EmbeddedFiles?)(?![A-Za-z])")
_PACKED = re.compile(rb"/ObjStm\b")
_STREAM = re.compile(rb"stream\r?\n")
_LONGEST_DICTIONARY = 2_000
_MOST_UNPACKED = 16 * 2**20  # of one object stream, whose writers put some hundreds of objects into each
_MOST_UNPACKED_IN_ALL = 256 * 2**20
_MOST_STREAMS = 50_000


def may_hold_files(data: bytes | mmap) -> bool:
    """Tell whether a PDF may carry files; False is sure but for names that are written to deceive."""
    if _NAMES.search(data):
        return True
    position = unpacked = 0
    for _ in range(_MOST_STREAMS):
        if (packed := _PACKED.search(data, position)) is None:
            return False
        opening = _STREAM.search(data, packed.end(), packed.end() + _LONGEST_DICTIONARY)
        position = data.find(b"endstream", opening.end()) if opening else -1
        if opening is None or position < 0:
            return True  # not written as streams are
        objects = _unpacked(data[opening.end() : position])
        if objects is None or _NAMES.search(objects):
            return True
        unpacked += len(objects)
        if unpacked > _MOST_UNPACKED_IN_ALL:
            break
    return True


def _unpacked(packed: bytes) -> bytes | None:
    """Return what an object stream holds; None where it is encrypted, huge, or packed in another way."""
    unpacking = zlib.decompressobj()
    try:
        objects = unpacking.decompress(packed, _MOST_UNPACKED)
    except zlib.error:
        return None
    return objects if unpacking.eof else None
