"""What the UI tells of each asset beside its description: columns, where it is kept, the code behind it."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg
import pyarrow as pa

from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.warehouse.places import FILE_NAME
from citation_pipeline.core.planning.stages import STAGE_TABLES
from citation_pipeline.defs.dagster_internals.placing import function_of
from citation_pipeline.defs.namespaces import Namespace

# where each column of a stage's sealing table comes from: asset and column
_LINEAGE: Mapping[str, Mapping[str, Sequence[tuple[str, str]]]] = {
    "parsed_documents": {
        name: (("source_documents", name),)
        for name in ("source_id", "name", "file", "sha256", "media_type", "bytes", "duplicate_of")
    },
    "extracted_fields": {
        name: (("raw_extraction", "reply"),)
        for name in ("field_key", "value", "value_type", "confidence", "belief", "snippets", "candidates")
    }
    | {"model": (("raw_extraction", "model"),)},
    "resolved_citations": {
        "field_key": (("extracted_fields", "field_key"),),
        "item_path": (("extracted_fields", "snippets"),),
        "cited_source_id": (("extracted_fields", "snippets"),),
        "snippet": (("extracted_fields", "snippets"),),
        "source_id": (("extracted_fields", "snippets"), ("parsed_documents", "source_id")),
        **{
            name: (("parsed_documents", "source_id"), ("extracted_fields", "snippets"))
            for name in ("page", "block_regions", "snippet_regions", "text_start", "text_end", "word_ids")
        },
        "value_regions": (("extracted_fields", "value"), ("parsed_documents", "source_id")),
        "status": (("extracted_fields", "snippets"), ("parsed_documents", "status")),
    },
    "viewer_dataset": {
        "sources": (("parsed_documents", "source_id"), ("parsed_documents", "page_count")),
        "fields": (
            ("extracted_fields", "field_key"),
            ("extracted_fields", "value"),
            ("resolved_citations", "snippet_regions"),
        ),
        "status": (("parsed_documents", "status"), ("extracted_fields", "value")),
    },
}
# what a column means, the same in every table that has it
_COLUMNS: Mapping[str, str] = {
    "claim_id": "the claim, which is the partition",
    "source_id": "the document: a name made of its file's, unique within the claim",
    "name": "the title that a reader sees",
    "file": "path below the claim's documents",
    "sha256": "of the file's bytes",
    "media_type": "told by the bytes, not by the name",
    "bytes": "size of the file",
    "duplicate_of": "the document with the same bytes, which is parsed instead",
    "page_count": "pages of the document",
    "status": "of a document: parsed, duplicate, empty …; of a citation: resolved, flagged, unresolved",
    "error": "why a document was not read",
    "error_code": "the same in one word",
    "error_remedy": "what to do about it",
    "error_transient": "whether the next night tries it again",
    "parser": "who parsed it",
    "parser_version": "every version and option that changes a word",
    "warnings": "codes of what is doubtful",
    "reply_index": "position among the requests",
    "request_fingerprint": "names the request: the same one is never paid twice",
    "provider": "who answered",
    "model": "which model answered",
    "reply": "byte for byte",
    "cost_usd": "dollars of the reply",
    "field_key": "dotted path in the schema",
    "value": "JSON; null where the documents are silent",
    "value_type": "date, number, enum, …",
    "confidence": "of a citation 0-1, fitted; of a field high, medium or low, the extractor's word",
    "belief": "the extractor's word as a number",
    "provenance": "extracted, inferred or user-provided",
    "prompt_fingerprint": "of what was asked",
    "schema": "the schema's name",
    "snippets": "the quotations behind the value, with their document",
    "candidates": "what was read and is not believed, or where else it may be",
    "citation_id": "field and position",
    "citation_index": "position among the field's quotations",
    "item_path": "the member of an array or object that is quoted for",
    "cited_source_id": "the document as the extractor named it",
    "snippet": "the quotation",
    "method": "how it was found",
    "score": "likeness of quotation and page, 0-1",
    "page": "1-based",
    "block_regions": "boxes of the paragraph, page frame: origin top left, 0-1",
    "snippet_regions": "boxes of the quoted words, one a line",
    "value_regions": "boxes of the value within",
    "text_start": "where it begins in the document's text",
    "text_end": "where it ends",
    "word_ids": "positions of its words in the document",
    "word_ranges": "the same as ranges",
    "margin": "how much better than the second-best place",
    "equal_places": "how many places say the same",
    "reason": "why this place, or why none",
    "text": "the words",
    "kind": "what sort of passage it is",
}
_DATASET = dg.TableSchema(
    columns=[
        dg.TableColumn("sources", "list", description="the claim's documents: id, name, file, pageCount"),
        dg.TableColumn(
            "fields", "list", description="values with label, category, status and citations: page and box"
        ),
        dg.TableColumn("absentFields", "list", description="looked for in every document and not found"),
        dg.TableColumn(
            "unreadFields", "list", description="not looked for everywhere: unread, unreadable, doubted"
        ),
        dg.TableColumn("issues", "list", description="what could not be taken, with its place"),
        dg.TableColumn("status", "string", description="complete or partial"),
    ]
)


def described(asset: dg.AssetsDefinition, place: Namespace, store: str) -> dg.AssetsDefinition:
    """Return an asset with its columns, its address, its code, and the namespace's owners and tags."""
    name = asset.key.path[-1]
    metadata = {**_table_of(name, place, store), **_code_of(asset)}
    return asset.map_asset_specs(
        lambda spec: spec.replace_attributes(
            metadata={**spec.metadata, **metadata},
            owners=list(place.owners),
            tags={**spec.tags, **place.tags},
        )
    )


def _table_of(name: str, place: Namespace, store: str) -> dict[str, Any]:
    if name == "claims_warehouse":
        return {"dagster/uri": f"{store}/{FILE_NAME}", "dagster/table_name": "warehouse.main.claims"}
    if name == "viewer_dataset":
        told: dict[str, Any] = {
            "dagster/column_schema": _DATASET,
            "dagster/uri": f"{store}/{name}/<claim>/data.json",
        }
    elif tables := STAGE_TABLES.get(name):
        told = {
            "dagster/column_schema": columns_of(SHAPES[tables[-1]]),
            "dagster/table_name": tables[-1],
            "dagster/uri": f"{store}/{tables[-1]}/<claim>.parquet",
            "tables": list(tables),
        }
    else:
        return {}
    if lineage := _LINEAGE.get(name):
        told["dagster/column_lineage"] = dg.TableColumnLineage(
            {
                column: [dg.TableColumnDep(asset_key=place.key(asset), column_name=of) for asset, of in deps]
                for column, deps in lineage.items()
            }
        )
    return told


def columns_of(shape: pa.Schema) -> dg.TableSchema:
    """Return a table's columns as the UI shows them."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                column.name,
                _type_of(column.type),
                description=_COLUMNS.get(column.name),
                constraints=dg.TableColumnConstraints(nullable=column.nullable),
            )
            for column in shape
        ]
    )


def _type_of(kind: pa.DataType) -> str:
    """Return a type in a few words: what a list or struct holds is told by the names of its members."""
    if pa.types.is_list(kind):
        return f"list of {_type_of(kind.value_type)}"
    if pa.types.is_struct(kind):
        return f"({', '.join(member.name for member in kind)})"
    return str(kind)


def _code_of(asset: dg.AssetsDefinition) -> dict[str, Any]:
    code = inspect.unwrap(function_of(asset)).__code__
    reference = dg.LocalFileCodeReference(file_path=code.co_filename, line_number=code.co_firstlineno)
    return {"dagster/code_references": dg.CodeReferencesMetadataValue(code_references=[reference])}
