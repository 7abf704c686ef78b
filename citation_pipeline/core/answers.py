"""An extractor's answer, in the provider-neutral shape, made into an `Extraction`.

    {"extractions": [{"field_key", "value", "confidence"?, "provenance"?,
                      "citations": [{"source_id", "text_snippet", "page"?, "startOffset"?, "endOffset"?}]}]}

Every record and every citation either becomes part of a field or leaves an `AnswerIssue`; the codes are
listed in `docs/extraction-claude.md`. Not here: broken JSON (`answer_json`), one value's type
(`answer_values`), whether the documents say so (`evidence`).
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from citation_pipeline.core.answer_items import infer_item_path, is_item_path_of
from citation_pipeline.core.answer_json import decode_answer
from citation_pipeline.core.answer_values import read_value
from citation_pipeline.core.claims import slug_of
from citation_pipeline.core.extraction import (
    AnswerIssue,
    Confidence,
    ExtractedField,
    Extraction,
    Provenance,
    Snippet,
    Value,
)
from citation_pipeline.core.schemas import Field, Schema
from citation_pipeline.core.values.grammar import same_value

ANSWERS_VERSION = "1"
"""Part of the stage's fingerprint: raise it when the same replies are read as other fields."""

# a quotation is a line or two; pages of text under one citation are an answer gone wrong
_LONGEST_SNIPPET = 2000
_LONGEST_SOURCE_ID = 200


@dataclass(frozen=True, slots=True)
class SourceExtent:
    """How far page and offset hints into one source document may reach."""

    page_count: int
    text_length: int


@dataclass(slots=True)
class _Reading:
    """The fields and issues while they grow."""

    source_ids: Collection[str]
    extents: Mapping[str, SourceExtent]
    fields: dict[str, ExtractedField] = field(default_factory=dict)
    issues: list[AnswerIssue] = field(default_factory=list)

    def report(self, code: str, field_key: str | None = None, citation_index: int | None = None) -> None:
        """Remember one thing that could not be taken as it stood."""
        self.issues.append(AnswerIssue(code=code, field_key=field_key, citation_index=citation_index))


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
    reading = _Reading(source_ids=source_ids, extents=extents or {})
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
    )


def _read_record(record: Any, schema: Schema, reading: _Reading) -> None:
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
    for code in typed.codes:
        reading.report(code, key)
    snippets = _read_citations(record.get("citations"), target, typed.value, reading)
    warnings = list(typed.codes)
    if typed.value is not None and not snippets:
        warnings.append("uncited")
    read = ExtractedField(
        field_key=key,
        value=typed.value,
        value_type=target.value_type,
        snippets=snippets,
        confidence=_read_confidence(record.get("confidence"), key, reading),
        provenance=_read_provenance(record.get("provenance"), key, reading),
        warnings=tuple(warnings),
    )
    known = reading.fields.get(key)
    reading.fields[key] = read if known is None else _choose(known, read, reading)


def _choose(first: ExtractedField, second: ExtractedField, reading: _Reading) -> ExtractedField:
    """Return the one of two answers to a field that says something; the first where both do."""
    agree = same_value(first.value, second.value, first.value_type)
    reading.report("repeated_field" if agree else "conflicting_answers", first.field_key)
    chosen, other = (second, first) if first.value is None else (first, second)
    if not agree:
        return chosen
    quoted = {(snippet.source_id, snippet.text) for snippet in chosen.snippets}
    more = [snippet for snippet in other.snippets if (snippet.source_id, snippet.text) not in quoted]
    start = len(chosen.snippets)
    renumbered = [
        Snippet(
            source_id=snippet.source_id,
            text=snippet.text,
            citation_index=start + number,
            item_path=snippet.item_path,
            page=snippet.page,
            start_offset=snippet.start_offset,
            end_offset=snippet.end_offset,
        )
        for number, snippet in enumerate(more)
    ]
    return ExtractedField(
        field_key=chosen.field_key,
        value=chosen.value,
        value_type=chosen.value_type,
        snippets=(*chosen.snippets, *renumbered),
        confidence=chosen.confidence,
        provenance=chosen.provenance,
        warnings=chosen.warnings,
    )


def _read_citations(raw: Any, target: Field, value: Value, reading: _Reading) -> tuple[Snippet, ...]:
    if raw is None:
        return ()
    if not isinstance(raw, list):
        raw = [raw]
        reading.report("malformed_citations", target.key)
    snippets: dict[tuple[str, str], Snippet] = {}
    for index, citation in enumerate(raw):
        snippet = _read_citation(citation, index, target, value, reading)
        if snippet is None:
            continue
        if (snippet.source_id, snippet.text) in snippets:
            reading.report("repeated_citation", target.key, index)
        else:
            snippets[snippet.source_id, snippet.text] = snippet
    return tuple(snippets.values())


def _read_citation(raw: Any, index: int, target: Field, value: Value, reading: _Reading) -> Snippet | None:
    text = raw.get("text_snippet") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(text, str) or not text.strip():
        reading.report("malformed_citation", target.key, index)
        return None
    if len(text) > _LONGEST_SNIPPET:
        reading.report("oversized_snippet", target.key, index)
        text = text[:_LONGEST_SNIPPET]
    source_id = _read_source_id(raw.get("source_id"), target.key, index, reading)
    page, start, end = _read_hints(raw, source_id, target.key, index, reading)
    return Snippet(
        source_id=source_id,
        text=text,
        citation_index=index,
        item_path=_read_item_path(raw, text, target, value, index, reading),
        page=page,
        start_offset=start,
        end_offset=end,
    )


def _read_source_id(raw: Any, field_key: str, index: int, reading: _Reading) -> str:
    given = raw.strip()[:_LONGEST_SOURCE_ID] if isinstance(raw, str) else ""
    if given in reading.source_ids:
        return given
    # models like to answer with the title or the file's name instead of the id
    if given and slug_of(given) in reading.source_ids:
        reading.report("repaired_source", field_key, index)
        return slug_of(given)
    reading.report("unknown_source", field_key, index)
    return given


def _read_item_path(
    raw: Mapping[str, Any], text: str, target: Field, value: Value, index: int, reading: _Reading
) -> str:
    given = raw.get("item_path")
    if given:
        if isinstance(given, str) and is_item_path_of(given, value):
            return given
        reading.report("bad_hint", target.key, index)
    return infer_item_path(text, value) if isinstance(value, list) else ""


def _read_hints(
    raw: Mapping[str, Any], source_id: str, field_key: str, index: int, reading: _Reading
) -> tuple[int | None, int | None, int | None]:
    """Return page, start and end clamped to the document; hints that say nothing are None."""
    extent = reading.extents.get(source_id)
    last_page = extent.page_count if extent else None
    length = extent.text_length if extent else None
    hints = [
        # 0 is how a structured reply says that it knows no page
        _read_hint(raw.get("page") or None, lowest=1, highest=last_page),
        _read_hint(raw.get("startOffset", raw.get("start_offset")), lowest=0, highest=length),
        _read_hint(raw.get("endOffset", raw.get("end_offset")), lowest=0, highest=length),
    ]
    page, start, end = (number for number, _ in hints)
    fits = all(fits for _, fits in hints)
    if start is None or end is None or end <= start:
        fits = fits and start is None and end is None
        start = end = None
    if not fits:
        reading.report("bad_hint", field_key, index)
    return page, start, end


def _read_hint(raw: Any, *, lowest: int, highest: int | None) -> tuple[int | None, bool]:
    """Return the number and whether it came as a number within the bounds; one beyond is brought back."""
    if raw is None:
        return None, True
    if isinstance(raw, str) and re.fullmatch(r"\d{1,9}", raw.strip()):
        raw = int(raw)
    if isinstance(raw, float) and raw.is_integer():
        raw = int(raw)
    if not isinstance(raw, int) or isinstance(raw, bool):
        return None, False
    if highest is not None and highest < lowest:
        return None, False
    number = max(raw, lowest)
    number = min(number, highest if highest is not None else 10**9)
    return number, number == raw


def _read_confidence(raw: Any, field_key: str, reading: _Reading) -> Confidence | None:
    if raw is None:
        return None
    try:
        return Confidence(str(raw).strip().lower())
    except ValueError:
        reading.report("bad_confidence", field_key)
        return None


def _read_provenance(raw: Any, field_key: str, reading: _Reading) -> Provenance:
    if raw is None:
        return Provenance.EXTRACTED
    try:
        return Provenance(str(raw).strip().lower().replace("_", "-"))
    except ValueError:
        reading.report("bad_provenance", field_key)
        return Provenance.EXTRACTED
