"""Evaluations as Markdown for people and JSON for machines. No document text: keys, types and figures."""

from collections.abc import Sequence
from typing import Any

from citation_pipeline.core.evaluation.evaluation import Evaluation
from citation_pipeline.core.evaluation.scores import Counts


def as_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return the evaluation as JSON; figures rounded to four digits, None where there is nothing to judge."""
    return {
        "claim_id": evaluation.claim_id,
        "values": _counts(evaluation.values),
        "by_type": {name: _counts(counts) for name, counts in evaluation.by_type.items()},
        "item_members": _round(evaluation.item_members),
        "citations": {
            "cited": evaluation.cited,
            "judged": evaluation.located,
            "word_box_f1": _round(evaluation.word_box_f1),
            "page_precision": _round(evaluation.page_precision),
            "page_recall": _round(evaluation.page_recall),
            "page_f1": _round(evaluation.page_f1),
        },
        "confidence": {
            "field_auroc": _round(evaluation.field_auroc),
            "sure_fields": evaluation.sure.right + evaluation.sure.wrong,
            "sure_fields_right": evaluation.sure.right,
            "value_auroc": _round(evaluation.value_auroc),
            "citation_auroc": _round(evaluation.citation_auroc),
            "calibration": [
                {
                    "from": bin.low,
                    "to": bin.high,
                    "count": bin.count,
                    "mean_confidence": _round(bin.mean_confidence),
                    "share_right": _round(bin.share_right),
                }
                for bin in evaluation.calibration
            ],
        },
        "fields": [
            {
                "field_key": row.field_key,
                "type": row.value_type,
                "right": row.counts.right,
                "wrong": row.counts.wrong,
                "missing": row.counts.missing,
                "citations": row.citations,
                "pages_right": row.pages_right,
                "word_box_f1": _round(row.word_box_f1),
            }
            for row in evaluation.fields
        ],
    }


def as_markdown(evaluation: Evaluation) -> str:
    """Return the evaluation as a Markdown page; the fields that are not right come last."""
    parts = [f"# Evaluation of {evaluation.claim_id or 'a claim'}", "", "## Values", ""]
    rows = [("all", evaluation.values), *evaluation.by_type.items()]
    parts += _table(
        ("type", "precision", "recall", "F1", "right", "wrong", "missing"),
        [
            (name, _show(c.precision), _show(c.recall), _show(c.f1), c.right, c.wrong, c.missing)
            for name, c in rows
        ],
    )
    parts += ["", f"Members right in matched list items: {_show(evaluation.item_members)}", ""]
    parts += ["## Citations of right values", ""]
    parts += _table(
        ("judged", "word-box F1", "page precision", "page recall", "page F1"),
        [
            (
                evaluation.located,
                _show(evaluation.word_box_f1),
                _show(evaluation.page_precision),
                _show(evaluation.page_recall),
                _show(evaluation.page_f1),
            )
        ],
    )
    parts += ["", "## Confidence", ""]
    parts += [
        f"AUROC of fields {_show(evaluation.field_auroc)}, of the extractor's word "
        f"{_show(evaluation.value_auroc)}, of citations {_show(evaluation.citation_auroc)}; at 0.95 and "
        f"above {evaluation.sure.right} of {evaluation.sure.right + evaluation.sure.wrong} fields are right",
        "",
    ]
    parts += _table(
        ("confidence", "count", "mean", "right"),
        [
            (f"{b.low:.1f}-{b.high:.1f}", b.count, _show(b.mean_confidence), _show(b.share_right))
            for b in evaluation.calibration
        ],
    )
    failed = [row for row in evaluation.fields if not row.is_right]
    parts += ["", f"## Fields that are not right ({len(failed)})", ""]
    parts += _table(
        ("field", "type", "right", "wrong", "missing"),
        [(r.field_key, r.value_type, r.counts.right, r.counts.wrong, r.counts.missing) for r in failed],
    )
    return "\n".join(parts) + "\n"


def _counts(counts: Counts) -> dict[str, float | int]:
    return {
        "precision": round(counts.precision, 4),
        "recall": round(counts.recall, 4),
        "f1": round(counts.f1, 4),
        "right": counts.right,
        "wrong": counts.wrong,
        "missing": counts.missing,
    }


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    if not rows:
        return ["(none)"]
    return [
        f"| {' | '.join(head)} |",
        f"|{' --- |' * len(head)}",
        *(f"| {' | '.join(str(cell) for cell in row)} |" for row in rows),
    ]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _show(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"
