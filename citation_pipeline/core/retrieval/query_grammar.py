"""Queries with conditions in plain words, read by a small grammar: `liens over $10,000`, `injured after
2024-06`.

    condition  = subject comparison value | subject "between" value "and" value
    comparison = "over" | "at least" | "under" | "before" | "after" | "is" | ">" | "<=" | … (see _COMPARISONS)
    value      = a sum, a number, a percentage, a date, a word of an enumeration

The subject is matched to a known field of the value's type. What was understood is returned with the rest of
the query, so that it can be shown; nothing a caller writes ever becomes SQL.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.retrieval.identifiers import identifiers_in_query
from citation_pipeline.core.retrieval.terms import term_set
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.numbers import find_number_spans, plain_number

ANY_AMOUNT = "*"
"""The field key of a condition on a sum whose subject is no known field: any field that holds a number."""

_COMPARISONS: tuple[tuple[str, str], ...] = (
    (">=", r">=|at least|no less than|not less than|from|since|on or after|starting"),
    ("<=", r"<=|at most|no more than|not more than|up to|until|through|on or before"),
    (">", r">|over|above|more than|greater than|exceeding|exceeds?|higher than|larger than|after|later than"),
    ("<", r"<|under|below|less than|lower than|smaller than|before|earlier than|prior to"),
    ("=", r"==?|equals?|equal to|exactly|is|was|are|were|of|on|in|during|:"),
)
_BETWEEN = re.compile(r"\b(?:is |was |are |were )?(?:between|from)\b", re.IGNORECASE)
_COMPARISON = re.compile(
    "|".join(
        rf"(?P<{name}>(?<![\w<>=])(?:{words})(?![\w<>=]))"
        for name, (_, words) in zip("abcde", _COMPARISONS, strict=True)
    ),
    re.IGNORECASE,
)
_SYMBOL = {name: symbol for name, (symbol, _) in zip("abcde", _COMPARISONS, strict=True)}
_JOINER = re.compile(
    r"\b(?:and|with|where|whose|having|that have|which have|which|that)\b|[,;]", re.IGNORECASE
)
_ISO_MONTH = re.compile(r"\b(\d{4})-(\d{2})\b(?!-)")
_YEAR = re.compile(r"\b(19|20)\d{2}\b")
_LEAST_MATCH = 0.34  # of the subject's terms that a field's own names must share


@dataclass(frozen=True, slots=True)
class SearchableField:
    """A field that a condition may name: its key, label, type (number, date, …) and other names."""

    key: str
    label: str
    value_type: str
    names: Sequence[str] = ()
    enum: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """One understood condition; `value` is a number, an ISO date or a word, `upper` the end of a between."""

    field_key: str
    label: str
    operator: str
    value: Any
    upper: Any = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class QueryInterpretation:
    """How a query was read: the words that are searched, the conditions, the identifiers."""

    query: str
    text: str
    conditions: Sequence[Condition] = ()
    identifiers: Sequence[str] = ()


def interpret(query: str, fields: Sequence[SearchableField]) -> QueryInterpretation:
    """Read a query; what is no condition stays text."""
    conditions: list[Condition] = []
    rest: list[str] = []
    for clause in _clauses(query):
        condition = _between(clause, fields) or _compared(clause, fields)
        if condition is None:
            rest.append(clause.strip())
        else:
            conditions.append(condition)
            if condition.field_key == ANY_AMOUNT:  # "invoices over $1000": the subject is still searched
                rest.append(_subject_of(clause))
    return QueryInterpretation(
        query=query,
        text=" ".join(part for part in rest if part),
        conditions=tuple(conditions),
        identifiers=tuple(identifiers_in_query(query)),
    )


def _clauses(query: str) -> list[str]:
    """Cut at joiners, but not inside `between … and …`, a date or a sum."""
    cuts, start = [], 0
    for match in _JOINER.finditer(query):
        piece = query[start : match.start()]
        inside_number = match[0] == "," and query[match.end() : match.end() + 1].isdigit()
        inside_date = match[0] == "," and re.match(r"\s*\d{4}\b", query[match.end() :])
        is_between = match[0].lower() == "and" and _BETWEEN.search(piece)
        if inside_number or inside_date or is_between:
            continue
        cuts.append(piece)
        start = match.end()
    cuts.append(query[start:])
    return [cut for cut in cuts if cut.strip()]


def _subject_of(clause: str) -> str:
    match = _COMPARISON.search(clause)
    return clause[: match.start()].strip() if match else clause.strip()


def _between(clause: str, fields: Sequence[SearchableField]) -> Condition | None:
    match = _BETWEEN.search(clause)
    if match is None:
        return None
    low, word, high = clause[match.end() :].partition(" and " if " and " in clause else " to ")
    if not word:
        return None
    first, last = _value(low), _value(high)
    if first is None or last is None or first[1] != last[1]:
        return None
    field = _field(clause[: match.start()], fields, first[1])
    if field is None:
        return None
    upper = last[0] if first[1] == "number" else _end_of(high, last[0])
    return Condition(field.key, field.label, "between", first[0], upper, clause.strip())


def _compared(clause: str, fields: Sequence[SearchableField]) -> Condition | None:
    matches = list(_COMPARISON.finditer(clause))
    for match in reversed(matches):
        symbol = _SYMBOL[str(match.lastgroup)]
        after = clause[match.end() :]
        subject = clause[: match.start()]
        value = _value(after)
        if value is not None:
            if (
                symbol == "="
                and match[0].lower() in ("of", "on", "from", "in", "during")
                and value[1] == "number"
            ):
                continue
            field = _field(subject, fields, value[1])
            if field is None:
                continue
            if value[1] == "date" and symbol == "=" and _end_of(after, value[0]) != value[0]:
                return Condition(
                    field.key, field.label, "between", value[0], _end_of(after, value[0]), clause.strip()
                )
            limit = _end_of(after, value[0]) if value[1] == "date" and symbol in (">", "<=") else value[0]
            return Condition(field.key, field.label, symbol, limit, None, clause.strip())
        if symbol == "=" and (word := _enum_word(subject, after, fields)) is not None:
            return Condition(word[0].key, word[0].label, "=", word[1], None, clause.strip())
    return None


def _value(text: str) -> tuple[Any, str] | None:
    """Return the value that a text begins with, and its type."""
    text = text.strip()
    for span in find_dates(text):
        if span.start <= 4:
            return span.value, "date"
    if (month := _ISO_MONTH.match(text)) is not None:
        return f"{month[1]}-{month[2]}-01", "date"
    if (year := _YEAR.fullmatch(text.rstrip(" .?!"))) is not None:
        return f"{year[0]}-01-01", "date"
    for number in find_number_spans(text):
        if number.start <= 3:
            return plain_number(number.value), "number"
    return None


def _end_of(text: str, start: str) -> str:
    """Return the last day of what was named: a month or a year ends later than it begins."""
    text = text.strip()
    if find_dates(text):
        return start
    if (month := _ISO_MONTH.match(text)) is not None:
        return f"{month[1]}-{month[2]}-31"
    return f"{start[:4]}-12-31" if _YEAR.fullmatch(text.rstrip(" .?!")) else start


def _field(subject: str, fields: Sequence[SearchableField], value_type: str) -> SearchableField | None:
    """Return the field of the type that the subject names best; a sum without one is any amount."""
    wanted = term_set(subject)
    best, best_score = None, 0.0
    for field in fields:
        kind = "number" if field.value_type in ("number", "integer") else field.value_type
        if kind != value_type:
            continue
        score = max((_likeness(wanted, term_set(name)) for name in (field.label, *field.names)), default=0.0)
        if score > best_score:
            best, best_score = field, score
    if best is not None and best_score >= _LEAST_MATCH:
        return best
    if value_type == "number" and wanted:
        return SearchableField(ANY_AMOUNT, "any amount", "number")
    return None


def _likeness(wanted: frozenset[str], named: frozenset[str]) -> float:
    shared = len(wanted & named)
    return 2 * shared / (len(wanted) + len(named)) if shared else 0.0


def _enum_word(
    subject: str, after: str, fields: Sequence[SearchableField]
) -> tuple[SearchableField, str] | None:
    words = after.strip(" .?!").lower().replace(" ", "_")
    wanted = term_set(subject)
    for field in fields:
        for member in field.enum:
            if member.lower().replace(" ", "_") == words and wanted & term_set(
                " ".join((field.label, *field.names))
            ):
                return field, member
    return None
