"""What one document may cost: time, memory, pages, bytes and pixels. Enforcing it is the others' work."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseLimits:
    """The bounds of one document's parse; beyond them its status says so and the others go on.

    Times are the worker's own: CPU seconds, and seconds asleep; waiting for a core does not count.
    `silent_seconds` is the longest time without a finished page (the slowest recognized one took 6 CPU
    seconds); `total_seconds` bounds the document (5,000 recognized pages take about three hours).
    `memory_bytes` is the worker's
    resident memory, OCR models included (390 MB after a letter page at 200 dpi). `image_pixels`
    bounds one decoded image: a bilevel fax of 600 dpi on legal paper has 43 million.
    """

    silent_seconds: float = 120.0
    total_seconds: float = 6 * 3600.0
    memory_bytes: int = 1536 * 2**20
    file_bytes: int = 512 * 2**20
    pages: int = 5000
    image_pixels: int = 80_000_000
    unpacked_bytes: int = 256 * 2**20  # of an office file's package: more is a bomb, not a document
    attachments: int = 500  # of one mail or archive
    attached_files: int = 2000  # over all levels of files in files, and how many levels and bytes
    attached_levels: int = 6
    attached_bytes: int = 1024 * 2**20
