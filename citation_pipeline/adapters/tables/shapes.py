"""The Arrow schemas of the stored tables. Reading and writing them is the modules' beside this one."""

import pyarrow as pa

_BOX = pa.struct([(name, pa.float64()) for name in ("left", "top", "width", "height")])
_BOXES = pa.list_(_BOX)
_POINT = pa.list_(pa.float64())
_REGION = pa.struct([("page", pa.int32()), ("boxes", _BOXES), ("polygons", pa.list_(pa.list_(_POINT)))])
_REGIONS = pa.list_(_REGION)
_WORD_RANGES = pa.list_(pa.list_(pa.int32()))
_SNIPPET = pa.struct(
    [
        ("source_id", pa.string()),
        ("text", pa.string()),
        ("citation_index", pa.int32()),
        ("item_path", pa.string()),
        ("page", pa.int32()),
        ("start_offset", pa.int32()),
        ("end_offset", pa.int32()),
        ("requoted", pa.string()),  # missing in tables of versions before 23 November 2026
    ]
)
_STATEMENT = pa.struct(
    [
        ("source_id", pa.string()),
        ("field_key", pa.string()),
        ("citation_index", pa.int32()),
        ("page", pa.int32()),
        ("boxes", _BOXES),
    ]
)
_VALUE_CANDIDATE = pa.struct(
    [
        ("value", pa.string()),
        ("reason", pa.string()),
        ("confidence", pa.float64()),
        ("date", pa.string()),
        ("snippets", pa.list_(_SNIPPET)),
    ]
)
_CANDIDATE = pa.struct(
    [
        ("source_id", pa.string()),
        ("page", pa.int32()),
        ("word_ranges", _WORD_RANGES),
        ("score", pa.float64()),
        ("reason", pa.string()),
        ("boxes", _BOXES),
    ]
)


def _schema(*columns: tuple[str, pa.DataType]) -> pa.Schema:
    return pa.schema([("claim_id", pa.string()), *columns])


_PLACE = [(name, pa.float64()) for name in ("left", "top", "width", "height")]

SHAPES: dict[str, pa.Schema] = {
    "source_documents": _schema(
        ("source_id", pa.string()),
        ("name", pa.string()),
        ("file", pa.string()),
        ("sha256", pa.string()),
        ("media_type", pa.string()),
        ("bytes", pa.int64()),
        ("duplicate_of", pa.string()),
    ),
    "documents": _schema(
        ("source_id", pa.string()),
        ("name", pa.string()),
        ("file", pa.string()),
        ("sha256", pa.string()),
        ("media_type", pa.string()),
        ("page_count", pa.int32()),
        ("status", pa.string()),
        ("error", pa.string()),
        ("parser", pa.string()),
        ("parser_version", pa.string()),
        ("duplicate_of", pa.string()),
        ("bytes", pa.int64()),
        ("error_code", pa.string()),
        ("error_remedy", pa.string()),
        ("error_transient", pa.bool_()),
        ("warnings", pa.list_(pa.string())),
    ),
    "pages": _schema(
        ("source_id", pa.string()),
        ("page", pa.int32()),
        ("width_pt", pa.float64()),
        ("height_pt", pa.float64()),
        ("rotation", pa.int32()),
        ("text_start", pa.int32()),
        ("text_end", pa.int32()),
        ("has_text_layer", pa.bool_()),
        ("words_from", pa.string()),
    ),
    "blocks": _schema(
        ("source_id", pa.string()),
        ("block_id", pa.int32()),
        ("type", pa.string()),
        ("content", pa.string()),
        ("text", pa.string()),
        ("page", pa.int32()),
        *_PLACE,
        ("text_start", pa.int32()),
        ("text_end", pa.int32()),
        ("word_start", pa.int32()),
        ("word_end", pa.int32()),
        ("context_before", pa.string()),
        ("context_after", pa.string()),
        ("confidence", pa.float64()),
    ),
    "words": _schema(
        ("source_id", pa.string()),
        ("word_id", pa.int32()),
        ("text", pa.string()),
        ("page", pa.int32()),
        *_PLACE,
        ("line_id", pa.int32()),
        ("block_id", pa.int32()),
        ("text_start", pa.int32()),
        ("text_end", pa.int32()),
        ("confidence", pa.float32()),
    ),
    "similar_pages": _schema(
        ("source_id", pa.string()),
        ("page", pa.int32()),
        ("similar_source_id", pa.string()),
        ("similar_page", pa.int32()),
        ("similarity", pa.float64()),
    ),
    "second_readings": _schema(
        ("source_id", pa.string()),
        ("word_id", pa.int32()),
        ("text", pa.string()),
        ("second_reading", pa.string()),
    ),
    "raw_extraction": _schema(
        ("reply_index", pa.int32()),
        ("request_fingerprint", pa.string()),
        ("provider", pa.string()),
        ("model", pa.string()),
        ("reply", pa.binary()),
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("cache_read_tokens", pa.int64()),
        ("cache_write_tokens", pa.int64()),
        ("cost_usd", pa.float64()),
        ("latency_s", pa.float64()),
        ("asked_at", pa.string()),
        ("scope", pa.string()),
    ),
    "fields": _schema(
        ("field_key", pa.string()),
        ("value", pa.string()),
        ("value_type", pa.string()),
        ("confidence", pa.string()),
        ("belief", pa.float64()),
        ("provenance", pa.string()),
        ("model", pa.string()),
        ("prompt_fingerprint", pa.string()),
        ("schema", pa.string()),
        ("snippets", pa.list_(_SNIPPET)),
        ("warnings", pa.list_(pa.string())),
        ("candidates", pa.list_(_VALUE_CANDIDATE)),
    ),
    "answer_issues": _schema(
        ("code", pa.string()),
        ("field_key", pa.string()),
        ("citation_index", pa.int32()),
        ("source_id", pa.string()),
    ),
    "conflicts": _schema(
        ("field_key", pa.string()),
        ("value", pa.string()),
        ("date", pa.string()),
        ("snippets", pa.list_(_SNIPPET)),
    ),
    "pages_read": _schema(
        ("source_id", pa.string()),
        ("first_page", pa.int32()),
        ("last_page", pa.int32()),
        ("field_keys", pa.list_(pa.string())),
        ("outcome", pa.string()),
    ),
    "violations": _schema(
        ("code", pa.string()),
        ("rule_id", pa.string()),
        ("severity", pa.string()),
        ("says", pa.string()),
        ("field_keys", pa.list_(pa.string())),
        ("statements", pa.list_(_STATEMENT)),
    ),
    "unread_pages": _schema(
        ("source_id", pa.string()),
        ("first_page", pa.int32()),
        ("last_page", pa.int32()),
        ("reason", pa.string()),
        ("unread_by", pa.string()),
        ("field_key", pa.string()),
    ),
    "citations": _schema(
        ("citation_id", pa.string()),
        ("field_key", pa.string()),
        ("citation_index", pa.int32()),
        ("item_path", pa.string()),
        ("cited_source_id", pa.string()),
        ("source_id", pa.string()),
        ("snippet", pa.string()),
        ("status", pa.string()),
        ("method", pa.string()),
        ("score", pa.float64()),
        ("confidence", pa.float64()),
        ("page", pa.int32()),
        ("block_regions", _REGIONS),
        ("snippet_regions", _REGIONS),
        ("value_regions", _REGIONS),
        ("text_start", pa.int32()),
        ("text_end", pa.int32()),
        ("word_ids", pa.list_(pa.int32())),
        ("word_ranges", _WORD_RANGES),
        ("candidates", pa.list_(_CANDIDATE)),
        ("margin", pa.float64()),
        ("equal_places", pa.int32()),
        ("reason", pa.string()),
        ("warnings", pa.list_(pa.string())),
    ),
    "field_confidences": _schema(
        ("field_key", pa.string()),
        ("confidence", pa.float64()),
        *((part, pa.float64()) for part in ("place", "evidence", "type", "agreement", "extractor")),
    ),
    "chunks": _schema(
        ("chunk_id", pa.string()),
        ("source_id", pa.string()),
        ("kind", pa.string()),
        ("page", pa.int32()),
        ("page_end", pa.int32()),
        ("word_start", pa.int32()),
        ("word_end", pa.int32()),
        ("text_start", pa.int32()),
        ("text_end", pa.int32()),
        ("text", pa.string()),
        ("heading", pa.string()),
        ("title", pa.string()),
        ("document_type", pa.string()),
        ("document_date", pa.string()),
        ("identifiers", pa.list_(pa.string())),
    ),
    "field_history": _schema(
        ("field_key", pa.string()),
        ("value", pa.string()),
        ("model", pa.string()),
        ("prompt_fingerprint", pa.string()),
        ("status", pa.string()),
        ("source_id", pa.string()),
        ("page", pa.int32()),
        ("extraction_version", pa.string()),
        ("citations_version", pa.string()),
        ("recorded_at", pa.string()),
    ),
    "promotions": _schema(
        ("reasons_to_hold", pa.list_(pa.string())),
        ("version", pa.string()),
        ("misplaced", pa.list_(pa.string())),
    ),
    "citation_changes": _schema(
        ("citation_id", pa.string()),
        ("field_key", pa.string()),
        ("change", pa.string()),
        ("overlap", pa.float64()),
        ("is_verified", pa.bool_()),
    ),
}
"""Table name to Arrow schema; boxes are in the page frame, offsets index the source's normalized text."""

# as they were when the viewer dataset was last replaced
SHAPES["shown_citations"] = SHAPES["citations"]
SHAPES["shown_fields"] = SHAPES["fields"]

VOLATILE_COLUMNS = {
    "raw_extraction": ("latency_s", "asked_at", "cost_usd"),
    "field_history": ("recorded_at",),
}
"""Columns that differ between two runs that did the same: left out of a table's data version."""
