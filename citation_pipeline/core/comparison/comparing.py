"""Extractors side by side: each field's values and places, and figures by type and by kind of document.

Pure. Who asks the extractors and finds their quotations is the pipeline's work; how it is told, `reports` and
`page`.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from citation_pipeline.core.boxes import intersection
from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.comparison.sides import Cell, ClaimComparison, FieldRow, Figures, Side
from citation_pipeline.core.documents.kinds import classify, shipped_kinds
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.evaluation.evaluation import FieldEvaluation
from citation_pipeline.core.evaluation.matching import is_right, pair_items
from citation_pipeline.core.evaluation.places import names_of, places_of
from citation_pipeline.core.extraction import READ
from citation_pipeline.core.resolution.field_confidence import SURE
from citation_pipeline.core.schemas import Field, Schema

NOT_CITED = "(no document)"
"""The kind under which answers without a place are counted."""
OTHER = "other"
"""The kind of documents that nothing sufficiently points at."""

_ORDER = {CitationStatus.RESOLVED: 2, CitationStatus.FLAGGED: 1, CitationStatus.UNRESOLVED: 0}


def compare_sides(
    claim_id: str,
    sides: Sequence[Side],
    *,
    schema: Schema,
    documents: Sequence[ParsedDocument],
    truth: Mapping[str, Any] | None = None,
) -> ClaimComparison:
    """Lay the sides of one claim beside each other, in the order of the schema's fields.

    `truth` is a truth file's content; a field that it neither has nor lists as absent is not judged.
    """
    kinds = kinds_of(documents)
    rows = [
        row
        for field in schema.fields
        if (row := _row(field, sides, kinds, truth, names_of(documents))) is not None
    ]
    by_type: defaultdict[str, list[Figures]] = defaultdict(lambda: [Figures()] * len(sides))
    by_kind: defaultdict[str, list[Figures]] = defaultdict(lambda: [Figures()] * len(sides))
    totals = [Figures()] * len(sides)
    for row in rows:
        for place, (side, cell) in enumerate(zip(sides, row.cells, strict=True)):
            figures = _figures(row, side, cell)
            totals[place] += figures
            by_type[row.value_type][place] += figures
            if cell.value is not None or figures.missing:
                by_kind[cell.kind or NOT_CITED][place] += figures
    return ClaimComparison(
        claim_id=claim_id,
        sides=tuple(sides),
        rows=rows,
        totals=totals,
        by_type=dict(sorted(by_type.items())),
        by_kind=dict(sorted(by_kind.items())),
        documents=dict(sorted(Counter(kinds.values()).items())),
        has_truth=truth is not None,
    )


def kinds_of(documents: Sequence[ParsedDocument]) -> dict[str, str]:
    """Return each readable document's kind, by source id."""
    return {
        document.source.source_id: classify(document, shipped_kinds()).kind.replace("_", " ") or OTHER
        for document in documents
        if document.is_readable
    }


def _row(
    field: Field,
    sides: Sequence[Side],
    kinds: Mapping[str, str],
    truth: Mapping[str, Any] | None,
    names: Mapping[str, str],
) -> FieldRow | None:
    """Return one field's row, None where nobody answers it and no truth expects it."""
    true = (truth or {}).get("fields", {}).get(field.key)
    judged = true is not None or field.key in (truth or {}).get("absent_fields", ())
    # a missing value belongs to the kind of document that states it
    stated_in = next((kinds.get(place.source_id, "") for place in _true_places(true, names)), "")
    cells = [_cell(field.key, side, kinds, stated_in if judged else "") for side in sides]
    if true is None and not any(_says(cell) for cell in cells):
        return None
    answers = [cell.value for cell in cells if _says(cell)]
    silent = len(answers) < sum(not side.failure for side in sides)
    same = all(_means_the_same(a, b, field.value_type) for a, b in combinations(answers, 2))
    return FieldRow(
        field_key=field.key,
        label=field.label,
        value_type=field.value_type,
        cells=cells,
        agree=same and not (silent and answers),
        same_place=_same_place([_best(side, field.key) for side in sides]),
        truth=true["value"] if true is not None else None,
        has_truth=judged,
    )


def _true_places(true: Mapping[str, Any] | None, names: Mapping[str, str]) -> Sequence[Any]:
    return places_of(true.get("citations", ()), names) if true is not None else ()


def _cell(key: str, side: Side, kinds: Mapping[str, str], stated_in: str) -> Cell:
    field, best = side.fields.get(key), _best(side, key)
    judged = _judged(side, key)
    right = None if judged is None else judged.is_right
    if field is None or field.value is None:
        unread = any(pages.outcome != READ and pages.is_about(key) for pages in side.extraction.pages_read)
        status = "unread" if unread or side.failure else ""
        return Cell(status=status, right=right, kind=stated_in, warnings=field.warnings if field else ())
    located = best is not None and best.status is not CitationStatus.UNRESOLVED
    return Cell(
        value=field.value,
        status=best.status.value if best is not None else "",
        source_id=best.source_id if best is not None else "",
        page=best.page if best is not None and located else None,
        kind=kinds.get(best.source_id, "") if best is not None else "",
        confidence=side.confidences.get(key),
        snippet=best.snippet_text if best is not None else "",
        right=right,
        word_box_f1=judged.word_box_f1 if judged is not None else None,
        warnings=field.warnings,
    )


def _judged(side: Side, key: str) -> FieldEvaluation | None:
    if side.evaluation is None:
        return None
    return next((row for row in side.evaluation.fields if row.field_key == key), None)


def _best(side: Side, key: str) -> Citation | None:
    found = [one for one in side.citations if one.field_key == key]
    return max(found, key=lambda one: (_ORDER[one.status], one.confidence), default=None)


def _says(cell: Cell) -> bool:
    return cell.value is not None


def _means_the_same(a: Any, b: Any, value_type: str) -> bool:
    """Tell whether two values are one, by the equality that evaluation uses."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) == len(pair_items(a, b)) if a and b else a == b
    if isinstance(a, list) or isinstance(b, list):
        return False
    return is_right(a, b, "number" if value_type == "integer" else value_type)


def _same_place(best: Sequence[Citation | None]) -> bool | None:
    placed = [one for one in best if one is not None and one.snippet]
    if len(placed) < 2:
        return None
    return all(_share_a_place(a, b) for a, b in combinations(placed, 2))


def _share_a_place(a: Citation, b: Citation) -> bool:
    return a.source_id == b.source_id and any(
        one.page == other.page and intersection(box, beside) is not None
        for one in a.snippet
        for other in b.snippet
        for box in one.boxes
        for beside in other.boxes
    )


def _figures(row: FieldRow, side: Side, cell: Cell) -> Figures:
    judged = _judged(side, row.field_key)
    answered = cell.value is not None
    return Figures(
        answered=int(answered),
        placed=int(answered and cell.page is not None),
        resolved=int(answered and cell.status == CitationStatus.RESOLVED.value),
        sure=int(answered and (cell.confidence or 0.0) >= SURE),
        right=judged.counts.right if judged is not None else 0,
        wrong=judged.counts.wrong if judged is not None else 0,
        missing=judged.counts.missing if judged is not None else 0,
    )
