"""A comparison as text for a terminal, and as JSON for machines. Both show values: they are for a person."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citation_pipeline.core.comparison.sides import Cell, ClaimComparison, FieldRow, Figures, Side, Usage
from citation_pipeline.core.evaluation.scores import Counts, rounded, share_text
from citation_pipeline.core.published.display import written

_LONGEST = 48  # of a value in a column


def sum_up(comparisons: Sequence[ClaimComparison]) -> dict[str, tuple[Figures, Usage, dict[str, int], int]]:
    """Return, by extractor, its figures and usage over all claims, what it left unread, and its failures."""
    found: dict[str, tuple[Figures, Usage, dict[str, int], int]] = {}
    for comparison in comparisons:
        for side, figures in zip(comparison.sides, comparison.totals, strict=True):
            before, usage, unread, failures = found.get(side.extractor, (Figures(), Usage(), {}, 0))
            counts = {why: unread.get(why, 0) + side.unread.get(why, 0) for why in {*unread, *side.unread}}
            found[side.extractor] = (
                before + figures,
                usage + side.usage,
                dict(sorted(counts.items())),
                failures + bool(side.failure),
            )
    return found


def claims_of(comparisons: Sequence[ClaimComparison]) -> str:
    """Return how many claims were compared, in words."""
    return "1 claim" if len(comparisons) == 1 else f"{len(comparisons)} claims"


def add_up(comparisons: Sequence[ClaimComparison], name: str) -> dict[str, list[Figures]]:
    """Return the figures `by_type` or `by_kind` of all claims together."""
    found: dict[str, list[Figures]] = {}
    for comparison in comparisons:
        for key, figures in getattr(comparison, name).items():
            before = found.get(key, [Figures()] * len(figures))
            found[key] = [a + b for a, b in zip(before, figures, strict=True)]
    return dict(sorted(found.items()))


# --- JSON -------------------------------------------------------------------------------------------------


def as_json(comparison: ClaimComparison) -> dict[str, Any]:
    """Return one claim's comparison as JSON."""
    names = [side.extractor for side in comparison.sides]
    return {
        "claim_id": comparison.claim_id,
        "extractors": [
            _side_json(side, figures, has_truth=comparison.has_truth)
            for side, figures in zip(comparison.sides, comparison.totals, strict=True)
        ],
        "documents": dict(comparison.documents),
        "by_type": _grouped_json(comparison.by_type, names),
        "by_document_type": _grouped_json(comparison.by_kind, names),
        "fields": [_row_json(row, names) for row in comparison.rows],
    }


def total_json(comparisons: Sequence[ClaimComparison]) -> dict[str, Any]:
    """Return all claims together as JSON."""
    names = [side.extractor for side in comparisons[0].sides] if comparisons else []
    return {
        "claim_id": None,
        "claims": len(comparisons),
        "extractors": [
            {"extractor": name, **_figures_json(figures), **_usage_json(usage), "unread": unread}
            | {"failures": failures}
            for name, (figures, usage, unread, failures) in sum_up(comparisons).items()
        ],
        "by_type": _grouped_json(add_up(comparisons, "by_type"), names),
        "by_document_type": _grouped_json(add_up(comparisons, "by_kind"), names),
        "fields_that_differ": sum(row.differs for one in comparisons for row in one.rows),
        "fields_that_differ_in_value": sum(row.differs_in_value for one in comparisons for row in one.rows),
    }


def _side_json(side: Side, figures: Figures, *, has_truth: bool) -> dict[str, Any]:
    return {
        "extractor": side.extractor,
        "model": side.model,
        "failure": side.failure,
        **_figures_json(figures),
        **_usage_json(side.usage),
        "unread": dict(side.unread),
    }


def _figures_json(figures: Figures) -> dict[str, Any]:
    counts = Counts(figures.right, figures.wrong, figures.missing)
    return {
        "answered": figures.answered,
        "placed": figures.placed,
        "resolved": figures.resolved,
        "sure": figures.sure,
        "right": figures.right,
        "wrong": figures.wrong,
        "missing": figures.missing,
        "precision": rounded(counts.precision),
        "recall": rounded(counts.recall),
        "f1": rounded(counts.f1),
    }


def _usage_json(usage: Usage) -> dict[str, Any]:
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "dollars": usage.dollars,
        "paid_now": usage.paid_now,
        "seconds": usage.seconds,
    }


def _grouped_json(groups: Mapping[str, Sequence[Figures]], names: Sequence[str]) -> dict[str, Any]:
    return {
        key: {name: _figures_json(one) for name, one in zip(names, figures, strict=True)}
        for key, figures in groups.items()
    }


def _row_json(row: FieldRow, names: Sequence[str]) -> dict[str, Any]:
    return {
        "field_key": row.field_key,
        "type": row.value_type,
        "agree": row.agree,
        "same_place": row.same_place,
        **({"truth": row.truth} if row.has_truth else {}),
        "answers": {name: _cell_json(cell) for name, cell in zip(names, row.cells, strict=True)},
    }


def _cell_json(cell: Cell) -> dict[str, Any]:
    return {
        "value": cell.value,
        "status": cell.status,
        "source_id": cell.source_id,
        "page": cell.page,
        "document_type": cell.kind,
        "confidence": None if cell.confidence is None else round(cell.confidence, 4),
        "snippet": cell.snippet,
        "right": cell.right,
        "word_box_f1": None if cell.word_box_f1 is None else round(cell.word_box_f1, 4),
        "warnings": list(cell.warnings),
    }


# --- text -------------------------------------------------------------------------------------------------


def as_text(comparison: ClaimComparison) -> str:
    """Return one claim's comparison for a terminal: figures, and the fields that differ."""
    lines = [f"{comparison.claim_id}: {' · '.join(side.extractor for side in comparison.sides)}", ""]
    lines += _table(("", *(side.extractor for side in comparison.sides)), list(_figure_rows(comparison)))
    by_value = [row for row in comparison.rows if row.differs_in_value]
    by_place = [row for row in comparison.rows if row.differs and not row.differs_in_value]
    head = ("field", *(side.extractor for side in comparison.sides))
    head = (*head, "truth") if comparison.has_truth else head
    for rows, said in (
        (by_value, f"{len(by_value)} of {len(comparison.rows)} fields differ in value:"),
        (by_place, f"{len(by_place)} have the same value from different places:"),
    ):
        lines += ["", said, *_table(head, [_text_row(row, has_truth=comparison.has_truth) for row in rows])]
    return "\n".join(lines) + "\n"


def total_text(comparisons: Sequence[ClaimComparison]) -> str:
    """Return all claims together for a terminal: by extractor, by type of value, by kind of document."""
    if not comparisons:
        return "nothing was compared\n"
    names = [side.extractor for side in comparisons[0].sides]
    has_truth = any(one.has_truth for one in comparisons)
    sums = sum_up(comparisons)
    lines = [f"{claims_of(comparisons)} together", ""]
    rows = [(name, *_figure_cells(sums[name][0], sums[name][1], has_truth)) for name in names]
    lines += _table(("", *_figure_names(has_truth)), rows)
    for title, groups in (
        ("by type of value", add_up(comparisons, "by_type")),
        ("by type of document", add_up(comparisons, "by_kind")),
    ):
        lines += ["", f"{title}: {_group_legend(has_truth)}"]
        grouped = [
            (key, *(_group_cell(one, has_truth) for one in figures)) for key, figures in groups.items()
        ]
        lines += _table(("", *names), grouped)
    return "\n".join(lines) + "\n"


def _figure_rows(comparison: ClaimComparison) -> Iterator[tuple[str, ...]]:
    sides, totals = comparison.sides, comparison.totals
    for place, name in enumerate(_figure_names(comparison.has_truth)):
        cells = [
            "failed" if side.failure else _figure_cells(figures, side.usage, comparison.has_truth)[place]
            for side, figures in zip(sides, totals, strict=True)
        ]
        yield (name, *cells)
    yield ("unread pages", *(_unread(side) for side in sides))


def _unread(side: Side) -> str:
    return ", ".join(f"{count} {why}" for why, count in side.unread.items()) or "none"


def _figure_names(has_truth: bool) -> tuple[str, ...]:
    judged = ("right", "wrong", "missing", "precision", "recall", "F1") if has_truth else ()
    return ("answered", "placed", "resolved", "sure", *judged, "calls", "tokens", "cost", "seconds")


def _figure_cells(figures: Figures, usage: Usage, has_truth: bool) -> tuple[str, ...]:
    counts = Counts(figures.right, figures.wrong, figures.missing)
    judged = (
        (
            str(counts.right),
            str(counts.wrong),
            str(counts.missing),
            share_text(counts.precision),
            share_text(counts.recall),
            share_text(counts.f1),
        )
        if has_truth
        else ()
    )
    return (
        str(figures.answered),
        str(figures.placed),
        str(figures.resolved),
        str(figures.sure),
        *judged,
        str(usage.calls),
        f"{usage.input_tokens + usage.output_tokens:,}",
        f"${usage.dollars:,.4f}",
        f"{usage.seconds:.1f}",
    )


def _group_legend(has_truth: bool) -> str:
    return "right / wrong / missing" if has_truth else "answered / placed / resolved"


def _group_cell(figures: Figures, has_truth: bool) -> str:
    if has_truth:
        return f"{figures.right} / {figures.wrong} / {figures.missing}"
    return f"{figures.answered} / {figures.placed} / {figures.resolved}"


def _text_row(row: FieldRow, *, has_truth: bool) -> tuple[str, ...]:
    cells = [_text_cell(cell) for cell in row.cells]
    truth = (_short(written(row.truth)) if row.has_truth else "",) if has_truth else ()
    return (row.field_key, *cells, *truth)


def _text_cell(cell: Cell) -> str:
    if cell.value is None:
        return "(not read)" if cell.status == "unread" else "-"
    place = f" [{cell.source_id} p.{cell.page}]" if cell.page is not None else " [no place]"
    mark = {True: "+ ", False: "x ", None: ""}[cell.right]
    doubt = "?" if cell.status == "flagged" else ""
    return f"{mark}{_short(written(cell.value))}{doubt}{place}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return ["(none)"]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (head, *rows)
    ]
