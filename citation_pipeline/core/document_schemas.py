"""One schema made of several: documents of other kinds are read by their own, and their fields say which.

A claim that is one case keeps one schema. Beside it, each document of another kind has fields of its own:
`invoice-7:number` is the number of the invoice `invoice-7`, whatever the other invoices say.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from citation_pipeline.core.schemas import Field, Schema, SchemaPart

MARK = ":"
"""Stands between a document's id and its field's key; neither a source id nor a claim's key has one."""


def compose_schema(main: Schema, main_sources: Sequence[str], by_document: Mapping[str, Schema]) -> Schema:
    """Return the schema of a claim whose documents are read by several; `main` where there is only one.

    `main_sources` are the documents that `main` is asked of together; with none, its fields are left out.
    """
    if not by_document:
        return main
    parts = [SchemaPart(main, tuple(main_sources))] if main_sources else []
    parts += [SchemaPart(schema, (source_id,), source_id) for source_id, schema in by_document.items()]
    text = "|".join(
        f"{part.document}={part.schema.fingerprint}:{','.join(part.source_ids)}" for part in parts
    )
    return Schema(
        name=main.name,
        title=main.title,
        description=main.description,
        fields=tuple(field for part in parts for field in _fields_of(part)),
        fingerprint=hashlib.sha256(text.encode()).hexdigest()[:16],
        rules=main.rules if main_sources else (),
        parts=tuple(parts),
    )


def main_schema(schema: Schema) -> Schema:
    """Return the schema of the claim's own fields; the schema itself where it is not composed."""
    own = [part.schema for part in schema.parts if not part.document]
    return own[0] if own else schema


def composed_key(document: str, key: str) -> str:
    """Return the key that a document's field has in the claim."""
    return f"{document}{MARK}{key}" if document else key


def sources_of(schema: Schema) -> dict[str, tuple[str, ...]]:
    """Return field key → the documents that could hold it, for a composed schema; empty for others."""
    return {field.key: part.source_ids for part in schema.parts for field in _fields_of(part)}


def _fields_of(part: SchemaPart) -> Iterator[Field]:
    for field in part.schema.fields:
        if not part.document:
            yield field
        else:
            yield replace(
                field,
                key=composed_key(part.document, field.key),
                category=f"{part.schema.title}: {part.document}",
                category_title=f"{part.schema.title} {part.document}",
                document=part.document,
                schema=part.schema.name,
            )
