"""Bringing the index file up to the store: claims whose tables, dataset or reviews changed are written anew.

Claims are written whole, some in one transaction, so readers never see half of one; a claim without chunks
is left out until it has some.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.adapters.search_index.claim_writing import ClaimDraft, remove_claim, write_claim
from citation_pipeline.adapters.search_index.embeddings import EmbeddingProvider
from citation_pipeline.adapters.search_index.files import SearchFile, transaction
from citation_pipeline.adapters.tables.chunk_rows import read_chunks
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.store_errors import MissingTableError
from citation_pipeline.core.retrieval.chunks import Chunk

ReadDataset = Callable[[str], Mapping[str, Any]]
"""Returns a claim's dataset with its reviews laid over; raises MissingTableError before there is one."""


@dataclass(frozen=True, slots=True)
class Filling:
    """What one refresh did."""

    written: int
    removed: int
    unchanged: int


def fill(
    file: SearchFile,
    store: ClaimStore,
    *,
    dataset_marks: Mapping[str, str],
    read_dataset: ReadDataset,
    embeddings: EmbeddingProvider | None = None,
) -> Filling:
    """Write what changed; `dataset_marks` tell by claim which dataset and reviews are current."""
    chunk_marks = store.table_marks("chunks")
    suffix = f"+{embeddings.name}" if embeddings else ""
    wanted = {
        claim_id: (mark + suffix, dataset_marks[claim_id])
        for claim_id, mark in chunk_marks.items()
        if claim_id in dataset_marks
    }
    with file.reading() as connection:
        known = {
            row[0]: (row[1], row[2])
            for row in connection.execute("SELECT claim_id, chunks_mark, dataset_mark FROM claims")
        }
    changed = [claim_id for claim_id, marks in wanted.items() if known.get(claim_id) != marks]
    gone = [claim_id for claim_id in known if claim_id not in wanted]
    written = 0
    with file.writing() as connection:
        for batch in _batches(changed):
            drafts = [_draft(store, read_dataset, embeddings, claim_id, known, wanted) for claim_id in batch]
            with transaction(connection):
                for draft in drafts:
                    if draft is not None:
                        write_claim(connection, draft, wanted[draft.claim_id])
                        written += 1
        with transaction(connection):
            for claim_id in gone:
                remove_claim(connection, claim_id)
    return Filling(written, len(gone), len(wanted) - len(changed))


def _batches(claim_ids: Sequence[str]) -> Iterable[Sequence[str]]:
    """Claims of one transaction: a commit costs some 10 ms, and other writers wait for the whole of one."""
    return (claim_ids[i : i + 20] for i in range(0, len(claim_ids), 20))


def _draft(
    store: ClaimStore,
    read_dataset: ReadDataset,
    embeddings: EmbeddingProvider | None,
    claim_id: str,
    known: Mapping[str, tuple[str, str]],
    wanted: Mapping[str, tuple[str, str]],
) -> ClaimDraft | None:
    """Read what changed of a claim; None when a run took it away meanwhile."""
    has_chunks = claim_id in known and known[claim_id][0] == wanted[claim_id][0]
    try:
        dataset = read_dataset(claim_id)
        chunks = None if has_chunks else read_chunks(store, claim_id)
    except MissingTableError:
        return None
    provider = embeddings.name if embeddings else ""
    return ClaimDraft(claim_id, dataset, chunks, _vectors(embeddings, chunks, claim_id), provider)


def _vectors(
    embeddings: EmbeddingProvider | None, chunks: Sequence[Chunk] | None, claim_id: str
) -> list[bytes]:
    if embeddings is None or not chunks:
        return []
    texts = [f"{chunk.title}\n{chunk.heading}\n{chunk.text}" for chunk in chunks]
    return [vector.tobytes() for vector in embeddings.embed(texts, claim_id=claim_id)]
