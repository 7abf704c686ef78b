"""Words that were recognized twice with different letters, as rows beside the words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.tables.store_errors import MissingTableError
from citation_pipeline.core.documents.parsed import (
    ParsedDocument,
    Words,
)


def second_reading_table(claim_id: str, documents: Sequence[ParsedDocument]) -> pa.Table:
    """Return the rows of `second_readings`: words that were recognized twice with different letters."""
    rows = [
        {
            "claim_id": claim_id,
            "source_id": document.source.source_id,
            "word_id": word_id,
            "text": document.words.texts[word_id],
            "second_reading": other,
        }
        for document in documents
        for word_id, other in sorted(document.words.second_readings.items())
    ]
    return pa.Table.from_pylist(rows, schema=SHAPES["second_readings"])


def with_second_readings(
    documents: Sequence[ParsedDocument], store: ClaimStore, claim_id: str
) -> list[ParsedDocument]:
    """Return the documents with what the second reading of their words was; as they are in older stores.

    A row whose word has another text by now is of a parse that is gone.
    """
    try:
        rows = store.read_rows("second_readings", claim_id)
    except MissingTableError:
        return list(documents)
    by_source: dict[str, dict[int, tuple[str, str]]] = {}
    for row in rows:
        by_source.setdefault(row["source_id"], {})[row["word_id"]] = (row["text"], row["second_reading"])
    return [
        replace(document, words=replace(document.words, second_readings=known))
        if (known := _still_known(document.words, by_source.get(document.source.source_id, {})))
        else document
        for document in documents
    ]


def _still_known(words: Words, rows: Mapping[int, tuple[str, str]]) -> dict[int, str]:
    return {
        word_id: second
        for word_id, (text, second) in rows.items()
        if word_id < len(words) and words.texts[word_id] == text
    }
