"""Claims made up for benchmarks: stages written straight into a store, as if parsed and extracted before.

Documents are letters of made-up words with planted values; each planted value is quoted once. The numbers
of a real claim: some 15 documents, 155 citations.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.tables.answer_rows import extraction_tables, reply_table
from citation_pipeline.adapters.tables.change_rows import (
    Promotion,
    mark_as_shown,
    write_changes,
    write_promotion,
)
from citation_pipeline.adapters.tables.citation_rows import citation_table
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import document_tables, source_document_table
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument
from citation_pipeline.core.extraction import Confidence, ExtractedField, Extraction, Provenance, Snippet
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.schemas import Field, Schema
from citation_pipeline.core.viewer.dataset import build_viewer_dataset

TEXT = (
    "the worker was seen for follow up and reports pain of lower back after lifting boxes at work "
    "treatment includes therapy twice weekly with reduced duties and no overtime until next visit "
    "employer carrier adjuster notice benefits paid hearing settlement lien report physician review"
)
WORDS = TEXT.split()
CITATIONS = 155
DOCUMENTS = 12


@dataclass(frozen=True)
class Fact:
    """A field's value and the sentence of a document that states it."""

    field: Field
    value: Any
    source_id: str
    sentence: str


@lru_cache(maxsize=1)  # claims of one seed are written one after another
def make_documents(schema: Schema, *, seed: int) -> tuple[list[ParsedDocument], list[Fact]]:
    """Return a claim's documents and its planted facts."""
    chance = random.Random(seed)
    values = {field.key: _draw_value(chance, field) for field in schema.fields}
    facts: list[Fact] = []
    documents = []
    for number in range(DOCUMENTS):
        source_id = f"letter-{number:02d}"
        pages, blocks = [], []
        for page in range(1, 4):
            pages.append(PageDraft(612, 792))
            lines = []
            for line in range(38):
                words = [chance.choice(WORDS) for _ in range(11)]
                if line % 8 == 3 and len(facts) < CITATIONS:
                    field = schema.fields[len(facts) % len(schema.fields)]
                    value, printed = values[field.key]
                    mark = f"{chance.randrange(10**8, 10**9)}"  # no sentence stands twice
                    words = [*words[:4], mark, *printed.split(), *words[4:8]]
                    facts.append(Fact(field, value, source_id, " ".join(words[2:-2])))
                top = 0.05 + line * 0.024
                lines.append(
                    [
                        (word, Box(0.05 + i * 0.065, round(top, 4), 0.06, 0.012))
                        for i, word in enumerate(words)
                    ]
                )
            for start in range(0, len(lines), 6):
                blocks.append(BlockDraft(page=page, type="Text", lines=lines[start : start + 6]))
        source = SourceDocument(
            source_id, source_id, f"{source_id}.txt", f"{seed:032x}{number:032x}", "text/plain", 9_000
        )
        documents.append(
            compose_document(source, pages=pages, blocks=blocks, parser="generated", parser_version="1")
        )
    return documents, facts


def _draw_value(chance: random.Random, field: Field) -> tuple[Any, str]:
    """Return a value of the field's type and how a letter prints it."""
    number = chance.randrange(10**6, 10**7)
    if field.value_type == "date":
        day, month, year = chance.randrange(1, 29), chance.randrange(1, 13), chance.randrange(2015, 2026)
        return f"{year}-{month:02d}-{day:02d}", f"{month:02d}/{day:02d}/{year}"
    if field.value_type in ("number", "integer"):
        return number, f"${number:,}"
    if field.value_type == "boolean":
        return True, "yes"
    if field.value_type == "enum":
        return field.enum[0], field.enum[0].replace("_", " ")
    if field.value_type == "array":
        return [{item.name: f"N{number}" for item in field.items[:1]}], f"N{number}"
    return f"N{number}", f"N{number}"


def make_extraction(schema: Schema, facts: Sequence[Fact]) -> Extraction:
    """Return the answer that a perfect reader gives: each fact's sentence is a snippet of its field."""
    snippets: dict[str, list[Snippet]] = {}
    for fact in facts:
        listed = snippets.setdefault(fact.field.key, [])
        listed.append(Snippet(source_id=fact.source_id, text=fact.sentence, citation_index=len(listed)))
    values = {fact.field.key: fact.value for fact in facts}
    fields = tuple(
        ExtractedField(
            field_key=field.key,
            value=values.get(field.key),
            value_type=field.value_type,
            confidence=Confidence.HIGH,
            provenance=Provenance.EXTRACTED,
            snippets=tuple(snippets.get(field.key, ())),
        )
        for field in schema.fields
    )
    return Extraction(
        schema_name=schema.name, fields=fields, model="generated", prompt_fingerprint="generated"
    )


def write_claim(store: ClaimStore, claim_id: str, schema: Schema, *, seed: int) -> None:
    """Register a claim and write its stages up to the extracted fields."""
    documents, facts = make_documents(schema, seed=seed)
    folder = str(Path(store.root) / "none" / claim_id)
    store.register(Claim(claim_id=claim_id, folder=folder, documents_dir=folder, extractor="replay"))
    sources = [document.source for document in documents]
    tables: dict[str, dict[str, Any]] = {
        "source_documents": {"source_documents": source_document_table(claim_id, sources)},
        "parsed_documents": document_tables(claim_id, documents),
        "raw_extraction": {
            "raw_extraction": reply_table(
                claim_id,
                [
                    StoredReply(
                        request_fingerprint=f"generated-{seed}",
                        provider="generated",
                        model="generated",
                        body=json.dumps({"extractions": []}).encode(),
                        input_tokens=40_000,
                        output_tokens=9_000,
                        cost_usd=0.17,
                    )
                ],
            )
        },
        "extracted_fields": extraction_tables(claim_id, make_extraction(schema, facts)),
    }
    for stage, made in tables.items():
        store.write_stage(stage, claim_id, tables=made, inputs=store.upstream_versions(stage, claim_id))


@lru_cache(maxsize=1)
def _resolve(schema: Schema, *, seed: int) -> list[Citation]:
    documents, facts = make_documents(schema, seed=seed)
    return resolve_claim(documents, make_extraction(schema, facts).fields, schema=schema)


def show_claim(store: ClaimStore, claim_id: str, schema: Schema, *, seed: int, doubts: bool = False) -> None:
    """Resolve a written claim and show it, as an older matcher did: the same, or with a doubt less now."""
    documents, facts = make_documents(schema, seed=seed)
    fields = make_extraction(schema, facts).fields
    citations = list(_resolve(schema, seed=seed))
    if doubts:
        citations[0] = replace(citations[0], status=CitationStatus.FLAGGED, warnings=("several_places",))
    write_changes(store, claim_id, ())
    write_promotion(store, claim_id, Promotion(""))
    older = {"matcher": "an older one", "pins": ""}
    inputs = store.upstream_versions("resolved_citations", claim_id) | older
    table = citation_table(claim_id, citations)
    store.write_stage("resolved_citations", claim_id, tables={"citations": table}, inputs=inputs)
    mark_as_shown(store, claim_id)
    dataset = build_viewer_dataset(
        claim_id, schema=schema, documents=documents, fields=fields, citations=citations
    )
    shown_from = store.upstream_versions("viewer_dataset", claim_id) | {"viewer": code_fingerprint("viewer")}
    store.write_viewer_dataset(claim_id, dataset, inputs=shown_from)
