"""Values as people write them: dates in the claim's form, sums with currency and thousands separators.

The typed value stays beside it. What a document's own words show decides; nothing is guessed from a field's
name.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from citation_pipeline.core.schemas import label_of
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.numbers import find_number_spans, is_same_number

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_FORMS = (
    (re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}\Z"), "%m/%d/%Y"),
    (re.compile(r"\d{1,2}\.\d{1,2}\.\d{2,4}\Z"), "%d.%m.%Y"),
    (re.compile(r"\d{4}-\d{2}-\d{2}\Z"), "%Y-%m-%d"),
)
_USUAL = "%m/%d/%Y"


def date_form_of(texts: Iterable[str]) -> str:
    """Return the form (strftime) in which most dates of these texts are printed."""
    seen: Counter[str] = Counter()
    for text in texts:
        for found in find_dates(text):
            printed = text[found.start : found.end].strip()
            seen.update(form for pattern, form in _FORMS if pattern.match(printed))
    return max(seen, key=lambda form: (seen[form], form == _USUAL)) if seen else _USUAL


def written(value: Any, *, snippets: Iterable[str] = (), date_form: str = _USUAL) -> str:
    """Return a value as its documents' readers write it; `snippets` are the words it was read from."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, int | float):
        return _number(value, snippets)
    if isinstance(value, list):
        texts = list(snippets)
        return "; ".join(_item(item, texts, date_form) for item in value) or "None"
    if isinstance(value, Mapping):
        return _item(value, list(snippets), date_form)
    return _date(str(value), date_form)


def _number(value: float, snippets: Iterable[str]) -> str:
    plain = f"{value:g}" if abs(value) < 1e6 and round(value, 4) == float(f"{value:g}") else f"{value:.2f}"
    for text in snippets:
        for found in find_number_spans(text):
            if not is_same_number(found.value, value):
                continue
            printed = text[found.start : found.end].strip()
            if found.is_percent:
                return printed
            if found.is_money:
                sign = re.match(r"[^\d.,\s(-]+", printed)
                return _money(value, sign[0] if sign else "$")
    return plain


def _money(value: float, sign: str) -> str:
    gap = " " if sign.isalpha() else ""
    return f"{'-' if value < 0 else ''}{sign}{gap}{abs(value):,.2f}"


def _date(text: str, date_form: str) -> str:
    if not _ISO.match(text):
        return text
    try:
        return date.fromisoformat(text).strftime(date_form)
    except ValueError:  # no such day: as it is
        return text


def _item(item: Any, snippets: list[str], date_form: str) -> str:
    if not isinstance(item, Mapping):
        return written(item, snippets=snippets, date_form=date_form)
    parts = [
        (name, written(value, snippets=snippets, date_form=date_form))
        for name, value in item.items()
        if value not in (None, "")
    ]
    if not parts:
        return ""
    details = ", ".join(f"{label_of(name).lower()}: {text}" for name, text in parts[1:])
    return f"{parts[0][1]} ({details})" if details else parts[0][1]
