"""Stores for the agents' tests: the viewer's small claim with its chunks, and many generated claims."""

import json
import random
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from importlib import resources
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.tables.chunk_rows import HistoryEntry, chunk_table, history_table
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.retrieval.chunks import Chunk, cut_document
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID, SCHEMA, build_store

FIRST_RUN = HistoryEntry(
    field_key="claimant.name",
    value='"Marisol Quintana"',
    model="rules",
    prompt_fingerprint="0",
    status="resolved",
    source_id="adjuster-letter",
    page=1,
    extraction_version="a",
    citations_version="b",
    recorded_at="2026-01-02T03:04:05+00:00",
)


def build_searchable_store(root: Path, claim_id: str = CLAIM_ID) -> ClaimStore:
    """The viewer's claim with a search index and one earlier value in its history."""
    store = build_store(root, claim_id)
    add_chunks(store, claim_id)
    return store


def add_chunks(store: ClaimStore, claim_id: str) -> None:
    chunks = [
        chunk
        for document in read_documents(store, claim_id)
        if document.is_readable
        for chunk in cut_document(document, claim_id=claim_id)
    ]
    store.write_stage(
        "search_index",
        claim_id,
        tables={
            "chunks": chunk_table(claim_id, chunks),
            "field_history": history_table(claim_id, [FIRST_RUN]),
        },
        inputs={},
    )


def open_model(store: ClaimStore, **options: Any) -> ReadModel:
    return ReadModel(store, VerificationStore(default_url(store.root)), schemas=[SCHEMA], **options)


STATUSES = ("open", "closed", "reopened")


def paid(number: int) -> float | None:
    """What claim `number` has paid in all; every 17th is silent."""
    return None if number % 17 == 0 else round(1_000 + (number * 7_919 % 250_000) / 7, 2)


def generate_claims(root: Path, count: int, *, chunks: int = 1) -> ClaimStore:
    """Write finished claims with one document each; every 18th value of `total_paid` has no place."""
    store = ClaimStore(root / "store")
    (root / "store" / "claims").mkdir(parents=True)
    (root / "store" / "chunks").mkdir()
    for number in range(count):
        claim_id = f"GC-{number:05d}"
        # written plainly: the store's own writer waits for the disk, which a thousand times takes a minute
        claim = json.dumps(asdict(Claim(claim_id, str(root), str(root))))
        (root / "store" / "claims" / f"{claim_id}.json").write_text(claim)
        folder = root / "store" / "viewer_dataset" / claim_id
        folder.mkdir(parents=True)
        (folder / "data.json").write_text(json.dumps(_dataset(claim_id, number)))
        pq.write_table(
            chunk_table(claim_id, list(_chunks(number, chunks))),
            root / "store" / "chunks" / f"{claim_id}.parquet",
        )
    return store


def _dataset(claim_id: str, number: int) -> dict[str, Any]:
    values = [
        ("metadata.claim_number", f"NUM-{number:06d}", "string"),
        ("metadata.claim_status", STATUSES[number % 3], "enum"),
        (
            "metadata.date_of_injury",
            f"20{10 + number % 15}-{1 + number % 12:02d}-{1 + number % 28:02d}",
            "date",
        ),
        ("financials.total_paid", paid(number), "number"),
        ("financials.reserve", number * 10, "number"),
    ]
    fields = [
        _field(place, key, value, kind, is_placed=not (key == "financials.total_paid" and number % 18 == 1))
        for place, (key, value, kind) in enumerate(values)
        if value is not None
    ]
    return {
        "claimId": claim_id,
        "schema": {"name": "small_claim", "title": "Small claim", "categories": []},
        "sources": [
            {
                "id": "ledger",
                "name": "Ledger",
                "file": "ledger.pdf",
                "pageCount": 1,
                "mediaType": "application/pdf",
                "sha256": f"{number:064x}",
                "status": "parsed",
                "error": None,
                "duplicateOf": None,
                "pages": [{"page": 1, "width": 612.0, "height": 792.0, "rotation": 0, "wordsFrom": "text"}],
            }
        ],
        "fields": fields,
        "absentFields": [],
    }


def _field(place: int, key: str, value: Any, kind: str, *, is_placed: bool) -> dict[str, Any]:
    label = " ".join(part.capitalize() for part in key.split(".")[1].split("_"))
    box = {"left": 0.1, "top": round(0.1 + 0.05 * place, 4), "width": 0.2, "height": 0.02}
    citation = {
        "sourceId": "ledger",
        "page": 1,
        "bbox": box,
        "citationId": f"{key}#0",
        "citationIndex": 0,
        "itemPath": "",
        "status": "resolved",
        "method": "exact",
        "confidence": 0.9,
        "snippet": f"{label} {value}",
        "candidates": [],
        "warnings": [],
        "regions": {"block": [], "snippet": [{"page": 1, "boxes": [box]}], "value": []},
    }
    return {
        "id": f"f{place + 1}",
        "label": label,
        "value": str(value),
        "rawValue": value,
        "category": key.split(".")[0].capitalize(),
        "fieldKey": key,
        "valueType": kind,
        "status": "resolved",
        "provenance": "extracted",
        "confidence": "high",
        "warnings": [],
        "citations": [citation] if is_placed else [],
        "unresolvedCitations": [] if is_placed else [citation],
    }


@cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Common English words with the frequencies that words have: the n-th about 1/n of the first."""
    folder = resources.files("citation_pipeline.core.matching") / "words"
    words = [w for w in (folder / "common_words.txt").read_text().split() if len(w) > 3 and w.isalpha()]
    return words, list(accumulate(1 / (place + 5) for place in range(len(words))))


def _chunks(number: int, count: int) -> Iterator[Chunk]:
    chance = random.Random(number)
    known, weights = vocabulary()
    for place in range(count):
        words = chance.choices(known, cum_weights=weights, k=90)
        text = f"Claim number NUM-{number:06d} " + " ".join(words) + f" token{number}x{place}"
        yield Chunk(
            chunk_id=f"ledger#{place}",
            source_id="ledger",
            kind="text",
            page=1,
            page_end=1,
            word_start=0,
            word_end=1,
            text_start=place * 2_000,
            text_end=place * 2_000 + len(text),
            text=text,
            heading="",
            title="Ledger",
            document_type="",
            document_date="",
            identifiers=(f"NUM{number:06d}",) if place == 0 else (),
        )
