"""Dates as Spanish writes them, in figures and in words: `3 de marzo de 2025`, `el tres de marzo del 2025`,
`marzo 3, 2025`, `uno de mayo de dos mil veinticuatro`.

A day whose year nobody states (`el tres de marzo`) is no date: a year would be a guess.
"""

import re
from collections.abc import Iterator

from citation_pipeline.core.values.spans import fold_words

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("enero", "ene"),
            ("febrero", "feb"),
            ("marzo", "mar"),
            ("abril", "abr"),
            ("mayo", "may"),
            ("junio", "jun"),
            ("julio", "jul"),
            ("agosto", "ago"),
            ("septiembre", "setiembre", "sept", "sep", "set"),
            ("octubre", "oct"),
            ("noviembre", "nov"),
            ("diciembre", "dic"),
        ),
        start=1,
    )
    for name in names
}
_ONES = "uno dos tres cuatro cinco seis siete ocho nueve"
_TEENS = "diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve"
_TWENTIES = (
    "veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho "
    "veintinueve"
)
_NUMBERS = {name: number for number, name in enumerate(f"{_ONES} {_TEENS} {_TWENTIES}".split(), start=1)}
_NUMBERS |= {"primero": 1, "primer": 1, "veintiun": 21, "treinta": 30, "cuarenta": 40}
_SPELLED = r"(?:[^\W\d_]{3,12})(?:\s+y\s+(?:uno|un|dos|tres|cuatro|cinco|seis|siete|ocho|nueve))?"
_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_LONG_NAMES = "|".join(name for name in _MONTHS if len(name) > 4 or name == "mayo")
_YEAR = rf"(?:19|20)\d\d(?!\d)|dos\s+mil(?:\s+{_SPELLED})?"
_DATE = re.compile(
    rf"(?<![\w./-])(?P<d1>\d{{1,2}}|{_SPELLED})(?:\s?(?:\.?[\u00ba\u00b0]|ro\.?|er\.?))?\s+de\s+"
    rf"(?P<m1>{_NAMES})\b\.?,?\s+(?:de\s+|del\s+)(?:a[n\u00f1]o\s+)?(?P<y1>{_YEAR})"
    rf"|(?<![\w./-])(?P<m2>{_LONG_NAMES})\s+(?P<d2>\d{{1,2}})\s*(?:,|de|del)\s*(?P<y2>(?:19|20)\d\d(?!\d))",
    re.IGNORECASE,
)
_MAY_HOLD = re.compile(rf"\b(?:{_NAMES})\b", re.IGNORECASE)


def find_spanish_dates(text: str) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield start, end, year, month and day of every Spanish date; not each is one of the calendar."""
    if _MAY_HOLD.search(text) is None:
        return
    for match in _DATE.finditer(text):
        form = "1" if match["m1"] else "2"
        day, year = _number(match[f"d{form}"]), _number(match[f"y{form}"])
        if day is not None and year is not None:
            yield match.start(), match.end(), year, _MONTHS[match[f"m{form}"].lower()], day


def _number(text: str) -> int | None:
    """Return what figures or words count: `31`, `treinta y uno`, `dos mil veinticinco`."""
    if text.isdigit():
        return int(text)
    words = [word for word in fold_words(text) if word != "y"]
    base = 0
    if words[:2] == ["dos", "mil"]:
        base, words = 2000, words[2:]
    values = [_NUMBERS.get("uno" if word == "un" else word) for word in words]
    return None if None in values else base + sum(value for value in values if value is not None)
