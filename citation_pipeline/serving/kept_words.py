"""The words of documents that are looked at now, kept in memory up to a bound."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.page_words import PageWord, read_words
from citation_pipeline.adapters.tables.store_errors import MissingTableError

_MOST_WORDS = 30_000  # of documents and stretches of long ones; a word takes some 1 kB
_STRETCH = 16  # pages of a long document that are read together: who scrolls comes to the next ones


class KeptWords:
    """Reads words from the store and keeps the recent ones; safe to share between threads."""

    def __init__(self, store: ClaimStore) -> None:
        self._store = store
        self._words: OrderedDict[tuple[str, str, str, int], list[PageWord]] = OrderedDict()
        self._reading = threading.Lock()
        self._lock = threading.Lock()

    def of_document(self, claim_id: str, source: Mapping[str, Any]) -> list[PageWord]:
        """Return a source document's words in reading order; none before it was parsed."""
        return self._of_stretch(claim_id, source, 0)

    def of_page(self, claim_id: str, source: Mapping[str, Any], page: int) -> list[PageWord]:
        """Return a page's words in reading order; of a long document a stretch of pages is read for it."""
        stretch = (page - 1) // _STRETCH + 1 if source["pageCount"] > _STRETCH else 0
        return [word for word in self._of_stretch(claim_id, source, stretch) if word.page == page]

    def forget(self, claim_id: str) -> None:
        """Keep nothing of a claim any more."""
        with self._lock:
            for key in [known for known in self._words if known[0] == claim_id]:
                del self._words[key]

    def _of_stretch(self, claim_id: str, source: Mapping[str, Any], stretch: int) -> list[PageWord]:
        """Return the words of a document (`stretch` 0), or of the first, second, ... stretch of its pages."""
        words_mark = self._store.file_mark("words", f"{claim_id}.parquet") or ""
        key = (claim_id, str(source["id"]), f"{source['sha256']}-{words_mark}", stretch)
        if (known := self._known(key)) is not None:
            return known
        with self._reading:  # one at a time: what several ask for at once is read once
            if (known := self._known(key)) is not None:
                return known
            pages = ((stretch - 1) * _STRETCH + 1, stretch * _STRETCH) if stretch else None
            words = self._read(claim_id, source, pages)
        with self._lock:
            self._words[key] = words
            kept = sum(map(len, self._words.values()))
            while kept > _MOST_WORDS:
                kept -= len(self._words.popitem(last=False)[1])
        return words

    def _known(self, key: tuple[str, str, str, int]) -> list[PageWord] | None:
        with self._lock:
            known = self._words.get(key)
            if known is not None:
                self._words.move_to_end(key)
            return known

    def _read(
        self, claim_id: str, source: Mapping[str, Any], pages: tuple[int, int] | None
    ) -> list[PageWord]:
        try:
            words = read_words(self._store, claim_id, source_id=source["id"], pages=pages)
            if not words and source.get("duplicateOf"):
                words = read_words(self._store, claim_id, source_id=source["duplicateOf"], pages=pages)
        except MissingTableError:
            return []
        return words
