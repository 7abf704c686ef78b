"""Partial answers about one claim made into one: a rule for each type of value, and no value lost.

Scalars: the value that the latest dated document states wins, the beaten ones are kept as
`ConflictingValue`. Arrays: the items of all, the same item once. Parts come in the order of their
documents. Not here: which part is asked what (`adapters/conversation`), nor the reading of answers
(`answers`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citation_pipeline.core.documents.dates import page_key
from citation_pipeline.core.extraction import (
    AnswerIssue,
    Confidence,
    ConflictingValue,
    ExtractedField,
    Extraction,
    Snippet,
)
from citation_pipeline.core.schemas import Schema
from citation_pipeline.core.values.grammar import same_value, type_of_value

_TRUST = {Confidence.HIGH: 3, Confidence.MEDIUM: 2, None: 1, Confidence.LOW: 0}


@dataclass(slots=True)
class _Candidate:
    """One value of a field with all that parts said for it; `date` is "" where no document is dated."""

    field: ExtractedField
    date: str
    support: int = 1


def merge_extractions(
    parts: Sequence[Extraction], schema: Schema, *, dates: Mapping[str, str] | None = None
) -> Extraction:
    """Merge the extractions of parts of a claim; `dates` gives source documents' own dates (ISO).

    The merged field's snippets are numbered anew, winners first. `unanswered` issues stay only for fields
    that no part answered.
    """
    known = dates or {}
    fields: list[ExtractedField] = []
    conflicts: list[ConflictingValue] = []
    for key in schema.by_key:
        answers = [field for part in parts for field in part.fields if field.field_key == key]
        if answers:
            merged, beaten = merge_field(answers, dates=known)
            fields.append(merged)
            conflicts.extend(beaten)
    answered = {field.field_key for field in fields}
    issues = [
        issue
        for part in parts
        for issue in part.issues
        if issue.code != "unanswered" or issue.field_key not in answered
    ]
    return Extraction(
        schema_name=schema.name,
        fields=tuple(fields),
        issues=tuple(_each_once(issues)),
        model=next((part.model for part in parts if part.model), ""),
        prompt_fingerprint=next((part.prompt_fingerprint for part in parts if part.prompt_fingerprint), ""),
        conflicts=(*(conflict for part in parts for conflict in part.conflicts), *conflicts),
    )


def merge_field(
    answers: Sequence[ExtractedField], *, dates: Mapping[str, str]
) -> tuple[ExtractedField, list[ConflictingValue]]:
    """Merge the answers that parts gave for one field; returns it and the values that were beaten."""
    stated = [answer for answer in answers if answer.value is not None]
    if not stated:
        silent = replace(answers[0], warnings=_warnings_of(answers))
        return _with_snippets(silent, [answer.snippets for answer in answers]), []
    if len(stated) == 1:
        return stated[0], []
    if stated[0].value_type == "array":
        return _merge_arrays(stated, dates)
    return _merge_scalars(stated, dates)


def latest_date(snippets: Sequence[Snippet], dates: Mapping[str, str]) -> str | None:
    """Return the latest date of the documents that these snippets quote."""
    found = (_date_of(snippet, dates) for snippet in snippets)
    return max((date for date in found if date), default=None)


def _date_of(snippet: Snippet, dates: Mapping[str, str]) -> str | None:
    """Return the date of the part that a snippet's page belongs to, else of its file."""
    own = dates.get(snippet.source_id)
    return dates.get(page_key(snippet.source_id, snippet.page), own) if snippet.page else own


def _merge_scalars(
    stated: Sequence[ExtractedField], dates: Mapping[str, str]
) -> tuple[ExtractedField, list[ConflictingValue]]:
    candidates: list[_Candidate] = []
    for field in stated:
        date = latest_date(field.snippets, dates) or ""
        same = next((c for c in candidates if same_value(c.field.value, field.value, field.value_type)), None)
        if same is None:
            candidates.append(_Candidate(field, date))
            continue
        first, second = (field, same.field) if date > same.date else (same.field, field)
        same.field = _with_snippets(
            replace(first, warnings=_warnings_of((first, second))), [first.snippets, second.snippets]
        )
        same.date, same.support = max(same.date, date), same.support + 1
    # sorting is stable: where nothing decides, the part that came first
    candidates.sort(key=lambda c: (c.date, _TRUST[c.field.confidence], c.support), reverse=True)
    winner, *beaten = candidates
    if not beaten:
        return winner.field, []
    return replace(winner.field, warnings=(*winner.field.warnings, "conflicting_values")), [
        ConflictingValue(
            field_key=c.field.field_key, value=c.field.value, snippets=c.field.snippets, date=c.date or None
        )
        for c in beaten
    ]


def _merge_arrays(
    stated: Sequence[ExtractedField], dates: Mapping[str, str]
) -> tuple[ExtractedField, list[ConflictingValue]]:
    """Unite the items; an array that is stated to be empty loses to any item, and is kept as a conflict."""
    filled = [field for field in stated if field.value]
    empty = [field for field in stated if not field.value]
    if not filled:
        return _with_snippets(stated[0], [field.snippets for field in stated]), []
    items: list[Any] = []
    moved: list[list[Snippet]] = []
    for field in filled:
        places = [_place_item(item, items) for item in _items_of(field)]
        moved.append([replace(s, item_path=_moved_path(s.item_path, places)) for s in field.snippets])
    warnings = _warnings_of(filled)
    if _has_lookalikes(items):
        warnings = (*warnings, "possible_duplicate_items")
    if empty:
        warnings = (*warnings, "conflicting_values")
    lowest = min((field.confidence for field in filled), key=lambda confidence: _TRUST[confidence])
    merged = _with_snippets(replace(filled[0], value=items, confidence=lowest, warnings=warnings), moved)
    return merged, [
        ConflictingValue(
            field_key=field.field_key,
            value=[],
            snippets=field.snippets,
            date=latest_date(field.snippets, dates),
        )
        for field in empty
    ]


def _items_of(field: ExtractedField) -> list[Any]:
    return field.value if isinstance(field.value, list) else [field.value]


def _place_item(item: Any, items: list[Any]) -> int:
    """Put an item among the items, into the one that says the same if there is one; returns its place."""
    for place, other in enumerate(items):
        if isinstance(item, Mapping) and isinstance(other, Mapping):
            if _agree(item, other):
                items[place] = {**item, **other}
                return place
        elif not isinstance(item, Mapping) and same_value(item, other, type_of_value(item)):
            return place
    items.append(item)
    return len(items) - 1


def _agree(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Tell whether two items can be one: the same identifying member, and none that contradicts."""
    return _is_same_thing(a, b) and all(
        same_value(a[name], b[name], type_of_value(a[name])) for name in a if name in b
    )


def _is_same_thing(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    name = next(iter(a), None)
    return name is not None and name in b and same_value(a[name], b[name], type_of_value(a[name]))


def _has_lookalikes(items: Sequence[Any]) -> bool:
    """Tell whether two items bear the same name but contradict each other otherwise."""
    return any(
        isinstance(a, Mapping) and isinstance(b, Mapping) and _is_same_thing(a, b)
        for place, a in enumerate(items)
        for b in items[place + 1 :]
    )


def _moved_path(path: str, places: Sequence[int]) -> str:
    if not path.startswith("["):
        return path
    number, _, rest = path[1:].partition("]")
    return f"[{places[int(number)]}]{rest}" if int(number) < len(places) else ""


def _with_snippets(field: ExtractedField, groups: Sequence[Sequence[Snippet]]) -> ExtractedField:
    """Return the field with all the snippets, identical ones once, numbered in this order."""
    once: dict[tuple[str, str], Snippet] = {}
    for group in groups:
        for snippet in group:
            once.setdefault((snippet.source_id, snippet.text), snippet)
    return replace(
        field,
        snippets=tuple(replace(snippet, citation_index=n) for n, snippet in enumerate(once.values())),
    )


def _warnings_of(fields: Sequence[ExtractedField]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(warning for field in fields for warning in field.warnings))


def _each_once(issues: Sequence[AnswerIssue]) -> Sequence[AnswerIssue]:
    return list(dict.fromkeys(issues))
