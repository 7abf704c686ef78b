"""What is computed once per document and reused by every snippet that is looked for in it; all of it lazily.

Looking is `search`'s work.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.documents import ParsedDocument, Words
from citation_pipeline.core.matching.folding import fold_all
from citation_pipeline.core.matching.rows import RowOrder, order_rows
from citation_pipeline.core.matching.streams import KeyStream


class DocumentIndex:
    """The key streams and layout tables of one document's words."""

    def __init__(self, document: ParsedDocument | Words) -> None:
        self.words = document if isinstance(document, Words) else document.words
        self.neighbourhoods: dict[tuple[int, int], object] = {}

    def warm(self) -> None:
        """Build every table now instead of on first use."""
        for stream in (self.reading, self.visual):
            stream.warm()
        _ = self.keys_by_length

    @cached_property
    def keys(self) -> list[bytes]:
        """Every word's key."""
        return fold_all(self.words.texts)

    @cached_property
    def reading(self) -> KeyStream:
        """The words in the parser's reading order."""
        return KeyStream(self.keys)

    @cached_property
    def rows(self) -> RowOrder:
        """The words' visual rows."""
        return order_rows(self.words)

    @cached_property
    def visual(self) -> KeyStream:
        """The words in visual row order."""
        return KeyStream(self.keys, self.rows.order)

    @cached_property
    def vocabulary(self) -> dict[bytes, int]:
        """How often each key of letters stands in the document as a word of its own."""
        counts: dict[bytes, int] = {}
        for key in self.keys:
            counts[key] = counts.get(key, 0) + 1
        return counts

    @cached_property
    def keys_by_length(self) -> dict[int, list[bytes]]:
        """The different keys of the document by their length."""
        found: dict[int, list[bytes]] = {}
        for key in self.vocabulary:
            found.setdefault(len(key), []).append(key)
        return found

    @cached_property
    def block_first(self) -> NDArray[np.bool_]:
        """For each word whether it begins a block."""
        block = self.words.block
        return np.r_[np.ones(min(1, len(block)), np.bool_), block[1:] != block[:-1]]
