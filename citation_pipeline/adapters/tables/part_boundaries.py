"""Where people said that the documents inside a file begin: one JSON per claim, apart from what is parsed.

A boundary belongs to a file's content (its hash): it survives any re-parse, and an exchanged file loses it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from citation_pipeline.adapters.tables.stored_files import StoredFiles
from citation_pipeline.core.documents.parsed import ParsedDocument

FOLDER = "part_boundaries"


@dataclass(frozen=True, slots=True)
class PartBoundaries:
    """The first pages (1-based) of a file's documents as a person set them, with who and when (ISO 8601)."""

    sha256: str
    starts: Sequence[int]
    made_by: str
    made_at: str


def read_boundaries(store: StoredFiles, claim_id: str) -> dict[str, PartBoundaries]:
    """Return source id → boundaries for the files that somebody divided."""
    try:
        kept = json.loads(store.read_bytes(FOLDER, f"{claim_id}.json"))
    except FileNotFoundError:
        return {}
    return {source_id: PartBoundaries(**one) for source_id, one in kept.items()}


def keep_boundaries(
    store: StoredFiles, claim_id: str, source_id: str, boundaries: PartBoundaries | None
) -> None:
    """Keep a file's boundaries; None leaves them to the parser again."""

    def change(before: bytes | None) -> bytes:
        kept = json.loads(before) if before is not None else {}
        kept.pop(source_id, None)
        if boundaries is not None:
            kept[source_id] = asdict(boundaries)
        return json.dumps(dict(sorted(kept.items())), ensure_ascii=False, indent=1).encode() + b"\n"

    store.change_bytes(change, FOLDER, f"{claim_id}.json")


def divided(
    documents: Sequence[ParsedDocument], boundaries: Mapping[str, PartBoundaries]
) -> list[ParsedDocument]:
    """Return the documents with people's boundaries on the files that are still the same."""
    return [
        replace(document, part_starts=tuple(known.starts))
        if (known := boundaries.get(document.source.source_id)) is not None
        and known.sha256 == document.source.sha256
        else document
        for document in documents
    ]
