"""Claims made up for benchmarks: stages written straight into a store, as if parsed and extracted before.

Documents are letters of made-up words with planted values; each planted value is quoted once. The numbers
of a real claim: some 15 documents, 155 citations.
"""

import json
import random
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.tables.answer_rows import extraction_tables, reply_table
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import document_tables, source_document_table
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.document_composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents import ParsedDocument, SourceDocument
from citation_pipeline.core.extraction import Confidence, ExtractedField, Extraction, Provenance, Snippet
from citation_pipeline.core.replies import StoredReply
from citation_pipeline.core.schemas import Schema

TEXT = (
    "the worker was seen for follow up and reports pain of lower back after lifting boxes at work "
    "treatment includes therapy twice weekly with reduced duties and no overtime until next visit "
    "employer carrier adjuster notice benefits paid hearing settlement lien report physician review"
)
WORDS = TEXT.split()
CITATIONS = 155
DOCUMENTS = 12


def make_documents(claim_id: str, *, seed: int) -> tuple[list[ParsedDocument], list[tuple[str, str, str]]]:
    """Return a claim's documents and its planted facts as (source id, value, sentence)."""
    chance = random.Random(seed)
    facts: list[tuple[str, str, str]] = []
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
                    value = f"{chance.randrange(10**8, 10**9)}"
                    words = [*words[:5], "reference", value, *words[5:9]]
                    facts.append((source_id, value, " ".join(words[3:9])))
                top = 0.05 + line * 0.024
                lines.append(
                    [
                        (word, Box(0.08 + i * 0.075, round(top, 4), 0.07, 0.012))
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


def make_extraction(schema: Schema, facts: list[tuple[str, str, str]]) -> Extraction:
    """Spread the facts over the schema's fields, each with its sentence as the snippet."""
    snippets: dict[str, list[Snippet]] = {}
    values: dict[str, str] = {}
    for number, (source_id, value, sentence) in enumerate(facts):
        key = schema.fields[number % len(schema.fields)].key
        listed = snippets.setdefault(key, [])
        listed.append(Snippet(source_id=source_id, text=sentence, citation_index=len(listed)))
        values.setdefault(key, value)
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
    documents, facts = make_documents(claim_id, seed=seed)
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
