"""Evaluations as data frames: a table of claims, of types, of fields, and of what confidence is worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from citation_pipeline.core.evaluation.evaluation import Evaluation
from citation_pipeline.core.evaluation.reports import as_json
from citation_pipeline.core.evaluation.scores import Counts

_COUNTS = ("precision", "recall", "f1", "right", "wrong", "missing")


@dataclass(frozen=True, eq=False)
class EvaluationFrames:
    """Evaluations of claims against a truth.

    `claims` has a row per claim, indexed by it: value figures, places and AUROCs. `types` a row per claim and
    type, `fields` per claim and field, `calibration` per claim and tenth of confidence. Figures that nothing
    can be said of are `<NA>`.
    """

    evaluations: Sequence[Evaluation]

    @property
    def claims(self) -> pd.DataFrame:
        """A row per claim, ready to plot."""
        rows = []
        for one in self.evaluations:
            said = as_json(one)
            confidence = {name: said["confidence"][name] for name in _CONFIDENCES}
            rows.append({"claim_id": one.claim_id, **said["values"], **said["citations"], **confidence})
        columns = ["claim_id", *_COUNTS, "cited", "judged", *_PLACES, *_CONFIDENCES]
        return _nullable(rows, columns).set_index("claim_id")

    @property
    def types(self) -> pd.DataFrame:
        """A row per claim and type of value."""
        rows = [
            {"claim_id": one.claim_id, "type": name, **_counts(counts)}
            for one in self.evaluations
            for name, counts in one.by_type.items()
        ]
        return _nullable(rows, ["claim_id", "type", *_COUNTS])

    @property
    def fields(self) -> pd.DataFrame:
        """A row per claim and field; `is_right` where nothing is wrong and nothing missing."""
        rows = [
            {
                "claim_id": one.claim_id,
                "field_key": row.field_key,
                "type": row.value_type,
                "is_right": row.is_right,
                "right": row.counts.right,
                "wrong": row.counts.wrong,
                "missing": row.counts.missing,
                "citations": row.citations,
                "pages_right": row.pages_right,
                "word_box_f1": row.word_box_f1,
            }
            for one in self.evaluations
            for row in one.fields
        ]
        return _nullable(rows, _FIELD_COLUMNS)

    @property
    def calibration(self) -> pd.DataFrame:
        """A row per claim and tenth of the citations' confidence that any citation is in."""
        rows = [
            {
                "claim_id": one.claim_id,
                "from": bin.low,
                "to": bin.high,
                "count": bin.count,
                "mean_confidence": bin.mean_confidence,
                "share_right": bin.share_right,
            }
            for one in self.evaluations
            for bin in one.calibration
        ]
        return _nullable(rows, ["claim_id", "from", "to", "count", "mean_confidence", "share_right"])

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the report as one HTML page with its pictures, and write it where a path is given."""
        from citation_pipeline.analysis.reports import evaluation_page

        frames = {"claims": self.claims, "types": self.types, "fields": self.fields}
        page = evaluation_page(self.evaluations, **frames)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page


_PLACES = ("word_box_f1", "page_precision", "page_recall", "page_f1")
_CONFIDENCES = ("field_auroc", "sure_fields", "sure_fields_right", "value_auroc", "citation_auroc")
_FIELD_COLUMNS = [
    *("claim_id", "field_key", "type", "is_right", "right", "wrong", "missing", "citations"),
    *("pages_right", "word_box_f1"),
]
_WHOLE = frozenset(
    ("right", "wrong", "missing", "cited", "judged", "sure_fields", "sure_fields_right", "citations")
    + ("pages_right", "count")
)


def _counts(counts: Counts) -> dict[str, float | int | None]:
    return {name: getattr(counts, name) for name in _COUNTS}


def _nullable(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Return the rows as a frame whose types hold, also of no rows."""
    types: dict[str, Any] = {}
    for name in columns:
        if name in ("claim_id", "type", "field_key"):
            types[name] = "category" if name != "claim_id" else "string"
        elif name == "is_right":
            types[name] = "boolean"
        else:
            types[name] = "Int64" if name in _WHOLE else "Float64"
    return pd.DataFrame(list(rows), columns=list(columns)).astype(types)
