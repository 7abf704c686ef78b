"""Evaluations as Markdown for people and JSON for machines. No document text: keys, types and figures."""

from collections.abc import Sequence
from typing import Any

from citation_pipeline.core.evaluation.evaluation import Evaluation
from citation_pipeline.core.evaluation.scores import Counts, rounded, share_text


def as_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return the evaluation as JSON; figures rounded to four digits, None where there is nothing to judge."""
    return {
        "claim_id": evaluation.claim_id,
        "values": _counts(evaluation.values),
        "by_type": {name: _counts(counts) for name, counts in evaluation.by_type.items()},
        "item_members": rounded(evaluation.item_members),
        "citations": {
            "cited": evaluation.cited,
            "judged": evaluation.located,
            "word_box_f1": rounded(evaluation.word_box_f1),
            "page_precision": rounded(evaluation.page_precision),
            "page_recall": rounded(evaluation.page_recall),
            "page_f1": rounded(evaluation.page_f1),
        },
        "confidence": {
            "field_auroc": rounded(evaluation.field_auroc),
            "sure_fields": evaluation.sure.right + evaluation.sure.wrong,
            "sure_fields_right": evaluation.sure.right,
            "value_auroc": rounded(evaluation.value_auroc),
            "citation_auroc": rounded(evaluation.citation_auroc),
            "calibration": [
                {
                    "from": bin.low,
                    "to": bin.high,
                    "count": bin.count,
                    "mean_confidence": rounded(bin.mean_confidence),
                    "share_right": rounded(bin.share_right),
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
                "word_box_f1": rounded(row.word_box_f1),
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
            (
                name,
                share_text(c.precision),
                share_text(c.recall),
                share_text(c.f1),
                c.right,
                c.wrong,
                c.missing,
            )
            for name, c in rows
        ],
    )
    parts += ["", f"Members right in matched list items: {share_text(evaluation.item_members)}", ""]
    parts += ["## Citations of right values", ""]
    parts += _table(
        ("judged", "word-box F1", "page precision", "page recall", "page F1"),
        [
            (
                evaluation.located,
                share_text(evaluation.word_box_f1),
                share_text(evaluation.page_precision),
                share_text(evaluation.page_recall),
                share_text(evaluation.page_f1),
            )
        ],
    )
    parts += ["", "## Confidence", ""]
    orders = (evaluation.field_auroc, evaluation.value_auroc, evaluation.citation_auroc)
    fields, word, citations = map(share_text, orders)
    parts += [
        f"AUROC of fields {fields}, of the extractor's word {word}, of citations {citations}; at 0.95 and "
        f"above {evaluation.sure.right} of {evaluation.sure.right + evaluation.sure.wrong} fields are right",
        "",
    ]
    parts += _table(
        ("confidence", "count", "mean", "right"),
        [
            (f"{b.low:.1f}-{b.high:.1f}", b.count, share_text(b.mean_confidence), share_text(b.share_right))
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


def _counts(counts: Counts) -> dict[str, float | int | None]:
    return {
        "precision": rounded(counts.precision),
        "recall": rounded(counts.recall),
        "f1": rounded(counts.f1),
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
