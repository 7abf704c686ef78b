"""What the embedded rules read of the same documents, beside another extractor's answer.

An older print, another person's name, a yes for a no: each is quoted as it stands, and only the field's
other prints tell. The rules know these for the common fields. Where they read something else, neither reading
is sure: theirs becomes a candidate, and the field is warned of, less so where they believe none of what they
read, or could not decide between this value and another. Where they are silent, nothing changes.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from types import MappingProxyType
from typing import Any

from citation_pipeline.core.answers.merging import latest_date
from citation_pipeline.core.extraction import ExtractedField, Extraction, ValueCandidate
from citation_pipeline.core.values.grammar import same_value
from citation_pipeline.core.values.spans import fold, fold_words

DIFFERS = "second_reading_differs"
OVERTAKEN = "perhaps_overtaken"
UNSURE = "second_reading_unsure"
REASON = "second_reading"

# a paraphrase is no doubt where another reading of the documents chose the same member
_SETTLED = "enum_not_in_snippet"
_OPEN = frozenset({"weak_evidence", "conflicting"})
_COMPARED = frozenset({"date", "number", "integer", "boolean", "enum", "string"})
# of twelve claims' older prints that nothing else spoke against, 21 in 35 were quoted from papers older than
# this by all their quotations, and of honest values 40 in 810
_REPEATED_WITHIN = timedelta(days=90)
_LONGEST_STRING = 8  # words; prose says the same in other words


def compare_readings(
    extraction: Extraction, second: Extraction, dates: Mapping[str, str] = MappingProxyType({})
) -> Extraction:
    """Return the extraction with a warning and a candidate on each field that the second reading differs in.

    Lists are not compared, and prose by the days of its documents alone: the same things are said in many
    ways. `dates` gives source documents' own days (ISO), as `dates_by_part` does.
    """
    others = {field.field_key: field for field in second.fields}
    fields = tuple(
        _compared(field, others[field.field_key], dates) if field.field_key in others else field
        for field in extraction.fields
    )
    return replace(extraction, fields=fields)


def doubt_older(
    extraction: Extraction, changing: Container[str], dates: Mapping[str, str], newest: str
) -> Extraction:
    """Return the extraction with a warning on what changes and only older papers are quoted for.

    `newest` is the claim's latest day (ISO, empty where no document has one); documents without a day say
    nothing.
    """
    if not newest:
        return extraction
    oldest = (date.fromisoformat(newest) - _REPEATED_WITHIN).isoformat()
    fields = tuple(
        replace(field, warnings=(*field.warnings, OVERTAKEN))
        if field.value is not None
        and OVERTAKEN not in field.warnings  # a recorded answer may say so itself
        and field.field_key in changing
        and (latest_date(field.snippets, dates) or newest) < oldest
        else field
        for field in extraction.fields
    )
    return replace(extraction, fields=fields)


def _compared(field: ExtractedField, other: ExtractedField, dates: Mapping[str, str]) -> ExtractedField:
    if field.value is None or field.value_type not in _COMPARED:
        return field
    if other.value is not None and _agree(field.value, other.value, field.value_type):
        return replace(field, warnings=tuple(code for code in field.warnings if code != _SETTLED))
    if later := _later_prose(field, other, dates):
        return _warned(field, UNSURE, later)
    rivals = _rivals(field, other)
    return _warned(field, DIFFERS if other.value is not None else UNSURE, rivals) if rivals else field


def _warned(field: ExtractedField, code: str, rivals: Sequence[ValueCandidate]) -> ExtractedField:
    new = [
        one
        for one in rivals
        if not any(_agree(one.value, known.value, field.value_type) for known in field.candidates)
    ]
    return replace(field, warnings=(*field.warnings, code), candidates=(*new, *field.candidates))


def _rivals(field: ExtractedField, other: ExtractedField) -> list[ValueCandidate]:
    """Return what the second reading has instead: its value, or the values that it could not decide on."""
    return [
        one
        for one in _readings(other)
        if not _is_prose(field.value, one.value) and not _agree(one.value, field.value, field.value_type)
    ]


def _later_prose(
    field: ExtractedField, other: ExtractedField, dates: Mapping[str, str]
) -> list[ValueCandidate]:
    """Return the prose that the second reading has first, from a paper later than all quoted ones."""
    own = latest_date(field.snippets, dates)
    return [
        one
        for one in _readings(other)[:1]
        if _is_prose(field.value, one.value)
        and not _agree(one.value, field.value, field.value_type)
        and own
        and (latest_date(one.snippets, dates) or "") > own
    ]


def _readings(other: ExtractedField) -> list[ValueCandidate]:
    if other.value is not None:
        return [ValueCandidate(other.value, REASON, other.belief, snippets=other.snippets)]
    return [replace(one, reason=REASON) for one in other.candidates if one.reason in _OPEN]


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
