"""Two answers to one field: the latest document's is the value, and what it beat stands beside it.

An answer that says two things of one field, in one reply or in several, is settled by the days of the
documents that each quotes. The beaten value is a candidate: superseded when its document is older,
conflicting when no day decides; then the value is no more than one of two (`field_confidence`).
"""

from collections.abc import Mapping
from dataclasses import replace

from citation_pipeline.core.answers.merging import latest_date
from citation_pipeline.core.extraction import ConflictingValue, ExtractedField, Extraction, ValueCandidate
from citation_pipeline.core.values.grammar import same_value


def settle_conflicts(extraction: Extraction, dates: Mapping[str, str]) -> Extraction:
    """Return the extraction with every field's latest value, the beaten ones as its candidates.

    `dates` gives source documents' own days (ISO), as `dates_by_part` does. Lists stay as they were merged.
    """
    if not extraction.conflicts:
        return extraction
    fields = {field.field_key: field for field in extraction.fields}
    conflicts: list[ConflictingValue] = []
    for conflict in extraction.conflicts:
        field = fields.get(conflict.field_key)
        if field is None or field.value is None or field.value_type == "array":
            conflicts.append(conflict)
            continue
        fields[conflict.field_key], beaten = _settled(field, conflict, dates)
        conflicts.append(beaten)
    return replace(
        extraction,
        fields=tuple(fields[field.field_key] for field in extraction.fields),
        conflicts=tuple(conflicts),
    )


def _settled(
    field: ExtractedField, conflict: ConflictingValue, dates: Mapping[str, str]
) -> tuple[ExtractedField, ConflictingValue]:
    own = latest_date(field.snippets, dates) or ""
    other = conflict.date or latest_date(conflict.snippets, dates) or ""
    beaten = replace(conflict, date=other or None)
    if own and other > own:
        beaten = ConflictingValue(field.field_key, field.value, field.snippets, own)
        field = replace(field, value=conflict.value, snippets=conflict.snippets)
        own, other = other, own
    is_older = bool(own and other) and other < own
    candidate = ValueCandidate(
        value=beaten.value,
        reason="superseded" if is_older else "conflicting",
        date=beaten.date,
        snippets=beaten.snippets,
    )
    is_known = any(same_value(one.value, candidate.value, field.value_type) for one in field.candidates)
    return (field if is_known else replace(field, candidates=(*field.candidates, candidate))), beaten
