"""An extractor's answer, in the provider-neutral shape, made into an `Extraction`.

    {"extractions": [{"field_key", "value", "confidence"?, "provenance"?,
                      "citations": [{"source_id", "text_snippet", "page"?, "startOffset"?, "endOffset"?}],
                      "candidates"?: [{"value", "reason", "confidence"?, "date"?, "citations"}]}]}

Every record and every citation either becomes part of a field or leaves an `AnswerIssue`; the codes are
listed in `docs/extraction-claude.md`. Not here: broken JSON (`json_text`), one value's type (`values`,
`scalars`), citations (`citations`), whether the documents say so (`evidence`).
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from citation_pipeline.core.answers.candidates import read_candidates
from citation_pipeline.core.answers.citations import AnswerReading, SourceExtent, read_citations
from citation_pipeline.core.answers.json_text import decode_answer
from citation_pipeline.core.answers.scalars import TypedValue
from citation_pipeline.core.answers.values import read_value
from citation_pipeline.core.extraction import (
    READERS_WARNINGS,
    Confidence,
    ConflictingValue,
    ExtractedField,
    Extraction,
    Provenance,
    Snippet,
)
from citation_pipeline.core.schemas import Schema
from citation_pipeline.core.values.grammar import same_value

# the words with which documents say that a list has no items
_DENIED = re.compile(
    r"\b(?:no|not|none|nil|nothing|never|non|without|zero|0|n/?a|negative|denie[ds]|deny|denying|neither|nor|"
    r"absent|sin|ning\u00fan|ninguna|keine?|aucune?|nessun[oa]?|brak)\b|n't\b",
    re.IGNORECASE,
)


def read_answer(
    answer: Mapping[str, Any] | str,
    schema: Schema,
    source_ids: Collection[str],
    *,
    extents: Mapping[str, SourceExtent] | None = None,
    model: str = "",
    prompt_fingerprint: str = "",
) -> Extraction:
    """Validate an answer against its schema and the claim's source documents; never raises for content.

    A field whose value is of the wrong type stays, with the value None, its snippets and a warning. A
    citation of a source document that the claim does not have stays too, for the resolver to search; only
    an unreadable citation is left out. `extents` bounds the page and offset hints where they are known.
    """
    decoded = decode_answer(answer)
    reading = AnswerReading(source_ids=source_ids, extents=extents or {})
    if not decoded.is_whole:
        reading.report("malformed_answer")
    for record in decoded.records:
        _read_record(record, schema, reading)
    for key in schema.by_key:
        if key not in reading.fields:
            reading.report("unanswered", key)
    return Extraction(
        schema_name=schema.name,
        fields=tuple(reading.fields[key] for key in schema.by_key if key in reading.fields),
        issues=tuple(reading.issues),
        model=model,
        prompt_fingerprint=prompt_fingerprint,
        conflicts=tuple(reading.conflicts),
    )


def _read_record(record: Any, schema: Schema, reading: AnswerReading) -> None:
    if not isinstance(record, dict):
        reading.report("malformed_record")
        return
    key = str(record.get("field_key") or "").strip()
    target = schema.by_key.get(key)
    if target is None:
        # the key is the model's own text and might quote a document, so only the count of it is kept
        reading.report("unknown_field")
        return
    if "value" not in record:
        reading.report("missing_value", key)
    typed = read_value(record.get("value"), target)
    snippets = read_citations(record.get("citations"), target, typed, reading)
    typed = _with_denial_proven(typed, snippets)
    for code in typed.codes:
        reading.report(code, key)
    warnings = [*typed.codes, *_read_warnings(record.get("warnings"))]
    if typed.value is not None and not snippets:
        warnings.append("uncited")
    read = ExtractedField(
        field_key=key,
        value=typed.value,
        value_type=target.value_type,
        snippets=snippets,
        confidence=_read_confidence(record.get("confidence"), key, reading),
        belief=_read_belief(record.get("belief")),
        provenance=_read_provenance(record.get("provenance"), key, reading),
        warnings=tuple(warnings),
        candidates=tuple(read_candidates(record.get("candidates"), target, reading)),
    )
    known = reading.fields.get(key)
    reading.fields[key] = read if known is None else _choose(known, read, reading)


def _read_warnings(raw: Any) -> list[str]:
    """Return what the reader itself warns of; other words in its answer are no warnings."""
    return [one for one in raw if one in READERS_WARNINGS] if isinstance(raw, list) else []


def _with_denial_proven(typed: TypedValue, snippets: Sequence[Snippet]) -> TypedValue:
    """Return the value as it stands; an empty list only where cited words say that there is nothing."""
    if "denied" not in typed.codes:
        return typed
    codes = [code for code in typed.codes if code != "denied"]
    if any(_DENIED.search(snippet.text) for snippet in snippets):
        return TypedValue([], codes)
    # "[]" and "None filed" without a place would make a statement of the documents' silence
    return TypedValue(None, [*codes, "denied_without_evidence"])


def _choose(first: ExtractedField, second: ExtractedField, reading: AnswerReading) -> ExtractedField:
    """Return the one of two answers to a field that says something; the first where both do.

    Where both say something else, the second is kept as a conflict: no reader could tell which is right.
    """
    agree = same_value(first.value, second.value, first.value_type)
    reading.report("repeated_field" if agree else "conflicting_answers", first.field_key)
    chosen, other = (second, first) if first.value is None else (first, second)
    if not agree and other.value is not None:
        reading.conflicts.append(ConflictingValue(other.field_key, other.value, other.snippets))
        return replace(chosen, warnings=tuple(dict.fromkeys((*chosen.warnings, "conflicting_values"))))
    if not agree:
        return chosen
    quoted = {(snippet.source_id, snippet.text) for snippet in chosen.snippets}
    more = [snippet for snippet in other.snippets if (snippet.source_id, snippet.text) not in quoted]
    start = len(chosen.snippets)
    renumbered = [replace(snippet, citation_index=start + n) for n, snippet in enumerate(more)]
    return replace(chosen, snippets=(*chosen.snippets, *renumbered))


def _read_confidence(raw: Any, field_key: str, reading: AnswerReading) -> Confidence | None:
    if raw is None:
        return None
    try:
        return Confidence(str(raw).strip().lower())
    except ValueError:
        reading.report("bad_confidence", field_key)
        return None


def _read_belief(raw: Any) -> float | None:
    is_number = isinstance(raw, int | float) and not isinstance(raw, bool)
    return float(raw) if is_number and 0 <= raw <= 1 else None


def _read_provenance(raw: Any, field_key: str, reading: AnswerReading) -> Provenance:
    if raw is None:
        return Provenance.EXTRACTED
    try:
        return Provenance(str(raw).strip().lower().replace("_", "-"))
    except ValueError:
        reading.report("bad_provenance", field_key)
        return Provenance.EXTRACTED
