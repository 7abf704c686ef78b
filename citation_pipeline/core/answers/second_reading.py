"""What the embedded rules read of the same documents, beside another extractor's answer.

An older print, another person's name, a yes for a no: each is quoted as it stands, and only the field's
other prints tell. The rules know these for the common fields. Where they read something else, neither reading
is sure: theirs becomes a candidate, and the field is warned of, less so where they believe none of what they
read. Where they are silent, nothing changes.
"""

from dataclasses import replace
from typing import Any

from citation_pipeline.core.extraction import ExtractedField, Extraction, ValueCandidate
from citation_pipeline.core.values.grammar import same_value
from citation_pipeline.core.values.spans import fold, fold_words

DIFFERS = "second_reading_differs"
UNSURE = "second_reading_unsure"
REASON = "second_reading"

# a paraphrase is no doubt where another reading of the documents chose the same member
_SETTLED = "enum_not_in_snippet"
_OPEN = frozenset({"weak_evidence", "conflicting"})
_COMPARED = frozenset({"date", "number", "integer", "boolean", "enum", "string"})
_LONGEST_STRING = 8  # words; prose says the same in other words


def compare_readings(extraction: Extraction, second: Extraction) -> Extraction:
    """Return the extraction with a warning and a candidate on each field that the second reading differs in.

    Lists and prose are not compared: the same things are listed in many ways.
    """
    others = {field.field_key: field for field in second.fields}
    fields = tuple(
        _compared(field, others[field.field_key]) if field.field_key in others else field
        for field in extraction.fields
    )
    return replace(extraction, fields=fields)


def _compared(field: ExtractedField, other: ExtractedField) -> ExtractedField:
    if field.value is None or field.value_type not in _COMPARED:
        return field
    if other.value is not None and _agree(field.value, other.value, field.value_type):
        return replace(field, warnings=tuple(code for code in field.warnings if code != _SETTLED))
    rivals = _rivals(field, other)
    if not rivals:
        return field
    code = DIFFERS if other.value is not None else UNSURE
    return replace(field, warnings=(*field.warnings, code), candidates=(*rivals, *field.candidates))


def _rivals(field: ExtractedField, other: ExtractedField) -> list[ValueCandidate]:
    """Return what the second reading has instead: its value, or the values that it could not decide on."""
    if other.value is not None:
        found = [ValueCandidate(other.value, REASON, other.belief, snippets=other.snippets)]
    else:
        found = [replace(one, reason=REASON) for one in other.candidates if one.reason in _OPEN]
        if any(_agree(one.value, field.value, field.value_type) for one in found):
            return []
    return [one for one in found if not _is_prose(field.value, one.value)]


def _is_prose(*values: Any) -> bool:
    return any(isinstance(value, str) and len(value.split()) > _LONGEST_STRING for value in values)


def _agree(value: Any, other: Any, value_type: str) -> bool:
    """Tell whether two readings are one value; a name with its degree is the name without it."""
    if same_value(value, other, value_type):
        return True
    if value_type != "string":
        return False
    shorter, longer = sorted((str(value), str(other)), key=lambda text: len(fold(text)))
    words, among = fold_words(shorter), set(fold_words(longer))
    return bool(words) and (fold(shorter) in fold(longer) or among.issuperset(words))
