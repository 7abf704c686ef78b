"""What second looks change of an extraction: a field was quoted first, and its value read from the quotation.

Agreement is one model's with itself: it makes a field no surer than medium. Where the two differ the one
whose words are in the documents is kept, the first one where both are or neither is, and the other stays
beside it as a conflict.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import Confidence, ConflictingValue, ExtractedField, Extraction
from citation_pipeline.core.values.grammar import same_value
from citation_pipeline.core.values.spans import fold

NOT_CONFIRMED = "not_confirmed"
"""The warning of a value that the second look did not find."""


def with_second_looks(
    extraction: Extraction, looks: Sequence[Extraction], documents: Sequence[ParsedDocument]
) -> Extraction:
    """Return the extraction with what the second looks said of its fields."""
    again = {field.field_key: field for look in looks for field in look.fields}
    if not again:
        return extraction
    texts = {document.source.source_id: fold(document.text) for document in documents}
    fields: list[ExtractedField] = []
    conflicts: list[ConflictingValue] = []
    for field in extraction.fields:
        seen = again.get(field.field_key)
        if seen is None or field.value is None:
            fields.append(field)
            continue
        kept, beaten = _settle(field, seen, texts)
        fields.append(kept)
        conflicts += [
            ConflictingValue(one.field_key, one.value, snippets=one.snippets) for one in (beaten,) if one
        ]
    return replace(extraction, fields=tuple(fields), conflicts=(*extraction.conflicts, *conflicts))


def _settle(
    first: ExtractedField, seen: ExtractedField, texts: Mapping[str, str]
) -> tuple[ExtractedField, ExtractedField | None]:
    if seen.value is None:
        return replace(first, warnings=_more(first.warnings, NOT_CONFIRMED)), None
    if same_value(first.value, seen.value, first.value_type):
        sure = seen.confidence if seen.confidence is Confidence.LOW else Confidence.MEDIUM
        once = {(one.source_id, one.text): one for one in (*seen.snippets, *first.snippets)}
        snippets = tuple(replace(one, citation_index=n) for n, one in enumerate(once.values()))
        return replace(first, confidence=sure, snippets=snippets), None
    kept, beaten = (
        (seen, first) if _is_quoted(seen, texts) and not _is_quoted(first, texts) else (first, seen)
    )
    warnings = _more(kept.warnings, "conflicting_values")
    return replace(kept, confidence=Confidence.LOW, warnings=warnings), beaten


def _is_quoted(field: ExtractedField, texts: Mapping[str, str]) -> bool:
    return any(fold(one.text) in texts.get(one.source_id, "") for one in field.snippets)


def _more(warnings: Sequence[str], code: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*warnings, code)))
