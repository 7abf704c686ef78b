"""Which rows of a table sum up others: by what they are called, or because their figures are sums.

For readers of tables: adding such a row to the others would count twice.
"""

import re
from collections.abc import Sequence

from citation_pipeline.core.layout.tables import CellDraft
from citation_pipeline.core.values.numbers import find_number_spans

# English, then the other languages of claim files
_NAMED = re.compile(
    r"\W*(grand |overall |sub-?\s?)?totals?\b|\W*sub-?totals?\b|\W*all (payments|charges|items)\b"
    r"|\W*suma\b|\W*(zwischen|gesamt)?summe\b|\W*gesamt|\W*totaux\b|\W*total(es)?\b|\W*razem\b|\W*tổng|\W*[合总總][计計]",
    re.IGNORECASE,
)
_SLIP = 0.005
_FEWEST = 3  # rows above a sum that nothing names


def total_rows(cells: Sequence[CellDraft]) -> set[int]:
    """Return the numbers of the rows of a table that sum up others."""
    rows: dict[int, list[CellDraft]] = {}
    for cell in cells:
        rows.setdefault(cell.row, []).append(cell)
    found = {
        number for number, row in rows.items() if not any(cell.is_header for cell in row) and _is_named(row)
    }
    if not found and len(rows) > _FEWEST and _sums_up(list(rows.values())):
        found.add(max(rows))
    return found


def _is_named(cells: Sequence[CellDraft]) -> bool:
    texts = [cell.text for cell in cells if cell.text.strip()]
    words = [text for text in texts if any(c.isalpha() for c in text)]
    figures = len(texts) - len(words)
    return figures > 0 and len(words) > 0 and any(_NAMED.match(text) for text in words[:2])


def _sums_up(rows: Sequence[Sequence[CellDraft]]) -> bool:
    """Tell whether the last row has the sum of each column in which it has an amount."""
    *above, last = [{cell.column: cell for cell in row if not cell.is_header} for row in rows]
    sums = 0
    for column, cell in last.items():
        stated = _amount(cell)
        if stated is None or cell.colspan > 1:
            continue
        parts = [_amount(row[column]) for row in above if column in row and row[column].text.strip()]
        known = [part for part in parts if part is not None]
        if len(known) < _FEWEST or len(known) < len(parts) or not stated:
            return False
        if abs(sum(known) - stated) > _SLIP * len(known):
            return False
        sums += 1
    return sums > 0


def _amount(cell: CellDraft) -> float | None:
    if not re.search(r"\d[.,]\d\d\b", cell.text):
        return None
    spans = find_number_spans(cell.text)
    return float(spans[0].value) if len(spans) == 1 else None
